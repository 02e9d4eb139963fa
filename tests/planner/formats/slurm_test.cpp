#include "planner/formats/slurm/slurm.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "imports.hpp"
#include "tests/base/files.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::contents;
using testing::outcome;
using testing::source_path;

std::string imported_slurm(const std::string& text) {
    return outcome([&] { return import_slurm({"t.conf", text}, "t"); });
}

Imported real(const std::string& name) {
    return import_slurm({name, contents(source_path("tests/planner/formats/real/" + name))}, name);
}

struct Row {
    const char* text;
    const char* expected;
};

TEST(Slurm, WritesWhatAPersonWouldHaveWritten) {
    const Row rows[] = {
        {"# the whole of it\nSwitchName=top Switches=leaf[0-1] LinkSpeed=4\nSwitchName=leaf0 Nodes=n[0-3,7]\n"
         "switchname=leaf1\tNODES=\"n[4-6],login\"   # mixed\n",
         "# assumed: 1Gbit/s and 20us on every link; Slurm's file tells no speeds, so set them here\nname: t\n"
         "defaults:\n  link: {bandwidth: 1Gbit/s, latency: 20us}\nswitches:\n  top:\n"
         "  leaf0: {machines: \"n[0-3,7]\"}\n  leaf1: {machines: \"n[4-6],login\"}\n"
         "links:\n  - {between: [top, leaf0]}\n  - {between: [top, leaf1]}\n"},
        // scontrol show topology: nodes again at every level
        {"SwitchName=s0 Level=0 LinkSpeed=1 Nodes=tux[0-3]\nSwitchName=s1 Level=0 LinkSpeed=1 Nodes=tux[4-7]\n"
         "SwitchName=s2 Level=1 LinkSpeed=1 Nodes=tux[0-7] Switches=s[0-1]\n",
         "# assumed: 1Gbit/s and 20us on every link; Slurm's file tells no speeds, so set them here\nname: t\n"
         "defaults:\n  link: {bandwidth: 1Gbit/s, latency: 20us}\nswitches:\n"
         "  s0: {machines: \"tux[0-3]\"}\n  s1: {machines: \"tux[4-7]\"}\n  s2:\n"
         "links:\n  - {between: [s2, s0]}\n  - {between: [s2, s1]}\n"},
        {"BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=n[4-8]\nBlockSizes=4,8\n",
         "# assumed: n4 is on switch b1, not also on b2\n"
         "# assumed: 1Gbit/s and 20us on every link; Slurm's file tells no speeds, so set them here\n"
         "# assumed: a switch top above b[1-2], which nothing in the file joins\nname: t\n"
         "defaults:\n  link: {bandwidth: 1Gbit/s, latency: 20us}\nswitches:\n"
         "  b1: {machines: \"n[1-4]\"}\n  b2: {machines: \"n[5-8]\"}\n  top:\n"
         "links:\n  - {between: [top, b1]}\n  - {between: [top, b2]}\n"},
        {"---\n- topology: ring\n  cluster_default: true\n  ring:\n    rings: []\n"
         "- topology: wires\n  tree:\n    switches:\n    - switch: s0\n      nodes: n[0-1]\n",
         "# left out: the ring topology ring, the cluster's default, which names no switches\n"
         "# assumed: 1Gbit/s and 20us on every link; Slurm's file tells no speeds, so set them here\nname: t\n"
         "defaults:\n  link: {bandwidth: 1Gbit/s, latency: 20us}\nswitches:\n  s0: {machines: \"n[0-1]\"}\n"},
    };
    for (const Row& row : rows) EXPECT_EQ(imported_slurm(row.text), row.expected);
}

TEST(Slurm, SaysWhereAndWhatIsWrong) {
    const Row rows[] = {
        {"", "t.conf: error: describes no switch; a Slurm topology has lines like SwitchName=s0 Nodes=n[0-15]\n"},
        {"SwitchName=s0 Nodes=n[0-3\n",
         "t.conf:1:22: error: this [ is never closed\n    SwitchName=s0 Nodes=n[0-3\n                         ^\n"},
        {"SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Switches=s0,s2\nSwitchName=s1 Nodez=m1\n",
         "t.conf:3:15: error: unknown key \"nodez\"; did you mean nodes?\n    SwitchName=s1 Nodez=m1\n"
         "                  ^\n"},
        {"SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Switches=s0,leaf7\nSwitchName=s1 Nodes=m1\n",
         "t.conf:2:27: error: switch leaf7 is described nowhere\n    SwitchName=s1 Switches=s0,leaf7\n"
         "                              ^\n"
         "t.conf:3:12: error: switch s1 is described twice (first on line 2)\n    SwitchName=s1 Nodes=m1\n"
         "               ^\n"},
        {"SwitchName=a Switches=b\nSwitchName=b Switches=a\n",
         "t.conf:2:23: error: switch a is above switch b already; a switch cannot be below itself\n"
         "    SwitchName=b Switches=a\n                          ^\n"},
        {"SwitchName=a Nodes=0x155dfffd33ff7d,0x155dfffd33ff7e\n",
         "t.conf:1:20: error: 0x155dfffd33ff7d is the GUID of an InfiniBand port, not a host name (2 such names); a "
         "machine is found by the name that `hostname` prints\n"
         "    SwitchName=a Nodes=0x155dfffd33ff7d,0x155dfffd33ff7e\n                       ^\n"},
        {"SwitchName=s0 Nodes=n0\ninclude /etc/slurm/racks.conf\n",
         "t.conf:2:9: error: /etc/slurm/racks.conf cannot be read here; put its lines here, or import what scontrol "
         "show topology prints\n    include /etc/slurm/racks.conf\n            ^\n"},
        {"Nodes=n1 SwitchName=s0\n",
         "t.conf:1:1: error: a line of a Slurm topology starts with SwitchName= or BlockName=, not with \"nodes\"\n"
         "    Nodes=n1 SwitchName=s0\n    ^\n"},
        {"SwitchName=s0 Switches=\n",
         "t.conf:1:24: error: a name is missing here\n    SwitchName=s0 Switches=\n                           ^\n"},
        {"- topology: t\n  block:\n    block_sizes: [4, 12]\n    blocks: [{block: b1, nodes: \"n[1-4]\"}]\n",
         "t.conf:3:22: error: a block size of 12 is not the first one, 4, times a power of two\n"
         "        block_sizes: [4, 12]\n                         ^\n"},
        {"- topology: t\n  tree: {switches: []}\n  block: {blocks: []}\n",
         "t.conf:1:3: error: a topology is of one kind; this one is a tree already\n    - topology: t\n      ^\n"},
    };
    for (const Row& row : rows) EXPECT_EQ(imported_slurm(row.text), row.expected);
}

std::string located(const std::string& includer, const std::string& path) {
    return (std::filesystem::path(includer).parent_path() / path).lexically_normal().string();
}

/// The files of a configuration by their paths, of which the first are given on the command line.
std::string imported_files(std::size_t given, const std::vector<ImportFile>& files) {
    const std::vector<ImportFile> first(files.begin(), files.begin() + static_cast<std::ptrdiff_t>(given));
    return outcome([&] {
        return import_slurm(first, "t",
                            {located, [&](const std::string& path) {
                                 for (const ImportFile& file : files) {
                                     if (file.name == path) return file.text;
                                 }
                                 throw InputErrors({{path, 0, 0, "cannot be read: No such file or directory", ""}});
                             }});
    });
}

TEST(Slurm, FollowsIncludesFromTheFolderOfTheirFile) {
    const std::string expected =
        "# assumed: 1Gbit/s and 20us on every link; Slurm's file tells no speeds, so set them here\nname: t\n"
        "defaults:\n  link: {bandwidth: 1Gbit/s, latency: 20us}\nswitches:\n"
        "  a: {machines: \"n[0-1]\"}\n  b: {machines: \"n2\"}\n  top:\n"
        "links:\n  - {between: [top, a]}\n  - {between: [top, b]}\n";
    const std::string a = "SwitchName=a Nodes=n[0-1]\n";
    const std::string b = "SwitchName=b Nodes=n2\n";
    const std::string top = "SwitchName=top Switches=a,b";
    EXPECT_EQ(imported_files(1, {{"etc/t.conf", "Include racks/all.conf  # both\r\n" + top},
                                 {"etc/racks/all.conf", "include\ta.conf\nINCLUDE ../b.conf\n"},
                                 {"etc/racks/a.conf", a},
                                 {"etc/b.conf", b}}),
              expected);
    EXPECT_EQ(imported_files(1, {{"etc/t.conf", a + b + "Include /slurm/top.conf\n"}, {"/slurm/top.conf", top}}),
              expected);
    EXPECT_EQ(imported_files(1, {{"-", "Include a.conf\n" + b + top}, {"a.conf", "\xEF\xBB\xBF" + a}}), expected);
    // Several files are one; what was read is not read again.
    EXPECT_EQ(imported_files(3, {{"a.conf", a}, {"b.conf", b}, {"t.conf", top}}), expected);
    EXPECT_EQ(imported_files(2, {{"a.conf", a}, {"t.conf", "Include a.conf\n" + b + top}}), expected);
    EXPECT_EQ(imported_files(2, {{"t.conf", "Include ./a.conf\n" + b + top}, {"a.conf", a}}), expected);
    // A line does not go on in the file that includes it.
    EXPECT_EQ(imported_files(1, {{"t.conf", "Include a.conf\n" + b + top}, {"a.conf", "SwitchName=a Nodes=n[0-1] \\"}}),
              expected);
}

TEST(Slurm, SaysInWhichFileSomethingIsWrong) {
    const std::string s0 = "SwitchName=s0 Nodes=n0\n";
    EXPECT_EQ(imported_files(1, {{"t.conf", s0 + "  Include gone.conf\n"}}),
              "t.conf:2:11: error: gone.conf cannot be read: No such file or directory; put its lines here, or import "
              "what scontrol show topology prints\n      Include gone.conf\n              ^\n");
    EXPECT_EQ(imported_files(1, {{"etc/t.conf", s0 + "Include a.conf\nInclude\nInclude a b\nInclude %c.conf\n"},
                                 {"etc/a.conf", "\nInclude ../etc/t.conf\n"}}),
              "etc/a.conf:2:9: error: files include each other: etc/t.conf includes etc/a.conf includes etc/t.conf\n"
              "    Include ../etc/t.conf\n            ^\n"
              "etc/t.conf:3:8: error: the name of the file to include is missing here\n    Include\n           ^\n"
              "etc/t.conf:4:11: error: nothing can stand here, after an Include\n    Include a b\n              ^\n"
              "etc/t.conf:5:9: error: what Slurm puts for % is not known here; write the name of the file in full\n"
              "    Include %c.conf\n            ^\n");
    EXPECT_EQ(
        imported_files(1, {{"t.conf", s0 + "Include a.conf\nSwitchName=s1 Nodes=m[\n"},
                           {"a.conf", "# racks\nSwitchName=s0 Nodes=n1\n"}}),
        "t.conf:3:23: error: a number is missing here\n    SwitchName=s1 Nodes=m[\n                          ^\n");
    EXPECT_EQ(imported_files(1, {{"t.conf", s0 + "Include a.conf\n"}, {"a.conf", "# racks\nSwitchName=s0 Nodes=n1\n"}}),
              "a.conf:2:12: error: switch s0 is described twice (first on line 1 of t.conf)\n"
              "    SwitchName=s0 Nodes=n1\n               ^\n");
    EXPECT_EQ(imported_files(2, {{"t.conf", s0}, {"t.yaml", "- topology: t\n  tree: {switches: []}\n"}}),
              "t.yaml: error: looks like a topology.yaml, which is imported alone\n");
}

TEST(Slurm, ImportsRealFiles) {
    EXPECT_EQ(real("azure-hpcbench-tree.conf").network.machines.size(), 16U);
    EXPECT_EQ(real("azure-hpcbench-block.conf").network.switches.size(), 5U);
    EXPECT_EQ(real("topograph-oci-sim-tree.conf").network.trunks.size(), 18U);
    for (const char* name : {"azure-hpcbench-tree.conf", "azure-hpcbench-block.conf", "topograph-oci-sim-tree.conf"}) {
        EXPECT_TRUE(testing::can_be_planned(real(name))) << name;
    }
    EXPECT_THROW((void)real("azure-ndv4-guids.conf"), InputErrors);
}

TEST(Slurm, ExportsATreeThatSlurmTakes) {
    const Network network = read_topology(
        "name: two\nswitches: {s0: {machines: \"a[0-1]\"}, s1: {machines: b}, spare: }\n"
        "links: [{between: [s0, s1], cables: 2}, {between: [s1, spare], bandwidth: 10Gbit/s}]\n"
        "machines: {b: {cores: 8}}\npartitions: {p: \"a[0-1]\"}\n",
        "two.yaml");
    EXPECT_EQ(export_slurm(network),
              "# topology.conf of two, for TopologyPlugin=topology/tree.\n"
              "SwitchName=s0 Nodes=a[0-1]\n"
              "SwitchName=s1 Switches=s1.machines,s0\n"
              "SwitchName=s1.machines Nodes=b\n"
              "#\n# What Slurm has no words for; `bcastgen import slurm` reads it.\n"
              "# bcastgen name=two spanning_tree=auto\n"
              "# bcastgen switches=s[0-1],spare\n"
              "# bcastgen idle=spare\n"
              "# bcastgen part=s1.machines of=s1\n"
              "# bcastgen ports=a[0-1] bandwidth=1Gbit/s latency=20us cores=1\n"
              "# bcastgen ports=b bandwidth=1Gbit/s latency=20us cores=8\n"
              "# bcastgen links=s0:s1 bandwidth=1Gbit/s latency=20us cables=2\n"
              "# bcastgen more_links=s1:spare bandwidth=10Gbit/s latency=20us cables=1\n"
              "# bcastgen partition=p machines=a[0-1]\n");
}

TEST(Slurm, ExportsAsYaml) {
    const Network network = read_topology(
        "name: two\nswitches: {s0: {machines: \"a[0-1]\"}, s1: {machines: b}}\n"
        "links: [{between: [s0, s1], cables: 2}]\n",
        "two.yaml");
    EXPECT_EQ(export_slurm_yaml(network),
              "# topology.yaml of two, for Slurm 25.05 and later.\n"
              "---\n"
              "- topology: \"two\"\n"
              "  cluster_default: true\n"
              "  tree:\n"
              "    switches:\n"
              "      - switch: \"s0\"\n"
              "        children: \"s0.machines,s1\"\n"
              "      - switch: \"s0.machines\"\n"
              "        nodes: \"a[0-1]\"\n"
              "      - switch: \"s1\"\n"
              "        nodes: \"b\"\n"
              "#\n# What Slurm has no words for; `bcastgen import slurm` reads it.\n"
              "# bcastgen name=two spanning_tree=auto\n"
              "# bcastgen switches=s[0-1]\n"
              "# bcastgen part=s0.machines of=s0\n"
              "# bcastgen ports=a[0-1],b bandwidth=1Gbit/s latency=20us cores=1\n"
              "# bcastgen links=s0:s1 bandwidth=1Gbit/s latency=20us cables=2\n");
}

TEST(Slurm, GivesItsOwnExportBack) {
    for (const char* name : {"campus", "fat-tree", "fsu-1", "fsu-2", "fsu-3", "fsu-4", "fsu-5"}) {
        const std::string path = std::string("topologies/") + name + ".yaml";
        const Network network = read_topology(contents(source_path(path)), path);
        for (const auto written : {export_slurm, export_slurm_yaml}) {
            const Imported back = import_slurm({"t.conf", written(network)}, "other");
            EXPECT_EQ(write_topology(back.network, back.notes), write_topology(network, {})) << name;
        }
    }
}

RC_GTEST_PROP(Slurm, GivesAnyExportBack, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int switches = 1 + below(12);
    Network network =
        testing::random_network(1 + below(30), switches, static_cast<testing::Shape>(below(4)), false, random);
    for (Machine& machine : network.machines) {
        machine.port.bandwidth_Bps = below(2) == 0 ? 125e6 : 1250e6;
        machine.cores = 1 + below(2);
        if (below(3) == 0) machine.software = Software{1e-6 * below(9), 4e-7, 1e-10 * below(3), 1e10, 4e-7};
    }
    for (Trunk& trunk : network.trunks) trunk.cables = 1 + below(2);
    for (Switch& sw : network.switches) sw.priority = below(3) == 0 ? 4096 : default_priority;
    const int a = below(switches);
    const int b = below(switches);
    const bool linked = std::any_of(network.trunks.begin(), network.trunks.end(), [&](const Trunk& trunk) {
        return std::minmax(trunk.a, trunk.b) == std::minmax(a, b);
    });
    if (a != b && !linked) network.trunks.push_back({a, b, {125e6, 5e-6}, 1, false});
    network.partitions.push_back({"part", {below(static_cast<int>(network.machines.size()))}});
    // A file lists its machines switch by switch.
    const Network read = read_topology(write_topology(network, {}), "t.yaml");
    const std::string text = write_topology(read, {});
    RC_ASSERT(write_topology(read_topology(text, "t.yaml"), {}) == text);
    for (const auto written : {export_slurm, export_slurm_yaml}) {
        const Imported back = import_slurm({"t.conf", written(read)}, "other");
        RC_ASSERT(back.notes.empty());
        RC_ASSERT(write_topology(back.network, {}) == text);
    }
}

RC_GTEST_PROP(Slurm, TakesOrRefusesWhateverIsCut, ()) {
    static const std::string text = contents(source_path("tests/planner/formats/real/topograph-oci-sim-tree.conf"));
    std::string cut = text.substr(0, *rc::gen::inRange<std::size_t>(0, text.size()));
    if (*rc::gen::arbitrary<bool>() && !cut.empty()) {
        cut[*rc::gen::inRange<std::size_t>(0, cut.size())] = *rc::gen::arbitrary<char>();
    }
    RC_ASSERT(!imported_slurm(cut).empty());
}

}  // namespace
}  // namespace bcastgen
