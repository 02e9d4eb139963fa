// The private communicators that the broadcasts of one of the user's travel on.
#pragma once

#include "bcast/library/private_communicator.hpp"
#include "bcast/library/process.hpp"
#include "bcast/library/spokesman.hpp"
#include "bcast/mpi/memory.hpp"
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
        // The others would wait for this rank in MPI_Comm_create. So whatever it lacks, it goes there, and says so
        // afterwards.
        const bool reserved = process().reserve_private_communicator();
        const bool prepared = reserved && memory_is_left() && prepare();
        if (reserved && !prepared) reserve()->release();  // MPI may need it
        MPI_Group group{};
        if (!take_group(user_, group)) spokesman.end_job(MPI_ERR_OTHER);
        const bool made = make_private(user_, group, lanes_[lane]);
        if (!made && !memory_is_left()) spokesman.end_job(MPI_ERR_NO_MEM);
        // The bits that all ranks' tags have for lengths, so that they read them alike.
        constexpr int not_made = 0;
        constexpr int of_no_use = 1;
        int mine = made ? length_bits_of(largest_tag(lanes_[lane])) : not_made;
        if (made && (!prepared || mine < least_length_bits)) mine = of_no_use;
        int bits = not_made;
        if (reduce(mine, mpi.op_min, user_, bits) && bits >= least_length_bits) {
            made_[lane] = true;
            if (lane == first) length_bits_ = bits;
            return nullptr;
        }
        // Where only some ranks have made it, they keep it: to free it takes them all.
        if (bits == of_no_use) insist([&] { return mpi.Comm_free(&lanes_[lane]); });
        if (reserved) process().return_private_communicator();
        return !reserved   ? "no more private communicators may be in use"
               : !prepared ? "this rank has no memory left"
               : !made     ? "MPI could make no private communicator"
                           : "another rank cannot make a private communicator";
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
