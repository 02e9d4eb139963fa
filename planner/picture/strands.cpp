#include "planner/picture/strands.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t least_joined = 4;  // positions of a strand that goes on below

std::vector<int> chain_from(const bcast::Tree& tree, const std::vector<int>& place, int position) {
    std::vector<int> chain{position};
    for (int last = position; tree.children[at(last)].size() == 1; chain.push_back(last)) {
        const int next = tree.children[at(last)].front();
        if (place[at(next)] != place[at(last)]) break;
        last = next;
    }
    const bool goes_on = !tree.children[at(chain.back())].empty();
    if (goes_on && chain.size() < least_joined) chain.resize(1);
    return chain;
}

}  // namespace

std::vector<Strand> strands_of(const bcast::Tree& tree, const std::vector<int>& place) {
    std::vector<Strand> strands;
    std::vector<int> firsts{0};
    for (std::size_t s = 0; s < firsts.size(); ++s) {
        Strand strand{chain_from(tree, place, firsts[s]), {}, 0, 0};
        for (const int child : tree.children[at(strand.positions.back())]) {
            strand.below.push_back(firsts.size());
            firsts.push_back(child);
        }
        strands.push_back(std::move(strand));
    }
    for (std::size_t s = strands.size(); s-- > 0;) {
        Strand& strand = strands[s];
        for (const std::size_t below : strand.below) {
            const int length = static_cast<int>(strands[below].positions.size());
            strand.machines_below += length + strands[below].machines_below;
            strand.height_below = std::max(strand.height_below, length + strands[below].height_below);
        }
    }
    return strands;
}

}  // namespace bcastgen
