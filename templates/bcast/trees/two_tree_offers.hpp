// What a switch subtree can do for the two-tree (two_tree.hpp) around it, and how its elements share that out.
//
//     s1: n2 n3 and s2 below        offer {1, 1}: one exit in each tree, for instance
//     |
//     s2: n4 n5                     use   of s2: {1, 1}    of n2: {2, 0}    of n3: {0, 2}     in all 2 + 1 + 1 sends
//                                                                                             within s1, 2 exits
// An element, a machine or a subtree, has two sends of half the message each. A use says how many it makes in each
// tree.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "bcast/trees/two_tree_growth.hpp"

namespace bcast::detail {

using ExitCounts = std::array<int, 2>;  ///< by tree

/// A subtree's exits in each tree, if not swapped: two sends, or fewer where others make what is needed.
constexpr std::array<ExitCounts, 4> offered_exits{ExitCounts{1, 1}, ExitCounts{2, 0}, ExitCounts{1, 0},
                                                  ExitCounts{0, 0}};
constexpr std::size_t one_exit_each = 0;
constexpr std::size_t both_exits_in_one = 1;
constexpr std::size_t no_exit = 3;

/// What an element is used for. Swapped: the trees change roles.
struct Use {
    std::size_t offer = one_exit_each;
    bool swapped = false;

    /// Which of the offer's trees is `tree`.
    [[nodiscard]] std::size_t part(std::size_t tree) const { return swapped ? 1 - tree : tree; }
    [[nodiscard]] int sends(std::size_t tree) const { return offered_exits[offer][part(tree)]; }
    [[nodiscard]] int idle_sends() const { return 2 - sends(0) - sends(1); }
    friend bool operator==(Use a, Use b) { return a.offer == b.offer && a.swapped == b.swapped; }
};

constexpr std::array<Use, 8> all_uses{
    {{0, false}, {0, true}, {1, false}, {1, true}, {2, false}, {2, true}, {3, false}, {3, true}}};

/// Both trees over a switch's elements.
struct Offer {
    std::vector<Use> children;                     ///< by child
    std::array<std::array<int, 3>, 2> machines{};  ///< tree -> sends -> machines that make so many
    std::array<Reach, 2> reach;                    ///< by tree
};

/// A switch, as the elements that its two trees are built over. The first switch is the root's.
struct Elements {
    std::vector<std::size_t> children;  ///< subtrees: their switches, largest first
    std::vector<int> machines;          ///< positions, the root's not among them
    std::array<Offer, offered_exits.size()> offers;
};

/// One tree over the elements of `switches[s]`, and the children's numbers in it.
inline std::pair<Growth, std::vector<std::size_t>> growth_of(const std::vector<Elements>& switches, std::size_t s,
                                                             const Offer& shares, int exit_count, std::size_t tree) {
    const std::vector<std::size_t>& children = switches[s].children;
    const auto reach = [&](std::size_t child) {
        const Use use = shares.children[child];
        return &switches[children[child]].offers[use.offer].reach[use.part(tree)];
    };
    std::pair<Growth, std::vector<std::size_t>> result;
    result.second.resize(children.size());
    std::iota(result.second.begin(), result.second.end(), std::size_t{0});
    const auto before = [&](std::size_t a, std::size_t b) {  // of those of one height, first who makes more sends
        const Reach* x = reach(a);
        const Reach* y = reach(b);
        return x->least_height != y->least_height ? x->least_height > y->least_height : x->exit_count > y->exit_count;
    };
    std::stable_sort(result.second.begin(), result.second.end(), before);
    Growth& growth = result.first;
    growth.machines = shares.machines[tree];
    growth.exit_count = exit_count;
    growth.first_slot = s == 0 ? 1 : 0;
    for (const std::size_t child : result.second) growth.children.push_back(reach(child));
    return result;
}

/// Finds good offers of one switch, those of the subtrees below it given: descent from two ways to share out the sends,
/// changing what one of the largest subtrees is used for, or two of them if `in_pairs`.
class OfferSearch {
  public:
    OfferSearch(const std::vector<Elements>& switches, std::size_t s, bool in_pairs)
        : switches_(switches), s_(s), in_pairs_(in_pairs) {}

    /// The first found that costs `enough` or less; if none does, the best of all that were tried.
    [[nodiscard]] Offer best(std::size_t offer, std::int64_t enough = -1) {
        offer_ = offer;
        least_cost_ = std::numeric_limits<std::int64_t>::max();
        enough_ = enough;
        const std::size_t children = switches_[s_].children.size();
        std::vector<Use> in_turns;  // the trees take turns; where sends are to spare, the largest subtree makes none
        for (std::size_t turn = 0; in_turns.size() < children;) {
            const bool spared = offer == no_exit && in_turns.empty();
            in_turns.push_back(spared ? Use{no_exit, false} : Use{both_exits_in_one, turn++ % 2 != 0});
        }
        consider(in_turns);
        consider(std::vector<Use>(children));
        const std::size_t varied = std::min<std::size_t>(children, 4);  // eight gained nothing
        for (int round = 0; round < 4 && least_cost_ > enough_; ++round) {
            bool better = false;
            for (std::size_t child = 0; child < varied; ++child) better = vary(child, child) || better;
            if (!better && in_pairs_) {
                for (std::size_t pair = 0; pair < varied * varied; ++pair) {
                    if (pair / varied < pair % varied) better = vary(pair / varied, pair % varied) || better;
                }
            }
            if (!better) break;
        }
        return std::move(best_);
    }

  private:
    /// Tries all uses of two children, or of one that is given twice. Returns whether any was better.
    bool vary(std::size_t a, std::size_t b) {
        bool better = false;
        for (const Use of_a : all_uses) {
            for (const Use of_b : all_uses) {
                if ((a == b && !(of_a == of_b)) || least_cost_ <= enough_) continue;
                if (swaps_for_nothing(a, of_a) || swaps_for_nothing(b, of_b)) continue;
                if (of_a == best_.children[a] && of_b == best_.children[b]) continue;
                std::vector<Use> uses = best_.children;
                uses[a] = of_a;
                uses[b] = of_b;
                better = consider(uses) || better;
            }
        }
        return better;
    }

    [[nodiscard]] bool swaps_for_nothing(std::size_t child, Use use) const {
        const std::array<Reach, 2>& reach = switches_[switches_[s_].children[child]].offers[use.offer].reach;
        return use.swapped && reach[0] == reach[1];
    }

    /// With n elements and e exits tree t needs n - 1 + e sends, of the elements' 2n in all. Children make what
    /// `wanted` says, if that leaves neither tree with more sends than it needs nor more sends idle than are to spare;
    /// otherwise they take the first use that does not. There is always one. Machines make the rest: each two sends in
    /// one tree, except where a number is odd.
    [[nodiscard]] Offer share_out(const std::vector<Use>& wanted) const {
        const auto machines = static_cast<int>(switches_[s_].machines.size());
        const int elements = static_cast<int>(wanted.size()) + machines;
        std::array<int, 2> needed{elements - 1 + offered_exits[offer_][0], elements - 1 + offered_exits[offer_][1]};
        int to_spare = 2 * elements - needed[0] - needed[1];
        const auto fits = [&](Use use) {
            return use.sends(0) <= needed[0] && use.sends(1) <= needed[1] && use.idle_sends() <= to_spare;
        };
        Offer shares;
        shares.children.reserve(wanted.size());
        for (Use use : wanted) {
            if (!fits(use)) {
                const Use swapped{use.offer, !use.swapped};
                use = fits(swapped) ? swapped : *std::find_if(all_uses.begin(), all_uses.end(), fits);
            }
            for (std::size_t tree = 0; tree < 2; ++tree) needed[tree] -= use.sends(tree);
            to_spare -= use.idle_sends();
            shares.children.push_back(use);
        }
        for (std::size_t tree = 0; tree < 2; ++tree) {
            const int sending = needed[tree] / 2 + needed[tree] % 2;
            shares.machines[tree] = {machines - sending, needed[tree] % 2, needed[tree] / 2};
        }
        return shares;
    }

    [[nodiscard]] const Reach& reach_of(const Offer& shares, std::size_t tree) {
        const int exit_count = offered_exits[offer_][tree];
        std::vector<char> key{static_cast<char>(exit_count)};  // from which the machines' sends follow
        for (const Use use : shares.children) key.push_back(static_cast<char>(2 * use.offer + use.part(tree)));
        const auto [known, is_new] = known_.try_emplace(std::move(key));
        if (is_new) known->second = growth_of(switches_, s_, shares, exit_count, tree).first.reach();
        return known->second;
    }

    /// Returns whether this is better than the best before.
    bool consider(const std::vector<Use>& wanted) {
        Offer shares = share_out(wanted);
        const std::array<const Reach*, 2> reach{&reach_of(shares, 0), &reach_of(shares, 1)};
        const std::array<std::int64_t, 2> costs{cost_of(*reach[0]), cost_of(*reach[1])};
        const std::int64_t cost = 8 * std::max(costs[0], costs[1]) + std::min(costs[0], costs[1]);
        if (cost >= least_cost_) return false;
        least_cost_ = cost;
        best_ = std::move(shares);
        best_.reach = {*reach[0], *reach[1]};
        return true;
    }

    /// What a tree inside a subtree costs the tree around it. Entered at depth d, a subtree of height h fills 2^h of
    /// the places 2^(H-d) that a binary tree of height H has below there, less those that its exits give back: the mean
    /// over heights of the logarithm, in sixteenths.
    [[nodiscard]] std::int64_t cost_of(const Reach& reach) const {
        if (s_ == 0) return reach.least_height;
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

    const std::vector<Elements>& switches_;
    std::size_t s_;
    bool in_pairs_;
    std::size_t offer_ = no_exit;
    std::int64_t least_cost_ = 0;
    std::int64_t enough_ = 0;
    Offer best_;
    std::map<std::vector<char>, Reach> known_;  // by exits and what the children do in the tree
};

}  // namespace bcast::detail
