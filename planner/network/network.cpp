#include "planner/network/network.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "base/names.hpp"

namespace bcastgen {

namespace {

int machine_count(const Network& network) {
    return static_cast<int>(network.machines.size());
}

const Trunk& trunk_of(const Network& network, LinkId link) {
    return network.trunks[static_cast<std::size_t>(link / 2 - machine_count(network))];
}

const Machine& machine_of(const Network& network, LinkId link) {
    return network.machines[static_cast<std::size_t>(link / 2)];
}

bool is_port(const Network& network, LinkId link) {
    return link / 2 < machine_count(network);
}

const LinkSpeed& speed_of(const Network& network, LinkId link) {
    return is_port(network, link) ? machine_of(network, link).port : trunk_of(network, link).speed;
}

std::string end_name(const Network& network, LinkId link, bool sender) {
    const bool first_end = (link % 2 == 0) == sender;  // the machine, or the trunk's switch a
    if (is_port(network, link)) {
        const Machine& machine = machine_of(network, link);
        return first_end ? machine.name : network.switches[static_cast<std::size_t>(machine.sw)].name;
    }
    const Trunk& trunk = trunk_of(network, link);
    return network.switches[static_cast<std::size_t>(first_end ? trunk.a : trunk.b)].name;
}

}  // namespace

std::string_view name_of(SpanningTree rule) {
    switch (rule) {
        case SpanningTree::stp:
            return "stp";
        case SpanningTree::none:
            return "none";
        case SpanningTree::automatic:
            break;
    }
    return "auto";
}

Software software_of(const Machine& machine) {
    return machine.software.value_or(usual_software(machine.port.bandwidth_Bps));
}

int link_count(const Network& network) {
    return 2 * (machine_count(network) + static_cast<int>(network.trunks.size()));
}

LinkId port_out(int machine) {
    return 2 * machine;
}

LinkId port_in(int machine) {
    return 2 * machine + 1;
}

LinkId trunk_link(const Network& network, int trunk, bool from_a) {
    return 2 * (machine_count(network) + trunk) + (from_a ? 0 : 1);
}

double link_bandwidth_Bps(const Network& network, LinkId link) {
    return speed_of(network, link).bandwidth_Bps;
}

double link_latency_s(const Network& network, LinkId link) {
    return speed_of(network, link).latency_s;
}

std::string link_from(const Network& network, LinkId link) {
    return end_name(network, link, true);
}

std::string link_to(const Network& network, LinkId link) {
    return end_name(network, link, false);
}

std::vector<std::vector<std::string>> machine_names_by_switch(const Network& network) {
    std::vector<std::vector<std::string>> names(network.switches.size());
    for (const Machine& machine : network.machines) names[static_cast<std::size_t>(machine.sw)].push_back(machine.name);
    return names;
}

std::vector<LinkSpeed> planned_speeds(const Network& network) {
    std::vector<LinkSpeed> speeds;
    for (const Trunk& trunk : network.trunks) speeds.push_back(trunk.speed);
    for (const Trunk& trunk : network.trunks) {
        if (trunk.bounded_by < 0) continue;
        LinkSpeed& planned = speeds[static_cast<std::size_t>(trunk.bounded_by)];
        planned.bandwidth_Bps = std::min(planned.bandwidth_Bps, trunk.speed.bandwidth_Bps);
        planned.latency_s = std::max(planned.latency_s, trunk.speed.latency_s);
    }
    return speeds;
}

bcast::LinkSpeed as_built_with(const LinkSpeed& speed) {
    return {std::llround(speed.bandwidth_Bps), std::llround(speed.latency_s * 1e9)};
}

bcast::SendTimes usual_sends(const Network& network) {
    bcast::SendTimes sends;
    if (network.machines.empty()) return sends;
    const Software software = software_of(network.machines.front());
    sends.overhead_ns = std::llround(software.send_s * 1e9);
    sends.receive_ns = std::llround(software.receive_s * 1e9);
    return sends;
}

MoreSoftware more_software(const Network& network) {
    const bcast::SendTimes usual = usual_sends(network);
    const auto beside = [](std::int64_t usual_ns, double s) {
        constexpr long long most_ns = 1'000'000'000;
        return static_cast<int>(std::clamp(std::llround(s * 1e9) - usual_ns, -most_ns, most_ns));
    };
    MoreSoftware more;
    bool differs = false;
    for (const Machine& machine : network.machines) {
        const Software software = software_of(machine);
        more.send_ns.push_back(beside(usual.overhead_ns, software.send_s));
        more.receive_ns.push_back(beside(usual.receive_ns, software.receive_s));
        differs = differs || more.send_ns.back() != 0 || more.receive_ns.back() != 0;
    }
    return differs ? more : MoreSoftware{};
}

bcast::Layout layout_of(const Network& network) {
    bcast::Layout layout;
    layout.sends = usual_sends(network);
    const MoreSoftware more = more_software(network);
    layout.more_send_ns = more.send_ns;
    layout.more_receive_ns = more.receive_ns;
    layout.machine_switch.reserve(network.machines.size());
    for (const Machine& machine : network.machines) layout.machine_switch.push_back(machine.sw);
    for (const Machine& machine : network.machines) layout.ports.push_back(as_built_with(machine.port));
    layout.neighbours.resize(network.switches.size());
    layout.trunks.resize(network.switches.size());
    const std::vector<LinkSpeed> speeds = planned_speeds(network);
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        const Trunk& trunk = network.trunks[t];
        if (!trunk.in_tree) continue;
        layout.neighbours[static_cast<std::size_t>(trunk.a)].push_back(trunk.b);
        layout.neighbours[static_cast<std::size_t>(trunk.b)].push_back(trunk.a);
        layout.trunks[static_cast<std::size_t>(trunk.a)].push_back(as_built_with(speeds[t]));
        layout.trunks[static_cast<std::size_t>(trunk.b)].push_back(as_built_with(speeds[t]));
    }
    return layout;
}

std::vector<int> in_natural_order(const Network& network, std::vector<int> machines) {
    if (machines.empty()) {
        machines.resize(network.machines.size());
        std::iota(machines.begin(), machines.end(), 0);
    }
    std::sort(machines.begin(), machines.end(), [&](int a, int b) {
        return name_before(network.machines[static_cast<std::size_t>(a)].name,
                           network.machines[static_cast<std::size_t>(b)].name);
    });
    return machines;
}

}  // namespace bcastgen
