// The ways of messages through a network where more is known than its switch tree.
#pragma once

#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// A directed link on a message's way, and which of its cables the message takes.
struct Crossing {
    LinkId link;
    int cable;
};

/// The ways of messages where more is known than the switch tree.
class Routes {
  public:
    Routes() = default;
    Routes(const Routes&) = delete;
    Routes& operator=(const Routes&) = delete;
    virtual ~Routes() = default;
    /// The directed links from one machine to another, in the order in which a message crosses them.
    [[nodiscard]] virtual std::vector<Crossing> between(int from, int to) const = 0;
};

}  // namespace bcastgen
