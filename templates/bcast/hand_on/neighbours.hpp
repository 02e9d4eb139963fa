// The ranks of one machine among a communicator's, and how its leader hands a message on to the others where that is
// not by messages (facts/site.hpp: HandOn).
//
// What is needed for it is made when the first message comes that goes this way, by all ranks or by none: they agree
// before each step, and after it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "bcast/facts/site.hpp"
#include "bcast/hand_on/domains.hpp"
#include "bcast/hand_on/native_chunks.hpp"
#include "bcast/hand_on/patience.hpp"
#include "bcast/hand_on/window.hpp"
#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/lane.hpp"
#include "bcast/pipeline/onward.hpp"
#include "bcast/roles/placement.hpp"

namespace bcast {

class Neighbours {
  public:
    /// Whether something has been made, by all ranks of the communicator.
    enum class Made : char { not_tried, yes, no };

    Neighbours() = default;
    Neighbours(const Neighbours&) = delete;
    Neighbours& operator=(const Neighbours&) = delete;
    ~Neighbours() = default;

    [[nodiscard]] Made met() const { return met_; }
    [[nodiscard]] Made shares() const { return shares_; }

    /// Collective over `lane`, a private communicator, once: a communicator for the ranks of each machine. `able`: this
    /// rank has what it takes. `placement` must outlive this object.
    void meet(bool able, MPI_Comm lane, const Placement& placement, int rank) {
        met_ = Made::no;
        int all = 0;
        able = able && make_room(memory_, native_chunk_bytes);
        if (!reduce(able ? 1 : 0, mpi.op_min, lane, all) || all == 0) return;
        here_ = &placement.ranks_on[placement.member(placement.machine_of_rank[static_cast<std::size_t>(rank)])];
        const int machine = placement.machine_of_rank[static_cast<std::size_t>(rank)];
        const bool made = mpi.Comm_split(lane, machine, rank, &machine_) == MPI_SUCCESS;
        // Where only some ranks have made it, they keep it: to free it takes them all.
        if (!reduce(made ? 1 : 0, mpi.op_min, lane, all) || all == 0) return;
        met_ = Made::yes;
        patience_.expect(static_cast<int>(here_->size()));
    }

    /// Collective over `lane`, once, after meet(): shared memory on each machine that has more ranks than one.
    void share(bool able, MPI_Comm lane, int rank, const RingShape& shape) {
        shares_ = Made::no;
        int all = 0;
        const int ranks = static_cast<int>(here_->size());
        constexpr int usual_domains = 8;  // at most; how many there are is known later
        const int domains = std::min(ranks, usual_domains);
        able = able && (ranks == 1 || has_memory_to_share(Ring::bytes_of(shape, ranks, domains)));
        if (!reduce(able ? 1 : 0, mpi.op_min, lane, all) || all == 0) return;
        const bool made = here_->size() == 1 || make_window(number_of(rank), shape);
        if (!reduce(made ? 1 : 0, mpi.op_min, lane, all)) return;
        if (all != 0) {
            shares_ = Made::yes;
            return;
        }
        // Not to be used on all machines, but perhaps there on all ranks of this one.
        if (here_->size() > 1 && reduce(window_.made() ? 1 : 0, mpi.op_min, machine_, all) && all != 0) window_.free();
    }

    /// Collective over each machine's ranks.
    void part() {
        if (met_ != Made::yes) return;
        if (shares_ == Made::yes) window_.free();
        insist([this] { return mpi.Comm_free(&machine_); });
        met_ = shares_ = Made::no;
    }

    /// Of the rank that leads the others here: what the engine is to bring the message to; nullptr if there are none.
    Onward* onward(HandOn how, int rank, Message& message, Failure& failure) {
        if (here_->size() == 1) return nullptr;
        if (how == HandOn::window) {
            writer_.begin(window_.ring(), number_of(rank), message, failure, patience_, machine_);
            return &writer_;
        }
        sender_.begin(machine_, number_of(rank), message, memory_.data(), failure);
        return &sender_;
    }

    /// Of the others: their part in a broadcast that `leader` leads, a rank of the communicator on this machine, along
    /// so many trees. What went wrong is in `failure`. MPI error code: this rank could not go on.
    int receive(HandOn how, int leader, std::size_t trees, Message& message, Failure& failure) {
        const bool take_out = trees > 1 && !message.any_order();
        if (take_out) failure.take_out(message, false);
        int error = MPI_SUCCESS;
        if (how == HandOn::window) {
            read_from_window(window_.ring(), number_of(leader), leader, message, failure, patience_, machine_);
        } else {
            error = receive_chunks(machine_, number_of(leader), leader, trees, message, memory_.data(), failure);
        }
        if (error == MPI_SUCCESS && take_out) failure.put_back(message, false);
        return error;
    }

  private:
    bool make_window(int number, const RingShape& shape) {
        Row<int> domains(here_->size(), unwritten);
        const int own = insured([] { return domain_of(own_processors()); });
        insist_together([&] { return mpi.Allgather(&own, 1, mpi.int_type, domains.data(), 1, mpi.int_type, machine_); },
                        [&] { return domains.back() != unwritten; });
        int all = 0;
        const bool able = share_memory() && domains.back() != unwritten;
        if (!reduce(able ? 1 : 0, mpi.op_min, machine_, all) || all == 0) return false;
        return window_.make(machine_, number, numbered_domains(domains), shape);
    }

    /// Collective over this machine's ranks: whether all of them can share memory, by MPI's word.
    [[nodiscard]] bool share_memory() const {
        MPI_Comm shared{};
        int rank = 0;
        int ranks = 0;
        int all = 0;
        mpi.Comm_rank(machine_, &rank);
        const bool made =
            mpi.Comm_split_type(machine_, MPI_COMM_TYPE_SHARED, rank, mpi.info_null, &shared) == MPI_SUCCESS;
        // As in meet(): where only some ranks have made it, they keep it.
        if (!reduce(made ? 1 : 0, mpi.op_min, machine_, all) || all == 0) return false;
        mpi.Comm_size(shared, &ranks);
        insist([&] { return mpi.Comm_free(&shared); });
        return ranks == static_cast<int>(here_->size());
    }

    /// A rank's number among those of this machine.
    [[nodiscard]] int number_of(int rank) const {
        return static_cast<int>(std::find(here_->begin(), here_->end(), rank) - here_->begin());
    }

    static constexpr int unwritten = no_domain - 1;

    Made met_ = Made::not_tried;
    Made shares_ = Made::not_tried;
    const std::vector<int>* here_ = nullptr;  // the ranks of this machine, increasing
    MPI_Comm machine_{};
    Patience patience_;
    Window window_;
    WindowWriter writer_;
    ChunkSender sender_;
    Room memory_;  // of a chunk
};

}  // namespace bcast
