// Who has entered a broadcast: every rank tells the root once for each arrival-aware broadcast, always.
//
// So each root knows exactly how many such messages are still to come to it. One that left a broadcast before a rank
// entered it (arrival-nb) takes that rank's message later, in another broadcast or before the communicator is freed;
// one that comes for a broadcast yet to be entered is kept for it. Nothing is left behind, nothing is mistaken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <vector>

#include "mpi_library.hpp"
#include "wait_set.hpp"

namespace bcast {

class Arrivals {
  public:
    static constexpr int tag = 4;

    /// A rank that has entered broadcast number `broadcast`.
    struct Arrival {
        std::int64_t broadcast;
        std::int32_t rank;
        std::int32_t unused;
    };
    static_assert(sizeof(Arrival) == 16, "ranks exchange this as bytes");

    /// Tells `root` that `rank` has entered `broadcast`. MPI error code.
    int announce(std::int64_t broadcast, int rank, int root, MPI_Comm comm) {
        for (auto it = told_.begin(); it != told_.end();) {  // those that have gone make room
            int gone = 0;
            if (const int error = mpi.Test(&it->request, &gone, MPI_STATUS_IGNORE); error != MPI_SUCCESS) return error;
            it = gone != 0 ? told_.erase(it) : std::next(it);
        }
        told_.push_back({{broadcast, rank, 0}, mpi.request_null});
        return mpi.Isend(&told_.back().arrival, sizeof(Arrival), mpi.byte, root, tag, comm, &told_.back().request);
    }

    /// At the root of `broadcast`: `others` ranks will enter it. Returns those that have said so already.
    std::vector<Arrival> expect(std::int64_t broadcast, int others) {
        std::vector<Arrival> here;
        const auto is_here = [&](const Arrival& arrival) { return arrival.broadcast == broadcast; };
        std::copy_if(early_.begin(), early_.end(), std::back_inserter(here), is_here);
        early_.erase(std::remove_if(early_.begin(), early_.end(), is_here), early_.end());
        to_come_ += others - static_cast<std::int64_t>(here.size());
        return here;
    }

    /// Keeps receives posted while any are to come: many, since where messages wait for their receives (in simulation,
    /// or of an MPI that buffers nothing) each would take a latency of its own. MPI error code.
    int listen(MPI_Comm comm) {
        constexpr std::int64_t most_receives = 128;
        if (listening_.handles.empty()) {
            listening_.reset(static_cast<std::size_t>(most_receives));
            heard_.resize(listening_.handles.size());
        }
        for (std::size_t slot = 0; slot < heard_.size() && posted_ < to_come_; ++slot) {
            if (listening_.handles[slot] != mpi.request_null || listening_.completed[slot] != 0) continue;
            if (const int error = mpi.Irecv(&heard_[slot], sizeof(Arrival), mpi.byte, MPI_ANY_SOURCE, tag, comm,
                                            &listening_.handles[slot]);
                error != MPI_SUCCESS) {
                return error;
            }
            ++posted_;
        }
        return MPI_SUCCESS;
    }

    /// True if one was heard of since: `arrival`. Those of later broadcasts than `broadcast` are put by.
    bool hear(std::int64_t broadcast, Arrival& arrival) {
        for (std::size_t slot = 0; slot < heard_.size(); ++slot) {
            if (!listening_.take(slot)) continue;
            --posted_;
            arrival = heard_[slot];
            if (arrival.broadcast > broadcast) {
                early_.push_back(arrival);
            } else {
                --to_come_;
            }
            return true;
        }
        return false;
    }

    /// The receives that listen() posts.
    Requests& requests() { return listening_; }

    /// Waits until everything has come and gone: before the communicator is freed. Every rank that has yet to enter a
    /// broadcast will, since freeing is collective; `last` was the last broadcast. MPI error code.
    int settle(std::int64_t last, MPI_Comm comm) {
        WaitSet waiting;
        Arrival arrival{};
        while (hear(last, arrival)) continue;
        while (to_come_ > 0) {
            if (const int error = listen(comm); error != MPI_SUCCESS) return error;
            waiting.clear();
            waiting.add(listening_);
            if (const int error = waiting.wait(for_ever); error != MPI_SUCCESS) return error;
            while (hear(last, arrival)) continue;
        }
        for (Told& told : told_) mpi.Wait(&told.request, MPI_STATUS_IGNORE);
        told_.clear();
        return MPI_SUCCESS;
    }

  private:
    struct Told {
        Arrival arrival;
        MPI_Request request;
    };
    std::list<Told> told_;  // their memory must stay where it is until they have gone
    std::int64_t to_come_ = 0;
    std::int64_t posted_ = 0;
    std::vector<Arrival> heard_;  // by receive
    Requests listening_;
    std::vector<Arrival> early_;
};

}  // namespace bcast
