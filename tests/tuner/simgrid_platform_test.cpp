#include <gtest/gtest.h>

#include "../planner/random_network.hpp"
#include "simulated_cluster.hpp"

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

}  // namespace
}  // namespace bcastgen
