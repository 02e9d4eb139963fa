// Sees whether more segments are under way from a rank than BCASTGEN_IN_FLIGHT allows.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/simulator/fake_mpi/job.hpp"
#include "tests/simulator/plan/plan.hpp"

namespace simulator {

class WindowWatch : public Observer {
  public:
    /// `window` 0: the library's own, which is not watched. `largest_tag`: on which the longest segment depends.
    WindowWatch(int window, int largest_tag);

    /// `rank` begins its part in a broadcast.
    void enter(const Rank& rank, const BroadcastPlan& broadcast);

    void send_begins(Rank& rank, const Request& send) override;
    void send_ends(Rank& rank, const Request& send) override;

  private:
    /// The sends of one rank under one tag.
    struct Tag {
        int tag;
        int under_way = 0;
        std::vector<int> begun_to;        // the ranks that things were sent to
        std::vector<MPI_Request> exempt;  // the first sends to a rank, which do not count
    };
    /// What a rank's present broadcast may have under way.
    struct Allowed {
        const BroadcastPlan* broadcast = nullptr;
        std::vector<Tag> tags;
    };
    [[nodiscard]] int most(const BroadcastPlan& broadcast, int tag, int& uncounted) const;
    static Tag& tag_of(Allowed& allowed, int tag);
    static int kind_of(const Allowed& allowed, const Request& send);

    int window_;
    std::size_t longest_bytes_;
    std::vector<Allowed> ranks_;
};

}  // namespace simulator
