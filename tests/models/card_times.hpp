// When machines have a message that goes down a tree in one piece, if every port is a queue: a reference for the
// simulated cluster's ports and software, worked out message by message.
//
//   sender's processor |send|send|
//   its port                |= message =|= message =|         the next waits for its turn
//   receiver's processor         latency     |receive|
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "planner/network/software.hpp"

namespace bcastgen::testing {

struct CardCosts {
    Software software;  ///< of every machine
    double latency_s = 0;
    double bandwidth_Bps = 0;
};

/// By machine: when its call ends, in seconds from the root's entry. `children`: by machine, in sending order; parents
/// come before their children. `waits`: for each child to have the message before it goes to the next; else all sends
/// are begun at once.
inline std::vector<double> card_exits_s(const std::vector<std::vector<std::size_t>>& children, std::size_t bytes,
                                        bool waits, const CardCosts& costs) {
    const auto size = static_cast<double>(bytes);
    const double copy_s = size * costs.software.per_byte_s;
    std::vector<double> exits_s(children.size(), 0);
    for (std::size_t machine = 0; machine < children.size(); ++machine) {
        double processor_s = exits_s[machine];  // it has the message
        double port_s = 0;
        for (const std::size_t child : children[machine]) {
            processor_s += costs.software.send_s + copy_s;
            const double begin_s = std::max(processor_s + costs.latency_s, port_s);
            port_s = begin_s + size / costs.bandwidth_Bps;
            exits_s[child] = port_s + costs.software.receive_s + copy_s;
            if (waits) processor_s = port_s;
        }
        exits_s[machine] = std::max(processor_s, port_s);
    }
    return exits_s;
}

}  // namespace bcastgen::testing
