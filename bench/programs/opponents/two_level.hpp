// Broadcast on two levels, as HAN of Open MPI does: while a segment goes round within each place, the next one goes
// from place to place.
//
//   step 0   upper 0
//   step 1   upper 1   lower 0
//   step 2   upper 2   lower 1   …
//
// Each of these is a nonblocking broadcast down a binomial tree, made of plain sends; a step ends when both have.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "bench/programs/opponents/pieces.hpp"
#include "bench/programs/opponents/rank_tree.hpp"

namespace bcastgen {

class TwoLevel {
  public:
    TwoLevel(const TwoLevels& levels, MPI_Comm comm) : comm_(comm) {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        const auto at = static_cast<std::size_t>(rank);
        upper_ = {levels.upper.parent[at], levels.upper.children[at]};
        lower_ = {levels.lower.parent[at], levels.lower.children[at]};
    }

    void operator()(const Pieces& segments) const {
        // A rank receives on one level: the lower, or the upper if it is the first of its place.
        const int parent = lower_.parent >= 0 ? lower_.parent : upper_.parent;
        MPI_Request received = MPI_REQUEST_NULL;
        const auto receive = [&](int segment) {
            if (parent >= 0 && segment < segments.count()) segments.receive(segment, parent, comm_, received);
        };
        std::vector<MPI_Request> sent;
        const auto send = [&](int segment, const std::vector<int>& children) {
            if (segment < 0 || segment >= segments.count()) return;
            for (const int child : children) {
                sent.push_back(MPI_REQUEST_NULL);
                segments.send(segment, child, comm_, sent.back());
            }
        };
        const bool first_of_place = lower_.parent < 0;
        receive(0);
        for (int step = 0; step <= segments.count(); ++step) {
            if (!first_of_place) {
                if (step == segments.count()) break;
                wait_for(received);
                receive(step + 1);
                send(step, lower_.children);
            } else if (parent < 0) {
                send(step, upper_.children);
                send(step - 1, lower_.children);
            } else {
                send(step - 1, lower_.children);
                wait_for(received);
                receive(step + 1);
                send(step, upper_.children);
            }
            wait_for_all(sent);
            sent.clear();
        }
    }

  private:
    struct Level {
        int parent = -1;
        std::vector<int> children;
    };

    MPI_Comm comm_;
    Level upper_;
    Level lower_;
};

}  // namespace bcastgen
