#include "plan.hpp"

#include <algorithm>
#include <cstddef>

namespace bcastgen {

int height(const bcast::Tree& tree) {
    std::vector<int> depth(tree.parent.size(), 0);
    std::vector<int> walk{0};
    int highest = 0;
    for (std::size_t i = 0; i < walk.size(); ++i) {
        const auto parent = static_cast<std::size_t>(walk[i]);
        highest = std::max(highest, depth[parent]);
        for (int child : tree.children[parent]) {
            depth[static_cast<std::size_t>(child)] = depth[parent] + 1;
            walk.push_back(child);
        }
    }
    return highest;
}

int fanout(const bcast::Tree& tree) {
    std::size_t most = 0;
    for (const std::vector<int>& children : tree.children) most = std::max(most, children.size());
    return static_cast<int>(most);
}

}  // namespace bcastgen
