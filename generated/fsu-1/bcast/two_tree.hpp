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
// therefore builds its two trees over elements (its machines and the subtrees below it), and the construction goes up
// switch by switch. Which tree an element's two spare sends go into is chosen above; all three ways are built below.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "order.hpp"
#include "tree.hpp"

namespace bcast {

namespace detail {

/// Which tree an element's two sends to other elements go into.
enum class Feeds { first, second, both };
inline constexpr std::array<Feeds, 3> all_feeds = {Feeds::first, Feeds::second, Feeds::both};

inline int sends_in(Feeds feeds, std::size_t tree) {
    if (feeds == Feeds::both) return 1;
    return (feeds == Feeds::first) == (tree == 0) ? 2 : 0;
}

/// A send that is free for use: who makes it, and how many edges below the point of entry that machine is.
struct FreeSend {
    int depth;
    int machine;
    bool operator>(const FreeSend& other) const {
        return std::tie(depth, machine) > std::tie(other.depth, other.machine);
    }
};

/// One tree's part inside an element: where it enters, the sends it leaves for others, and how deep it reaches.
struct Part {
    int entry = -1;
    std::vector<FreeSend> spare;
    int height = 0;
};

/// Both trees over the elements of one switch. Edges are between machines (positions of the order).
struct SwitchTrees {
    std::array<Part, 2> parts;
    std::array<std::vector<std::pair<int, int>>, 2> edges;
    std::vector<Feeds> element_feeds;
};

/// How a tree is grown over a switch's elements: when the sends that others are promised are put aside, and how much
/// sooner an element that feeds is attached than one as high that does not. Which is best depends on the sizes inside
/// and outside, so all are tried.
enum class PutAside { at_once, in_proportion, at_last };
inline constexpr std::array<PutAside, 3> all_put_aside = {PutAside::at_once, PutAside::in_proportion,
                                                          PutAside::at_last};
inline constexpr std::array<int, 3> feeding_bonuses = {0, 2, 100};

class TwoTreeBuilder {
  public:
    explicit TwoTreeBuilder(const Order& order) : order_(order), switches_(order.subtrees.size()) {
        for (std::size_t subtree = switches_.size() - 1; subtree > 0; --subtree) {
            const auto parent = static_cast<std::size_t>(order.subtrees[subtree].parent);
            switches_[parent].elements.push_back({static_cast<int>(subtree), -1, size_of(subtree)});
        }
        for (Switch& sw : switches_) {
            std::stable_sort(sw.elements.begin(), sw.elements.end(),
                             [](const Element& a, const Element& b) { return a.machines > b.machines; });
        }
        for (int machine = 0; machine < order.size(); ++machine) {
            switches_[static_cast<std::size_t>(order.innermost[static_cast<std::size_t>(machine)])].elements.push_back(
                {-1, machine, 1});
        }
    }

    std::array<Tree, 2> build() {
        for (std::size_t subtree = switches_.size() - 1; subtree > 0; --subtree) {
            for (const Feeds feeds : all_feeds) {
                switches_[subtree].trees[static_cast<std::size_t>(feeds)] = best_trees(subtree, feeds);
            }
        }
        switches_[0].trees[static_cast<std::size_t>(Feeds::both)] = best_trees(0, Feeds::both);
        for (auto& children : children_) children.resize(static_cast<std::size_t>(order_.size()));
        collect(0, Feeds::both);
        return {tree_of_children(std::move(children_[0])), tree_of_children(std::move(children_[1]))};
    }

  private:
    struct Element {
        int subtree;   // -1: a machine
        int machine;   // -1: a subtree
        int machines;  // how many it holds
    };
    struct Switch {
        std::vector<Element> elements;  // subtrees first, largest first
        std::array<SwitchTrees, 3> trees;
    };
    struct Growth {
        Part part;
        std::vector<std::pair<int, int>> edges;
        double cost = std::numeric_limits<double>::infinity();
    };

    [[nodiscard]] int size_of(std::size_t subtree) const {
        return order_.subtrees[subtree].last - order_.subtrees[subtree].first + 1;
    }

    [[nodiscard]] Part part_of(const Element& element, Feeds feeds, std::size_t tree) const {
        if (element.subtree >= 0) {
            return switches_[static_cast<std::size_t>(element.subtree)]
                .trees[static_cast<std::size_t>(feeds)]
                .parts[tree];
        }
        return {element.machine,
                std::vector<FreeSend>(static_cast<std::size_t>(sends_in(feeds, tree)), {0, element.machine}), 0};
    }

    /// What each element of a switch feeds so that tree t gets one send fewer than there are elements, and those that
    /// `feeds` promises. Elements take turns, so that both trees get large ones; odd numbers are made up by elements
    /// that feed both, machines before subtrees. The root sends once in each tree, and above it nothing is promised.
    [[nodiscard]] std::vector<Feeds> share_out(std::size_t subtree, Feeds feeds, bool second_first) const {
        const std::vector<Element>& elements = switches_[subtree].elements;
        const int count = static_cast<int>(elements.size());
        std::vector<Feeds> shares(elements.size(), Feeds::both);
        std::array<int, 2> needed{};
        for (std::size_t tree = 0; tree < 2; ++tree) {
            needed[tree] = (subtree == 0 ? std::max(0, count - 2) : count - 1 + sends_in(feeds, tree)) / 2;
        }
        int both = (subtree == 0 ? count - 1 : count) - needed[0] - needed[1];
        std::vector<std::size_t> takers;
        for (std::size_t i = elements.size(); i-- > 0;) {
            if (elements[i].machine == 0) continue;  // the root feeds both
            if (both > 0) {
                --both;
            } else {
                takers.insert(takers.begin(), i);
            }
        }
        bool first = !second_first;
        for (const std::size_t i : takers) {
            if (needed[first ? 0 : 1] == 0) first = !first;
            shares[i] = first ? Feeds::first : Feeds::second;
            --needed[first ? 0 : 1];
            first = !first;
        }
        return shares;
    }

    [[nodiscard]] SwitchTrees best_trees(std::size_t subtree, Feeds feeds) const {
        SwitchTrees best;
        double best_cost = std::numeric_limits<double>::infinity();
        for (const bool second_first : {false, true}) {
            SwitchTrees trees;
            trees.element_feeds = share_out(subtree, feeds, second_first);
            double cost = 0;
            for (std::size_t tree = 0; tree < 2; ++tree) {
                Growth growth = best_growth(subtree, trees.element_feeds, feeds, tree);
                cost = std::max(cost, growth.cost) + 0.001 * growth.cost;
                trees.parts[tree] = std::move(growth.part);
                trees.edges[tree] = std::move(growth.edges);
            }
            if (cost < best_cost) {
                best_cost = cost;
                best = std::move(trees);
            }
        }
        return best;
    }

    [[nodiscard]] Growth best_growth(std::size_t subtree, const std::vector<Feeds>& shares, Feeds feeds,
                                     std::size_t tree) const {
        const std::vector<Element>& elements = switches_[subtree].elements;
        std::vector<Part> parts;
        for (std::size_t i = 0; i < elements.size(); ++i) parts.push_back(part_of(elements[i], shares[i], tree));
        const int promised = subtree == 0 ? 0 : sends_in(feeds, tree);
        Growth best;
        for (const std::size_t entry : entries(elements, parts)) {
            for (const PutAside put_aside : all_put_aside) {
                for (const int bonus : feeding_bonuses) {
                    Growth growth = grow(parts, entry, promised, put_aside, bonus, order_.size() - size_of(subtree));
                    if (growth.cost < best.cost) best = std::move(growth);
                }
            }
        }
        return best;
    }

    /// Elements that a tree may enter first: the root where it is one; else the two largest subtrees and the machine
    /// that feed the tree (a sole element need not).
    [[nodiscard]] static std::vector<std::size_t> entries(const std::vector<Element>& elements,
                                                          const std::vector<Part>& parts) {
        std::vector<std::size_t> chosen;
        std::size_t machine = elements.size();
        for (std::size_t i = 0; i < elements.size(); ++i) {
            if (elements[i].machine == 0) return {i};
            if (parts[i].spare.empty() && elements.size() > 1) continue;
            if (elements[i].subtree >= 0) {
                if (chosen.size() < 2) chosen.push_back(i);
            } else if (machine == elements.size() || parts[i].spare.size() > parts[machine].spare.size()) {
                machine = i;
            }
        }
        if (machine != elements.size()) chosen.push_back(machine);
        return chosen;
    }

    /// Attaches all elements, each by the shallowest free send, entering at `entry`. Elements that feed come before the
    /// last free send is spent, so that there is always one.
    [[nodiscard]] static Growth grow(const std::vector<Part>& parts, std::size_t entry, int promised,
                                     PutAside put_aside, int bonus, int outside) {
        Growth growth;
        std::vector<FreeSend> free;  // a heap, shallowest on top
        const auto attach = [&](const Part& part, int depth) {
            for (const FreeSend& send : part.spare) {
                free.push_back({depth + send.depth, send.machine});
                std::push_heap(free.begin(), free.end(), std::greater<>());
            }
            growth.part.height = std::max(growth.part.height, depth + part.height);
        };
        growth.part.entry = parts[entry].entry;
        attach(parts[entry], 0);
        std::vector<const Part*> feeding;
        std::vector<const Part*> others;
        sort_parts(parts, entry, feeding, others);
        std::size_t next_feeding = 0;
        std::size_t next_other = 0;
        int left = static_cast<int>(parts.size()) - 1;
        while (left > 0 || promised > 0) {
            std::pop_heap(free.begin(), free.end(), std::greater<>());
            const FreeSend send = free.back();
            free.pop_back();
            const bool more = !free.empty();
            if (promised > 0 &&
                (left == 0 || (more && goes_outside(put_aside, outside, left, promised, free.size())))) {
                growth.part.spare.push_back(send);
                --promised;
                continue;
            }
            const bool feeds_next =
                next_other == others.size() ||
                (next_feeding < feeding.size() &&
                 (!more || feeding[next_feeding]->height + bonus - (feeding[next_feeding]->spare.size() == 2 ? 0 : 1) >=
                               others[next_other]->height));
            const Part& part = feeds_next ? *feeding[next_feeding++] : *others[next_other++];
            growth.edges.emplace_back(send.machine, part.entry);
            attach(part, send.depth + 1);
            --left;
        }
        growth.cost = cost_of(growth.part, outside);
        return growth;
    }

    static bool goes_outside(PutAside put_aside, int outside, int left, int promised, std::size_t free) {
        if (put_aside == PutAside::at_once) return true;
        return put_aside == PutAside::in_proportion &&
               static_cast<double>(outside) * static_cast<double>(free + 1) > 2.0 * left * promised;
    }

    /// Parts to attach: those that feed (most sends first, then soon, then high) and the others (high first).
    static void sort_parts(const std::vector<Part>& parts, std::size_t entry, std::vector<const Part*>& feeding,
                           std::vector<const Part*>& others) {
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (i != entry) (parts[i].spare.empty() ? others : feeding).push_back(&parts[i]);
        }
        const auto rank = [](const Part* part) {
            return std::make_tuple(-static_cast<int>(part->spare.size()),
                                   part->spare.front().depth + part->spare.back().depth - part->height);
        };
        std::stable_sort(feeding.begin(), feeding.end(),
                         [&](const Part* a, const Part* b) { return rank(a) < rank(b); });
        std::stable_sort(others.begin(), others.end(),
                         [](const Part* a, const Part* b) { return a->height > b->height; });
    }

    /// The height that a part leads to: its own, or that of what its spare sends have yet to reach.
    static double cost_of(const Part& part, int outside) {
        double cost = part.height;
        double tie = 0.01 * part.height;
        if (!part.spare.empty()) {
            const int soonest = part.spare.front().depth;
            const int last = part.spare.back().depth;
            const double share = static_cast<double>(outside) / static_cast<double>(part.spare.size());
            cost = std::max({cost, last + 1 + std::log2(1 + share), soonest + 1 + std::log2(1.0 + outside)});
            tie += 0.01 * (soonest + last);
        }
        return cost + tie;
    }

    void collect(std::size_t subtree, Feeds feeds) {
        const Switch& sw = switches_[subtree];
        const SwitchTrees& trees = sw.trees[static_cast<std::size_t>(feeds)];
        for (std::size_t tree = 0; tree < 2; ++tree) {
            for (const auto& [from, to] : trees.edges[tree]) {
                children_[tree][static_cast<std::size_t>(from)].push_back(to);
            }
        }
        for (std::size_t i = 0; i < sw.elements.size(); ++i) {
            if (sw.elements[i].subtree >= 0) {
                collect(static_cast<std::size_t>(sw.elements[i].subtree), trees.element_feeds[i]);
            }
        }
    }

    const Order& order_;
    std::vector<Switch> switches_;  // by subtree
    std::array<std::vector<std::vector<int>>, 2> children_;
};

}  // namespace detail

/// The two-tree over `order`: both trees over its positions, the root of both at position 0. On any tree of switches:
/// at most two children a machine in both trees together, each subtree of the order entered once by each tree.
/// O(P log P) time for a fixed number of levels, O(P) memory.
inline std::array<Tree, 2> two_tree(const Order& order) {
    if (order.size() == 1) return {linear_tree(1), linear_tree(1)};
    return detail::TwoTreeBuilder(order).build();
}

}  // namespace bcast
