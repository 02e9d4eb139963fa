// The broadcasts that are measured, each behind the same call.
#pragma once

#include <mpi.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/programs/opponents/opponents.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/program/own_broadcasts.hpp"
#include "tuner/program/plan.hpp"

namespace bcastgen {

/// Makes every case of a plan runnable on MPI_COMM_WORLD.
class Cases {
  public:
    /// Collective. `problem()` is empty on all ranks if the cases can be run.
    explicit Cases(const MeasurePlan& plan);
    Cases(const Cases&) = delete;
    Cases& operator=(const Cases&) = delete;
    ~Cases();

    [[nodiscard]] const std::string& problem() const { return problem_; }

    /// True if this rank has a part in the case; the others may not call run().
    [[nodiscard]] bool takes_part(const MeasureCase& one) const;

    /// True if this rank has the message of the case before it begins: the root, or where all send to it the others.
    [[nodiscard]] bool has_message(const MeasureCase& one) const {
        return (rank_ == plan_.root) != (one.algorithm == measured::receives_at_once);
    }

    /// Readies what is global to the job (the simulator's choice of broadcast, or the MPI's). Every rank calls it
    /// between the synchronisation before the case and run().
    void select(const MeasureCase& one);

    /// Moves the message of the case from those who have it to everyone who takes part; `buffer` holds its bytes.
    void run(const MeasureCase& one, char* buffer);

    /// What a measured time must be divided by: 2 for a ping-pong, which goes there and back.
    [[nodiscard]] static double halves(const MeasureCase& one) { return is_ping_pong(one.algorithm) ? 2 : 1; }

    /// What a case really uses; `tuned` asks the decision table.
    struct Way {
        std::string algorithm;
        std::size_t segment_bytes;
    };
    [[nodiscard]] Way way(const MeasureCase& one) const;

    /// What has to run once before the case is measured, so that what first calls set up is not measured with it. In
    /// simulation there are no connections and no memory to touch: nothing of what sets nothing up, little of what is
    /// set up alike for messages of any size.
    [[nodiscard]] std::optional<MeasureCase> first_call(const MeasureCase& one) const;

  private:
    [[nodiscard]] bool in_pair() const { return rank_ == plan_.root || rank_ == plan_.peer; }
    void check(const MeasureCase& one);
    /// Collective.
    void make_opponents();
    void ping_pong(const MeasureCase& one, char* buffer) const;
    void sends(const MeasureCase& one, char* buffer) const;
    void receives(int count, MPI_Datatype type, char* buffer) const;

    const MeasurePlan& plan_;
    int rank_ = 0;
    int ranks_ = 0;
    MPI_Comm pair_ = MPI_COMM_NULL;                       ///< the root, then its peer
    std::map<std::string, OpponentBroadcast> opponents_;  ///< of the cases, by name
    OwnBroadcasts own_;                                   ///< of the cases
    std::string problem_;
};

}  // namespace bcastgen
