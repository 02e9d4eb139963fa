#include "planner/trees/best_tree.hpp"

#include <algorithm>
#include <cstddef>
#include <random>
#include <utility>

#include "bcast/trees/kary_tree.hpp"
#include "planner/trees/arrangement.hpp"
#include "planner/trees/height_bounds.hpp"

namespace bcastgen {

namespace {

/// How good an order is: the least height on it, then how far a tree one lower would reach.
struct Score {
    int height;
    int reach_one_lower;
};

bool is_no_worse(const Score& a, const Score& b) {
    return a.height != b.height ? a.height < b.height : a.reach_one_lower >= b.reach_one_lower;
}

Score score_of(const bcast::Order& order, int radix) {
    const std::vector<std::vector<int>> reach = bcast::furthest_reaches(bcast::Borders(order), radix);
    const std::size_t height = reach.size() - 1;
    return {static_cast<int>(height), height == 0 ? 0 : reach[height - 1].front()};
}

/// Moves one item of a switch to another place there, and back again.
class Move {
  public:
    Move(std::vector<int>& items, std::size_t from, std::size_t to) : items_(items), from_(from), to_(to) {
        shift(from_, to_);
    }
    void undo() { shift(to_, from_); }

  private:
    void shift(std::size_t from, std::size_t to) {
        const auto begin = items_.begin();
        const auto f = static_cast<std::ptrdiff_t>(from);
        const auto t = static_cast<std::ptrdiff_t>(to);
        if (f < t) std::rotate(begin + f, begin + f + 1, begin + t + 1);
        if (t < f) std::rotate(begin + t, begin + f, begin + f + 1);
    }

    std::vector<int>& items_;
    std::size_t from_;
    std::size_t to_;
};

void climb(Arrangement& arrangement, Score& score, int radix, int least_height, int steps) {
    // Switches where there is something to move; at the root's the first item is the root and stays.
    std::vector<std::size_t> switches;
    for (std::size_t sw = 0; sw < arrangement.items.size(); ++sw) {
        const std::size_t fixed = static_cast<int>(sw) == arrangement.root_switch ? 1 : 0;
        const auto& items = arrangement.items[sw];
        const auto subtree =
            std::find_if(items.begin(), items.end(), [](int i) { return i != Arrangement::own_machine; });
        if (subtree != items.end() && items.size() > fixed + 1) switches.push_back(sw);
    }
    if (switches.empty()) return;
    std::mt19937 random(1);
    const auto below = [&random](std::size_t end) { return static_cast<std::size_t>(random() % end); };
    // Picks that would move a machine, or nothing, cost no step; how many come in a row is limited.
    int picks = 50 * steps;
    while (steps > 0 && picks-- > 0 && score.height > least_height) {
        const std::size_t sw = switches[below(switches.size())];
        std::vector<int>& items = arrangement.items[sw];
        const std::size_t fixed = static_cast<int>(sw) == arrangement.root_switch ? 1 : 0;
        const std::size_t from = fixed + below(items.size() - fixed);
        const std::size_t to = fixed + below(items.size() - fixed);
        if (items[from] == Arrangement::own_machine || from == to) continue;
        --steps;
        Move move(items, from, to);
        const Score moved = score_of(arranged_order(arrangement), radix);
        if (is_no_worse(moved, score)) {
            score = moved;
        } else {
            move.undo();
        }
    }
}

}  // namespace

int best_tree_steps(int machines) {
    return std::clamp(1'000'000 / std::max(machines, 1), 4, 2'000);
}

OrderedTree best_tree(const bcast::Layout& layout, const std::vector<int>& members, int root, int radix) {
    const int machines = static_cast<int>(members.size());
    bcast::Order order = bcast::depth_first_order(layout, members, root);
    radix = std::min(radix, machines - 1);
    if (radix <= 1) return {std::move(order), bcast::linear_tree(machines)};
    const int least_height = kary_height_lower_bound(machines, radix);
    const Score depth_first = score_of(order, radix);
    if (depth_first.height > least_height) {
        Arrangement arrangement = interleaved_arrangement(layout, members, root);
        Score score = score_of(arranged_order(arrangement), radix);
        climb(arrangement, score, radix, least_height, best_tree_steps(machines));
        if (score.height < depth_first.height) order = arranged_order(arrangement);
    }
    bcast::Tree tree = bcast::kary_tree(order, radix);
    return {std::move(order), std::move(tree)};
}

}  // namespace bcastgen
