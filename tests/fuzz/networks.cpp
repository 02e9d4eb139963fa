#include "tests/fuzz/networks.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "base/names.hpp"
#include "base/units.hpp"
#include "planner/network/switch_graph.hpp"
#include "tests/fuzz/target.hpp"

namespace bcastgen::fuzz {

void check_network(const Network& network) {
    FUZZ_PROMISE(is_library_name(network.name));
    FUZZ_PROMISE(!network.machines.empty());
    const auto switches = static_cast<int>(network.switches.size());
    std::set<std::string> names;
    for (const Switch& sw : network.switches) {
        FUZZ_PROMISE(is_safe_name(sw.name));
        FUZZ_PROMISE(names.insert(sw.name).second);
    }
    for (const Machine& machine : network.machines) {
        FUZZ_PROMISE(is_safe_name(machine.name));
        FUZZ_PROMISE(names.insert(machine.name).second);
        FUZZ_PROMISE(machine.sw >= 0 && machine.sw < switches);
        FUZZ_PROMISE(is_bandwidth(machine.port.bandwidth_Bps) && machine.port.latency_s > 0 && machine.cores > 0);
    }
    int in_tree = 0;
    for (const Trunk& trunk : network.trunks) {
        FUZZ_PROMISE(trunk.a >= 0 && trunk.a < switches && trunk.b >= 0 && trunk.b < switches && trunk.a != trunk.b);
        FUZZ_PROMISE(trunk.cables >= 1 && trunk.cables <= most_cables);
        if (trunk.in_tree) ++in_tree;
    }
    FUZZ_PROMISE(in_tree + 1 == switches);
    FUZZ_PROMISE(static_cast<int>(switches_top_down(hang_from(network, 0)).size()) == switches);
}

}  // namespace bcastgen::fuzz
