// Which block each rank sends and receives in each round on a circulant graph. No MPI.
//
// J. L. Träff, "(Poly)logarithmic time construction of round-optimal n-block broadcast schedules" (arXiv 2312.11236)
// and "Optimal broadcast schedules in logarithmic time" (arXiv 2407.18004): in round i every rank r sends to r + skip
// and receives from r - skip, where the skip is that of i modulo q = ceil(log2 P), and n blocks are everywhere after n
// - 1 + q rounds. Ranks count from the root here.
//
//   P = 5: skips 1 2 3      round 0   0 -> 1
//                           round 1   0 -> 2, 1 -> 3
//                           round 2   0 -> 3, 1 -> 4, …
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bcastgen {

/// skips[k] for round k of a phase: P halved, rounded up, over and over; skips[q] = P. `ranks` is at least 2.
inline std::vector<int> circulant_skips(int ranks) {
    std::vector<int> skips{ranks};
    while (skips.back() > 1) skips.push_back((skips.back() + 1) / 2);
    std::reverse(skips.begin(), skips.end());
    return skips;
}

/// The block that rank r gets first of all: the first step on its way from the root, which is r as a sum of different
/// skips, the largest that fits each time. q for the root.
inline int base_block(const std::vector<int>& skips, int rank) {
    const int phase = static_cast<int>(skips.size()) - 1;
    int step = phase;
    for (int k = phase - 1; k >= 0 && rank > 0; --k) {
        if (skips[static_cast<std::size_t>(k)] > rank) continue;
        rank -= skips[static_cast<std::size_t>(k)];
        step = k;
    }
    return step;
}

/// Finds what a rank receives in the q rounds of a phase. In round k that is the base block of a rank which is at least
/// a skip away from the receiver and which the way of no later round has passed; each block but one comes once.
class ReceiveBlocks {
  public:
    ReceiveBlocks(const std::vector<int>& skips, int rank)
        : skips_(skips),
          phase_(static_cast<int>(skips.size()) - 1),
          goal_(rank + skips.back()),
          nearest_(2 * skips.back()),
          used_(skips.size(), false) {
        const int own = base_block(skips, rank);
        used_[static_cast<std::size_t>(own)] = true;
        extend(0, phase_);
        for (int& block : found_) block = block == phase_ ? own : block - phase_;
    }

    /// By round of a phase: the block relative to the phase's first; negative ones are of the phase before.
    [[nodiscard]] const std::vector<int>& blocks() const { return found_; }

  private:
    [[nodiscard]] int skip(int k) const { return skips_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] int round() const { return static_cast<int>(found_.size()); }

    /// Tries ways that lead through `at` and go on by smaller and smaller skips; the longest ways first.
    void extend(int at, int largest) {
        for (int step = largest; step >= 0 && round() < phase_; --step) {
            const int next = at + skip(step);
            if (used_[static_cast<std::size_t>(step)] || next > goal_ - skip(round()) || next >= nearest_) continue;
            if (next <= goal_ - skip(round() + 1)) {
                extend(next, step);
                if (round() == phase_) return;
            }
            if (at > goal_ - skip(round() + 1)) return;
            if (used_[static_cast<std::size_t>(step)] || next > goal_ - skip(round())) continue;
            nearest_ = next;
            used_[static_cast<std::size_t>(step)] = true;
            found_.push_back(step);
        }
    }

    const std::vector<int>& skips_;
    int phase_;
    int goal_;                // the receiver, one time round the circle
    int nearest_;             // where the last way found ends: the next ends before it
    std::vector<bool> used_;  // by step: taken by a round, or the rank's own
    std::vector<int> found_;
};

/// What a rank does in the q rounds of each phase.
struct CirculantSchedule {
    std::vector<int> skips;
    std::vector<int> receives;  ///< by round: block relative to the phase's first
    std::vector<int> sends;
};

/// O(log P) for what is received; what is sent is what the receivers, log P of them, receive.
inline CirculantSchedule circulant_schedule(int ranks, int rank) {
    CirculantSchedule schedule;
    if (ranks < 2) return schedule;
    schedule.skips = circulant_skips(ranks);
    const std::vector<int>& skips = schedule.skips;
    schedule.receives = ReceiveBlocks(skips, rank).blocks();
    for (std::size_t round = 0; round + 1 < skips.size(); ++round) {
        const int receiver = (rank + skips[round]) % ranks;
        schedule.sends.push_back(ReceiveBlocks(skips, receiver).blocks()[round]);
    }
    return schedule;
}

struct CirculantRound {
    int to = -1;    ///< rank, counted from the root; -1: sends nothing
    int send = -1;  ///< block
    int from = -1;  ///< -1: receives nothing
    int receive = -1;
};

/// The n - 1 + q rounds of a broadcast of n blocks, as `rank` of `ranks` takes part in them. O(n + q).
inline std::vector<CirculantRound> circulant_rounds(const CirculantSchedule& schedule, int ranks, int rank,
                                                    int blocks) {
    std::vector<CirculantRound> rounds;
    const int phase = static_cast<int>(schedule.sends.size());
    if (phase == 0) return rounds;
    // The last phase is whole: the first begins with rounds in which there is nothing to send yet.
    const int empty = (phase - (blocks - 1) % phase) % phase;
    for (int round = empty; round < blocks - 1 + phase + empty; ++round) {
        const auto k = static_cast<std::size_t>(round % phase);
        const int first = round / phase * phase - empty;
        CirculantRound one;
        const int to = (rank + schedule.skips[k]) % ranks;
        const int send = std::min(first + schedule.sends[k], blocks - 1);
        if (to != 0 && send >= 0) one.to = to, one.send = send;
        const int receive = std::min(first + schedule.receives[k], blocks - 1);
        if (rank != 0 && receive >= 0) one.from = (rank - schedule.skips[k] + ranks) % ranks, one.receive = receive;
        rounds.push_back(one);
    }
    return rounds;
}

}  // namespace bcastgen
