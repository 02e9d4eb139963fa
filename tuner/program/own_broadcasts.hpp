// What an MPI broadcasts by itself, as it is told to at run time: planner/mpis/broadcasts.hpp has the rows.
//
//   Open MPI   reads its forced algorithm and segment size when a communicator is made: one for each of them. Needs
//              coll_tuned_use_dynamic_rules in the environment of the job.
//   MPICH      reads its choice with each broadcast: set before, and taken back after it.
//
// Both by control variables of the MPI's tool interface (MPI_T), so that all cases run in one job, in any sequence.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>
#include <vector>

#include "tuner/program/plan.hpp"

namespace bcastgen {

class OwnBroadcasts {
  public:
    OwnBroadcasts();
    OwnBroadcasts(const OwnBroadcasts&) = delete;
    OwnBroadcasts& operator=(const OwnBroadcasts&) = delete;
    ~OwnBroadcasts();  ///< before MPI_Finalize

    /// Collective: makes those of the cases ready that an MPI has of its own. Why they cannot be run; empty if they
    /// can, or if there are none.
    std::string ready(const std::vector<MeasureCase>& cases);

    /// Before every rank calls MPI_Bcast on the communicator of such a case, and after it.
    void select(const MeasureCase& one);
    void deselect();
    [[nodiscard]] MPI_Comm communicator(const MeasureCase& one) const;

  private:
    class Variables;
    std::unique_ptr<Variables> variables_;
};

}  // namespace bcastgen
