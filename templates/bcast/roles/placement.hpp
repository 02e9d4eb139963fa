// Where a communicator's ranks are: the machines that take part and the ranks on each.
#pragma once

#include <algorithm>
#include <vector>

namespace bcast {

/// The members of a communicator by machine. Members are numbered in increasing machine number.
struct Placement {
    std::vector<int> machine_of_rank;        ///< rank -> machine
    std::vector<int> machines;               ///< member -> machine, increasing
    std::vector<std::vector<int>> ranks_on;  ///< member -> its ranks, increasing
    int most_ranks_on_a_machine = 0;

    [[nodiscard]] int ranks() const { return static_cast<int>(machine_of_rank.size()); }

    /// The member number of a machine that takes part.
    [[nodiscard]] std::size_t member(int machine) const {
        return static_cast<std::size_t>(std::lower_bound(machines.begin(), machines.end(), machine) - machines.begin());
    }

    /// The machines in the sequence of the lowest rank on each.
    [[nodiscard]] std::vector<int> machines_by_rank() const {
        std::vector<int> sequence = machines;
        std::sort(sequence.begin(), sequence.end(),
                  [this](int a, int b) { return ranks_on[member(a)].front() < ranks_on[member(b)].front(); });
        return sequence;
    }
};

inline Placement place(std::vector<int> machine_of_rank) {
    Placement placement;
    placement.machine_of_rank = std::move(machine_of_rank);
    placement.machines = placement.machine_of_rank;
    std::sort(placement.machines.begin(), placement.machines.end());
    placement.machines.erase(std::unique(placement.machines.begin(), placement.machines.end()),
                             placement.machines.end());
    placement.ranks_on.resize(placement.machines.size());
    for (int rank = 0; rank < placement.ranks(); ++rank) {
        const int machine = placement.machine_of_rank[static_cast<std::size_t>(rank)];
        placement.ranks_on[placement.member(machine)].push_back(rank);
    }
    for (const std::vector<int>& ranks : placement.ranks_on) {
        placement.most_ranks_on_a_machine = std::max(placement.most_ranks_on_a_machine, static_cast<int>(ranks.size()));
    }
    return placement;
}

}  // namespace bcast
