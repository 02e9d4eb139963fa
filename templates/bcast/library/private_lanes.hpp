// The private communicators that the broadcasts of one of the user's travel on.
#pragma once

#include "bcast/library/private_communicator.hpp"
#include "bcast/library/process.hpp"
#include "bcast/library/spokesman.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/lane.hpp"

namespace bcast {

class PrivateLanes {
  public:
    /// Two that segments travel on (lane.hpp), and one for everything else.
    enum Lane { first, second, loose, lane_count };

    explicit PrivateLanes(MPI_Comm user) : user_(user) {}

    [[nodiscard]] MPI_Comm of(Lane lane) const { return lanes_[lane]; }
    [[nodiscard]] Lanes of_segments() const { return {lanes_[first], lanes_[second], length_bits_}; }
    [[nodiscard]] bool has(Lane lane) const { return made_[lane]; }

    /// Collective over the user's communicator: makes one that is not there yet. `prepare()`: true if this rank has
    /// what else it takes. nullptr, or, on all ranks, why there is none.
    template <class Prepare>
    const char* make(Lane lane, const Spokesman& spokesman, Prepare prepare) {
        const bool reserved = process().reserve_private_communicator();
        MPI_Group group{};
        // What can go wrong at one rank alone goes first.
        const bool memory = reserved && memory_is_left() && prepare();
        const bool has_group = memory && take_group(user_, group);
        int all = 0;
        if (!reduce(has_group ? 1 : 0, mpi.op_min, user_, all) || all == 0) {
            if (has_group) insist([&] { return mpi.Group_free(&group); });
            if (reserved) process().return_private_communicator();
            return !reserved    ? "no more private communicators may be in use"
                   : !memory    ? "this rank has no memory left"
                   : !has_group ? "MPI tells no group"
                                : "another rank cannot make a private communicator";
        }
        const bool made = make_private(user_, group, lanes_[lane]);
        if (!made && !memory_is_left()) spokesman.end_job(MPI_ERR_NO_MEM);  // others may wait in there for this rank
        // The bits that all ranks' tags have for lengths, so that they read them alike; none: it cannot be.
        int bits = 0;
        if (!reduce(made ? length_bits_of(largest_tag(lanes_[lane])) : 0, mpi.op_min, user_, bits) ||
            bits < least_length_bits) {
            // Where only some ranks have made it, they keep it: to free it takes them all.
            process().return_private_communicator();
            return "MPI could make no private communicator";
        }
        made_[lane] = true;
        if (lane == first) length_bits_ = bits;
        return nullptr;
    }

    /// Collective: frees them all.
    void free() {
        for (int lane = 0; lane < lane_count; ++lane) {
            if (!made_[lane]) continue;
            insist([&] { return mpi.Comm_free(&lanes_[lane]); });
            process().return_private_communicator();
            made_[lane] = false;
        }
    }

  private:
    MPI_Comm user_;
    MPI_Comm lanes_[lane_count]{};
    bool made_[lane_count] = {};
    int length_bits_ = least_length_bits;
};

}  // namespace bcast
