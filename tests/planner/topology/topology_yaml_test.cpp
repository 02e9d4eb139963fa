#include "planner/topology/topology_yaml.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "tests/base/files.hpp"

namespace bcastgen {
namespace {

using testing::contents;
using testing::source_path;

Network read_sample(const std::string& name) {
    return read_topology(contents(source_path("topologies/" + name)), name);
}

std::string refusal(std::string_view text) {
    try {
        (void)read_topology(text, "t.yaml");
    } catch (const InputErrors& errors) {
        return errors.what();
    }
    return "accepted";
}

TEST(TopologyYaml, ReadsFsu5) {
    const Network network = read_sample("fsu-5.yaml");
    EXPECT_EQ(network.name, "fsu-5");
    ASSERT_EQ(network.switches.size(), 4U);
    ASSERT_EQ(network.machines.size(), 32U);
    ASSERT_EQ(network.trunks.size(), 3U);
    EXPECT_EQ(network.machines[8].name, "n1");
    EXPECT_EQ(network.machines[8].sw, 1);
    EXPECT_EQ(network.machines[8].port.bandwidth_Bps, 12.5e6);
    EXPECT_EQ(network.machines[8].port.latency_s, 20e-6);
    EXPECT_EQ(network.trunks[2].a, 0);
    EXPECT_EQ(network.trunks[2].b, 3);
    EXPECT_TRUE(network.trunks[2].in_tree);
}

TEST(TopologyYaml, ReadsEveryKey) {
    const Network network = read_topology(R"(
name: all_keys
defaults:
  link: {bandwidth: 10Gbit/s, latency: 5us}
  machine: {cores: 32}
switches:
  left: {machines: [a1, "b[1-2]", "c[08-10],d"], priority: 4096}
  right: {machines: e}
  bare:
links:
  - {between: [left, right], bandwidth: 40 Gbit/s, latency: 1.5us, cables: 2}
  - between: [right, bare]
machines:
  b2: {link: {bandwidth: 1Gbit/s}}
  "c[08-09],e": {link: {latency: 1ms}, cores: 4}
partitions:
  some: "a1,b[1-2]"
  rest: [d, e]
multicast: {groups: "ff15:7::/32", interface: ib0.8001}
spanning_tree: stp
)",
                                          "t.yaml");
    ASSERT_EQ(network.machines.size(), 8U);
    EXPECT_EQ(network.machines[3].name, "c08");
    EXPECT_EQ(network.machines[0].cores, 32);
    EXPECT_EQ(network.machines[2].port.bandwidth_Bps, 1e9 / 8);
    EXPECT_EQ(network.machines[2].port.latency_s, 5e-6);
    EXPECT_EQ(network.machines[2].cores, 32);
    for (const std::size_t overridden : {3U, 4U, 7U}) {
        EXPECT_EQ(network.machines[overridden].port.latency_s, 1e-3);
        EXPECT_EQ(network.machines[overridden].port.bandwidth_Bps, 10e9 / 8);
        EXPECT_EQ(network.machines[overridden].cores, 4);
    }
    EXPECT_EQ(network.machines[5].port.latency_s, 5e-6);
    EXPECT_EQ(network.machines[7].sw, 1);
    EXPECT_EQ(network.switches[0].priority, 4096);
    EXPECT_EQ(network.switches[2].priority, default_priority);
    EXPECT_EQ(network.trunks[0].speed.bandwidth_Bps, 5e9);
    EXPECT_EQ(network.trunks[0].speed.latency_s, 1.5e-6);
    EXPECT_EQ(network.trunks[0].cables, 2);
    EXPECT_EQ(network.trunks[1].speed.bandwidth_Bps, 10e9 / 8);
    EXPECT_EQ(network.trunks[1].cables, 1);
    ASSERT_EQ(network.partitions.size(), 2U);
    EXPECT_EQ(network.partitions[0].name, "some");
    EXPECT_EQ(network.partitions[0].machines, (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(network.partitions[1].machines, (std::vector<int>{6, 7}));
    ASSERT_TRUE(network.multicast);
    EXPECT_EQ(network.multicast->groups, "ff15:7::/32");
    EXPECT_EQ(network.multicast->interface, "ib0.8001");
    EXPECT_EQ(network.spanning_tree, SpanningTree::stp);
}

TEST(TopologyYaml, ReadsWhatSoftwareCosts) {
    const Network network = read_topology(R"(
name: costs
defaults:
  link: {bandwidth: 100Gbit/s, latency: 1us}
  software: {send: 0.3us, per_byte: 0.05ns, copy: {bandwidth: 40Gbit/s}}
switches: {s0: {machines: "n[0-3]"}}
machines:
  n1: {software: {send: 1us, receive: 0us}}
  n2: {link: {bandwidth: 1Gbit/s}}
  n3: {software: {copy: {latency: 1us}}}
)",
                                          "t.yaml");
    const Software usual = usual_software(12.5e9);
    const auto expect = [&](std::size_t machine, const Software& software) {
        ASSERT_TRUE(network.machines[machine].software);
        EXPECT_EQ(software_of(network.machines[machine]), software) << machine;
    };
    expect(0, {0.3e-6, usual.receive_s, 0.05e-9, 5e9, usual.copy_latency_s});
    expect(1, {1e-6, 0, 0.05e-9, 5e9, usual.copy_latency_s});
    expect(2, {0.3e-6, usual_software(125e6).receive_s, 0.05e-9, 5e9, usual.copy_latency_s});
    expect(3, {0.3e-6, usual.receive_s, 0.05e-9, 5e9, 1e-6});
}

TEST(TopologyYaml, TakesTheUsualSoftwareForThePort) {
    const Network network = read_topology(
        "name: t\ndefaults: {link: {bandwidth: 100Gbit/s}, software: }\nswitches: {s0: {machines: \"n[0-1]\"}}\n"
        "machines: {n1: {link: {bandwidth: 100Mbit/s}}}\n",
        "t.yaml");
    EXPECT_FALSE(network.machines[0].software);
    EXPECT_EQ(software_of(network.machines[0]), usual_software(12.5e9));
    EXPECT_EQ(software_of(network.machines[1]), usual_software(12.5e6));
    EXPECT_NE(usual_software(12.5e9), usual_software(12.5e6));
}

TEST(TopologyYaml, HasDefaultsForAllButNamesAndWiring) {
    const Network network = read_topology("name: t\nswitches: {s0: {machines: n0}}\n", "t.yaml");
    EXPECT_EQ(network.machines[0].port.bandwidth_Bps, 1e9 / 8);
    EXPECT_EQ(network.machines[0].port.latency_s, 20e-6);
    EXPECT_EQ(network.machines[0].cores, 1);
    EXPECT_EQ(network.spanning_tree, SpanningTree::automatic);
    EXPECT_FALSE(network.multicast);
}

TEST(TopologyYaml, TakesSectionsLeftBlank) {
    const Network network = read_topology(
        "name: t\ndefaults:\nswitches:\n  s0: {machines: n0}\nlinks:\nmachines:\npartitions:\n", "t.yaml");
    EXPECT_EQ(network.machines.size(), 1U);
}

TEST(TopologyYaml, KnowsItsOwnVersionAndRefusesOthers) {
    const std::string rest = "name: t\nswitches: {s0: {machines: n0}}\n";
    EXPECT_EQ(read_topology("format: bcastgen-topology/1\n" + rest, "t.yaml").machines.size(), 1U);
    EXPECT_EQ(
        refusal("format: bcastgen-topology/2\nname: t\nracks: {}\n"),
        "t.yaml:1:9: error: format is \"bcastgen-topology/2\" here, not bcastgen-topology/1; read it with the bcastgen "
        "that it was written for\n    format: bcastgen-topology/2\n            ^\n");
}

TEST(TopologyYaml, TellsWhereAHostlistWantsQuotes) {
    const std::string advice = "error: YAML takes this [ for the beginning of a list; put the hostlist in quotes: ";
    for (const auto& [text, place, list] :
         {std::tuple("name: t\nswitches: {s0: {machines: n[0-3]}}\n", "2:27", "n[0-3]"),
          {"name: t\nswitches:\n  s0: {machines: [m1, rack-n[0-3,7]]}\n", "3:23", "rack-n[0-3,7]"},
          {"name: t\nswitches:\n  s0: {\n    machines: n[0-3]}\n", "4:15", "n[0-3]"}}) {
        EXPECT_TRUE(refusal(text).starts_with("t.yaml:" + std::string(place) + ": " + advice + '"' + list + '"'))
            << refusal(text);
    }
    EXPECT_NE(refusal("name: t\nswitches: {s0: {machines: \"n[0-3]\", x: [1\n").find("is never closed"),
              std::string::npos);
}

TEST(TopologyYaml, TakesOtherEditorsText) {
    const std::string unix_text = contents(source_path("topologies/fsu-4.yaml"));
    std::string windows_text = "\xEF\xBB\xBF";
    for (const char c : unix_text) windows_text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_EQ(read_topology(windows_text, "t.yaml").machines.size(), 32U);
    EXPECT_EQ(refusal("\xEF\xBB\xBFnaem: t\r\n"),
              "t.yaml:1:1: error: unknown key \"naem\" in a topology; did you mean name?\n    naem: t\n    ^\n"
              "t.yaml:1:1: error: the network has no switches; describe them under switches\n    naem: t\n    ^\n");
}

TEST(TopologyYaml, TakesAnchorsAndJson) {
    const Network anchored = read_topology(
        "name: t\nswitches: {s0: {machines: n0}, s1: {machines: n1}}\nlinks:\n  - {between: [s0, s1], latency: &l "
        "7us}\n"
        "machines: {n1: {link: {latency: *l}}}\n",
        "t.yaml");
    EXPECT_EQ(anchored.machines[1].port.latency_s, 7e-6);
    const Network json = read_topology(R"({"name": "t", "switches": {"s0": {"machines": "n[0-1]"}}})", "t.json");
    EXPECT_EQ(json.machines.size(), 2U);
}

TEST(TopologyYaml, RefusesWhatIsNoText) {
    using namespace std::string_literals;
    EXPECT_EQ(
        refusal("name: t\0\n"s),
        "t.yaml:1:8: error: control character U+0000; the file is to be plain text\n    name: t\n           ^\n"s);
    EXPECT_EQ(refusal("a: 1\nname: \x1b[31m\n"),
              "t.yaml:2:7: error: control character U+001B; the file is to be plain text\n    name: \n          ^\n");
    EXPECT_EQ(refusal("name: \xC2\x9b 2J\n"),
              "t.yaml:1:7: error: control character U+009B; the file is to be plain text\n    name: \n          ^\n");
    EXPECT_EQ(refusal("name: caf\xE9\n"),
              "t.yaml:1:10: error: byte 0xe9 is no UTF-8 text\n    name: caf\n             ^\n");
}

TEST(TopologyYaml, ShowsThePartOfALongLineThatMatters) {
    const std::string message = refusal("name: t\nswitches: {s0: {machines: \"" + std::string(300, 'n') + "\"}}\n");
    EXPECT_EQ(message, "t.yaml:2:28: error: a name of more than 255 characters\n    switches: {s0: {machines: \"" +
                           std::string(133, 'n') + "…\n    " + std::string(27, ' ') + "^\n");
}

// Every bad/NAME.yaml is refused with exactly the messages in bad/NAME.expected.
TEST(TopologyYaml, RefusesBadFilesWithEveryErrorLocated) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_path("tests/planner/topology/bad"))) {
        if (entry.path().extension() != ".yaml") continue;
        ++files;
        const std::string name = entry.path().filename();
        std::string message = "accepted";
        try {
            (void)read_topology(contents(entry.path()), name);
        } catch (const InputErrors& errors) {
            message = errors.what();
        }
        EXPECT_EQ(message, contents(std::filesystem::path(entry.path()).replace_extension(".expected"))) << name;
    }
    EXPECT_GE(files, 60);
}

// The indented blocks of a Markdown text that start with a topology's name, as files of their own.
std::vector<std::string> topologies_in(const std::string& markdown) {
    std::vector<std::string> topologies;
    bool inside = false;
    std::istringstream stream(markdown);
    for (std::string line; std::getline(stream, line);) {
        const bool indented = line.starts_with("    ");
        if (!inside && line.starts_with("    name: ")) topologies.emplace_back();
        inside = indented && (inside || line.starts_with("    name: "));
        if (inside) topologies.back() += line.substr(4) + "\n";
    }
    return topologies;
}

TEST(TopologyYaml, ReadsTheExamplesOfTheDocs) {
    for (const char* page : {"README.md", "docs/guide.md", "docs/formats.md"}) {
        const std::vector<std::string> topologies = topologies_in(contents(source_path(page)));
        EXPECT_FALSE(topologies.empty()) << page;
        for (const std::string& text : topologies) EXPECT_FALSE(read_topology(text, page).machines.empty());
    }
}

TEST(TopologyYaml, ReadsEverySample) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_path("topologies"))) {
        ++files;
        const Network network = read_sample(entry.path().filename());
        EXPECT_EQ(network.name, entry.path().stem());
    }
    EXPECT_GE(files, 7);
}

}  // namespace
}  // namespace bcastgen
