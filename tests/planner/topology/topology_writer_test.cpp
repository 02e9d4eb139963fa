#include "planner/topology/topology_writer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "planner/formats/network_dot.hpp"
#include "planner/formats/wiring.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/base/files.hpp"

namespace bcastgen {
namespace {

TEST(TopologyWriter, FoldsListsOverLinesAndNamesWhatDiffers) {
    Network network;
    network.name = "t";
    network.switches = {{"null", 4096}, {"s1", default_priority}};
    for (int i = 0; i < 12; ++i) {
        network.machines.push_back({"rack" + std::string(1, static_cast<char>('a' + i)) + "-1", 0, {125e6, 20e-6}, 4});
    }
    network.machines.push_back({"n1", 1, {1.25e9, 5e-6}, 8});
    network.trunks.push_back({0, 1, {1.25e9, 20e-6}, 3, true});
    network.spanning_tree = SpanningTree::stp;
    network.multicast = Multicast{"239.192.0.0/16", "eth0"};
    const std::string text = write_topology(
        network, {"a remark",
                  "another that is much too long for one line of a hundred and ten, and therefore goes on in the next "
                  "one, as words of a text do"});
    EXPECT_EQ(
        text,
        "# a remark\n"
        "# another that is much too long for one line of a hundred and ten, and therefore goes on in the next one, as\n"
        "#   words of a text do\n"
        "name: t\ndefaults:\n  link: {bandwidth: 1Gbit/s, latency: 20us}\n  machine: {cores: 4}\n"
        "switches:\n"
        "  \"null\": {machines: [\"racka-1\", \"rackb-1\", \"rackc-1\", \"rackd-1\", \"racke-1\", \"rackf-1\", "
        "\"rackg-1\", "
        "\"rackh-1\",\n"
        "                    \"racki-1\", \"rackj-1\", \"rackk-1\", \"rackl-1\"], priority: 4096}\n"
        "  s1: {machines: \"n1\"}\n"
        "links:\n  - {between: [\"null\", s1], bandwidth: 10Gbit/s, cables: 3}\n"
        "machines:\n  \"n1\": {link: {bandwidth: 10Gbit/s, latency: 5us}, cores: 8}\n"
        "multicast: {groups: \"239.192.0.0/16\", interface: \"eth0\"}\nspanning_tree: stp\n");
    EXPECT_EQ(write_topology(read_topology(text, "t.yaml"), {}), text.substr(text.find("name:")));
}

TEST(TopologyWriter, WritesWhatSoftwareCosts) {
    const std::string text =
        "name: t\ndefaults:\n  link: {bandwidth: 100Gbit/s, latency: 1us}\n"
        "  software: {send: 300ns, receive: 400ns, per_byte: 0.05ns, copy: {bandwidth: 40Gbit/s, latency: 300ns}}\n"
        "switches:\n  s0: {machines: \"n[0-4]\"}\n"
        "machines:\n  \"n1\": {software: {send: 1us, receive: 0ns}}\n"
        "  \"n2\": {link: {bandwidth: 1Gbit/s}, cores: 2, software: {copy: {latency: 1us}}}\n";
    EXPECT_EQ(write_topology(read_topology(text, "t.yaml"), {}), text);
    const std::string without_default =
        "name: t\ndefaults:\n  link: {bandwidth: 100Gbit/s, latency: 1us}\n"
        "switches:\n  s0: {machines: \"n[0-1]\"}\n"
        "machines:\n  \"n1\": {software: {send: 400ns, receive: 400ns, per_byte: 0ns, copy: {bandwidth: 80Gbit/s, "
        "latency: 400ns}}}\n";
    EXPECT_EQ(write_topology(read_topology(without_default, "t.yaml"), {}), without_default);
}

TEST(NetworkDot, ShowsSwitchesLinksAndWhatIsIdle) {
    const Network network = read_topology(
        "name: ring\nswitches: {a: {machines: \"n[1-3]\"}, b: , c: }\n"
        "links: [{between: [a, b]}, {between: [b, c], cables: 2}, {between: [a, c], bandwidth: 10Mbit/s}]\n",
        "ring.yaml");
    EXPECT_EQ(network_dot(network),
              "graph \"ring\" {\n  node [shape=box];\n  \"switch a\" [label=\"a\\nn[1-3]\"];\n"
              "  \"switch b\" [label=\"b\"];\n  \"switch c\" [label=\"c\"];\n"
              "  \"switch a\" -- \"switch b\" [label=\"1Gbit/s\"];\n"
              "  \"switch b\" -- \"switch c\" [label=\"2 x 1Gbit/s\"];\n"
              "  \"switch a\" -- \"switch c\" [label=\"10Mbit/s\", style=dashed];\n}\n");
}

TEST(Wiring, MakesSafeNames) {
    EXPECT_EQ(safe_name("MF0;ib switch/1 "), "MF0-ib-switch-1");
    EXPECT_EQ(safe_name("§§"), "");
    EXPECT_EQ(library_name("2024.cluster x"), "cluster-2024-cluster-x");
}

}  // namespace
}  // namespace bcastgen
