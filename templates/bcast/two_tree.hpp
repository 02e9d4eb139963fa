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
// Going up, every subtree works out what it can offer (growth.hpp): for both exits in one tree, one in each, or none,
// how soon the exits can come for every height that its trees may have. Going down, each is told which it is and how
// much height is left for it. A last pass, upwards, names the machines.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "growth.hpp"
#include "order.hpp"
#include "slow_leaves.hpp"
#include "speeds.hpp"
#include "tree.hpp"

namespace bcast {

namespace detail {

class TwoTreeBuilder {
  public:
    explicit TwoTreeBuilder(const Order& order) : order_(order), switches_(order.subtrees.size()) {
        for (std::size_t s = 1; s < switches_.size(); ++s) {
            switches_[static_cast<std::size_t>(order.subtrees[s].parent)].children.push_back(s);
        }
        for (Switch& sw : switches_) {  // largest first
            std::stable_sort(sw.children.begin(), sw.children.end(),
                             [this](std::size_t a, std::size_t b) { return size_of(a) > size_of(b); });
        }
        for (int position = 1; position < order.size(); ++position) {  // 0, the root, is above all elements
            const int subtree = order.innermost[static_cast<std::size_t>(position)];
            switches_[static_cast<std::size_t>(subtree)].machines.push_back(position);
        }
    }

    std::array<Tree, 2> build() {
        for (std::size_t s = switches_.size(); s-- > 1;) {
            for (std::size_t use = 0; use < offer_count; ++use) switches_[s].offers[use] = best_offer(s, use);
        }
        switches_[0].offers[no_exit] = best_offer(0, no_exit);
        hand_down();
        return name_machines();
    }

  private:
    // Where a subtree's two exits are: both in one tree, one in each, or, where two sends are to spare, none.
    static constexpr std::size_t exits_in_one = 0;
    static constexpr std::size_t exits_in_both = 1;
    static constexpr std::size_t no_exit = 2;
    static constexpr std::size_t offer_count = 3;

    /// What an element is used for; swapped: the trees change parts.
    struct Use {
        std::size_t offer = exits_in_both;
        bool swapped = false;
    };
    /// Both trees over a switch's elements, as one of the three.
    struct Offer {
        std::vector<Use> children;                   ///< by child
        std::array<std::array<int, 3>, 2> machines;  ///< tree -> sends -> machines that make so many
        std::array<Reach, 2> reach;                  ///< by tree
    };
    struct Switch {
        std::vector<std::size_t> children;  ///< subtrees
        std::vector<int> machines;          ///< positions
        std::array<Offer, offer_count> offers;
        Use use;                      ///< what the switch above chose
        std::array<int, 2> height{};  ///< what it leaves to each tree
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

    [[nodiscard]] static int exits_of(std::size_t offer, std::size_t tree) {
        if (offer == exits_in_one) return tree == 0 ? 2 : 0;
        return offer == exits_in_both ? 1 : 0;
    }

    [[nodiscard]] const Reach& reach_of(std::size_t subtree, Use use, std::size_t tree) const {
        return switches_[subtree].offers[use.offer].reach[use.swapped ? 1 - tree : tree];
    }

    /// Who feeds which tree. With n elements tree t needs n - 1 sends and its exits, at the root's switch one less than
    /// n as the root makes one: 2n together, or 2n - 2 where one element need not feed. Elements feed the one tree or
    /// the other; where the number for each is odd, one feeds both. `variant`, four bits, says which elements are the
    /// odd ones and how the subtrees take turns, largest first.
    [[nodiscard]] Offer share_out(std::size_t s, std::size_t offer, unsigned variant) const {
        const Switch& sw = switches_[s];
        Offer shares{std::vector<Use>(sw.children.size()), {}, {}};
        auto machines = static_cast<int>(sw.machines.size());
        std::size_t child = 0;
        const int needed = static_cast<int>(sw.children.size()) + machines - 1;
        std::array<int, 2> feeding{(needed + exits_of(offer, 0)) / 2, (needed + exits_of(offer, 1)) / 2};
        const bool one_feeds_both = (needed + exits_of(offer, 0)) % 2 != 0;
        const bool machine_idles = (variant & 1U) != 0;
        const bool child_feeds_both = (variant & 2U) != 0;
        std::size_t turn = (variant & 4U) != 0 ? 1 : 0;
        const bool turns_stay_once = (variant & 8U) != 0;
        if (offer == no_exit && (sw.children.empty() || (machine_idles && machines > 0))) {
            --machines;
            for (auto& of_tree : shares.machines) ++of_tree[0];
        } else if (offer == no_exit) {
            shares.children[child++] = {no_exit, false};
        }
        std::size_t last = sw.children.size();
        if (one_feeds_both && machines > 0 && !(child_feeds_both && child < last)) {
            --machines;
            for (auto& of_tree : shares.machines) ++of_tree[1];
        } else if (one_feeds_both) {
            shares.children[child_feeds_both ? child++ : --last] = {exits_in_both, false};
        }
        for (bool stay = turns_stay_once; child < last; ++child, stay = false) {
            if (feeding[turn] == 0) turn = 1 - turn;
            shares.children[child] = {exits_in_one, turn == 1};
            --feeding[turn];
            if (!stay) turn = 1 - turn;
        }
        for (std::size_t tree = 0; tree < 2; ++tree) {
            shares.machines[tree][2] += feeding[tree];
            shares.machines[1 - tree][0] += feeding[tree];
        }
        return shares;
    }

    /// The growth of one tree, and the children's numbers in it.
    [[nodiscard]] std::pair<Growth, std::vector<std::size_t>> growth_of(std::size_t s, const Offer& shares,
                                                                        int exit_count, std::size_t tree) const {
        const std::vector<std::size_t>& children = switches_[s].children;
        std::pair<Growth, std::vector<std::size_t>> result;
        for (std::size_t child = 0; child < children.size(); ++child) result.second.push_back(child);
        const auto reach = [&](std::size_t child) { return &reach_of(children[child], shares.children[child], tree); };
        std::stable_sort(result.second.begin(), result.second.end(),
                         [&](std::size_t a, std::size_t b) { return reach(a)->least_height > reach(b)->least_height; });
        Growth& growth = result.first;
        growth.machines = shares.machines[tree];
        growth.exit_count = exit_count;
        growth.first_slot = s == 0 ? 1 : 0;
        for (const std::size_t child : result.second) growth.children.push_back(reach(child));
        return result;
    }

    [[nodiscard]] Offer offer_of(std::size_t s, std::size_t offer, unsigned variant) const {
        Offer shares = share_out(s, offer, variant);
        for (std::size_t tree = 0; tree < 2; ++tree) {
            shares.reach[tree] = growth_of(s, shares, exits_of(offer, tree), tree).first.reach();
        }
        return shares;
    }

    [[nodiscard]] Offer best_offer(std::size_t s, std::size_t offer) {
        const Switch& sw = switches_[s];
        if (sw.children.empty() && s != 0) {  // the same for all switches of so many machines
            auto [known, is_new] = leaf_offers_.try_emplace({sw.machines.size(), offer});
            if (is_new) known->second = offer_of(s, offer, 0);
            return known->second;
        }
        Offer best;
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        const unsigned turns = sw.children.size() > 1 ? 16 : 8;
        for (unsigned variant = 0; variant < (sw.children.empty() ? 1 : turns); ++variant) {
            if ((variant & 1U) != 0 && (offer != no_exit || sw.machines.empty())) continue;  // the same as without
            if ((variant & 2U) != 0 && sw.machines.empty() && sw.children.size() == 1) continue;
            Offer candidate = offer_of(s, offer, variant);
            const std::array<std::int64_t, 2> costs{cost_of(candidate.reach[0], s), cost_of(candidate.reach[1], s)};
            const std::int64_t cost = 8 * std::max(costs[0], costs[1]) + std::min(costs[0], costs[1]);
            if (cost < least) {
                least = cost;
                best = std::move(candidate);
            }
        }
        return best;
    }

    /// What a tree inside a subtree costs the tree around it. Entered at depth d, a subtree of height h fills 2^h of
    /// the places 2^(H-d) that a binary tree of height H has below there, less those that its exits give back: the mean
    /// over heights of the logarithm, in sixteenths.
    [[nodiscard]] static std::int64_t cost_of(const Reach& reach, std::size_t s) {
        if (s == 0) return reach.least_height;
        std::int64_t cost = 0;
        for (int more = 0; more < 8; ++more) {
            const GrowthPlan& plan = reach.within(reach.least_height + more);
            unsigned filled = 1025;
            for (int exit = 0; exit < reach.exit_count; ++exit) {
                filled -= 512U >> std::min(plan.exits[static_cast<std::size_t>(exit)], 20);
            }
            int log = 0;
            while (filled >> (log + 1) != 0) ++log;
            const unsigned sixteenths = log >= 4 ? (filled >> (log - 4)) & 15U : (filled << (4 - log)) & 15U;
            cost += 16 * (reach.least_height + more + log) + static_cast<int>(sixteenths);
        }
        return cost;
    }

    [[nodiscard]] Offer chosen_offer(std::size_t s) const {
        const Switch& sw = switches_[s];
        Offer offer = sw.offers[sw.use.offer];
        if (!sw.use.swapped) return offer;
        for (Use& use : offer.children) use.swapped = !use.swapped;
        std::swap(offer.machines[0], offer.machines[1]);
        std::swap(offer.reach[0], offer.reach[1]);
        return offer;
    }

    /// The steps of one tree over the elements of a switch, as chosen; children by their number in Switch::children.
    [[nodiscard]] std::vector<Attachment> steps_of(std::size_t s, const Offer& offer, std::size_t tree) const {
        auto [growth, numbers] = growth_of(s, offer, offer.reach[tree].exit_count, tree);
        std::vector<Attachment> steps;
        growth.attach_all(offer.reach[tree].within(switches_[s].height[tree]), &steps);
        for (Attachment& step : steps) {
            if (step.kind != Attachment::Kind::child) continue;
            step.number = static_cast<int>(numbers[static_cast<std::size_t>(step.number)]);
        }
        return steps;
    }

    /// Tells each subtree its use and the height that is left for it.
    void hand_down() {
        const std::array<Reach, 2>& reach = switches_[0].offers[no_exit].reach;
        switches_[0].use = {no_exit, false};
        switches_[0].height = {reach[0].least_height, reach[1].least_height};
        for (std::size_t s = 0; s < switches_.size(); ++s) {
            const Switch& sw = switches_[s];
            const Offer offer = chosen_offer(s);
            for (std::size_t c = 0; c < sw.children.size(); ++c) switches_[sw.children[c]].use = offer.children[c];
            for (std::size_t tree = 0; tree < 2; ++tree) {
                const int height = offer.reach[tree].within(sw.height[tree]).height;
                for (const Attachment& step : steps_of(s, offer, tree)) {
                    if (step.kind != Attachment::Kind::child) continue;
                    switches_[sw.children[static_cast<std::size_t>(step.number)]].height[tree] = height - step.depth;
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

    /// The machines of a switch by the sends that they make in `tree`: those that feed both trees come first, then
    /// those that feed the first, the second, none.
    [[nodiscard]] std::array<std::vector<int>, 3> machines_by_sends(std::size_t s, const Offer& offer,
                                                                    std::size_t tree) const {
        std::array<std::vector<int>, 3> by_sends;
        const int feed_both = offer.machines[0][1];
        const int feed_first = feed_both + offer.machines[0][2];
        const int feed_second = feed_first + offer.machines[1][2];
        int number = 0;
        for (const int machine : switches_[s].machines) {
            const bool feeds = number < feed_first ? tree == 0 : tree == 1 && number < feed_second;
            by_sends[number < feed_both ? 1 : feeds ? 2 : 0].push_back(machine);
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
    std::vector<Switch> switches_;                                      // by subtree
    std::map<std::pair<std::size_t, std::size_t>, Offer> leaf_offers_;  // by machines and offer
};

}  // namespace detail

/// The two-tree over `order`: both trees over its positions, the root of both at position 0. On any tree of switches:
/// at most two children a machine in both trees together, each subtree of the order entered once by each tree.
/// Time and memory: O(P log P) for the machines and, for each switch, its subtrees times the square of the height.
inline std::array<Tree, 2> two_tree(const Order& order) {
    if (order.size() == 1) return {linear_tree(1), linear_tree(1)};
    return detail::TwoTreeBuilder(order).build();
}

/// The same, making use of wide trunks where that makes the trees lower, and sparing slow machines: with those, others
/// on their switch may have more than two children. `order` as depth_first_order makes it from `layout`.
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
