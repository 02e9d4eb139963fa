#include "tuner/wiring/cable_names.hpp"

#include <fmt/format.h>

#include "base/index.hpp"

namespace bcastgen {

std::string port_name(const Network& network, int machine) {
    const Machine& one = network.machines[at(machine)];
    return fmt::format("port of {} on {}", one.name, network.switches[at(one.sw)].name);
}

std::string trunk_name(const Network& network, int trunk) {
    const Trunk& one = network.trunks[at(trunk)];
    return fmt::format("trunk {} - {}", network.switches[at(one.a)].name, network.switches[at(one.b)].name);
}

std::string cable_name(const Network& network, int cable) {
    const int machines = static_cast<int>(network.machines.size());
    return cable < machines ? port_name(network, cable) : trunk_name(network, cable - machines);
}

std::string rate_text(double rate_Bps, int digits) {
    const double bps = 8 * rate_Bps;
    const double unit = bps >= 1e9 ? 1e9 : bps >= 1e6 ? 1e6 : 1e3;
    return fmt::format("{:.{}g}{}bit/s", bps / unit, digits, unit == 1e9 ? "G" : unit == 1e6 ? "M" : "k");
}

}  // namespace bcastgen
