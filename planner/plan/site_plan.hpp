// What the emitted library is told of its site: machines renumbered in depth-first order, and the trees to bake in.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bcast/facts/site.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

struct BakedTreePlan {
    bcast::Algorithm algorithm;
    std::vector<int> parent;  ///< position -> parent position, -1 for the root
    std::vector<int> turn;    ///< position -> how many siblings are sent to before it
};

/// Order and trees for roots on one switch; position 0 is that switch's first machine.
struct BakedRootPlan {
    int sw;
    std::vector<int> order;  ///< position -> site number of the machine
    std::vector<BakedTreePlan> trees;
};

struct BakedSetPlan {
    std::string name;  ///< of the partition; empty: the whole site
    std::vector<BakedRootPlan> roots;
};

struct SitePlan {
    std::vector<int> machines;        ///< site number -> machine of the network
    std::vector<int> machine_switch;  ///< site number -> switch
    std::vector<std::pair<int, int>> switch_links;
    std::vector<bcast::LinkSpeed> link_speeds;  ///< the different ones, that of most machine ports first
    std::vector<int> port_speed;                ///< site number -> index of link_speeds
    std::vector<int> switch_link_speed;         ///< by switch link, index of link_speeds
    std::vector<int> more_send_ns;              ///< site number -> as more_software() has it
    std::vector<int> more_receive_ns;           ///< the same
    std::vector<BakedSetPlan> sets;             ///< empty: too many entries, the library builds its trees at set-up
    bcast::Layout layout;                       ///< of all of the above, by site number: what the library works with
    std::uint64_t hash = 0;                     ///< of all of the above and the names
};

/// The most table entries that are baked; a bigger site's trees are built when a communicator is set up.
inline constexpr std::size_t most_baked_entries = 16384;

/// A run makes one and hands it on.
[[nodiscard]] SitePlan make_site_plan(const Network& network);

/// Order and trees of a broadcast to all machines from the one with this site number, as the library would build them.
[[nodiscard]] BakedRootPlan plan_root(const SitePlan& plan, int number);

/// SitePlan::layout, of the machines, links and speeds of a plan.
[[nodiscard]] bcast::Layout site_layout(const SitePlan& plan, std::size_t switches);

}  // namespace bcastgen
