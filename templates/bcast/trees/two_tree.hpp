// The two-tree: two trees that each carry half of the message, so that every machine sends at most one message's worth
// and every link, whichever way, carries at most one. (The idea of two trees whose inner nodes are the other's leaves:
// Sanders, Speck and Träff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan". New here:
// switches.)
//
//     share 1/2 :  0 -> 1      1 -> 2, 3          An inner machine of one tree is a leaf of the other:
//     share 1/2 :  0 -> 2      2 -> 3, 1          two sends of half the message each, one message's worth.
//
// Each tree enters every switch subtree exactly once, so a link down carries 1/2 + 1/2. Count sends within a subtree of
// X machines: each may send two halves, 2X in all. Each tree needs X - 1 to reach the others once it has entered, 2X -
// 2 in all. So exactly two are spare: at most two leave, and the link up carries at most 1/2 + 1/2 as well. That makes
// a subtree look just like a machine to the switch above: it takes each half once and can hand on two. A switch
// therefore builds its two trees over elements (its machines and the subtrees below it).
//
// Going up, every subtree works out what it can offer (two_tree_offers.hpp, two_tree_growth.hpp): with both exits in
// one tree, one in each, only one, or none, how soon the exits can come for every height that its trees may have. Going
// down, each is told which of these it is and how much height it has. A last pass, upwards, names the machines.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "bcast/trees/order.hpp"
#include "bcast/trees/slow_leaves.hpp"
#include "bcast/trees/speeds.hpp"
#include "bcast/trees/tree.hpp"
#include "bcast/trees/two_tree_growth.hpp"
#include "bcast/trees/two_tree_offers.hpp"

namespace bcast {

namespace detail {

class TwoTreeBuilder {
  public:
    explicit TwoTreeBuilder(const Order& order)
        : order_(order), switches_(order.subtrees.size()), told_(order.subtrees.size()) {
        for (std::size_t s = 1; s < switches_.size(); ++s) {
            switches_[static_cast<std::size_t>(order.subtrees[s].parent)].children.push_back(s);
        }
        for (Elements& sw : switches_) {  // largest first
            std::stable_sort(sw.children.begin(), sw.children.end(),
                             [this](std::size_t a, std::size_t b) { return size_of(a) > size_of(b); });
        }
        for (int position = 1; position < order.size(); ++position) {  // 0, the root, is above all elements
            const int subtree = order.innermost[static_cast<std::size_t>(position)];
            switches_[static_cast<std::size_t>(subtree)].machines.push_back(position);
        }
    }

    std::array<Tree, 2> build() {
        const bool small = order_.size() <= 64;
        for (std::size_t s = switches_.size(); s-- > 1;) find_offers(s, small);
        int bound = 1;  // the height of both trees on one switch
        while ((order_.size() - 1) >> bound != 0) ++bound;
        constexpr int weight = 9;  // of a height in the cost, where both trees have it
        switches_[0].offers[no_exit] = OfferSearch(switches_, 0, true).best(no_exit, weight * bound);
        hand_down();
        return name_machines();
    }

  private:
    /// What the switch above tells a subtree.
    struct Told {
        Use use{};
        std::array<int, 2> height{};  ///< by tree: the height left for it
    };
    struct FreeSend {
        int depth;
        int machine;
    };
    struct Inside {
        int entry = -1;
        std::vector<FreeSend> exits;
    };

    [[nodiscard]] int size_of(std::size_t subtree) const {
        return order_.subtrees[subtree].last - order_.subtrees[subtree].first + 1;
    }

    void find_offers(std::size_t s, bool in_pairs) {
        Elements& sw = switches_[s];
        const bool leaf = sw.children.empty();
        if (leaf && leaf_offers_.count(sw.machines.size()) != 0) {  // the same for all switches of so many machines
            sw.offers = leaf_offers_.at(sw.machines.size());
            return;
        }
        OfferSearch search(switches_, s, in_pairs);
        for (std::size_t offer = 0; offer < sw.offers.size(); ++offer) sw.offers[offer] = search.best(offer);
        if (leaf) leaf_offers_[sw.machines.size()] = sw.offers;
    }

    [[nodiscard]] Offer chosen_offer(std::size_t s) const {
        Offer offer = switches_[s].offers[told_[s].use.offer];
        if (!told_[s].use.swapped) return offer;
        for (Use& use : offer.children) use.swapped = !use.swapped;
        std::swap(offer.machines[0], offer.machines[1]);
        std::swap(offer.reach[0], offer.reach[1]);
        return offer;
    }

    /// The steps of one tree over the elements of a switch, as chosen; children by their number in
    /// Elements::children.
    [[nodiscard]] std::vector<Attachment> steps_of(std::size_t s, const Offer& offer, std::size_t tree) const {
        auto [growth, numbers] = growth_of(switches_, s, offer, offer.reach[tree].exit_count, tree);
        std::vector<Attachment> steps;
        growth.attach_all(offer.reach[tree].within(told_[s].height[tree]), &steps);
        for (Attachment& step : steps) {
            if (step.kind != Attachment::Kind::child) continue;
            step.number = static_cast<int>(numbers[static_cast<std::size_t>(step.number)]);
        }
        return steps;
    }

    /// Tells each subtree its use and the height that is left for it.
    void hand_down() {
        const std::array<Reach, 2>& reach = switches_[0].offers[no_exit].reach;
        told_[0] = {{no_exit, false}, {reach[0].least_height, reach[1].least_height}};
        for (std::size_t s = 0; s < switches_.size(); ++s) {
            const std::vector<std::size_t>& children = switches_[s].children;
            const Offer offer = chosen_offer(s);
            for (std::size_t c = 0; c < children.size(); ++c) told_[children[c]].use = offer.children[c];
            for (std::size_t tree = 0; tree < 2; ++tree) {
                const int height = offer.reach[tree].within(told_[s].height[tree]).height;
                for (const Attachment& step : steps_of(s, offer, tree)) {
                    if (step.kind != Attachment::Kind::child) continue;
                    told_[children[static_cast<std::size_t>(step.number)]].height[tree] = height - step.depth;
                }
            }
        }
    }

    std::array<Tree, 2> name_machines() const {
        std::array<std::vector<std::vector<int>>, 2> children;
        for (auto& of_tree : children) of_tree.resize(static_cast<std::size_t>(order_.size()));
        std::array<std::vector<Inside>, 2> insides;
        for (auto& of_tree : insides) of_tree.resize(switches_.size());
        for (std::size_t s = switches_.size(); s-- > 0;) {
            const Offer offer = chosen_offer(s);
            for (std::size_t tree = 0; tree < 2; ++tree) {
                insides[tree][s] = name_machines_of(s, offer, tree, insides[tree], children[tree]);
            }
        }
        return {tree_of_children(std::move(children[0])), tree_of_children(std::move(children[1]))};
    }

    /// The machines of a switch by the sends that they make in `tree`. First come those that make one, in either tree
    /// or in both, then those that make two in the first, two in the second, none.
    [[nodiscard]] std::array<std::vector<int>, 3> machines_by_sends(std::size_t s, const Offer& offer,
                                                                    std::size_t tree) const {
        std::array<std::vector<int>, 3> by_sends;
        const int once = std::max(offer.machines[0][1], offer.machines[1][1]);
        const std::array<int, 3> twice{once, once + offer.machines[0][2],
                                       once + offer.machines[0][2] + offer.machines[1][2]};
        int number = 0;
        for (const int machine : switches_[s].machines) {
            const bool sends_once = number < offer.machines[tree][1];
            const bool sends_twice = twice[tree] <= number && number < twice[tree + 1];
            by_sends[sends_once ? 1 : sends_twice ? 2 : 0].push_back(machine);
            ++number;
        }
        return by_sends;
    }

    Inside name_machines_of(std::size_t s, const Offer& offer, std::size_t tree, const std::vector<Inside>& insides,
                            std::vector<std::vector<int>>& children) const {
        std::array<std::vector<int>, 3> machines = machines_by_sends(s, offer, tree);
        std::array<std::size_t, 3> named{};
        Inside inside;
        std::vector<FreeSend> free;  // by depth, the shallowest last
        const auto add = [&free](FreeSend send) {
            const auto deeper = [](const FreeSend& a, const FreeSend& b) { return a.depth > b.depth; };
            free.insert(std::lower_bound(free.begin(), free.end(), send, deeper), send);
        };
        if (s == 0) {
            inside.entry = 0;
            add({0, 0});
        }
        for (const Attachment& step : steps_of(s, offer, tree)) {
            FreeSend from{-1, -1};
            if (inside.entry >= 0) {
                from = free.back();
                free.pop_back();
            }
            if (step.kind == Attachment::Kind::exit) {
                inside.exits.push_back(from);
                continue;
            }
            int entry = 0;
            const auto number = static_cast<std::size_t>(step.number);
            if (step.kind == Attachment::Kind::machine) {
                entry = machines[number][named[number]++];
                for (int send = 0; send < step.number; ++send) add({from.depth + 1, entry});
            } else {
                const Inside& child = insides[switches_[s].children[number]];
                entry = child.entry;
                for (const FreeSend& exit : child.exits) add({from.depth + 1 + exit.depth, exit.machine});
            }
            if (inside.entry >= 0) {
                children[static_cast<std::size_t>(from.machine)].push_back(entry);
            } else {
                inside.entry = entry;
            }
        }
        return inside;
    }

    const Order& order_;
    std::vector<Elements> switches_;                                              // by subtree
    std::vector<Told> told_;                                                      // by subtree
    std::map<std::size_t, std::array<Offer, offered_exits.size()>> leaf_offers_;  // by machines
};

}  // namespace detail

/// The two-tree over `order`: both trees over its positions, the root of both at position 0. On any tree of switches:
/// at most two children a machine in both trees together, each subtree of the order entered once by each tree.
/// Time and memory: O(P log P) for the machines and, for each switch, its subtrees times the square of the height.
inline std::array<Tree, 2> two_tree(const Order& order) {
    if (order.size() == 1) return {linear_tree(1), linear_tree(1)};
    return detail::TwoTreeBuilder(order).build();
}

/// The same, with wide trunks used where that makes the trees lower, and with slow machines spared: where there are
/// any, others on their switch may have more than two children. `order` as depth_first_order makes it from `layout`.
inline std::array<Tree, 2> two_tree(const Layout& layout, const Order& order) {
    const auto height_of_both = [](const std::array<Tree, 2>& trees) {
        return std::max(height_of(trees[0]), height_of(trees[1]));
    };
    std::array<Tree, 2> trees = two_tree(order);
    const Order widened = widened_order(layout, order).order;
    if (is_widened(order, widened)) {
        std::array<Tree, 2> wide = two_tree(widened);
        if (height_of_both(wide) < height_of_both(trees)) trees = std::move(wide);
    }
    spare_slow_machines(layout, order, trees);
    return trees;
}

}  // namespace bcast
