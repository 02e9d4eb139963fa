// Who has entered a broadcast: every rank tells the root once for each arrival-aware broadcast, always.
//
// So each root knows exactly how many such messages are still to come to it. One that left a broadcast before a rank
// entered it (arrival-nb) takes that rank's message later, in another broadcast or before the communicator is freed;
// one that comes for a broadcast yet to be entered is kept for it. Nothing is left behind, nothing is mistaken.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/pool.hpp"

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

    /// In a communicator of so many ranks.
    explicit Arrivals(int ranks) : others_(ranks - 1) {}

    /// Tells `root` that `rank` has entered `broadcast`. MPI error code.
    int announce(std::int64_t broadcast, int rank, int root, MPI_Comm comm) {
        told_.remove_if([](Told& told) {  // those that have gone make room
            bool gone = false;
            wait_until(&told.request, 0, gone);
            return gone;
        });
        Told& told = told_.add();
        told.arrival = {broadcast, rank, 0};
        return insist(
            [&] { return mpi.Isend(&told.arrival, sizeof(Arrival), mpi.byte, root, tag, comm, &told.request); });
    }

    /// At the root of `broadcast`: all others will enter it. Calls `note(rank)` for those that have said so already.
    template <class Note>
    void expect(std::int64_t broadcast, Note note) {
        to_come_ += others_;
        const auto is_here = [&](const Arrival& arrival) {
            if (arrival.broadcast != broadcast) return false;
            note(arrival.rank);
            --to_come_;
            return true;
        };
        early_.erase(std::remove_if(early_.begin(), early_.end(), is_here), early_.end());
    }

    /// Keeps receives posted while any are to come: many, since where messages wait for their receives (in simulation,
    /// or of an MPI that buffers nothing) each would take a latency of its own. MPI error code, also if an arrival was
    /// lost: whose it was nobody can tell, and that rank waits.
    int listen(MPI_Comm comm) { return lost_ ? listening_.error() : post(comm); }

    /// True if one was heard of since: `arrival`. Those of later broadcasts than `broadcast` are put by.
    bool hear(std::int64_t broadcast, Arrival& arrival) {
        for (std::size_t slot = 0; slot < heard_.size() && posted_ > 0; ++slot) {
            if (listening_.take(slot) == Ended::not_yet) continue;
            --posted_;
            arrival = heard_[slot];
            if (arrival.broadcast == unwritten) {
                lost_ = true;
                --to_come_;
                continue;
            }
            if (arrival.broadcast > broadcast) {
                early_.push_back(arrival);
            } else {
                --to_come_;
            }
            return true;
        }
        return false;
    }

    /// Adds the receives that listen() has posted.
    void wait_for(WaitSet& waiting) {
        if (posted_ > 0) waiting.add(listening_);
    }

    /// Waits until everything has come and gone: before the communicator is freed. Every rank that has yet to enter a
    /// broadcast will, since freeing is collective; `last` was the last broadcast. MPI error code.
    int settle(std::int64_t last, MPI_Comm comm) {
        WaitSet waiting;
        Arrival arrival{};
        while (hear(last, arrival)) continue;
        while (to_come_ > 0) {
            if (const int error = post(comm); error != MPI_SUCCESS) return error;
            waiting.clear();
            wait_for(waiting);
            if (const int error = waiting.wait(for_ever); error != MPI_SUCCESS) return error;
            while (hear(last, arrival)) continue;
        }
        for (std::size_t i = 0; i < told_.size(); ++i) {
            if (const int error = bcast::wait_for(&told_[i].request); error != MPI_SUCCESS) return error;
        }
        told_.remove_if([](const Told& /*told*/) { return true; });
        return MPI_SUCCESS;
    }

  private:
    int post(MPI_Comm comm) {
        constexpr int most_receives = 128;
        if (heard_.empty()) {
            heard_.resize(static_cast<std::size_t>(std::min(most_receives, others_)));
            listening_.reset(heard_.size());
        }
        for (std::size_t slot = 0; slot < heard_.size() && posted_ < to_come_; ++slot) {
            if (!listening_.free(slot)) continue;
            heard_[slot].broadcast = unwritten;
            if (const int error = listening_.receive(slot, &heard_[slot], sizeof(Arrival), MPI_ANY_SOURCE, tag, comm);
                error != MPI_SUCCESS) {
                return error;
            }
            ++posted_;
        }
        return MPI_SUCCESS;
    }

    static constexpr std::int64_t unwritten = -1;  // in place of a broadcast's number: nothing has come

    struct Told {
        Arrival arrival{};
        MPI_Request request{};
    };
    int others_;       // ranks
    Pool<Told> told_;  // their memory must stay where it is until they have gone
    std::int64_t to_come_ = 0;
    std::int64_t posted_ = 0;
    bool lost_ = false;   // an arrival, by a receive that ended without content
    Row<Arrival> heard_;  // by receive
    Requests listening_;
    Row<Arrival> early_;
};

}  // namespace bcast
