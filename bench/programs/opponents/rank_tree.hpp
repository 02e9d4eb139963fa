// Trees over ranks by what is known of the wiring. No MPI.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <vector>

#include "bench/programs/opponents/wiring.hpp"

namespace bcastgen {

struct RankTree {
    explicit RankTree(int ranks) : parent(static_cast<std::size_t>(ranks), -1), children(parent.size()) {}

    void add(int from, int to) {
        parent[static_cast<std::size_t>(to)] = from;
        children[static_cast<std::size_t>(from)].push_back(to);
    }

    std::vector<int> parent;                 ///< -1: the root
    std::vector<std::vector<int>> children;  ///< in the sequence in which they are sent to
};

/// Joins `ranks` into a binomial tree from the first; larger subtrees first.
inline void add_binomial(RankTree& tree, const std::vector<int>& ranks) {
    std::size_t reach = 1;
    while (reach < ranks.size()) reach *= 2;
    for (; reach > 0; reach /= 2) {
        for (std::size_t at = 0; at + reach < ranks.size(); at += 2 * reach) tree.add(ranks[at], ranks[at + reach]);
    }
}

/// Joins `ranks` into a complete k-ary tree from the first, level by level.
inline void add_kary(RankTree& tree, const std::vector<int>& ranks, int most_children) {
    for (std::size_t at = 1; at < ranks.size(); ++at) {
        tree.add(ranks[(at - 1) / static_cast<std::size_t>(most_children)], ranks[at]);
    }
}

/// Ranks of one place, the root or else the lowest first.
using RanksThere = std::vector<int>;

/// `ranks` by the place that each is at, the root's place first, then the largest places.
inline std::vector<RanksThere> by_place(const std::vector<int>& ranks, const std::vector<int>& place_of_rank,
                                        int root) {
    std::map<int, RanksThere> places;
    for (const int rank : ranks) {
        RanksThere& there = places[place_of_rank[static_cast<std::size_t>(rank)]];
        there.insert(rank == root ? there.begin() : there.end(), rank);
    }
    std::vector<RanksThere> sequence;
    for (auto& [place, there] : places) sequence.push_back(std::move(there));
    std::sort(sequence.begin(), sequence.end(), [&](const RanksThere& a, const RanksThere& b) {
        if ((a.front() == root) != (b.front() == root)) return a.front() == root;
        return a.size() != b.size() ? a.size() > b.size() : a.front() < b.front();
    });
    return sequence;
}

inline std::vector<int> firsts_of(const std::vector<RanksThere>& places) {
    std::vector<int> firsts;
    for (const RanksThere& there : places) firsts.push_back(there.front());
    return firsts;
}

/// Every rank, in rank order.
inline std::vector<int> all_ranks(const Wiring& wiring) {
    std::vector<int> ranks;
    for (int rank = 0; rank < wiring.ranks(); ++rank) ranks.push_back(rank);
    return ranks;
}

/// As MPICH's topology-aware trees are built (MPIR_CVAR_BCAST_TREE_TYPE=topology_aware): a k-ary tree over one rank of
/// each group, in each group one over a rank of each switch, and one over the ranks of each switch.
inline RankTree topology_kary_tree(const Wiring& wiring, int root, int most_children) {
    RankTree tree(wiring.ranks());
    const std::vector<RanksThere> groups = by_place(all_ranks(wiring), wiring.group_of_rank, root);
    std::vector<std::vector<RanksThere>> switches;
    std::vector<int> leaders;
    for (const RanksThere& group : groups) {
        switches.push_back(by_place(group, wiring.switch_of_rank, root));
        leaders.push_back(switches.back().front().front());
    }
    add_kary(tree, leaders, most_children);
    for (const std::vector<RanksThere>& group : switches) add_kary(tree, firsts_of(group), most_children);
    for (const std::vector<RanksThere>& group : switches) {
        for (const RanksThere& there : group) add_kary(tree, there, most_children);
    }
    return tree;
}

/// What MPICH takes sends to cost when it builds a topology-wave tree: the defaults of its variables.
struct WaveTimes {
    int overhead = 200;
    int same_switch = 1600;
    int other_switch = 1900;
    int other_group = 2800;
};

/// As MPICH's topology-wave trees are built: switch after switch, each rank by whoever can have it there first.
inline RankTree topology_wave_tree(const Wiring& wiring, int root, const WaveTimes& times = {}) {
    RankTree tree(wiring.ranks());
    std::vector<int> free_at(static_cast<std::size_t>(wiring.ranks()), 0);
    std::vector<RanksThere> have;  // by switch: ranks that have the message
    const auto place = [](const std::vector<int>& of_rank, int rank) {
        return of_rank[static_cast<std::size_t>(rank)];
    };
    const auto latency = [&](int from, int to) {
        if (place(wiring.group_of_rank, from) != place(wiring.group_of_rank, to)) return times.other_group;
        if (place(wiring.switch_of_rank, from) != place(wiring.switch_of_rank, to)) return times.other_switch;
        return times.same_switch;
    };
    const auto earlier = [&](int a, int b) { return place(free_at, a) < place(free_at, b); };
    for (const RanksThere& group : by_place(all_ranks(wiring), wiring.group_of_rank, root)) {
        for (const RanksThere& there : by_place(group, wiring.switch_of_rank, root)) {
            have.emplace_back();
            for (const int rank : there) {
                if (rank != root) {
                    int best = root;
                    int best_at = std::numeric_limits<int>::max();
                    for (const RanksThere& senders : have) {
                        if (senders.empty()) continue;
                        const int sender = *std::min_element(senders.begin(), senders.end(), earlier);
                        const int at = place(free_at, sender) + latency(sender, rank) + 2 * times.overhead;
                        if (at < best_at) best_at = at, best = sender;
                    }
                    tree.add(best, rank);
                    free_at[static_cast<std::size_t>(best)] += times.overhead;
                    free_at[static_cast<std::size_t>(rank)] = best_at;
                }
                have.back().push_back(rank);
            }
        }
    }
    return tree;
}

/// The two levels of HAN: `upper` joins the first rank of each place, `lower` the ranks of each place; both binomial.
struct TwoLevels {
    RankTree upper;
    RankTree lower;
};

/// A place is a switch or, where all ranks are on one switch, a machine.
inline TwoLevels two_levels(const Wiring& wiring, int root) {
    std::vector<RanksThere> places = by_place(all_ranks(wiring), wiring.switch_of_rank, root);
    if (places.size() == 1) places = by_place(all_ranks(wiring), wiring.machine_of_rank, root);
    TwoLevels levels{RankTree(wiring.ranks()), RankTree(wiring.ranks())};
    add_binomial(levels.upper, firsts_of(places));
    for (const RanksThere& there : places) add_binomial(levels.lower, there);
    return levels;
}

}  // namespace bcastgen
