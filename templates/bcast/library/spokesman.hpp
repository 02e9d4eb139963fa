// What a rank says on stderr about one of the user's communicators.
#pragma once

#include <cstddef>
#include <cstdio>
#include <string>

#include "bcast/facts/algorithm.hpp"
#include "bcast/facts/settings.hpp"
#include "bcast/library/private_communicator.hpp"
#include "bcast/library/process.hpp"
#include "bcast/library/say.hpp"
#include "bcast/library/set_up.hpp"
#include "bcast/mpi/mpi_library.hpp"

namespace bcast {

/// One rank among those of a communicator. Under BCASTGEN_VERBOSE=1 rank 0 of each communicator speaks; else one rank
/// of the job, once for all of them, and only of what somebody asked for in vain.
class Spokesman {
  public:
    Spokesman(MPI_Comm user, int rank, int ranks) : user_(user), rank_(rank), ranks_(ranks) {}

    void tell_of_set_up(int machines, long microseconds) const {
        if (!process().environment.verbose || rank_ != 0) return;
        say(std::to_string(ranks_) + " ranks on " + std::to_string(machines) + " machines set up in " +
            std::to_string(microseconds) + " us");
    }

    void tell_left_to_native(const std::string& why, Blame blame) const {
        const std::string line = of_ranks() + " is left to the MPI's own broadcast: " + why;
        const std::string forced = forced_settings(process().environment);
        if (process().environment.verbose) {
            if (rank_ == 0) say(line);
        } else if (blame == Blame::ranks || (blame == Blame::settings && !forced.empty())) {
            if (speaks()) process().tell(line + (forced.empty() ? "" : "; not in force: " + forced));
        }
    }

    void tell_without_multicast(const std::string& why) const {
        const Environment& settings = process().environment;
        const bool forced = settings.algorithm && is_multicast(*settings.algorithm);
        if (settings.verbose) {
            if (rank_ == 0) say(of_ranks() + " goes on without multicast: " + why);
        } else if ((forced || settings.multicast == MulticastSetting::attempt) && speaks()) {
            process().tell(std::string(forced ? "BCASTGEN_ALGORITHM=multicast" : "BCASTGEN_MULTICAST=try") +
                           " is not in force: " + why);
        }
    }

    void tell_without_window() const {
        const Environment& settings = process().environment;
        const bool forced = settings.hand_on == HandOn::window;
        if (settings.verbose) {
            if (rank_ == 0) say(of_ranks() + " goes on without a window: a machine gives it no shared memory");
        } else if (forced && speaks()) {
            process().tell("BCASTGEN_HAND_ON=window is not in force: a machine gives no shared memory");
        }
    }

    /// Rank `other`, whose message this rank gets, passes another length. Said if the error that follows ends the job,
    /// or under BCASTGEN_VERBOSE=1.
    void tell_length(std::size_t mine, int other, std::size_t bytes, bool exact) const {
        if (!process().environment.verbose && !errors_are_fatal(user_)) return;
        std::fprintf(
            stderr,
            "bcastgen: MPI_Bcast with different lengths: rank %d of a communicator of %d passes %zu bytes, and "
            "rank %d, which sends to it, %s%zu\n",
            rank_, ranks_, mine, other, exact ? "" : "at least ", bytes);
    }

    /// The last resort of a rank that others wait for.
    void end_job(int error, const char* where = "in a broadcast in which others wait for it") const {
        std::fprintf(stderr, "bcastgen: rank %d of a communicator of %d cannot go on %s (%s); it ends the job\n", rank_,
                     ranks_, where, error == MPI_ERR_NO_MEM ? "memory is refused" : "MPI's calls fail");
        mpi.Abort(user_, error);
    }

  private:
    [[nodiscard]] std::string of_ranks() const { return "a communicator of " + std::to_string(ranks_) + " ranks"; }

    /// True on one rank of the job: rank 0 of MPI_COMM_WORLD, or of this communicator if there is no such thing.
    [[nodiscard]] bool speaks() const {
        int rank = rank_;
        if (process().world) mpi.Comm_rank(mpi.comm_world, &rank);
        return rank == 0;
    }

    MPI_Comm user_;
    int rank_;
    int ranks_;
};

}  // namespace bcast
