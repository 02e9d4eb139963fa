#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>

#include "base/diagnostic.hpp"
#include "bcast/trees/order.hpp"
#include "planner/formats/simgrid.hpp"

namespace bcastgen {

namespace {

[[noreturn]] void refuse(const std::string& why) {
    throw InputErrors({{"--network", 0, 0,
                        "fat-tree is for regular fat trees, where all switches of a level are wired alike by equal "
                        "links: " +
                            why,
                        ""}});
}

/// A number that must be the same for all switches of a level.
void agree(int& common, int number, const Switch& sw, const std::string& of_what) {
    if (common == 0) common = number;
    if (number != common) refuse(fmt::format("{} has {} {}, another switch {}", sw.name, number, of_what, common));
}

/// What SimGrid calls the parameters of a fat tree, by level, machines being below level 0.
struct Shape {
    std::vector<int> down;    ///< elements below a switch
    std::vector<int> up;      ///< switches above an element
    std::vector<int> cables;  ///< from an element to a switch above it
};

Shape shape_of(const Network& network) {
    const auto levels = static_cast<std::size_t>(
        1 + std::max_element(network.switches.begin(), network.switches.end(), [](const Switch& a, const Switch& b) {
                return a.level < b.level;
            })->level);
    Shape shape{std::vector<int>(levels, 0), std::vector<int>(levels, 0), std::vector<int>(levels, 0)};
    shape.up[0] = shape.cables[0] = 1;
    const LinkSpeed& speed = network.machines.front().port;
    const auto same = [&](const LinkSpeed& other) {
        return other.bandwidth_Bps == speed.bandwidth_Bps && other.latency_s == speed.latency_s;
    };
    std::vector<std::vector<int>> below(network.switches.size());
    std::vector<std::vector<int>> above(network.switches.size());
    for (const Trunk& trunk : network.trunks) {
        const bool a_lower = network.switches[static_cast<std::size_t>(trunk.a)].level <
                             network.switches[static_cast<std::size_t>(trunk.b)].level;
        const int lower = a_lower ? trunk.a : trunk.b;
        const int upper = a_lower ? trunk.b : trunk.a;
        const Switch& sw = network.switches[static_cast<std::size_t>(upper)];
        if (!same(trunk.speed)) refuse(fmt::format("a link of {} is not like the machines' ports", sw.name));
        above[static_cast<std::size_t>(lower)].push_back(upper);
        below[static_cast<std::size_t>(upper)].push_back(lower);
        agree(shape.cables[static_cast<std::size_t>(sw.level)], trunk.cables, sw, "cables to each switch below");
    }
    std::vector<int> machines(network.switches.size(), 0);
    for (const Machine& machine : network.machines) {
        if (!same(machine.port)) refuse(fmt::format("the port of {} is not like the others", machine.name));
        ++machines[static_cast<std::size_t>(machine.sw)];
    }
    for (std::size_t s = 0; s < network.switches.size(); ++s) {
        const Switch& sw = network.switches[s];
        const auto level = static_cast<std::size_t>(sw.level);
        agree(shape.down[level], level == 0 ? machines[s] : static_cast<int>(below[s].size()), sw,
              level == 0 ? "machines" : "switches below");
        if (level + 1 < levels) {
            agree(shape.up[level + 1], static_cast<int>(above[s].size()), sw, "switches above");
        }
    }
    return shape;
}

}  // namespace

std::vector<std::string> fat_tree_names(const Network& network) {
    const bcast::Layout layout = layout_of(network);
    std::vector<int> all(network.machines.size());
    std::iota(all.begin(), all.end(), 0);
    std::vector<std::string> names(all.size());
    const bcast::Order order = bcast::depth_first_order(layout, all, 0);
    for (std::size_t position = 0; position < all.size(); ++position) {
        names[static_cast<std::size_t>(order.machines[position])] = fmt::format("host-{}", position);
    }
    return names;
}

std::string simgrid_fat_tree_platform(const Network& network, bool software) {
    if (!is_folded_clos(network)) refuse(network.name + " is none");
    const Shape shape = shape_of(network);
    const int machines = std::accumulate(shape.down.begin(), shape.down.end(), 1, std::multiplies<>());
    if (machines != static_cast<int>(network.machines.size())) {
        refuse(
            fmt::format("{} machines would make it whole, {} has {}", machines, network.name, network.machines.size()));
    }
    const LinkSpeed& speed = network.machines.front().port;
    const Software costs = software_of(network.machines.front());
    const std::string copies = software ? fmt::format("loopback_bw=\"{:.17g}Bps\" loopback_lat=\"{:.17g}s\"",
                                                      costs.copy_bandwidth_Bps, costs.copy_latency_s)
                                        : "loopback_bw=\"10GBps\" loopback_lat=\"0s\"";
    const std::string properties = software ? simgrid_properties(network.machines.front()) : "";
    return fmt::format(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
        "<platform version=\"4.1\">\n"
        "  <cluster id=\"network\" prefix=\"host-\" suffix=\"\" radical=\"0-{}\" speed=\"1Gf\" core=\"{}\"\n"
        "           bw=\"{:.17g}Bps\" lat=\"{:.17g}s\" sharing_policy=\"SPLITDUPLEX\" {}\n"
        "           topology=\"FAT_TREE\" topo_parameters=\"{};{};{};{}\"{}\n</platform>\n",
        machines - 1, network.machines.front().cores, speed.bandwidth_Bps, speed.latency_s, copies, shape.down.size(),
        fmt::join(shape.down, ","), fmt::join(shape.up, ","), fmt::join(shape.cables, ","),
        properties.empty() ? "/>" : ">" + properties + "</cluster>");
}

}  // namespace bcastgen
