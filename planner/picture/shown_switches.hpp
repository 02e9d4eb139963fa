// The switches of a plan as pictures show them: the root's on top, and those that are alike as one.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

/// One switch, or several: of a folded Clos those that make up a virtual switch, or switches that hang on the same one
/// and have the same machines, trunks, loads and switches below them.
struct ShownSwitch {
    std::vector<std::string> names;  ///< none: the rest, of which there are too many to show
    std::size_t alike = 1;           ///< how many hang here that look like this
    std::size_t machines = 0;        ///< that take part, on each
    std::size_t below = 0;           ///< of the rest: machines that take part on them and below
    int above = -1;                  ///< index of what it hangs on; -1: the root's switch
    std::string speed;               ///< of its trunk up, or of each: "100Mbit/s", "4 x 100Gbit/s"
    std::string load;                ///< of it, away from the root and back: "1 / 0.5", "≤ 1 / 1"
};

struct ShownSwitches {
    std::vector<ShownSwitch> shown;         ///< each after what it hangs on; the root's switch first
    std::vector<std::pair<int, int>> idle;  ///< shown switches with a trunk between them that messages do not take
};

[[nodiscard]] ShownSwitches shown_switches(const Network& network, const Plan& plan);

}  // namespace bcastgen
