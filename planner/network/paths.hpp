// The paths of messages through a network's switch tree. The load proof does not use them: it walks by itself.
#pragma once

#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// Paths in the network's switch tree (the trunks that are in_tree).
class Paths {
  public:
    explicit Paths(const Network& network);

    /// The directed links from one machine to another, in the order in which a message crosses them. O(path).
    [[nodiscard]] std::vector<LinkId> between(int from, int to) const;

  private:
    struct Above {
        int sw = -1;  ///< the neighbour switch nearer to switch 0
        LinkId up = -1;
        LinkId down = -1;
        int depth = 0;
    };
    std::vector<int> machine_switch_;
    std::vector<Above> above_;  ///< by switch
};

}  // namespace bcastgen
