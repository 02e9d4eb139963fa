#include "planner/print/proof_scope.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bcastgen {

std::size_t trunks_in_use(const Network& network) {
    return static_cast<std::size_t>(std::count_if(network.trunks.begin(), network.trunks.end(), [](const Trunk& trunk) {
        return trunk.in_tree || trunk.bounded_by >= 0;
    }));
}

std::string proof_scope(const Network& network) {
    if (has_idle_trunks(network)) {
        return fmt::format(", on the {} of {} trunks that the spanning tree uses", trunks_in_use(network),
                           network.trunks.size());
    }
    const bool several_ways = is_folded_clos(network) && network.trunks.size() >= network.switches.size();
    return several_ways ? ", by any shortest up/down routes" : "";
}

std::string routes_advice(const Network& network) {
    // Bridges that follow 802.1D have no other routes.
    if (!has_idle_trunks(network) || network.spanning_tree == SpanningTree::stp) return "";
    return "where messages take others (InfiniBand), give the routes: dump_lfts >lfts.txt, then check and plan with "
           "--routes lfts.txt";
}

}  // namespace bcastgen
