#include "planner/trees/arrangement.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/index.hpp"

namespace bcastgen {

bcast::Order arranged_order(const Arrangement& arrangement) {
    struct Visit {
        int sw;
        int subtree;
        std::size_t item;     // next
        std::size_t machine;  // next
    };
    bcast::Order order;
    std::vector<Visit> stack;
    const auto enter = [&](int sw, int parent) {
        stack.push_back({sw, static_cast<int>(order.subtrees.size()), 0, 0});
        order.subtrees.push_back({order.size(), 0, parent, sw});
    };
    enter(arrangement.root_switch, -1);
    while (!stack.empty()) {
        Visit& visit = stack.back();
        const std::vector<int>& items = arrangement.items[static_cast<std::size_t>(visit.sw)];
        if (visit.item == items.size()) {
            order.subtrees[static_cast<std::size_t>(visit.subtree)].last = order.size() - 1;
            stack.pop_back();
            continue;
        }
        const int item = items[visit.item++];
        if (item == Arrangement::own_machine) {
            order.machines.push_back(arrangement.machines[static_cast<std::size_t>(visit.sw)][visit.machine++]);
            order.innermost.push_back(visit.subtree);
        } else {
            enter(item, visit.subtree);
        }
    }
    return order;
}

namespace {

struct Step {
    int sw;
    int from;  // the switch it was reached from, -1 at the root's
};

/// All switches, each after the one that it was reached from.
std::vector<Step> walk_switches(const bcast::Layout& layout, int root_switch) {
    std::vector<Step> walk{{root_switch, -1}};
    for (std::size_t i = 0; i < walk.size(); ++i) {
        const Step step = walk[i];
        for (int neighbour : layout.neighbours[at(step.sw)]) {
            if (neighbour != step.from) walk.push_back({neighbour, step.sw});
        }
    }
    return walk;
}

/// One of the switch's machines before each subtree while there are any, the remaining ones at the end.
std::vector<int> interleave(std::size_t own_machines, const std::vector<int>& subtrees) {
    std::vector<int> items;
    for (int subtree : subtrees) {
        if (own_machines > 0) {
            items.push_back(Arrangement::own_machine);
            --own_machines;
        }
        items.push_back(subtree);
    }
    items.insert(items.end(), own_machines, Arrangement::own_machine);
    return items;
}

}  // namespace

Arrangement interleaved_arrangement(const bcast::Layout& layout, const std::vector<int>& members, int root) {
    Arrangement arrangement;
    arrangement.root_switch = layout.machine_switch[at(root)];
    arrangement.machines.resize(layout.neighbours.size());
    arrangement.items.resize(layout.neighbours.size());
    std::vector<int> sorted = members;
    std::sort(sorted.begin(), sorted.end());
    for (int machine : sorted) arrangement.machines[at(layout.machine_switch[at(machine)])].push_back(machine);
    std::vector<int>& beside_root = arrangement.machines[at(arrangement.root_switch)];
    std::rotate(beside_root.begin(), std::find(beside_root.begin(), beside_root.end(), root), beside_root.end());

    const std::vector<Step> walk = walk_switches(layout, arrangement.root_switch);
    std::vector<int> members_below(layout.neighbours.size(), 0);
    std::vector<std::vector<int>> subtrees(layout.neighbours.size());
    for (std::size_t i = walk.size(); i-- > 0;) {
        const Step step = walk[i];
        int& below = members_below[at(step.sw)];
        below += static_cast<int>(arrangement.machines[at(step.sw)].size());
        if (step.from < 0 || below == 0) continue;
        members_below[at(step.from)] += below;
        subtrees[at(step.from)].push_back(step.sw);
    }
    for (const Step& step : walk) {
        std::vector<int>& below = subtrees[at(step.sw)];
        std::sort(below.begin(), below.end(), [&members_below](int a, int b) {
            return std::pair(-members_below[at(a)], a) < std::pair(-members_below[at(b)], b);
        });
        arrangement.items[at(step.sw)] = interleave(arrangement.machines[at(step.sw)].size(), below);
    }
    return arrangement;
}

}  // namespace bcastgen
