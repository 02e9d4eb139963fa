#include "planner/network/folded_clos.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/index.hpp"

namespace bcastgen {

namespace {

class Collapse {
  public:
    /// `top_with_machines`: a switch that is to be at the top although it has machines; -1: none.
    Collapse(Network& network, int top_with_machines)
        : network_(network),
          top_with_machines_(top_with_machines),
          level_(network.switches.size(), -1),
          below_(level_.size()),
          above_(level_.size()) {}

    bool run() {
        if (!find_levels() || *std::max_element(level_.begin(), level_.end()) > most_levels) return false;
        find_pods();
        count_pods_within();
        const auto top = static_cast<int>(pods_.size()) - 1;
        tree_trunk_.assign(level_.size(), -1);
        for (int sw = 0; at(sw) < level_.size(); ++sw) {
            if (level_[at(sw)] != top || (top_with_machines_ >= 0 && sw != top_with_machines_)) continue;
            if (reach_down(sw)) {
                write(sw);
                return true;
            }
        }
        return false;
    }

  private:
    struct Way {
        int sw;
        int trunk;
    };

    static constexpr int most_levels = 16;  // a chain has as many as switches, and is no folded Clos

    /// Levels by distance from the switches with machines; false if a trunk stays within a level.
    bool find_levels() {
        std::vector<std::vector<Way>> ways(level_.size());
        for (std::size_t t = 0; t < network_.trunks.size(); ++t) {
            const Trunk& trunk = network_.trunks[t];
            ways[at(trunk.a)].push_back({trunk.b, static_cast<int>(t)});
            ways[at(trunk.b)].push_back({trunk.a, static_cast<int>(t)});
        }
        std::vector<int> walk;
        for (const Machine& machine : network_.machines) {
            if (level_[at(machine.sw)] == 0 || machine.sw == top_with_machines_) continue;
            level_[at(machine.sw)] = 0;
            walk.push_back(machine.sw);
        }
        for (std::size_t i = 0; i < walk.size(); ++i) {
            for (const Way& way : ways[at(walk[i])]) {
                if (level_[at(way.sw)] >= 0) continue;
                level_[at(way.sw)] = level_[at(walk[i])] + 1;
                walk.push_back(way.sw);
            }
        }
        for (const Trunk& trunk : network_.trunks) {
            if (level_[at(trunk.a)] == level_[at(trunk.b)]) return false;
        }
        for (int sw = 0; at(sw) < level_.size(); ++sw) {
            for (const Way& way : ways[at(sw)]) {
                (level_[at(way.sw)] < level_[at(sw)] ? below_ : above_)[at(sw)].push_back(way);
            }
        }
        return true;
    }

    /// pods_[l]: by switch, which switches of levels up to l hang together over trunks of these levels.
    void find_pods() {
        const int top = *std::max_element(level_.begin(), level_.end());
        std::vector<int> pod(level_.size());
        std::iota(pod.begin(), pod.end(), 0);
        const auto find = [&pod](int sw) {
            while (pod[at(sw)] != sw) sw = pod[at(sw)] = pod[at(pod[at(sw)])];
            return sw;
        };
        for (int level = 0; level <= top; ++level) {
            for (int sw = 0; at(sw) < level_.size(); ++sw) {
                if (level_[at(sw)] != level) continue;
                for (const Way& way : below_[at(sw)]) pod[at(find(way.sw))] = find(sw);
            }
            std::vector<int>& of_level = pods_.emplace_back();
            for (int sw = 0; at(sw) < level_.size(); ++sw) of_level.push_back(find(sw));
        }
    }

    [[nodiscard]] int pod_of(int sw) const { return pods_[at(level_[at(sw)])][at(sw)]; }

    /// Chooses one switch for each pod below `sw`, so that all leaves of its own pod are reached; tree_trunk_ gets
    /// their trunks. False if there is no such choice.
    bool reach_down(int sw) {
        if (level_[at(sw)] == 0) return true;
        if (misses_leaves_[at(sw)] != 0) return false;
        std::unordered_set<int> reached;  // pods
        for (const Way& way : below_[at(sw)]) {
            const int pod = pod_of(way.sw);
            if (reached.contains(pod) || !reach_down(way.sw)) continue;
            reached.insert(pod);
            tree_trunk_[at(way.sw)] = way.trunk;
        }
        const bool all = reached.size() == pods_within_[at(pod_of(sw))];
        if (!all) misses_leaves_[at(sw)] = 1;
        return all;
    }

    /// pods_within_: how many pods of the level below make up each pod.
    void count_pods_within() {
        std::vector<std::pair<int, int>> pairs;  // a pod, one within it
        for (int sw = 0; at(sw) < level_.size(); ++sw) {
            for (const Way& way : above_[at(sw)]) pairs.emplace_back(pod_of(way.sw), pod_of(sw));
        }
        std::sort(pairs.begin(), pairs.end());
        pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
        pods_within_.assign(level_.size(), 0);
        for (const auto& [pod, within] : pairs) ++pods_within_[at(pod)];
        misses_leaves_.assign(level_.size(), 0);
    }

    void write(int root) {
        for (int sw = 0; at(sw) < level_.size(); ++sw) network_.switches[at(sw)].level = level_[at(sw)];
        for (Trunk& trunk : network_.trunks) trunk.in_tree = false;
        // The trees of choices that failed are not part of it: walk down from the root.
        std::vector<int> tree_trunk(level_.size(), -1);
        std::vector<int> representative(level_.size(), -1);  // by pod
        std::vector<int> walk{root};
        for (std::size_t i = 0; i < walk.size(); ++i) {
            representative[at(pod_of(walk[i]))] = walk[i];
            for (const Way& way : below_[at(walk[i])]) {
                if (tree_trunk_[at(way.sw)] != way.trunk || representative[at(pod_of(way.sw))] >= 0) continue;
                tree_trunk[at(way.sw)] = way.trunk;
                representative[at(pod_of(way.sw))] = way.sw;
                walk.push_back(way.sw);
            }
        }
        for (std::size_t t = 0; t < network_.trunks.size(); ++t) {
            Trunk& trunk = network_.trunks[t];
            const int lower = level_[at(trunk.a)] < level_[at(trunk.b)] ? trunk.a : trunk.b;
            trunk.bounded_by = tree_trunk[at(representative[at(pod_of(lower))])];
            if (trunk.bounded_by == static_cast<int>(t)) trunk.in_tree = true;
        }
        // The other switches carry nothing, yet belong to the network: each hangs on any one below it.
        for (int sw = 0; at(sw) < level_.size(); ++sw) {
            if (sw == root || tree_trunk[at(sw)] >= 0) continue;
            network_.trunks[at(below_[at(sw)].front().trunk)].in_tree = true;
        }
    }

    Network& network_;
    int top_with_machines_;
    std::vector<int> level_;
    std::vector<std::vector<Way>> below_;
    std::vector<std::vector<Way>> above_;
    std::vector<std::vector<int>> pods_;    // level -> switch -> a switch that stands for its pod
    std::vector<int> tree_trunk_;           // by switch: the trunk up to the one that chose it
    std::vector<std::size_t> pods_within_;  // by pod
    std::vector<char> misses_leaves_;       // by switch: reach_down found no choice
};

/// The ends that all trunks between two switches with machines have in common: if one of these is at the top, the other
/// switches are leaves.
std::vector<int> switches_between_leaves(const Network& network) {
    std::vector<bool> has_machines(network.switches.size(), false);
    for (const Machine& machine : network.machines) has_machines[at(machine.sw)] = true;
    std::vector<int> common;
    bool first = true;
    for (const Trunk& trunk : network.trunks) {
        if (!has_machines[at(trunk.a)] || !has_machines[at(trunk.b)]) continue;
        if (first) common = {trunk.a, trunk.b};
        first = false;
        common.erase(
            std::remove_if(common.begin(), common.end(), [&trunk](int sw) { return sw != trunk.a && sw != trunk.b; }),
            common.end());
    }
    return common;
}

}  // namespace

bool collapse_folded_clos(Network& network) {
    if (Collapse(network, -1).run()) return true;
    const std::vector<int> tops = switches_between_leaves(network);
    return std::any_of(tops.begin(), tops.end(), [&network](int sw) { return Collapse(network, sw).run(); });
}

}  // namespace bcastgen
