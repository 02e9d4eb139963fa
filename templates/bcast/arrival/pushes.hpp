// The message on its way from the root to single ranks, which need not be there: what arrival-nb's root does while
// nobody comes (Figure 4 of "Efficient MPI_Bcast across different process arrival patterns").
//
//   root ==> pieces that MPI takes at once ==> the memory of a rank that comes later
#pragma once

#include <algorithm>
#include <cstdint>

#include "bcast/arrival/groups.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/pipeline.hpp"
#include "bcast/pipeline/pool.hpp"

namespace bcast {

/// The message on its way from the root to one rank alone, at either of them.
class Push {
  public:
    static constexpr int tag = 6;

    /// Begins to send `message` to rank `to`.
    void send(Message& message, int to, std::size_t segment_bytes, MPI_Comm comm, Failure& failure) {
        role_.parent = -1;
        insured([&] { role_.children.assign(1, to); });
        start(message, segment_bytes, comm, failure);
    }

    /// Begins to receive it from rank `from`.
    void receive(Message& message, int from, std::size_t segment_bytes, MPI_Comm comm, Failure& failure) {
        role_.parent = from;
        role_.children.clear();
        start(message, segment_bytes, comm, failure);
    }

    /// Moves on what can be moved on. MPI error code.
    int advance() { return stream_.advance(); }
    [[nodiscard]] bool done() const { return stream_.done(); }
    Requests& requests() { return requests_; }

  private:
    void start(Message& message, std::size_t segment_bytes, MPI_Comm comm, Failure& failure) {
        constexpr int send_window = 4;
        requests_.count_bytes(true);
        Stream::Places places = stream_.start(role_, message, {0, message.bytes(), segment_bytes, send_window, 1},
                                              {comm, nullptr, tag}, failure);
        requests_.reset(lay_out(&places, 1));
        stream_.use_requests(requests_, places);
    }

    TreeRole role_;
    Stream stream_;
    Requests requests_;
};

/// A root's messages to ranks that have not come: which are under way, and what lies unread in front of whom.
class Pushes {
  public:
    /// Before each broadcast from this root.
    void reset(int ranks) {
        ahead_of_.reset(ranks);
        next_rank_ = 0;
    }

    /// True if `rank` has had the message of this broadcast sent to it before it came.
    [[nodiscard]] bool is_ahead_of(int rank) const { return ahead_of_.holds(rank); }

    /// Moves on to a rank that may be sent `bytes` bytes unasked: one that has not come, that is, none of `served`, and
    /// that not too much lies in front of already. False if there is none.
    bool find_rank(int ranks, int root, const RankSet& served, std::size_t bytes) {
        for (; next_rank_ < ranks; ++next_rank_) {
            if (next_rank_ == root || ahead_of_.holds(next_rank_) || served.holds(next_rank_)) continue;
            std::size_t unread_bytes = bytes;
            for (const Unread& unread : unread_) {
                if (unread.rank == next_rank_) unread_bytes += unread.bytes;
            }
            if (unread_bytes <= most_unread_bytes) return true;
        }
        return false;
    }

    /// The rank that was found last: it is sent the message now.
    int take_rank(std::int64_t broadcast, std::size_t bytes) {
        ahead_of_.add(next_rank_);
        unread_.push_back({broadcast, next_rank_, bytes});
        return next_rank_++;
    }

    /// `rank` has entered `broadcast`: it reads what was sent to it.
    void forget_unread(int rank, std::int64_t broadcast) {
        unread_.erase(
            std::remove_if(unread_.begin(), unread_.end(),
                           [&](const Unread& unread) { return unread.rank == rank && unread.broadcast == broadcast; }),
            unread_.end());
    }

    /// One more under way, to be started.
    Push& add() { return under_way_.add(); }

    /// MPI error code.
    int advance() {
        for (std::size_t i = 0; i < under_way_.size(); ++i) {
            if (const int error = under_way_[i].advance(); error != MPI_SUCCESS) return error;
        }
        under_way_.remove_if([](const Push& push) { return push.done(); });
        return MPI_SUCCESS;
    }
    [[nodiscard]] bool empty() const { return under_way_.empty(); }
    void wait_for(WaitSet& waiting) {
        for (std::size_t i = 0; i < under_way_.size(); ++i) waiting.add(under_way_[i].requests());
    }

  private:
    /// A message that was sent to a rank which had not entered its broadcast.
    struct Unread {
        std::int64_t broadcast;
        int rank;
        std::size_t bytes;
    };

    // In front of one rank: MPI keeps it in that rank's memory.
    static constexpr std::size_t most_unread_bytes = std::size_t{64} << 20;

    Pool<Push> under_way_;
    RankSet ahead_of_;    // had the message of this broadcast sent to them before they came
    Row<Unread> unread_;  // also of earlier broadcasts
    int next_rank_ = 0;
};

}  // namespace bcast
