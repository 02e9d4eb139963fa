#include "topology_yaml.hpp"

#include <gtest/gtest.h>

#include <string>

#include "diagnostic.hpp"

namespace bcastgen {
namespace {

std::string topology(const std::string& name) { return std::string(BCASTGEN_SOURCE_DIR "/topologies/") + name; }

TEST(TopologyYaml, ReadsFsu5) {
    const Network network = load_topology(topology("fsu-5.yaml"));
    EXPECT_EQ(network.name, "fsu-5");
    ASSERT_EQ(network.switches.size(), 4U);
    ASSERT_EQ(network.machines.size(), 32U);
    ASSERT_EQ(network.trunks.size(), 3U);
    EXPECT_EQ(network.machines[8].name, "n1");
    EXPECT_EQ(network.machines[8].sw, 1);
    EXPECT_DOUBLE_EQ(network.machines[8].port.bandwidth_Bps, 12.5e6);
    EXPECT_DOUBLE_EQ(network.machines[8].port.latency_s, 20e-6);
    EXPECT_EQ(network.trunks[2].a, 0);
    EXPECT_EQ(network.trunks[2].b, 3);
    EXPECT_TRUE(network.trunks[2].in_tree);
}

}  // namespace
}  // namespace bcastgen
