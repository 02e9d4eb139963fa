// Counts how often ranks come into situations that are hard to come into, for which the library has code of its own.
#pragma once

#include <cstdint>

#include "tests/simulator/fake_mpi/job.hpp"
#include "tests/simulator/plan/plan.hpp"

namespace simulator {

struct Situations {
    std::uint64_t too_long = 0;       ///< segments longer than all that their receiver passes; the MPI may end the job
    std::uint64_t void_segments = 0;  ///< without content, to ranks behind one that passes another length than the root
    std::uint64_t late = 0;           ///< arrivals of a broadcast that the root has left, and has posted no receive for
    std::uint64_t lost = 0;           ///< receives that ended badly, without what was sent
    std::uint64_t ended_badly = 0;    ///< requests that did what they should, and whose end was an error all the same

    void add(const Situations& other);
};

/// Looks on at what ranks send, and lets another do so as well.
class SituationWatch : public Observer {
  public:
    SituationWatch(const Plan& plan, Observer& other) : plan_(plan), other_(other) {}

    void send_begins(Rank& rank, const Request& send) override;
    void send_ends(Rank& rank, const Request& send) override { other_.send_ends(rank, send); }

    /// At the job's end: what its ranks have met with.
    [[nodiscard]] Situations met(const Job& job) const;

  private:
    const Plan& plan_;
    Observer& other_;
    Situations met_;
};

}  // namespace simulator
