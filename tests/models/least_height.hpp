// What no two-tree of a small network can be lower than, for tests: by trying all trees.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/network/paths.hpp"
#include "planner/plan/load_proof.hpp"

namespace bcastgen::testing {

/// The least height of any two trees from `root` that carry a half each and load no link above 1, by trying all. Both
/// have to get into everything below the root's switch, so neither does twice; and no machine makes more than two
/// sends. Then not more than two get out of anything: of 2X sends below, X machines take 2X - 2 to reach one another.
class LeastHeight {
  public:
    LeastHeight(const Network& network, int root) : root_(root) {
        const Paths paths(network);
        const int machines = static_cast<int>(network.machines.size());
        std::vector<char> is_down(static_cast<std::size_t>(link_count(network)), 0);
        for (int to = 0; to < machines; ++to) {
            if (to == root) continue;
            for (const LinkId link : paths.between(root, to)) is_down[static_cast<std::size_t>(link)] = 1;
        }
        entered_.assign(is_down.size(), 0);
        for (int to = 0; to < machines; ++to) {
            for (int from = 0; from < machines; ++from) {
                ways_down_.emplace_back();
                if (from == to) continue;
                for (const LinkId link : paths.between(from, to)) {
                    if (is_down[static_cast<std::size_t>(link)] != 0) {
                        ways_down_.back().push_back(static_cast<std::size_t>(link));
                    }
                }
            }
        }
        parent_.assign(network.machines.size(), -1);
        sends_.assign(network.machines.size(), 0);
        hang(0);
    }

    [[nodiscard]] int of_both() const {
        std::vector<std::pair<int, int>> trees;  // height, sends
        for (const auto& [sends, height] : heights_) trees.emplace_back(height, sends);
        std::sort(trees.begin(), trees.end());
        for (const auto& [height, sends] : trees) {
            for (const auto& [no_higher, others] : trees) {
                if (no_higher > height) break;
                if (fit(sends, others)) return height;
            }
        }
        return -1;
    }

  private:
    void hang(std::size_t machine) {
        if (machine == parent_.size()) return note();
        if (static_cast<int>(machine) == root_) return hang(machine + 1);
        for (std::size_t from = 0; from < parent_.size(); ++from) {
            const std::vector<std::size_t>& way = ways_down_[machine * parent_.size() + from];
            const auto is_entered = [this](std::size_t link) { return entered_[link] != 0; };
            if (from == machine || sends_[from] == 2 || std::any_of(way.begin(), way.end(), is_entered)) continue;
            parent_[machine] = static_cast<int>(from);
            ++sends_[from];
            for (const std::size_t link : way) entered_[link] = 1;
            hang(machine + 1);
            for (const std::size_t link : way) entered_[link] = 0;
            --sends_[from];
        }
    }

    void note() {
        int height = 0;
        int sends = 0;
        for (std::size_t machine = 0; machine < parent_.size(); ++machine) {
            sends = 3 * sends + sends_[machine];
            int depth = 0;
            for (int up = static_cast<int>(machine); up != root_; up = parent_[static_cast<std::size_t>(up)]) {
                if (++depth == static_cast<int>(parent_.size())) return;  // goes round in a circle
            }
            height = std::max(height, depth);
        }
        const auto [known, is_new] = heights_.try_emplace(sends, height);
        if (!is_new) known->second = std::min(known->second, height);
    }

    [[nodiscard]] static bool fit(int sends, int others) {
        for (; sends + others > 0; sends /= 3, others /= 3) {
            if (sends % 3 + others % 3 > 2) return false;
        }
        return true;
    }

    int root_;
    std::vector<std::vector<std::size_t>> ways_down_;  // receiver * machines + sender -> links away from the root
    std::vector<char> entered_;                        // by link
    std::vector<int> parent_;
    std::vector<int> sends_;
    std::map<int, int> heights_;  // digits to base 3, what each machine sends -> least height of such a tree
};

}  // namespace bcastgen::testing
