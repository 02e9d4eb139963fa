// Broadcast of n blocks on a circulant graph (circulant_schedule.hpp has the schedule).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "bench/programs/opponents/circulant_schedule.hpp"
#include "bench/programs/opponents/pieces.hpp"

namespace bcastgen {

class Circulant {
  public:
    Circulant(int root, MPI_Comm comm, int ahead) : comm_(comm), root_(root), ahead_(static_cast<std::size_t>(ahead)) {
        int rank = 0;
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_size(comm, &ranks_);
        from_root_ = (rank - root + ranks_) % ranks_;
        schedule_ = circulant_schedule(ranks_, from_root_);
    }

    /// `ahead` 1: each round is one MPI_Sendrecv. More: a block goes out as soon as it is there.
    void operator()(const Pieces& blocks) const {
        const std::vector<CirculantRound> rounds = circulant_rounds(schedule_, ranks_, from_root_, blocks.count());
        std::vector<MPI_Request> received(static_cast<std::size_t>(blocks.count()), MPI_REQUEST_NULL);  // by block
        std::vector<MPI_Request> sent(rounds.size(), MPI_REQUEST_NULL);                                 // by round
        std::size_t posted = 0;
        for (std::size_t round = 0; round < rounds.size(); ++round) {
            for (; posted < rounds.size() && posted < round + ahead_; ++posted) {
                const CirculantRound& one = rounds[posted];
                if (one.from < 0) continue;
                blocks.receive(one.receive, rank(one.from), comm_, received[static_cast<std::size_t>(one.receive)]);
            }
            const CirculantRound& now = rounds[round];
            if (now.to >= 0) {
                wait_for(received[static_cast<std::size_t>(now.send)]);
                if (round >= ahead_) wait_for(sent[round - ahead_]);
                blocks.send(now.send, rank(now.to), comm_, sent[round]);
            }
            if (ahead_ > 1) continue;
            if (now.from >= 0) wait_for(received[static_cast<std::size_t>(now.receive)]);
            wait_for(sent[round]);
        }
        wait_for_all(received);
        wait_for_all(sent);
    }

  private:
    [[nodiscard]] int rank(int from_root) const { return (from_root + root_) % ranks_; }

    MPI_Comm comm_;
    int root_;
    std::size_t ahead_;
    int ranks_ = 0;
    int from_root_ = 0;  // this rank
    CirculantSchedule schedule_;
};

}  // namespace bcastgen
