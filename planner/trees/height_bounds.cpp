#include "planner/trees/height_bounds.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace bcastgen {

int floor_log2(int value) {
    int log = 0;
    while (value > 1) {
        value /= 2;
        ++log;
    }
    return log;
}

int kary_height_lower_bound(int machines, int radix) {
    if (radix == 1) return machines - 1;
    int height = 0;
    for (long long level = 1, held = 1; held < machines; held += level) {
        level *= radix;
        ++height;
    }
    return height;
}

int two_tree_height_lower_bound(std::vector<int> most_children) {
    // In one of the trees the root has at most half of its children. Below it, a tree of some height reaches the most
    // machines if those with the most children are on top; all of their children may be in this tree.
    std::sort(most_children.begin() + 1, most_children.end(), std::greater<>());
    std::size_t reached = 1;
    int height = 0;
    for (long long level = most_children.front() / 2; reached < most_children.size(); ++height) {
        long long below = 0;
        for (; level > 0 && reached < most_children.size(); --level) below += most_children[reached++];
        level = below;
    }
    return height;
}

}  // namespace bcastgen
