#include "tuner/clusters/lab/wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/plan/load_proof.hpp"

namespace bcastgen {

namespace {

constexpr int least_burst_bytes = 6 << 10;  // tbf must hold a frame; a few keep the wire busy
constexpr int long_burst_bytes = 2 << 10;   // on long cables, which are slow: one frame, or small messages take no time
constexpr double least_long_s = 0.0005;     // against some 0.05 ms that a frame takes by itself
constexpr double burst_s = 0.0005;          // and half a millisecond of them outlasts a late timer
constexpr int queue_bytes = 3 << 20;        // deep enough that TCP never loses a frame in a queue
constexpr double smallest_rate_bps = 8000;
constexpr double processor_Bps = 100e6;  // received by all ranks on one processor, seen on 2015's and later

int machine_count(const Network& network) {
    return static_cast<int>(network.machines.size());
}

// Locally administered, and the machine's address in it.
std::string machine_mac(int machine) {
    const int number = machine + 1;
    return fmt::format("02:00:0a:{:02x}:{:02x}:{:02x}", number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
}

/// The switch's end of a machine's cable.
std::string port(int machine) {
    return fmt::format("p{}", machine);
}

/// Of a long cable, what the device outside is wired to.
std::string inner_end(const std::string& device) {
    return device + "-in";
}

/// One half of a long cable.
std::string long_cable(const std::string& device, const std::string& cables_namespace) {
    return fmt::format("link add {} type veth peer name {} netns {}\n", device, inner_end(device), cables_namespace);
}

/// A link as the lab shapes it.
LinkSpeed scaled(const LinkSpeed& speed, double factor) {
    return {speed.bandwidth_Bps * factor, speed.latency_s / factor};
}

bool is_long(const LinkSpeed& scaled_speed) {
    return scaled_speed.latency_s >= least_long_s;
}

std::string rate_words(const LinkSpeed& speed) {
    const double rate_bps = std::max(smallest_rate_bps, speed.bandwidth_Bps * 8);
    const int least_bytes = is_long(speed) ? long_burst_bytes : least_burst_bytes;
    const int burst_bytes = std::max(least_bytes, static_cast<int>(rate_bps / 8 * burst_s));
    return fmt::format("rate {}bit burst {}", std::llround(rate_bps), burst_bytes);
}

std::string one_cable(const std::string& device, const LinkSpeed& speed) {
    return fmt::format("qdisc add dev {} root tbf {} limit {}\n", device, rate_words(speed), queue_bytes);
}

// One class per cable; cable_choice() sets the priority that picks it.
std::string several_cables(const std::string& device, const LinkSpeed& speed, int cables) {
    std::string text = fmt::format("qdisc add dev {} root handle 1: htb default 1\n", device);
    for (int cable = 1; cable <= cables; ++cable) {
        text += fmt::format("class add dev {} parent 1: classid 1:{:x} htb {} quantum 3000\n", device, cable,
                            rate_words(speed));
        text += fmt::format("qdisc add dev {} parent 1:{:x} bfifo limit {}\n", device, cable, queue_bytes);
    }
    return text;
}

std::string cable_rule(const std::string& device, int cables) {
    std::string classes;
    for (int cable = 0; cable < cables; ++cable) {
        classes += fmt::format("{}{} : 1:{:x}", cable == 0 ? "" : ", ", cable, cable + 1);
    }
    const std::string flow = "ip saddr . ip daddr . th sport . th dport";
    return fmt::format(
        "  chain {0} {{\n    type filter hook egress device \"{0}\" priority 0;\n"
        "    meta priority set jhash {1} mod {2} map {{ {3} }}\n  }}\n",
        device, flow, cables, classes);
}

/// Calls visit(trunk, its two devices) for every trunk that is wired.
template <typename Visit>
void for_each_trunk(const Network& network, Visit visit) {
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        if (!network.trunks[t].in_tree) continue;
        visit(network.trunks[t], fmt::format("t{}a", t), fmt::format("t{}b", t));
    }
}

}  // namespace

double fastest_port_Bps(const Network& network, const LabSettings& settings) {
    return settings.rate_Bps > 0 ? settings.rate_Bps : reference_bandwidth_Bps(network);
}

double carried_rate_Bps(const Network& network, unsigned processors) {
    const double most_bps = 8 * processor_Bps * processors / static_cast<double>(network.machines.size());
    const double unit_bps = std::pow(10, std::floor(std::log10(most_bps)));
    return std::floor(most_bps / unit_bps) * unit_bps / 8;
}

double speed_factor(const Network& network, const LabSettings& settings) {
    return fastest_port_Bps(network, settings) / fastest_port_Bps(network, {});
}

std::string port_device(const Network& network) {
    const bool named = network.multicast && !network.multicast->interface.empty();
    return named ? network.multicast->interface : "eth0";
}

std::string machine_address(int machine) {
    const int number = machine + 1;
    return fmt::format("10.{}.{}.{}", number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
}

std::string hosts_text(const Network& network) {
    std::string text = "127.0.0.1 localhost\n::1 localhost ip6-localhost ip6-loopback\n";
    for (int m = 0; m < machine_count(network); ++m) {
        text += fmt::format("{} {}\n", machine_address(m), network.machines[static_cast<std::size_t>(m)].name);
    }
    return text;
}

std::vector<std::string> switch_devices(const Network& network) {
    std::vector<std::string> devices;
    for (int m = 0; m < machine_count(network); ++m) devices.push_back(port(m));
    for_each_trunk(network, [&](const Trunk&, const std::string& a, const std::string& b) {
        devices.push_back(a);
        devices.push_back(b);
    });
    return devices;
}

std::vector<LongCable> long_cables(const Network& network, const LabSettings& settings) {
    const double factor = speed_factor(network, settings);
    std::vector<LongCable> cables;
    for (int m = 0; m < machine_count(network); ++m) {
        const LinkSpeed speed = scaled(network.machines[static_cast<std::size_t>(m)].port, factor);
        if (is_long(speed)) cables.push_back({inner_end(fmt::format("m{}", m)), inner_end(port(m)), speed.latency_s});
    }
    for_each_trunk(network, [&](const Trunk& trunk, const std::string& a, const std::string& b) {
        const LinkSpeed speed = scaled(trunk.speed, factor);
        if (is_long(speed)) cables.push_back({inner_end(a), inner_end(b), speed.latency_s});
    });
    return cables;
}

std::string switch_links(const Network& network, const LabSettings& settings, const std::vector<int>& machine_pids,
                         const std::string& cables_namespace) {
    const double factor = speed_factor(network, settings);
    std::string text;
    for (std::size_t s = 0; s < network.switches.size(); ++s) {
        text +=
            fmt::format("link add sw{0} type bridge forward_delay 0 mcast_snooping 0\nlink set sw{0} up alias {1}\n", s,
                        network.switches[s].name);
    }
    for_each_trunk(network, [&](const Trunk& trunk, const std::string& a, const std::string& b) {
        text += is_long(scaled(trunk.speed, factor)) ? long_cable(a, cables_namespace) + long_cable(b, cables_namespace)
                                                     : fmt::format("link add {} type veth peer name {}\n", a, b);
        text += fmt::format("link set {} master sw{} up\nlink set {} master sw{} up\n", a, trunk.a, b, trunk.b);
    });
    const std::string device = port_device(network);
    for (int m = 0; m < machine_count(network); ++m) {
        const Machine& machine = network.machines[static_cast<std::size_t>(m)];
        const std::string machine_end = fmt::format("type veth peer name {} address {} netns {}\n", device,
                                                    machine_mac(m), machine_pids[static_cast<std::size_t>(m)]);
        if (is_long(scaled(machine.port, factor))) {
            text +=
                fmt::format("link add {} netns {} {}", inner_end(fmt::format("m{}", m)), cables_namespace, machine_end);
            text += long_cable(port(m), cables_namespace);
        } else {
            text += fmt::format("link add {} {}", port(m), machine_end);
        }
        text += fmt::format("link set {} master sw{} up alias {}\n", port(m), machine.sw, machine.name);
    }
    return text;
}

std::string switch_shaping(const Network& network, const LabSettings& settings) {
    const double factor = speed_factor(network, settings);
    std::string text;
    for (int m = 0; m < machine_count(network); ++m) {
        text += one_cable(port(m), scaled(network.machines[static_cast<std::size_t>(m)].port, factor));
    }
    for_each_trunk(network, [&](const Trunk& trunk, const std::string& a, const std::string& b) {
        const LinkSpeed speed = scaled(trunk.speed, factor);
        for (const std::string& device : {a, b}) {
            text += trunk.cables == 1 ? one_cable(device, speed) : several_cables(device, speed, trunk.cables);
        }
    });
    return text;
}

std::string cable_links(const std::vector<LongCable>& cables) {
    std::string text;
    for (const LongCable& cable : cables) text += fmt::format("link set {} up\nlink set {} up\n", cable.a, cable.b);
    return text;
}

std::string cable_choice(const Network& network) {
    std::string chains;
    for_each_trunk(network, [&](const Trunk& trunk, const std::string& a, const std::string& b) {
        if (trunk.cables > 1) chains += cable_rule(a, trunk.cables) + cable_rule(b, trunk.cables);
    });
    return chains.empty() ? "" : fmt::format("table netdev cables {{\n{}}}\n", chains);
}

std::string machine_links(const Network& network, int machine) {
    const std::string device = port_device(network);
    std::string text = fmt::format("link set lo up\naddress add {}/8 dev {}\nlink set {} up\n",
                                   machine_address(machine), device, device);
    text += fmt::format("route add 224.0.0.0/4 dev {}\n", device);
    // Known neighbours need no ARP, and do not count against the kernel's limit for all namespaces together.
    for (int other = 0; other < machine_count(network); ++other) {
        if (other == machine) continue;
        text += fmt::format("neighbor add {} lladdr {} dev {} nud permanent\n", machine_address(other),
                            machine_mac(other), device);
    }
    return text;
}

std::string machine_shaping(const Network& network, int machine, const LabSettings& settings) {
    return one_cable(port_device(network),
                     scaled(network.machines[static_cast<std::size_t>(machine)].port, speed_factor(network, settings)));
}

std::string machine_loss(const LabSettings& settings) {
    if (settings.loss <= 0) return "";
    constexpr int parts = 1'000'000;
    const long lost = std::lround(settings.loss * parts);
    const std::string lottery = lost < parts ? fmt::format("numgen random mod {} < {} ", parts, lost) : "";
    return fmt::format(
        "table inet loss {{\n  chain input {{\n    type filter hook input priority 0;\n"
        "    meta l4proto udp {}counter drop\n  }}\n}}\n",
        lottery);
}

}  // namespace bcastgen
