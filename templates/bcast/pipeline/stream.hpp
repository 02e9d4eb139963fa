// One tree's part of a message on its way through one rank: segments come in from the parent and go out to the
// children.
//
//   parent ==> [ receives posted ahead ] ==> segment s arrived ==> [ send window ] ==> child 0
//                                                              ==> [ send window ] ==> child 1
//
// A completed receive is replaced by the next one before its segment is forwarded, so that the link into this rank
// never idles. The send window (send_window.hpp) is small, since segments that share a port only delay each other. A
// child that has not entered the broadcast yet does not count, so that it holds up nobody but itself.
//
// Between two ranks all segments of a tree travel under one tag, in order; MPI keeps that order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "bcast/facts/settings.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/roles/role.hpp"
#include "bcast/roles/send_window.hpp"
#include "bcast/trees/hop.hpp"

namespace bcast {

/// Moves one tree's part of the message through this rank. Reused from call to call: after the first call of a shape
/// nothing is allocated.
class Stream {
  public:
    /// What part of the message a tree carries, and how.
    struct Part {
        std::size_t begin;          ///< first byte
        std::size_t end;            ///< one past the last byte
        std::size_t segment_bytes;  ///< 0: in one piece
        int send_window;            ///< the most segments on their way to the children; 0: the usual
        std::size_t trees;          ///< that the message is divided among
        std::int64_t of_segments =
            0;  ///< not 0: all ranks are here, and more parts may follow at once: in all this many
        Hop hop{};
        bool paced = false;  ///< handed over only once the children have received all but the last few segments
    };

    /// The last segments of a paced part, which may still be on their way when the next part begins.
    static constexpr int never_asked_after = 2;

    /// Begins to move `part` of `message` over `role`, with the number of the tree as tag. Returns how many requests
    /// this takes; use_requests must follow.
    std::size_t start(const TreeRole& role, Message& message, const Part& part, std::size_t tree, MPI_Comm comm) {
        role_ = &role;
        message_ = &message;
        begin_ = part.begin;
        end_ = part.end;
        const std::size_t bytes = end_ - begin_;
        const std::size_t wanted = part.segment_bytes == 0 ? bytes : part.segment_bytes;
        segment_bytes_ = std::max<std::size_t>(1, std::min({wanted, bytes, longest_segment_bytes}));
        segments_ = static_cast<std::int64_t>((bytes + segment_bytes_ - 1) / segment_bytes_);
        SendWindow most{part.send_window, part.send_window};
        if (part.send_window == 0) {
            // Parts that follow each other overlap: twice a pair's usual number would be on their way.
            most =
                usual_send_window(std::max(segments_, part.of_segments), segments_ < part.of_segments ? 1 : part.trees);
            const auto covering =
                static_cast<int>(std::min<std::int64_t>(part.hop.covering(segment_bytes_), widest_send_window));
            most = {std::max(most.to_one_child, covering), std::max(most.to_all, covering)};
        }
        send_window_ = std::max<std::int64_t>(1, std::min<std::int64_t>(most.to_one_child, segments_));
        const bool to_far = std::any_of(role.far.begin(), role.far.end(), [](char far) { return far != 0; });
        more_to_far_ = part.send_window == 0 && part.of_segments == 0 && covers_far(segments_) && to_far ? 1 : 0;
        most_under_way_ = most.to_all + more_to_far_;
        // Those after it are sent meanwhile, so that the wire stays busy until it is known to have been received.
        asked_after_ =
            part.paced && segments_ > 0 ? std::max<std::int64_t>(0, segments_ - 1 - never_asked_after) : none;
        slots_ = send_window_ + more_to_far_ + (part.paced ? 1 : 0);
        receives_ = role.parent >= 0 ? std::max<std::int64_t>(1, std::min(receives_ahead, segments_)) : 0;
        all_here_ = part.of_segments > 0;
        here_bytes_ = bytes;
        tag_ = static_cast<int>(tree);
        comm_ = comm;
        posted_ = 0;
        arrived_ = 0;
        staged_ = 0;
        under_way_ = 0;
        next_child_ = 0;
        to_child_.assign(role.children.size(), Progress{});
        completed_.assign(static_cast<std::size_t>(receives_) + role.children.size() * static_cast<std::size_t>(slots_),
                          0);
        if (!message.in_place()) {
            stages_ = std::min(segments_, receives_ahead + most_under_way_);
            const std::size_t needed = static_cast<std::size_t>(stages_) * segment_bytes_;
            if (staging_.size() < needed) staging_.resize(needed);
        }
        return completed_.size();
    }

    /// Where this stream's requests live.
    void use_requests(MPI_Request* requests) { requests_ = requests; }

    /// Notes that the request at `index` (of this stream's) has completed.
    void complete(std::size_t index) { completed_[index] = 1; }

    /// At the root of a message in place: this many of its leading bytes are here.
    void set_here(std::size_t bytes) { here_bytes_ = bytes; }

    /// Starts everything that can be started now. MPI error code.
    int advance() {
        if (role_->parent >= 0) {
            take_arrivals();
            if (const int error = post_receives(); error != MPI_SUCCESS) return error;
            if (const int error = unpack_arrivals(); error != MPI_SUCCESS) return error;
        }
        take_sent();
        return send_ready();
    }

    /// True once MPI has everything: all receives are posted, or at the root all sends started (of a paced part, nearly
    /// all received).
    [[nodiscard]] bool handed_over() const {
        if (role_->parent >= 0) return posted_ == segments_;
        return std::all_of(to_child_.begin(), to_child_.end(), [this](const Progress& child) {
            return child.started == segments_ && child.sent > asked_after_;
        });
    }

    /// True once every segment has arrived and has been sent to every child.
    [[nodiscard]] bool done() const {
        if (role_->parent >= 0 && (arrived_ < segments_ || (!message_->in_place() && staged_ < segments_)))
            return false;
        return std::all_of(to_child_.begin(), to_child_.end(),
                           [this](const Progress& child) { return child.sent == segments_; });
    }

  private:
    struct Progress {
        std::int64_t started = 0;  // segments handed to MPI
        std::int64_t sent = 0;     // how many of those have completed (a prefix)
    };

    [[nodiscard]] std::size_t receive_slot(std::int64_t segment) const {
        return static_cast<std::size_t>(segment % receives_);
    }
    [[nodiscard]] std::size_t send_slot(std::size_t child, std::int64_t segment) const {
        return static_cast<std::size_t>(receives_ + static_cast<std::int64_t>(child) * slots_ + segment % slots_);
    }
    [[nodiscard]] int length(std::int64_t segment) const {
        const std::size_t offset = static_cast<std::size_t>(segment) * segment_bytes_;
        return static_cast<int>(std::min(segment_bytes_, end_ - begin_ - offset));
    }
    [[nodiscard]] char* address(std::int64_t segment) {
        if (message_->in_place()) return message_->at(begin_ + static_cast<std::size_t>(segment) * segment_bytes_);
        return staging_.data() + static_cast<std::size_t>(segment % stages_) * segment_bytes_;
    }

    void take_arrivals() {
        while (arrived_ < posted_ && completed_[receive_slot(arrived_)] != 0) {
            completed_[receive_slot(arrived_)] = 0;
            ++arrived_;
        }
    }

    /// The number of leading segments that this rank no longer needs, so that their staging may be used again.
    [[nodiscard]] std::int64_t retired() const {
        std::int64_t least = staged_;
        for (const Progress& child : to_child_) least = std::min(least, child.sent);
        return least;
    }

    [[nodiscard]] bool may_stage(std::int64_t segment) const {
        return message_->in_place() || segment < retired() + stages_;
    }

    int post_receives() {
        while (posted_ < segments_ && posted_ < arrived_ + receives_ && may_stage(posted_)) {
            if (const int error = mpi.Irecv(address(posted_), length(posted_), mpi.byte, role_->parent, tag_, comm_,
                                            requests_ + receive_slot(posted_));
                error != MPI_SUCCESS) {
                return error;
            }
            ++posted_;
        }
        return MPI_SUCCESS;
    }

    int unpack_arrivals() {
        if (message_->in_place()) return MPI_SUCCESS;
        while (staged_ < arrived_) {
            const auto bytes = static_cast<std::size_t>(length(staged_));
            if (const int error = message_->write(address(staged_), bytes); error != MPI_SUCCESS) return error;
            ++staged_;
        }
        return MPI_SUCCESS;
    }

    /// The first of several segments is sent to each child whatever else is on its way: until it is received, the child
    /// may not have entered the broadcast, and must not keep the others waiting.
    [[nodiscard]] bool counts(std::int64_t segment) const { return segment > 0 || segments_ == 1 || all_here_; }

    void take_sent() {
        for (std::size_t child = 0; child < to_child_.size(); ++child) {
            Progress& progress = to_child_[child];
            while (progress.sent < progress.started && completed_[send_slot(child, progress.sent)] != 0) {
                completed_[send_slot(child, progress.sent)] = 0;
                if (counts(progress.sent)) --under_way_;
                ++progress.sent;
            }
        }
    }

    /// The most segments on their way to one child: one more while a receipt is awaited from it, and if it is far.
    [[nodiscard]] std::int64_t most_to(std::size_t child) const {
        const Progress& progress = to_child_[child];
        const bool asks = progress.sent <= asked_after_ && asked_after_ < progress.started;
        const bool far = child < role_->far.size() && role_->far[child] != 0;
        return send_window_ + (far ? more_to_far_ : 0) + (asks ? 1 : 0);
    }

    /// Hands segments to the children in turn, as many as the send window allows.
    int send_ready() {
        std::size_t passed_over = 0;
        while (passed_over < to_child_.size()) {
            bool started = false;
            if (const int error = send_next(next_child_, started); error != MPI_SUCCESS) return error;
            next_child_ = next_child_ + 1 == to_child_.size() ? 0 : next_child_ + 1;
            passed_over = started ? 0 : passed_over + 1;
        }
        return MPI_SUCCESS;
    }

    /// Starts the child's next segment if it is here and may go.
    int send_next(std::size_t child, bool& started) {
        Progress& progress = to_child_[child];
        const std::int64_t segment = progress.started;
        if (segment == segments_) return MPI_SUCCESS;
        if (segment == progress.sent + most_to(child) || (segment > 0 && progress.sent == 0 && !all_here_)) {
            return MPI_SUCCESS;
        }
        if (counts(segment) && under_way_ == most_under_way_) return MPI_SUCCESS;
        if (const int error = make_available(segment); error != MPI_SUCCESS) return error;
        if (segment >= available()) return MPI_SUCCESS;
        const auto send = segment == asked_after_ ? mpi.Issend : mpi.Isend;
        if (const int error = send(address(segment), length(segment), mpi.byte, role_->children[child], tag_, comm_,
                                   requests_ + send_slot(child, segment));
            error != MPI_SUCCESS) {
            return error;
        }
        if (counts(segment)) ++under_way_;
        ++progress.started;
        started = true;
        return MPI_SUCCESS;
    }

    /// The number of leading segments that can be sent.
    [[nodiscard]] std::int64_t available() const {
        if (role_->parent >= 0) return arrived_;
        if (!message_->in_place()) return staged_;
        return here_bytes_ == end_ - begin_ ? segments_ : static_cast<std::int64_t>(here_bytes_ / segment_bytes_);
    }

    /// At the root of a message that is not in place: packs `segment` if it is the next and there is room.
    int make_available(std::int64_t segment) {
        if (role_->parent >= 0 || message_->in_place() || segment < staged_ || !may_stage(segment)) return MPI_SUCCESS;
        const int error = message_->read(address(segment), static_cast<std::size_t>(length(segment)));
        ++staged_;
        return error;
    }

    static constexpr std::int64_t none = -1;

    const TreeRole* role_ = nullptr;
    Message* message_ = nullptr;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t segment_bytes_ = 1;
    std::int64_t segments_ = 0;
    std::int64_t posted_ = 0;    // receives posted
    std::int64_t arrived_ = 0;   // leading segments received
    std::int64_t staged_ = 0;    // leading segments packed (root) or unpacked (others); not used for messages in place
    std::int64_t stages_ = 1;    // segments that the staging memory holds
    std::int64_t receives_ = 0;  // receives posted at once
    std::int64_t send_window_ = 1;  // the most sends on their way to one child
    std::int64_t more_to_far_ = 0;  // and this many more to a child that is far
    std::int64_t slots_ = 1;        // requests kept for each child's sends
    std::int64_t most_under_way_ = 1;
    std::int64_t under_way_ = 0;
    std::int64_t asked_after_ = none;  // the segment that MPI reports as received by the child
    std::size_t next_child_ = 0;       // whose turn it is
    bool all_here_ = false;
    std::size_t here_bytes_ = 0;
    int tag_ = 0;
    MPI_Comm comm_{};
    MPI_Request* requests_ = nullptr;
    std::vector<char> completed_;  // by request: completed and not yet handled
    std::vector<Progress> to_child_;
    std::vector<char> staging_;
};

}  // namespace bcast
