// The network: switches, machines and the cables between them, as a topology file describes them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bcast/trees/order.hpp"
#include "planner/network/software.hpp"

namespace bcastgen {

struct LinkSpeed {
    double bandwidth_Bps = 0;  ///< bytes per second, each direction
    double latency_s = 0;      ///< seconds, one way
};

struct Machine {
    std::string name;
    int sw = 0;      ///< index of the switch it hangs on
    LinkSpeed port;  ///< its cable to that switch
    int cores = 1;
    std::optional<Software> software{};  ///< as described; see software_of
};

constexpr int default_priority = 32768;
constexpr int most_priority = 65535;
constexpr int most_cores = 65536;
constexpr int most_cables = 1024;
constexpr std::size_t most_topology_machines = 1'000'000;

struct Switch {
    std::string name;
    int priority = default_priority;  ///< 802.1D bridge priority; the lowest, then the first name, is the stp root
    int level = -1;                   ///< in a folded Clos: trunks down to a switch with machines; elsewhere -1
};

/// A link between two switches; `cables` parallel cables of `speed` each.
struct Trunk {
    int a = 0;
    int b = 0;
    LinkSpeed speed;
    int cables = 1;
    bool in_tree = true;  ///< false: kept idle by the spanning tree, or in a folded Clos one of several ways
    /// In a folded Clos (folded_clos.hpp): the trunk of the tree that bounds this one's load (itself if it is in the
    /// tree); elsewhere -1.
    int bounded_by = -1;
};

/// A set of machines that jobs are given (a batch system's partition).
struct Partition {
    std::string name;
    std::vector<int> machines;
};

struct Multicast {
    std::string groups;     ///< address range in CIDR notation
    std::string interface;  ///< empty: the system's choice
};

/// What to do with cycles of switches: keep the widest spanning tree, keep the one that 802.1D bridges agree on, or
/// refuse them.
enum class SpanningTree { automatic, stp, none };

[[nodiscard]] std::string_view name_of(SpanningTree rule);  ///< as a topology file writes it: "auto", "stp", "none"

/// Everything a topology file says, in file order. Trunks with in_tree set form a tree over all switches.
struct Network {
    std::string name;
    std::vector<Switch> switches;
    std::vector<Machine> machines;
    std::vector<Trunk> trunks;
    std::vector<Partition> partitions;
    std::optional<Multicast> multicast;
    SpanningTree spanning_tree = SpanningTree::automatic;
};

/// A directed link. Machine m's port has links 2m (machine to switch) and 2m+1 (switch to machine); trunk t has
/// 2(M+t) (a to b) and 2(M+t)+1 (b to a), M being the number of machines.
using LinkId = int;

/// What software costs on a machine: as described, else what is usual for its port.
[[nodiscard]] Software software_of(const Machine& machine);

/// By switch: the names of its machines, in file order.
[[nodiscard]] std::vector<std::vector<std::string>> machine_names_by_switch(const Network& network);

/// The switch at the other end of a trunk of `sw`.
[[nodiscard]] inline int across(const Trunk& trunk, int sw) {
    return trunk.a == sw ? trunk.b : trunk.a;
}

[[nodiscard]] inline bool is_folded_clos(const Network& network) {
    return !network.switches.empty() && network.switches.front().level >= 0;
}

/// Whether there are trunks that are not in the spanning tree; they carry nothing as long as messages keep to it.
[[nodiscard]] inline bool has_idle_trunks(const Network& network) {
    return !is_folded_clos(network) &&
           std::any_of(network.trunks.begin(), network.trunks.end(), [](const Trunk& t) { return !t.in_tree; });
}

/// By trunk: the speed that plans can count on. In a folded Clos a trunk of the tree stands for several, and has the
/// least bandwidth and the highest latency of them.
[[nodiscard]] std::vector<LinkSpeed> planned_speeds(const Network& network);

[[nodiscard]] int link_count(const Network& network);
[[nodiscard]] LinkId port_out(int machine);
[[nodiscard]] LinkId port_in(int machine);
[[nodiscard]] LinkId trunk_link(const Network& network, int trunk, bool from_a);
[[nodiscard]] double link_bandwidth_Bps(const Network& network, LinkId link);  ///< of one cable
[[nodiscard]] double link_latency_s(const Network& network, LinkId link);
[[nodiscard]] std::string link_from(const Network& network, LinkId link);  ///< name of the end that sends
[[nodiscard]] std::string link_to(const Network& network, LinkId link);    ///< name of the end that receives

/// A link's speed in whole numbers, as the tree builders and the emitted library count it.
[[nodiscard]] bcast::LinkSpeed as_built_with(const LinkSpeed& speed);

/// What sends are planned to take as long as nothing is measured: the first machine's software, and latencies as cables
/// have them.
[[nodiscard]] bcast::SendTimes usual_sends(const Network& network);

/// What software takes on each machine beside that, in nanoseconds, up to a second.
struct MoreSoftware {
    std::vector<int> send_ns;  ///< by machine; empty: it costs the same everywhere
    std::vector<int> receive_ns;
};
[[nodiscard]] MoreSoftware more_software(const Network& network);

/// The switch tree and the machines on it in the form that the tree builders take (templates/bcast/trees/order.hpp).
/// A switch's neighbours are in the order of the topology file's links.
[[nodiscard]] bcast::Layout layout_of(const Network& network);

/// Machines by name, n2 before n10, as batch systems number ranks; all machines of the network if none are given.
[[nodiscard]] std::vector<int> in_natural_order(const Network& network, std::vector<int> machines);

}  // namespace bcastgen
