#include "planner/formats/ibnetdiscover.hpp"

#include <gtest/gtest.h>

#include <string>

#include "imports.hpp"
#include "tests/base/files.hpp"

namespace bcastgen {
namespace {

using testing::contents;
using testing::outcome;
using testing::source_path;

std::string imported(const std::string& text) {
    return outcome([&] { return import_ibnetdiscover({"t.txt", text}, "t"); });
}

std::string real_dump() {
    return contents(source_path("tests/planner/formats/real/loginoff-qdr-fdr10-144.txt"));
}

// Two leaves with two cables between them, a third over a router's port; one host with two adapters.
constexpr const char* small = R"(#
# Topology file: generated
vendid=0x2c9
switchguid=0x1(1)
Switch	36 "S-0000000000000001"		# "MF0;leaf1:SX6036/U1" enhanced port 0 lid 3 lmc 0
[1]	"H-0000000000000011"[1](11) 		# "n1 HCA-2" lid 11 4xQDR
[2]	"H-0000000000000012"[1](12) 		# "n2 mlx4_0" lid -4 4xFDR
[3]	"S-0000000000000002"[4]		# "MF0;leaf2:SX6036/U1" lid 4 4xFDR10
[4]	"S-0000000000000002"[3]		# "MF0;leaf2:SX6036/U1" lid 4 4xFDR10
[5]	"H-00000000000000aa"[1](aa) 		# "Mellanox Technologies Aggregation Node" lid 5 4xQDR
[6]	"S-0000000000000001"[7]		# "MF0;leaf1:SX6036/U1" lid 3 4xQDR
[7]	"S-0000000000000001"[6]		# "MF0;leaf1:SX6036/U1" lid 3 4xQDR
[8]	"R-00000000000000bb"[1](bb) 		# "router" lid 5 4xQDR

Switch	36 "S-0000000000000002"		# "MF0;leaf2:SX6036/U1" enhanced port 0 lid 4 lmc 0
[1]	"H-0000000000000010"[1](10) 		# "n1 HCA-1" lid 12 4xQDR
[3]	"S-0000000000000001"[4]		# "MF0;leaf1:SX6036/U1" lid 3 4xFDR10
[4]	"S-0000000000000001"[3]		# "MF0;leaf1:SX6036/U1" lid 3 4xFDR10

Rt	1 "R-00000000000000bb"		# "router"
[1](bb) 	"S-0000000000000001"[8]		# lid 5 lmc 0 "MF0;leaf1:SX6036/U1" lid 3 4xQDR

Ca	1 "H-00000000000000aa"		# "Mellanox Technologies Aggregation Node"
[1](aa) 	"S-0000000000000001"[5]		# lid 5 lmc 0 "MF0;leaf1:SX6036/U1" lid 3 4xQDR

Ca	1 "H-0000000000000011"		# "n1 HCA-2"
[1](11) 	"S-0000000000000001"[1]		# lid 11 lmc 0 "MF0;leaf1:SX6036/U1" lid 3 4xQDR

Ca	1 "H-0000000000000010"		# "n1 HCA-1"
[1](10) 	"S-0000000000000002"[1]		# lid 12 lmc 0 "MF0;leaf2:SX6036/U1" lid 4 4xQDR

Ca	1 "H-0000000000000012"		# "n2 mlx4_0"
[1](12) 	"S-0000000000000001"[2]		# lid 12 lmc 0 "MF0;leaf1:SX6036/U1" lid 3 4xFDR
)";

TEST(Ibnetdiscover, ReadsNamesSpeedsAndCables) {
    EXPECT_EQ(imported(small),
              "# left out: 1 aggregation node, which no machine is\n# left out: 1 router\n"
              "# assumed: a machine uses its first adapter; 1 machine (n1) has several\n"
              "# left out: 2 ends of cables from a switch to itself\n"
              "# assumed: a latency of 500ns a hop, which dumps do not tell\n"
              "name: t\ndefaults:\n  link: {bandwidth: 32Gbit/s, latency: 500ns}\n"
              "switches:\n  leaf1: {machines: \"n2\"}\n  leaf2: {machines: \"n1\"}\n"
              "links:\n  - {between: [leaf1, leaf2], bandwidth: 40Gbit/s, cables: 2}\n"
              "machines:\n  \"n2\": {link: {bandwidth: 54.5454545455Gbit/s}}\n");
}

TEST(Ibnetdiscover, SaysWhereAndWhatIsWrong) {
    const auto with = [](std::string_view from, std::string_view to) {
        std::string text = small;
        return text.replace(text.find(from), from.size(), to);
    };
    EXPECT_EQ(imported(""),
              "t.txt: error: describes no fabric; what ibnetdiscover prints has lines that start with Switch and Ca\n");
    EXPECT_EQ(imported(with("\"H-0000000000000012\"[1](12)", "\"H-0000000000000012")),
              "t.txt:7:5: error: the other end of a cable, such as \"S-0002c902004885b0\"[3], is missing here\n"
              "    [2]\t\"H-0000000000000012 \t\t# \"n2 mlx4_0\" lid -4 4xFDR\n       \t^\n");
    EXPECT_EQ(imported(with("Rt\t1", "Router 1")),
              "t.txt:20:1: error: \"Router\" is nothing that ibnetdiscover prints here; is the file cut or mixed?\n"
              "    Router 1 \"R-00000000000000bb\"\t\t# \"router\"\n    ^\n");
    EXPECT_TRUE(
        imported("CA    11  1 0x248a070300e6a1a4 4x EDR - SW     9  2 0x248a0703009a4a5c ( 'n0 HCA-1' - 's1' )\n")
            .starts_with("t.txt:1:1: error: this is what ibnetdiscover -p prints; run it without -p\n"));
    EXPECT_EQ(imported(with("4xFDR10", "4xQQDR")),
              "t.txt:8:60: error: \"4xQQDR\" is not a width and rate of InfiniBand; they look like 4xEDR\n"
              "    [3]\t\"S-0000000000000002\"[4]\t\t# \"MF0;leaf2:SX6036/U1\" lid 4 4xQQDR\n"
              "       \t                       \t\t                              ^\n");
}

TEST(Ibnetdiscover, SaysWhyNoMachineIsOnASwitch) {
    EXPECT_EQ(imported("Ca 1 \"H-1\" # \"n1 HCA-1\"\n"),
              "t.txt: error: has no machine on a switch: n1, whose adapter has no cable\n");
    EXPECT_EQ(
        imported("Ca 1 \"H-1\" # \"n1\"\n[1] \"H-2\"[1] 4xEDR\nCa 1 \"H-2\" # \"n2\"\n[1] \"H-1\"[1] 4xEDR\n"
                 "Ca 1 \"H-3\" # \"n3\"\nCa 1 \"H-4\" # \"n4\"\n"),
        "t.txt: error: has no machine on a switch: n[3-4], whose adapters have no cable; n[1-2], with cables to no "
        "switch\n");
    EXPECT_EQ(imported("Switch 36 \"S-1\" # \"a\"\n[1] \"H-1\"[1] 4xEDR\nCa 1 \"H-1\" # \"Mellanox Technologies\"\n"
                       "[1] \"S-1\"[1] 4xEDR\n"),
              "t.txt: error: has no adapter with a host's name, only such as \"Mellanox Technologies\"; set node "
              "descriptions to host names (rdma-ndd does), or give ibnetdiscover a --node-name-map\n");
}

TEST(Ibnetdiscover, RefusesDumpsThatBreakOff) {
    for (const std::string& text : {std::string(small), real_dump()}) {
        const std::size_t end = text.rfind("\"S-");  // behind it the end of a line is missing at most
        for (std::size_t size = 0; size <= end; size += text.size() < 3000 ? 1 : 499) {
            EXPECT_NE(imported(text.substr(0, size)).find(": error: "), std::string::npos) << size;
        }
    }
}

TEST(Ibnetdiscover, ImportsARealFabric) {
    const Imported imported = import_ibnetdiscover({"loginoff.txt", real_dump()}, "loginoff");
    EXPECT_EQ(imported.network.machines.size(), 144U);
    EXPECT_EQ(imported.network.switches.size(), 8U);
    EXPECT_EQ(imported.network.trunks.size(), 12U);
    EXPECT_EQ(imported.network.trunks[1].cables, 3);  // ib1-ib8; the others have four
    EXPECT_TRUE(testing::can_be_planned(imported));
}

}  // namespace
}  // namespace bcastgen
