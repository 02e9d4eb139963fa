// Broadcast down one tree of ranks, a segment after the other, as MPICH's pipelined trees do.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "bench/programs/opponents/pieces.hpp"
#include "bench/programs/opponents/rank_tree.hpp"

namespace bcastgen {

class PipelinedTree {
  public:
    PipelinedTree(const RankTree& tree, MPI_Comm comm, int ahead) : comm_(comm), ahead_(ahead) {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        parent_ = tree.parent[static_cast<std::size_t>(rank)];
        children_ = tree.children[static_cast<std::size_t>(rank)];
    }

    void operator()(const Pieces& segments) const {
        const int count = segments.count();
        std::vector<MPI_Request> received(static_cast<std::size_t>(count), MPI_REQUEST_NULL);
        std::vector<MPI_Request> sent(static_cast<std::size_t>(count) * children_.size(), MPI_REQUEST_NULL);
        int posted = 0;
        for (int segment = 0; segment < count; ++segment) {
            for (; parent_ >= 0 && posted < count && posted < segment + ahead_; ++posted) {
                segments.receive(posted, parent_, comm_, received[static_cast<std::size_t>(posted)]);
            }
            wait_for(received[static_cast<std::size_t>(segment)]);
            for (std::size_t child = 0; child < children_.size(); ++child) {
                const std::size_t at = static_cast<std::size_t>(segment) * children_.size() + child;
                if (segment >= ahead_) wait_for(sent[at - static_cast<std::size_t>(ahead_) * children_.size()]);
                segments.send(segment, children_[child], comm_, sent[at]);
            }
        }
        wait_for_all(sent);
    }

  private:
    MPI_Comm comm_;
    int ahead_;
    int parent_ = -1;
    std::vector<int> children_;
};

}  // namespace bcastgen
