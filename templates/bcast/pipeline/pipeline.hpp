// The engine that all tree broadcasts run on.
//
// One event loop over all requests of this rank, for both trees of a pair together: whatever completes next is served
// next, so no wait for one peer holds up another. How a tree's segments move is in stream.hpp.
#pragma once

#include <cstddef>
#include <vector>

#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/lane.hpp"
#include "bcast/pipeline/onward.hpp"
#include "bcast/pipeline/stream.hpp"
#include "bcast/roles/role.hpp"
#include "bcast/trees/hop.hpp"

namespace bcast {

/// Runs broadcasts over roles, one at a time, for one communicator.
class Pipeline {
  public:
    /// What a hop costs the segments of later runs.
    void set_hop(const Hop& hop) { hop_ = hop; }

    /// Whether to note when segments come, for times().
    void keep_times(bool kept) { keeps_times_ = kept; }
    /// Of the last run, by tree.
    [[nodiscard]] Stream::Times times(std::size_t tree) const {
        return tree < running_ ? streams_[tree].times() : Stream::Times{};
    }

    /// How a message goes.
    struct Terms {
        std::size_t segment_bytes;    ///< 0: each tree's part in one piece
        int send_window;              ///< as in Stream::Part
        std::size_t above_bytes = 0;  ///< all ranks' messages are longer, as in Choice
    };

    /// Broadcasts `message` over `role`. Of n trees each carries an n-th of the bytes, in order. Returns when the
    /// message is here and has been passed on, also by `onward` if it goes on that way; what went wrong meanwhile is in
    /// `failure`. MPI error code: this rank could not go on, and the lanes are of no more use.
    int run(const Role& role, Message& message, const Terms& terms, const Lanes& lanes, Failure& failure,
            Onward* onward = nullptr) {
        const bool is_root = role.trees.front().parent < 0;
        const bool take_out = onward != nullptr ? !message.in_place() : role.trees.size() > 1 && !message.any_order();
        if (take_out) failure.take_out(message, is_root);
        start(role, message, terms, lanes, failure);
        onward_ = onward;
        const int error = finish();
        if (error == MPI_SUCCESS && take_out) failure.put_back(message, is_root);
        return error;
    }

    /// The same in steps, at the root of one tree, for a message in place of which parts are still to come: start(),
    /// then forward() now and then, and finish() when all of it is here.
    void start(const Role& role, Message& message, const Terms& terms, const Lanes& lanes, Failure& failure) {
        const std::size_t trees = role.trees.size();
        const bool divides = divides_port(role);
        if (streams_.size() < trees) insured([&] { streams_.resize(trees); });
        running_ = trees;
        failure_ = &failure;
        onward_ = nullptr;
        parts_.clear();
        tags_ = SegmentTags(message.bytes(), lanes.length_bits);
        places_.clear();
        for (std::size_t tree = 0; tree < trees; ++tree) {
            const std::size_t begin = message.bytes() / trees * tree;
            const std::size_t end = tree + 1 == trees ? message.bytes() : begin + message.bytes() / trees;
            parts_.push_back({begin, end, begin});
            streams_[tree].keep_times(keeps_times_);
            Stream::Part part{begin, end, terms.segment_bytes, terms.send_window, trees};
            part.hop = hop_;
            part.idle_before = trees == 1;
            part.divides_port = divides;
            part.least_bytes = std::min(message.bytes(), terms.above_bytes + 1) / trees;
            places_.push_back(streams_[tree].start(role.trees[tree], message, part,
                                                   {tree == 0 ? lanes.first : lanes.second, &tags_, 0}, failure));
        }
        requests_.reset(lay_out(places_.data(), trees));
        for (std::size_t tree = 0; tree < trees; ++tree) streams_[tree].use_requests(requests_, places_[tree]);
    }

    /// Sends what can be sent of the first `here_bytes` bytes. MPI error code.
    int forward(std::size_t here_bytes) {
        streams_[0].set_here(here_bytes);
        bool any = false;
        do {
            if (const int error = streams_[0].advance(); error != MPI_SUCCESS) return error;
            if (const int error = requests_.test(any); error != MPI_SUCCESS) return error;
        } while (any);
        return MPI_SUCCESS;
    }

    /// Returns when the message has been passed on. MPI error code.
    int finish() {
        const int error = loop();
        if (error != MPI_SUCCESS) requests_.abandon();
        return error;
    }

  private:
    int loop() {
        while (true) {
            bool done = true;
            const bool spoilt = failure_->spoilt;
            for (std::size_t tree = 0; tree < running_; ++tree) {
                Stream& stream = streams_[tree];
                if (stream.done()) continue;
                if (const int error = stream.advance(); error != MPI_SUCCESS) return error;
                done = done && stream.done();
            }
            Onward::State onward = Onward::State::done;
            if (const int error = pass_on(onward); error != MPI_SUCCESS) return error;
            if (done && onward == Onward::State::done) return MPI_SUCCESS;
            if (failure_->spoilt != spoilt) continue;  // which one tree's stream saw after the other's
            const int error = onward == Onward::State::waits ? look() : requests_.wait();
            if (error != MPI_SUCCESS) return error;
        }
    }

    int pass_on(Onward::State& state) {
        if (onward_ == nullptr) return MPI_SUCCESS;
        for (std::size_t tree = 0; tree < running_; ++tree) {
            parts_[tree].here = parts_[tree].begin + streams_[tree].here();
        }
        return onward_->advance(parts_, state);
    }

    /// Looks whether a request has ended, while others of the machine are awaited as well.
    int look() {
        bool any = false;
        const int error = requests_.test(any);
        if (!any) onward_->pause();
        return error;
    }

    Hop hop_;
    bool keeps_times_ = false;
    std::vector<Stream> streams_;
    std::size_t running_ = 0;  // of them
    SegmentTags tags_;
    Failure* failure_ = nullptr;
    Onward* onward_ = nullptr;  // where the message goes as well, if anywhere
    Row<Onward::Part> parts_;
    Requests requests_;           // of all streams
    Row<Stream::Places> places_;  // where each stream's begin
};

}  // namespace bcast
