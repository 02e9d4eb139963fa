// What a lab is wired of: the topology as text for ip, tc and nft to read. Nothing is run here.
#pragma once

#include <string>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

struct LabSettings {
    /// Speed of the fastest machine port, every link scaled alike, and every latency inversely; 0: the topology's own.
    double rate_Bps = 0;
    double loss = 0;  ///< fraction of the UDP datagrams that get lost on the way into each machine, 0 to 1
};

/// A link whose latency, scaled, is large against what the kernel itself takes to pass a frame on: cables.hpp adds
/// it.
struct LongCable {
    std::string a;  ///< its inner ends: devices in the cables' namespace, a towards the machine
    std::string b;
    double latency_s = 0;  ///< one way
};

/// The speed of the fastest machine port, as the lab shapes it.
[[nodiscard]] double fastest_port_Bps(const Network& network, const LabSettings& settings);

/// The fastest port speed, in a round number, at which this many processors carry all machines' traffic at once.
[[nodiscard]] double carried_rate_Bps(const Network& network, unsigned processors);

/// What every link's bandwidth is multiplied with, and its latency divided by, so that the fastest machine port has
/// settings.rate_Bps.
[[nodiscard]] double speed_factor(const Network& network, const LabSettings& settings);

/// The name of every machine's network device: the one that the topology gives multicast, else eth0.
[[nodiscard]] std::string port_device(const Network& network);

/// "10.0.0.1" for machine 0 and so on. Labs cannot see each other, nor this host's network; all use the same addresses.
[[nodiscard]] std::string machine_address(int machine);

/// The hosts file of every machine.
[[nodiscard]] std::string hosts_text(const Network& network);

/// Devices in the switches' namespace: bridge sw<s> of switch s, port p<m> of machine m, ends t<t>a and t<t>b of trunk
/// t. Trunks outside the spanning tree are not wired.
[[nodiscard]] std::vector<std::string> switch_devices(const Network& network);

/// Links of at least half a millisecond of latency, scaled.
[[nodiscard]] std::vector<LongCable> long_cables(const Network& network, const LabSettings& settings);

/// For `ip -batch` in the switches' namespace: bridges, trunks, and a port for every machine, whose other end goes into
/// the namespace of process machine_pids[m]. Long cables' inner ends go into `cables_namespace`, a name for ip.
[[nodiscard]] std::string switch_links(const Network& network, const LabSettings& settings,
                                       const std::vector<int>& machine_pids, const std::string& cables_namespace);

/// For `ip -batch` among the cables.
[[nodiscard]] std::string cable_links(const std::vector<LongCable>& cables);

/// For `tc -batch` there: what the switches send is sent at its link's speed.
[[nodiscard]] std::string switch_shaping(const Network& network, const LabSettings& settings);

/// For `nft -f` there: a trunk of several cables keeps each connection on one of them. Empty when there is none such.
[[nodiscard]] std::string cable_choice(const Network& network);

/// For `ip -batch` in a machine's namespace: its address, and its neighbours'.
[[nodiscard]] std::string machine_links(const Network& network, int machine);

/// For `tc -batch` there.
[[nodiscard]] std::string machine_shaping(const Network& network, int machine, const LabSettings& settings);

/// For `nft -f` there. Empty without loss.
[[nodiscard]] std::string machine_loss(const LabSettings& settings);

}  // namespace bcastgen
