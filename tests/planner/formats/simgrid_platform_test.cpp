#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "planner/formats/simgrid.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

TEST(SimgridPlatform, HasEveryLinkOfTheSpanningTree) {
    Network network = testing::make_network(3, {{0, 1}, {1, 2}, {0, 2}}, {0, 1});
    network.machines[1].port = {1.25e9, 5e-6};
    network.machines[1].cores = 8;
    network.trunks[1].cables = 4;
    network.trunks[2].in_tree = false;
    EXPECT_EQ(simgrid_platform(network), R"(<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="network" routing="DijkstraCache">
    <host id="m0" speed="1Gf" core="1"/>
    <host id="m1" speed="1Gf" core="8"/>
    <router id="switch:s0"/>
    <router id="switch:s1"/>
    <router id="switch:s2"/>
    <link id="port:m0" bandwidth="12500000Bps" latency="2.0000000000000002e-05s" sharing_policy="SPLITDUPLEX"/>
    <link id="port:m1" bandwidth="1250000000Bps" latency="5.0000000000000004e-06s" sharing_policy="SPLITDUPLEX"/>
    <link id="trunk:0" bandwidth="12500000Bps" latency="2.0000000000000002e-05s" sharing_policy="SPLITDUPLEX"/>
    <link id="trunk:1" bandwidth="50000000Bps" latency="2.0000000000000002e-05s" sharing_policy="SPLITDUPLEX"/>
    <link id="cable:1" bandwidth="12500000Bps" latency="0s" sharing_policy="FATPIPE"/>
    <route src="m0" dst="switch:s0" symmetrical="NO"><link_ctn id="port:m0" direction="UP"/></route>
    <route src="switch:s0" dst="m0" symmetrical="NO"><link_ctn id="port:m0" direction="DOWN"/></route>
    <route src="m1" dst="switch:s1" symmetrical="NO"><link_ctn id="port:m1" direction="UP"/></route>
    <route src="switch:s1" dst="m1" symmetrical="NO"><link_ctn id="port:m1" direction="DOWN"/></route>
    <route src="switch:s0" dst="switch:s1" symmetrical="NO"><link_ctn id="trunk:0" direction="UP"/></route>
    <route src="switch:s1" dst="switch:s0" symmetrical="NO"><link_ctn id="trunk:0" direction="DOWN"/></route>
    <route src="switch:s1" dst="switch:s2" symmetrical="NO"><link_ctn id="trunk:1" direction="UP"/><link_ctn id="cable:1"/></route>
    <route src="switch:s2" dst="switch:s1" symmetrical="NO"><link_ctn id="trunk:1" direction="DOWN"/><link_ctn id="cable:1"/></route>
  </zone>
</platform>
)");
}

TEST(SimgridPlatform, TellsHostsWhatSoftwareCosts) {
    Network network = testing::make_network(1, {}, {0, 0});
    network.machines[1].software = Software{1e-6, 2e-6, 1e-10, 5e9, 3e-7};
    const std::string platform = simgrid_platform(network, true);
    for (const char* line :
         {"    <host id=\"m1\" speed=\"1Gf\" core=\"1\"><prop id=\"software\" value=\"1e-06 2e-06 1e-10\"/></host>\n",
          "    <host id=\"m0\" speed=\"1Gf\" core=\"1\"><prop id=\"software\" value=\"5e-06 0 0\"/>",
          "    <link id=\"copy:m1\" bandwidth=\"5000000000Bps\" latency=\"2.9999999999999999e-07s\" "
          "sharing_policy=\"FATPIPE\"/>\n",
          "    <route src=\"m1\" dst=\"m1\" symmetrical=\"NO\"><link_ctn id=\"copy:m1\"/></route>\n"}) {
        EXPECT_NE(platform.find(line), std::string::npos) << line << platform;
    }
}

/// Two pods of two leaves with two machines each; two switches above the leaves of a pod, two cores above those.
constexpr const char* two_pods = R"(name: pods
switches:
  {leaf0: {machines: "m[0,4]"}, leaf1: {machines: "m[1,5]"}, leaf2: {machines: "m[2,6]"}, leaf3: {machines: "m[3,7]"},
   mid0: , mid1: , mid2: , mid3: , core0: , core1: , core2: , core3: }
links:
  [{between: [leaf0, mid0]}, {between: [leaf0, mid1]}, {between: [leaf2, mid0]}, {between: [leaf2, mid1]},
   {between: [leaf1, mid2]}, {between: [leaf1, mid3]}, {between: [leaf3, mid2]}, {between: [leaf3, mid3]},
   {between: [mid0, core0]}, {between: [mid0, core1]}, {between: [mid1, core2]}, {between: [mid1, core3]},
   {between: [mid2, core0]}, {between: [mid2, core1]}, {between: [mid3, core2]}, {between: [mid3, core3]}]
)";

TEST(SimgridPlatform, TellsTheShapeOfAFatTree) {
    const Network network = read_topology(two_pods, "pods.yaml");
    const std::string platform = simgrid_fat_tree_platform(network);
    EXPECT_NE(platform.find("radical=\"0-7\""), std::string::npos) << platform;
    EXPECT_NE(platform.find("topo_parameters=\"3;2,2,2;1,2,2;1,1,1\""), std::string::npos) << platform;
    EXPECT_NE(platform.find("loopback_bw=\"10GBps\" loopback_lat=\"0s\""), std::string::npos) << platform;
    const std::string told = simgrid_fat_tree_platform(network, true);
    EXPECT_NE(told.find("1,1,1\"><prop id=\"software\" value=\"5e-06 0 0\"/></cluster>\n</platform>\n"),
              std::string::npos)
        << told;
    // Leaf by leaf, and pod by pod: leaf0 and leaf2 are in one pod.
    const std::vector<std::string> names = fat_tree_names(network);
    const auto number = [&](int machine) {
        for (std::size_t m = 0; m < names.size(); ++m) {
            if (network.machines[m].name == "m" + std::to_string(machine)) return std::stoi(names[m].substr(5));
        }
        return -1;
    };
    EXPECT_EQ(number(0) / 2, number(4) / 2);
    EXPECT_EQ(number(0) / 4, number(2) / 4);
    EXPECT_NE(number(0) / 4, number(1) / 4);
}

TEST(SimgridPlatform, RefusesFatTreesThatAreNotRegular) {
    std::string uneven = two_pods;
    uneven.replace(uneven.find("m[3,7]"), 6, "m[3]");
    EXPECT_THROW((void)simgrid_fat_tree_platform(read_topology(uneven, "pods.yaml")), InputErrors);
    EXPECT_THROW((void)simgrid_fat_tree_platform(testing::make_network(2, {{0, 1}}, {0, 1})), InputErrors);
}

}  // namespace
}  // namespace bcastgen
