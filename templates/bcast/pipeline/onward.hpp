// Where a message goes on to from this rank beside the trees that carry it between machines: to the other ranks of its
// machine, by other means than messages (hand_on/).
#pragma once

#include <cstddef>

#include "bcast/mpi/memory.hpp"

namespace bcast {

/// Takes on what the engine's streams bring. The message is in place.
class Onward {
  public:
    Onward() = default;
    Onward(const Onward&) = delete;
    Onward& operator=(const Onward&) = delete;
    virtual ~Onward() = default;

    /// What a tree carries, and how much of it is here: bytes `begin` up to `here`.
    struct Part {
        std::size_t begin;
        std::size_t end;
        std::size_t here;
    };
    enum class State : char {
        done,        ///< all of it has gone on
        needs_more,  ///< than is here
        waits        ///< for those that it goes to
    };

    /// Takes on what can be of `parts`, one for each tree. MPI error code: this rank cannot go on.
    virtual int advance(const Row<Part>& parts, State& state) = 0;
    /// Leaves the processor to others for a moment, in which nothing else was to be done.
    virtual void pause() = 0;
};

}  // namespace bcast
