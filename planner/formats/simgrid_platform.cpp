#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "planner/formats/simgrid.hpp"

namespace bcastgen {

namespace {

using Output = std::back_insert_iterator<std::string>;

/// Machines and switches share one name space in a platform file.
std::string router_of(const Network& network, int sw) {
    return "switch:" + network.switches[static_cast<std::size_t>(sw)].name;
}

void add_link(Output out, const std::string& id, double bandwidth_Bps, double latency_s, std::string_view sharing) {
    fmt::format_to(out, "    <link id=\"{}\" bandwidth=\"{:.17g}Bps\" latency=\"{:.17g}s\" sharing_policy=\"{}\"/>\n",
                   id, bandwidth_Bps, latency_s, sharing);
}

/// A hop in both directions over the halves of a full-duplex link, and over `also` if that is not empty.
void add_hops(Output out, const std::string& from, const std::string& to, const std::string& link,
              const std::string& also) {
    const std::string second = also.empty() ? "" : fmt::format("<link_ctn id=\"{}\"/>", also);
    for (const bool up : {true, false}) {
        fmt::format_to(out,
                       "    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\"><link_ctn id=\"{}\" direction=\"{}\"/>{}"
                       "</route>\n",
                       up ? from : to, up ? to : from, link, up ? "UP" : "DOWN", second);
    }
}

/// A host's way to itself. Copies do not slow each other down.
void add_copies(Output out, Output hops, const Machine& machine) {
    const Software software = software_of(machine);
    const std::string id = "copy:" + machine.name;
    add_link(out, id, software.copy_bandwidth_Bps, software.copy_latency_s, "FATPIPE");
    fmt::format_to(hops, "    <route src=\"{0}\" dst=\"{0}\" symmetrical=\"NO\"><link_ctn id=\"{1}\"/></route>\n",
                   machine.name, id);
}

}  // namespace

std::string simgrid_properties(const Machine& machine) {
    const Software software = software_of(machine);
    return fmt::format("<prop id=\"software\" value=\"{:.12g} {:.12g} {:.12g}\"/>", software.send_s, software.receive_s,
                       software.per_byte_s);
}

std::string simgrid_platform(const Network& network, bool software) {
    std::string text =
        "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n  <zone id=\"network\" routing=\"DijkstraCache\">\n";
    std::string hops;
    const Output out(text);
    const Output hops_out(hops);
    for (const Machine& machine : network.machines) {
        const std::string properties = software ? simgrid_properties(machine) : "";
        fmt::format_to(out, "    <host id=\"{}\" speed=\"1Gf\" core=\"{}\"{}\n", machine.name, machine.cores,
                       properties.empty() ? "/>" : ">" + properties + "</host>");
    }
    for (int sw = 0; sw < static_cast<int>(network.switches.size()); ++sw) {
        fmt::format_to(out, "    <router id=\"{}\"/>\n", router_of(network, sw));
    }
    for (const Machine& machine : network.machines) {
        const std::string port = "port:" + machine.name;
        add_link(out, port, machine.port.bandwidth_Bps, machine.port.latency_s, "SPLITDUPLEX");
        add_hops(hops_out, machine.name, router_of(network, machine.sw), port, "");
        if (software) add_copies(out, hops_out, machine);
    }
    for (std::size_t number = 0; number < network.trunks.size(); ++number) {
        const Trunk& trunk = network.trunks[number];
        if (!trunk.in_tree) continue;
        const std::string id = fmt::format("trunk:{}", number);
        add_link(out, id, trunk.cables * trunk.speed.bandwidth_Bps, trunk.speed.latency_s, "SPLITDUPLEX");
        // All streams together share all cables, but each has one cable: a FATPIPE limits every stream by itself.
        const std::string cable = trunk.cables > 1 ? fmt::format("cable:{}", number) : "";
        if (!cable.empty()) add_link(out, cable, trunk.speed.bandwidth_Bps, 0, "FATPIPE");
        add_hops(hops_out, router_of(network, trunk.a), router_of(network, trunk.b), id, cable);
    }
    return text + hops + "  </zone>\n</platform>\n";
}

}  // namespace bcastgen
