#include "planner/formats/network_dot.hpp"

#include <fmt/format.h>

#include <vector>

#include "base/hostlist.hpp"
#include "base/units.hpp"
#include "base/wording.hpp"

namespace bcastgen {

std::string network_dot(const Network& network) {
    const std::vector<std::vector<std::string>> machines = machine_names_by_switch(network);
    std::string text = fmt::format("graph \"{}\" {{\n  node [shape=box];\n", network.name);
    for (std::size_t sw = 0; sw < network.switches.size(); ++sw) {
        const std::string& name = network.switches[sw].name;
        text += fmt::format("  \"switch {}\" [label=\"{}", name, name);
        if (!machines[sw].empty()) {
            constexpr std::size_t longest = 60;
            const std::string folded = fold_hostlist(machines[sw]);
            text += fmt::format(
                "\\n{}", folded.size() <= longest ? folded : counted(machines[sw].size(), "machine", "machines"));
        }
        text += "\"];\n";
    }
    for (const Trunk& trunk : network.trunks) {
        text += fmt::format("  \"switch {}\" -- \"switch {}\" [label=\"{}{}\"{}];\n",
                            network.switches[static_cast<std::size_t>(trunk.a)].name,
                            network.switches[static_cast<std::size_t>(trunk.b)].name,
                            trunk.cables > 1 ? fmt::format("{} x ", trunk.cables) : "",
                            format_bandwidth(trunk.speed.bandwidth_Bps), trunk.in_tree ? "" : ", style=dashed");
    }
    return text + "}\n";
}

}  // namespace bcastgen
