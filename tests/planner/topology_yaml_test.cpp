#include "topology_yaml.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "diagnostic.hpp"

namespace bcastgen {
namespace {

std::string contents(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    EXPECT_TRUE(stream) << path;
    return {std::istreambuf_iterator<char>(stream), {}};
}

Network read_sample(const std::string& name) {
    return read_topology(contents(BCASTGEN_SOURCE_DIR "/topologies/" + name), name);
}

TEST(TopologyYaml, ReadsFsu5) {
    const Network network = read_sample("fsu-5.yaml");
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
