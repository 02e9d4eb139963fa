// Ways of messages through a network where they are known better than from its switch tree.
#pragma once

#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// A directed link on a message's way, and which of its cables the message takes.
struct Crossing {
    LinkId link;
    int cable;
};

/// Ways of messages where they are known better than from the switch tree.
class Routes {
  public:
    Routes() = default;
    Routes(const Routes&) = delete;
    Routes& operator=(const Routes&) = delete;
    virtual ~Routes() = default;
    /// The directed links from one machine to another, in the order that a message crosses them.
    [[nodiscard]] virtual std::vector<Crossing> between(int from, int to) const = 0;
};

}  // namespace bcastgen
