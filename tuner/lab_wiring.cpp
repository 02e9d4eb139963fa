#include "lab_wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "load.hpp"

namespace bcastgen {

namespace {

constexpr int least_burst_bytes = 6 << 10;  // tbf must hold a frame; a few keep the wire busy
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

std::string rate_words(double bandwidth_Bps) {
    const double rate_bps = std::max(smallest_rate_bps, bandwidth_Bps * 8);
    const int burst_bytes = std::max(least_burst_bytes, static_cast<int>(rate_bps / 8 * burst_s));
    return fmt::format("rate {}bit burst {}", std::llround(rate_bps), burst_bytes);
}

std::string one_cable(const std::string& device, double bandwidth_Bps) {
    return fmt::format("qdisc add dev {} root tbf {} limit {}\n", device, rate_words(bandwidth_Bps), queue_bytes);
}

// One class per cable; cable_choice() sets the priority that picks it.
std::string several_cables(const std::string& device, double bandwidth_Bps, int cables) {
    std::string text = fmt::format("qdisc add dev {} root handle 1: htb default 1\n", device);
    for (int cable = 1; cable <= cables; ++cable) {
        text += fmt::format("class add dev {} parent 1: classid 1:{:x} htb {} quantum 3000\n", device, cable,
                            rate_words(bandwidth_Bps));
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

/// Calls visit(index, trunk, its two devices) for every trunk that is wired.
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
    for (int m = 0; m < machine_count(network); ++m) devices.push_back(fmt::format("p{}", m));
    for_each_trunk(network, [&](const Trunk&, const std::string& a, const std::string& b) {
        devices.push_back(a);
        devices.push_back(b);
    });
    return devices;
}

std::string switch_links(const Network& network, const std::vector<int>& machine_pids) {
    std::string text;
    for (std::size_t s = 0; s < network.switches.size(); ++s) {
        text +=
            fmt::format("link add sw{0} type bridge forward_delay 0 mcast_snooping 0\nlink set sw{0} up alias {1}\n", s,
                        network.switches[s].name);
    }
    for_each_trunk(network, [&](const Trunk& trunk, const std::string& a, const std::string& b) {
        text += fmt::format("link add {} type veth peer name {}\n", a, b);
        text += fmt::format("link set {} master sw{} up\nlink set {} master sw{} up\n", a, trunk.a, b, trunk.b);
    });
    const std::string device = port_device(network);
    for (int m = 0; m < machine_count(network); ++m) {
        const Machine& machine = network.machines[static_cast<std::size_t>(m)];
        text += fmt::format("link add p{0} type veth peer name {1} address {2} netns {3}\n", m, device, machine_mac(m),
                            machine_pids[static_cast<std::size_t>(m)]);
        text += fmt::format("link set p{} master sw{} up alias {}\n", m, machine.sw, machine.name);
    }
    return text;
}

std::string switch_shaping(const Network& network, const LabSettings& settings) {
    const double factor = speed_factor(network, settings);
    std::string text;
    for (int m = 0; m < machine_count(network); ++m) {
        text += one_cable(fmt::format("p{}", m), link_bandwidth_Bps(network, port_in(m)) * factor);
    }
    for_each_trunk(network, [&](const Trunk& trunk, const std::string& a, const std::string& b) {
        const double bandwidth_Bps = trunk.speed.bandwidth_Bps * factor;
        for (const std::string& device : {a, b}) {
            text += trunk.cables == 1 ? one_cable(device, bandwidth_Bps)
                                      : several_cables(device, bandwidth_Bps, trunk.cables);
        }
    });
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
                     link_bandwidth_Bps(network, port_out(machine)) * speed_factor(network, settings));
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
