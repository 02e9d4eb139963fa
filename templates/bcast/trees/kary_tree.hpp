// Contention-free k-ary trees over an order (order.hpp); a binary tree is the one of radix 2.
//
//   positions   i   c1=i+1 ........ c2-1   c2 ........ c3-1   c3 ........ j
//               |   \___ block 1 ____/     \__ block 2 __/    \_ block 3 _/
//               +--> c1  +-----------------> c2  +-------------> c3          i sends to the first of each block
//
// As in Pipelined broadcast on Ethernet switched clusters, Algorithm 2, a tree over the positions i..j is rooted at i
// and gives every child a block of neighbouring positions, the first child being i+1. Which children i may have does
// not depend on the trees inside the blocks (docs/algorithms.md proves it):
//
//   level(c) = the smallest switch subtree that holds both c-1 and c: what a send from c-1 to c stays inside.
//   After child c, position next > c may be the next child of i without contention iff
//     (1) level(next) holds c:            no subtree that holds next, but not c, begins before next;
//     (2) next <= 1 + last position of D: no subtree that holds i and c, but not next, ends before next-1,
//         where D is the smallest subtree that holds both i and c.
//
// Where links are unequal (speeds.hpp) there are two more: a machine behind a slow port may have fewer children, and no
// machine sends to two children over one narrow trunk:
//   (3) no narrow subtree holds c and next but not i (a second send down into it);
//   (4) no child comes after one that left a narrow subtree around i (a second send up out of it).
//
// So the furthest position that a tree of height h over i.. reaches is f(0,i) = i and f(h,i) = max of f(h-1,c) over the
// last children c of all allowed lists of at most `radix` children, each child standing within f(h-1, child before it)
// + 1. The list is found child by child; the search remembers only the child before, the children left, and D.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

#include "bcast/trees/hung_leaves.hpp"
#include "bcast/trees/order.hpp"
#include "bcast/trees/speeds.hpp"
#include "bcast/trees/tree.hpp"

namespace bcast {

/// The positions 1..P-1 sorted by level, then by position: the children that may follow a child are a few runs of this
/// list. Levels are indices of Order::subtrees.
class Borders {
  public:
    explicit Borders(const Order& order, const TreeLimits& limits = {})
        : positions_(order.size()), most_children_(limits.most_children) {
        levels_.reserve(order.subtrees.size());
        for (std::size_t s = 0; s < order.subtrees.size(); ++s) {
            const Subtree& subtree = order.subtrees[s];
            Level level{subtree.last, 0, -1, 0, 0};
            if (subtree.parent >= 0) {
                const Level& parent = levels_[static_cast<std::size_t>(subtree.parent)];
                const bool same_first = order.subtrees[static_cast<std::size_t>(subtree.parent)].first == subtree.first;
                level.depth = parent.depth + (same_first ? 0 : 1);
                level.outer = same_first ? parent.outer : subtree.parent;
                level.narrow = parent.narrow;
            }
            if (!limits.narrow.empty()) level.narrow += limits.narrow[s];
            levels_.push_back(level);
            deepest_ = std::max(deepest_, level.depth);
        }
        find_levels(order);
        sort_positions();
    }

    struct Level {
        int last;   ///< last position of the subtree
        int depth;  ///< how many different first positions the subtrees around it have
        int outer;  ///< the smallest subtree around it that begins earlier, -1 if none: the level of its first position
        int end;    ///< one past its run in the sorted list
        int narrow;  ///< how many of the subtrees around it and itself hang on narrow trunks
    };

    /// The most children of a position, given the radix.
    [[nodiscard]] int most_children(int position, int radix) const {
        return most_children_.empty() ? radix : std::min(radix, most_children_[static_cast<std::size_t>(position)]);
    }
    /// Whether sending from `position` to the next one leaves a narrow subtree.
    [[nodiscard]] bool leaves_narrow(int position) const {
        return innermost_narrow_[static_cast<std::size_t>(position)] > level(position + 1).narrow;
    }

    [[nodiscard]] int positions() const { return positions_; }
    [[nodiscard]] int deepest() const { return deepest_; }
    [[nodiscard]] const Level& level(int position) const {
        return levels_[static_cast<std::size_t>(level_[static_cast<std::size_t>(position)])];
    }
    [[nodiscard]] const Level& outer(const Level& level) const {
        return levels_[static_cast<std::size_t>(level.outer)];
    }
    [[nodiscard]] int position(int place) const { return sorted_[static_cast<std::size_t>(place)]; }
    [[nodiscard]] int place(int position) const { return place_[static_cast<std::size_t>(position)]; }

    /// The first of the places first..end-1 (all of one run) whose position is not below `position`, or end.
    [[nodiscard]] int first_not_below(int first, int end, int position) const {
        return static_cast<int>(std::lower_bound(sorted_.begin() + first, sorted_.begin() + end, position) -
                                sorted_.begin());
    }

    /// One past the last place of a position <= limit, in the run of `level` from place `first` on.
    [[nodiscard]] int end_of_run(const Level& level, int first, int limit) const {
        return level.last <= limit ? level.end : first_not_below(first, level.end, limit + 1);
    }

  private:
    void find_levels(const Order& order) {
        level_.assign(static_cast<std::size_t>(positions_), 0);
        for (const int subtree : order.innermost) {
            innermost_narrow_.push_back(levels_[static_cast<std::size_t>(subtree)].narrow);
        }
        for (int position = 1; position < positions_; ++position) {
            int subtree = order.innermost[static_cast<std::size_t>(position)];
            while (order.subtrees[static_cast<std::size_t>(subtree)].first == position) {
                subtree = order.subtrees[static_cast<std::size_t>(subtree)].parent;
            }
            level_[static_cast<std::size_t>(position)] = subtree;
        }
    }

    void sort_positions() {
        for (int position = 1; position < positions_; ++position) {
            ++levels_[static_cast<std::size_t>(level_[static_cast<std::size_t>(position)])].end;
        }
        int placed = 0;
        for (Level& level : levels_) {
            const int run = level.end;
            level.end = placed;  // moves on to the run's end as it fills
            placed += run;
        }
        sorted_.assign(static_cast<std::size_t>(placed), 0);
        place_.assign(static_cast<std::size_t>(positions_), 0);
        for (int position = 1; position < positions_; ++position) {
            Level& level = levels_[static_cast<std::size_t>(level_[static_cast<std::size_t>(position)])];
            place_[static_cast<std::size_t>(position)] = level.end;
            sorted_[static_cast<std::size_t>(level.end++)] = position;
        }
    }

    int positions_;
    int deepest_ = 0;
    std::vector<Level> levels_;
    std::vector<int> level_;   // position -> level
    std::vector<int> sorted_;  // place -> position
    std::vector<int> place_;   // position -> place
    std::vector<int> most_children_;
    std::vector<int> innermost_narrow_;  // position -> Level::narrow of the smallest subtree that holds it
};

/// Finds the largest of a run of values. O(n) to build, O(log n) for each answer.
class RangeMaximum {
  public:
    explicit RangeMaximum(std::vector<int> values) : values_(std::move(values)), best_(2 * values_.size()) {
        const std::size_t n = values_.size();
        for (std::size_t i = 0; i < n; ++i) best_[n + i] = static_cast<int>(i);
        for (std::size_t i = n; i-- > 1;) best_[i] = larger(best_[2 * i], best_[2 * i + 1]);
    }

    [[nodiscard]] int value(int index) const { return values_[static_cast<std::size_t>(index)]; }

    /// Index of the largest of the values first..end-1, the leftmost of equals; the run must not be empty.
    [[nodiscard]] int largest(int first, int end) const {
        int best = first;
        std::size_t left = static_cast<std::size_t>(first) + values_.size();
        std::size_t right = static_cast<std::size_t>(end) + values_.size();
        for (; left < right; left /= 2, right /= 2) {
            if (left % 2 == 1) best = larger(best, best_[left++]);
            if (right % 2 == 1) best = larger(best, best_[--right]);
        }
        return best;
    }

  private:
    [[nodiscard]] int larger(int a, int b) const {
        if (value(a) != value(b)) return value(a) > value(b) ? a : b;
        return std::min(a, b);
    }

    std::vector<int> values_;
    std::vector<int> best_;  // segment tree over indices; a node's children are 2i and 2i+1
};

/// One height h of the recurrence, from the furthest reaches of height h-1.
class Splits {
  public:
    /// below: position -> f(h-1, position). Both references must outlive the object.
    Splits(const Borders& borders, const std::vector<int>& below, int radix)
        : borders_(borders), below_(below), radix_(radix), tables_(static_cast<std::size_t>(radix)) {
        for (int children = 1; children < radix_; ++children) {
            const int dives = children == 1 ? 0 : std::min(radix_ - children, borders_.deepest());
            for (int dive = 0; dive <= dives; ++dive) {
                tables_[static_cast<std::size_t>(children)].push_back(RangeMaximum(reaches(children, dive)));
            }
        }
    }

    /// f(h, position): how far a tree of height h over the positions from this one on can reach.
    [[nodiscard]] int reach(int position) const {
        const int most = children_of(position);
        return most == 0 ? position : follow({position + 1, most, 0}).reach;
    }

    /// The children of a tree over position..last (position < last <= reach(position)), ascending.
    [[nodiscard]] std::vector<int> children(int position, int last) const {
        std::vector<int> list;
        for (State state{position + 1, children_of(position), 0}; state.child >= 0 && state.child <= last;) {
            list.push_back(state.child);
            state = next_even(state, last);
        }
        return list;
    }

  private:
    /// The latest child of a list, how many children the list may still have counting this one, and how many steps of
    /// Level::outer lead from the child's level to D.
    struct State {
        int child;
        int left;
        int dive;
    };
    struct Best {
        int reach;
        State next;  // child -1: the list ends here
    };

    [[nodiscard]] int children_of(int position) const {
        if (position + 1 == borders_.positions()) return 0;
        const int most = borders_.most_children(position, radix_);
        return most > 1 && borders_.leaves_narrow(position) ? 1 : most;
    }

    [[nodiscard]] const RangeMaximum& table(int left, int dive) const {
        const auto& tables = tables_[static_cast<std::size_t>(left)];
        return tables[left == 1 ? 0 : static_cast<std::size_t>(dive)];
    }

    /// Calls visit(first place, end place, children left, dive) for every run of positions that may come next.
    template <class Visit>
    void for_each_run(const State& state, Visit visit) const {
        const int reach = below_[static_cast<std::size_t>(state.child)];
        const Borders::Level* inside = &borders_.level(state.child);  // D
        for (int step = 0; step < state.dive; ++step) inside = &borders_.outer(*inside);
        const int limit = std::min({reach + 1, inside->last + 1, borders_.positions() - 1});
        for (int next = state.child + 1; next <= limit; next = borders_.level(next).last + 1) {
            const Borders::Level& level = borders_.level(next);
            const bool leaves = next > inside->last;
            if (!leaves && level.narrow > inside->narrow) continue;  // (3)
            const int dive = leaves ? 0 : level.depth - inside->depth;
            const int left = leaves && inside->narrow > level.narrow ? 1 : state.left - 1;  // (4)
            const int first = borders_.place(next);
            visit(first, borders_.end_of_run(level, first, limit), left, dive);
        }
    }

    /// The furthest that a list in this state can reach, and the child that then comes next.
    [[nodiscard]] Best follow(const State& state) const {
        Best best{below_[static_cast<std::size_t>(state.child)], {-1, 0, 0}};
        if (state.left == 1 || best.reach == borders_.positions() - 1) return best;
        for_each_run(state, [&](int first, int end, int left, int dive) {
            const RangeMaximum& reaches = table(left, dive);
            const int place = reaches.largest(first, end);
            if (reaches.value(place) <= best.reach) return;
            best = {reaches.value(place), {borders_.position(place), left, dive}};
        });
        return best;
    }

    /// A next child with which the list still reaches `last`, and which divides what is left as evenly as the nearest
    /// allowed positions permit. Any such child gives the least height; an even one also shortens the average path.
    [[nodiscard]] State next_even(const State& state, int last) const {
        State even{-1, 0, 0};
        if (state.left == 1 || state.child == last) return even;
        const int target = state.child + (last - state.child + state.left) / state.left;
        const auto distance = [target](int position) { return std::abs(position - target); };
        for_each_run(state, [&](int first, int end, int left, int dive) {
            const RangeMaximum& reaches = table(left, dive);
            const int middle = borders_.first_not_below(first, end, target);
            for (int place = std::max(first, middle - 1); place < std::min(end, middle + 1); ++place) {
                const int position = borders_.position(place);
                if (position > last || reaches.value(place) < last) continue;
                if (even.child >= 0 && distance(position) >= distance(even.child)) continue;
                even = {position, left, dive};
            }
        });
        return even.child >= 0 ? even : follow(state).next;
    }

    /// Place -> reach of the state that its position has with so many children left and so many steps to D.
    [[nodiscard]] std::vector<int> reaches(int left, int dive) const {
        std::vector<int> values;
        values.reserve(static_cast<std::size_t>(borders_.positions()));
        for (int place = 0; place + 1 < borders_.positions(); ++place) {
            const int position = borders_.position(place);
            const bool exists = borders_.level(position).depth >= dive;
            values.push_back(exists ? follow({position, left, dive}).reach : -1);
        }
        return values;
    }

    const Borders& borders_;
    const std::vector<int>& below_;
    int radix_;
    std::vector<std::vector<RangeMaximum>> tables_;  // children left -> dive -> by place
};

/// Height -> position -> f(height, position), up to the first height at which position 0 reaches the last; empty if
/// none does, which takes a position that may have no children.
inline std::vector<std::vector<int>> furthest_reaches(const Borders& borders, int radix) {
    std::vector<std::vector<int>> reach(1);
    for (int position = 0; position < borders.positions(); ++position) reach[0].push_back(position);
    while (reach.back().front() < borders.positions() - 1) {
        const Splits splits(borders, reach.back(), radix);
        std::vector<int> next;
        next.reserve(reach.back().size());
        for (int position = 0; position < borders.positions(); ++position) next.push_back(splits.reach(position));
        if (next == reach.back()) return {};
        reach.push_back(std::move(next));
    }
    return reach;
}

/// A contention-free tree of fan-out at most `radix` (>= 1) and of the least height that any tree of Algorithm 2's
/// shape has on this order: never above Algorithm 2's own. `limits` bind some machines and trunks further (speeds.hpp).
/// If no tree keeps them, an empty one is returned; that happens only where a machine may have no children. O(height ·
/// radix² · (P + subtrees) · log P) time, O(height · P) memory.
inline Tree kary_tree(const Order& order, int radix, const TreeLimits& limits = {}) {
    const int machines = order.size();
    radix = std::min(radix, machines - 1);
    if (radix <= 1) return linear_tree(machines);

    const Borders borders(order, limits);
    const std::vector<std::vector<int>> reach = furthest_reaches(borders, radix);
    if (reach.empty()) return {};

    // Back down: every block gets the least height that covers it, tallest blocks first.
    std::vector<std::vector<std::pair<int, int>>> blocks(reach.size());  // height -> first and last positions
    std::vector<std::vector<int>> children(static_cast<std::size_t>(machines));
    blocks.back().emplace_back(0, machines - 1);
    for (std::size_t height = reach.size() - 1; height > 0; --height) {
        if (blocks[height].empty()) continue;
        const Splits splits(borders, reach[height - 1], radix);
        for (const auto& [first, last] : blocks[height]) {
            std::vector<std::pair<std::size_t, int>> by_height;
            const std::vector<int> firsts = splits.children(first, last);
            for (std::size_t i = 0; i < firsts.size(); ++i) {
                const int block_last = i + 1 < firsts.size() ? firsts[i + 1] - 1 : last;
                std::size_t least = 0;
                while (reach[least][static_cast<std::size_t>(firsts[i])] < block_last) ++least;
                blocks[least].emplace_back(firsts[i], block_last);
                by_height.emplace_back(height - least, firsts[i]);
            }
            std::sort(by_height.begin(), by_height.end());  // the tallest block is sent to first
            for (const auto& child : by_height) children[static_cast<std::size_t>(first)].push_back(child.second);
        }
    }
    return tree_of_children(std::move(children));
}

/// The same where links may be unequal: of the least stage that the fan-out permits. Machines behind slow ports are
/// leaves where that is possible: all but the fastest, or all but the fastest two kinds, and so on. They stand where
/// the order has them, or hang on a tree of the others (hung_leaves.hpp) if that is lower.
inline Tree kary_tree(const Layout& layout, const MeasuredOrder& measured, int radix) {
    const Order& order = measured.order;
    const auto build = [&](const Order& some, const TreeLimits& limits) { return kary_tree(some, radix, limits); };
    for (const std::int64_t fast_Bps : port_classes_Bps(port_bandwidths_Bps(layout, order.machines))) {
        const TreeLimits limits = tree_limits(layout, measured, radix, fast_Bps);
        Tree tree = build(order, limits);
        Tree hung = tree_with_leaves_hung(layout, order, radix, limits, build);
        const bool is_tree = tree.size() == order.size();
        if (hung.size() == order.size() && (!is_tree || height_of(hung) < height_of(tree))) return hung;
        if (is_tree) return tree;
    }
    return linear_tree(order.size());  // not reached: a chain keeps limits that leave every machine a child
}

/// The same, with wide trunks used where that makes the tree lower. `order` as depth_first_order makes it from
/// `layout`.
inline Tree kary_tree(const Layout& layout, const Order& order, int radix) {
    const MeasuredOrder widened = widened_order(layout, order);
    Tree tree = kary_tree(layout, widened, radix);
    if (!is_widened(order, widened.order)) return tree;
    Tree narrow = kary_tree(layout, MeasuredOrder{order, trunk_bandwidths(layout, order)}, radix);
    return height_of(tree) < height_of(narrow) ? tree : narrow;
}

}  // namespace bcast
