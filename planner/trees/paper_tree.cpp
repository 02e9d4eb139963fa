#include "planner/trees/paper_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "planner/network/paths.hpp"

namespace bcastgen {

namespace {

using LinkSet = std::vector<std::uint64_t>;  // bit per directed link

void add(LinkSet& set, const std::vector<LinkId>& path) {
    for (LinkId link : path) set[static_cast<std::size_t>(link / 64)] |= std::uint64_t{1} << (link % 64);
}

void add(LinkSet& set, const LinkSet& other) {
    for (std::size_t word = 0; word < set.size(); ++word) set[word] |= other[word];
}

bool contends(const std::vector<LinkId>& path, const LinkSet& set) {
    return std::any_of(path.begin(), path.end(), [&set](LinkId link) {
        return (set[static_cast<std::size_t>(link / 64)] >> (link % 64) & 1) != 0;
    });
}

/// A value for every pair of positions i <= j.
template <class Value>
class Triangle {
  public:
    Triangle(int size, const Value& value) : size_(static_cast<std::size_t>(size)), values_(size_ * size_, value) {}
    Value& operator()(int i, int j) {
        return values_[static_cast<std::size_t>(i) * size_ + static_cast<std::size_t>(j)];
    }

  private:
    std::size_t size_;
    std::vector<Value> values_;
};

constexpr int infinity = std::numeric_limits<int>::max();

/// The tables of the dynamic programme, named as in the paper.
class PaperTables {
  public:
    PaperTables(const Network& network, const bcast::Order& order, int radix)
        : machines_(order.size()),
          radix_(radix),
          no_links_((static_cast<std::size_t>(link_count(network)) + 63) / 64, 0),
          path_(machines_, {}),
          best_(machines_, infinity),
          children_(machines_, {}),
          links_(machines_, {}) {
        const Paths paths(network);
        for (int i = 0; i < machines_; ++i) {
            for (int j = i + 1; j < machines_; ++j) {
                path_(i, j) = paths.between(order.machines[static_cast<std::size_t>(i)],
                                            order.machines[static_cast<std::size_t>(j)]);
            }
        }
    }

    bcast::Tree build() {
        for (int i = 0; i < machines_; ++i) {  // lines 2 to 4
            best_(i, i) = 0;
            links_(i, i) = no_links_;
        }
        for (int i = 0; i + 1 < machines_; ++i) set_tree(i, i + 1, 1, {i + 1});         // lines 5 to 8
        for (int i = 0; i + 2 < machines_; ++i) set_tree(i, i + 2, 1, {i + 1, i + 2});  // lines 9 to 12
        for (int j = 3; j < machines_; ++j) {                                           // line 13
            for (int i = 0; i < machines_ - j; ++i) {                                   // line 14
                split_ = {infinity, {}};                                                // line 15
                std::vector<int> children{i + 1};
                try_children(i, i + j, children, 0, no_links_);      // lines 16 to 23
                set_tree(i, i + j, split_.height, split_.children);  // line 24
            }
        }
        return result();
    }

  private:
    struct Split {
        int height;
        std::vector<int> children;
    };

    /// Lines 16 to 23: every k after the last child so far, as the next child. `highest` is the height of the blocks
    /// before that last child's, `used` the links of their trees.
    void try_children(int i, int end, std::vector<int>& children, int highest, const LinkSet& used) {
        const int child = children.back();
        for (int k = child + 1; k <= end; ++k) {
            const LinkSet& last_block = links_(child, k - 1);
            if (contends(path_(i, k), last_block) || contends(path_(i, k), used)) continue;  // line 17
            const int highest_before = std::max(highest, best_(child, k - 1));
            children.push_back(k);
            const int height = std::max(highest_before, best_(k, end)) + 1;
            if (split_.height > height) split_ = {height, children};  // lines 18 to 21
            if (static_cast<int>(children.size()) < radix_) {
                LinkSet used_by_all = used;
                add(used_by_all, last_block);
                try_children(i, end, children, highest_before, used_by_all);
            }
            children.pop_back();
        }
    }

    void set_tree(int i, int j, int height, const std::vector<int>& children) {
        best_(i, j) = height;
        children_(i, j) = children;
        LinkSet& links = links_(i, j);
        links = no_links_;
        for (std::size_t c = 0; c < children.size(); ++c) {
            const int last = c + 1 < children.size() ? children[c + 1] - 1 : j;
            add(links, links_(children[c], last));
            add(links, path_(i, children[c]));
        }
    }

    bcast::Tree result() {
        std::vector<std::vector<int>> children(static_cast<std::size_t>(machines_));
        std::vector<std::pair<int, int>> trees{{0, machines_ - 1}};
        while (!trees.empty()) {
            const auto [i, j] = trees.back();
            trees.pop_back();
            const std::vector<int>& of_root = children_(i, j);
            for (std::size_t c = 0; c < of_root.size(); ++c) {
                trees.emplace_back(of_root[c], c + 1 < of_root.size() ? of_root[c + 1] - 1 : j);
            }
            children[static_cast<std::size_t>(i)] = of_root;
        }
        return bcast::tree_of_children(std::move(children));
    }

    int machines_;
    int radix_;
    LinkSet no_links_;
    Triangle<std::vector<LinkId>> path_;
    Triangle<int> best_;
    Triangle<std::vector<int>> children_;  // of the root of tree[i][j]
    Triangle<LinkSet> links_;              // that tree[i][j] sends over
    Split split_{infinity, {}};
};

}  // namespace

double paper_tree_steps(int machines, int radix) {
    double steps = 1;
    for (int i = 0; i <= radix; ++i) steps *= static_cast<double>(machines - i) / (i + 1);
    return std::max(steps, 1.0);
}

void check_paper_tree_size(int machines, int radix) {
    const double steps = paper_tree_steps(machines, std::clamp(radix, 1, std::max(machines - 1, 1)));
    if (steps <= paper_tree_limit) return;
    throw TooLarge(
        fmt::format("the paper's algorithm would take about {:.1g} steps for {} machines and radix {} "
                    "(limit {:.0e}); use --algorithm fast, whose tree is never higher",
                    steps, machines, radix, paper_tree_limit));
}

bcast::Tree paper_tree(const Network& network, const bcast::Order& order, int radix) {
    check_paper_tree_size(order.size(), radix);
    radix = std::min(radix, order.size() - 1);
    if (radix <= 1) return bcast::linear_tree(order.size());
    return PaperTables(network, order, radix).build();
}

}  // namespace bcastgen
