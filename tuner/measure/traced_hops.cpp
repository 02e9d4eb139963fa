#include "tuner/measure/traced_hops.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace bcastgen {

namespace {

/// The hops between machines; none if a machine is unknown, or a line is missing.
std::optional<BroadcastHops> on_network(const TracedBroadcast& traced, const std::map<std::string, int>& machines) {
    BroadcastHops broadcast{traced.kind, {}};
    int trees = 0;
    for (const TracedHop& hop : traced.hops) {
        if (hop.from == hop.to) continue;
        const auto from = machines.find(hop.from);
        const auto to = machines.find(hop.to);
        if (from == machines.end() || to == machines.end()) return std::nullopt;
        broadcast.hops.push_back({from->second, to->second, hop.tree, hop.bytes, hop.seconds});
        trees = std::max(trees, hop.tree + 1);
    }
    const auto expected = static_cast<std::size_t>(trees) * static_cast<std::size_t>(std::max(0, traced.machines - 1));
    // Broadcasts on several communicators that are alike stand together.
    if (broadcast.hops.empty() || expected == 0 || broadcast.hops.size() % expected != 0) return std::nullopt;
    std::sort(broadcast.hops.begin(), broadcast.hops.end(), [](const SegmentHop& a, const SegmentHop& b) {
        return std::pair(a.tree, a.to) < std::pair(b.tree, b.to);
    });
    return broadcast;
}

}  // namespace

std::vector<BroadcastHops> traced_hops(const Trace& trace, const Network& network) {
    std::map<std::string, int> machines;
    for (const Machine& machine : network.machines) machines.emplace(machine.name, static_cast<int>(machines.size()));
    std::vector<BroadcastHops> broadcasts;
    for (const TracedBroadcast& traced : trace.broadcasts) {
        if (auto one = on_network(traced, machines)) broadcasts.push_back(std::move(*one));
    }
    return broadcasts;
}

}  // namespace bcastgen
