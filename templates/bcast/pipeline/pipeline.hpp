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
#include "bcast/pipeline/stream.hpp"
#include "bcast/roles/role.hpp"
#include "bcast/trees/hop.hpp"

namespace bcast {

/// Runs broadcasts over roles, one at a time, for one communicator.
class Pipeline {
  public:
    /// What a hop costs the segments of later runs.
    void set_hop(const Hop& hop) { hop_ = hop; }

    /// Broadcasts `message` over `role` in segments of `segment_bytes` (0: each tree's part in one piece). Of n trees
    /// each carries an n-th of the bytes, in order; `send_window` as in Stream::Part. Returns when the message is here
    /// and has been passed on. MPI error code; after an error the communicator is of no more use, since requests may be
    /// left on it.
    int run(const Role& role, Message& message, std::size_t segment_bytes, int send_window, MPI_Comm comm) {
        const bool is_root = role.trees.front().parent < 0;
        const bool take_out = role.trees.size() > 1 && !message.in_place();
        if (take_out) {
            if (const int error = message.take_out(is_root); error != MPI_SUCCESS) return error;
        }
        start(role, message, segment_bytes, send_window, comm);
        const int error = finish();
        return error == MPI_SUCCESS && take_out ? message.put_back(is_root) : error;
    }

    /// The same in steps, at the root of one tree, for a message in place of which parts are still to come: start(),
    /// then forward() now and then, and finish() when all of it is here.
    void start(const Role& role, Message& message, std::size_t segment_bytes, int send_window, MPI_Comm comm) {
        const std::size_t trees = role.trees.size();
        if (streams_.size() < trees) streams_.resize(trees);
        first_request_.assign(1, 0);
        for (std::size_t tree = 0; tree < trees; ++tree) {
            const std::size_t begin = message.bytes() / trees * tree;
            const std::size_t end = tree + 1 == trees ? message.bytes() : begin + message.bytes() / trees;
            const std::size_t requests = streams_[tree].start(
                role.trees[tree], message, {begin, end, segment_bytes, send_window, trees, 0, hop_}, tree, comm);
            first_request_.push_back(first_request_.back() + requests);
        }
        requests_.assign(first_request_.back(), mpi.request_null);
        for (std::size_t tree = 0; tree < trees; ++tree) {
            streams_[tree].use_requests(requests_.data() + first_request_[tree]);
        }
    }

    /// Sends what can be sent of the first `here_bytes` bytes. MPI error code.
    int forward(std::size_t here_bytes) {
        streams_[0].set_here(here_bytes);
        int request = MPI_UNDEFINED;
        do {
            if (const int error = streams_[0].advance(); error != MPI_SUCCESS) return error;
            if (const int error = test_any(static_cast<int>(requests_.size()), requests_.data(), &request);
                error != MPI_SUCCESS) {
                return error;
            }
            if (request != MPI_UNDEFINED) streams_[0].complete(static_cast<std::size_t>(request));
        } while (request != MPI_UNDEFINED);
        return MPI_SUCCESS;
    }

    /// Returns when the message has been passed on. MPI error code.
    int finish() {
        const std::size_t trees = first_request_.size() - 1;
        bool done = false;
        while (true) {
            done = true;
            for (std::size_t tree = 0; tree < trees; ++tree) {
                if (const int error = streams_[tree].advance(); error != MPI_SUCCESS) return error;
                done = done && streams_[tree].done();
            }
            if (done) return MPI_SUCCESS;
            int request = MPI_UNDEFINED;
            const int error = wait_any(static_cast<int>(first_request_[trees]), requests_.data(), &request);
            if (error != MPI_SUCCESS) return error;
            if (request == MPI_UNDEFINED) return MPI_ERR_INTERN;  // nothing is on its way, yet it is not done
            std::size_t tree = 0;
            while (static_cast<std::size_t>(request) >= first_request_[tree + 1]) ++tree;
            streams_[tree].complete(static_cast<std::size_t>(request) - first_request_[tree]);
        }
    }

  private:
    Hop hop_;
    std::vector<Stream> streams_;
    std::vector<MPI_Request> requests_;       // of all streams, one after the other
    std::vector<std::size_t> first_request_;  // where each stream's begin, and the end
};

}  // namespace bcast
