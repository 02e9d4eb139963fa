// From what a fabric prints to loads along its own routes: ibnetdiscover's dump and dump_lfts' tables of two leaves
// below two spines, written by hand.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

using testing::Outcome;
using testing::run_tool;
using testing::ScratchDirectory;

constexpr const char* dump = "tests/cli/routes/two-spines.ibnetdiscover";
constexpr const char* tables = "tests/cli/routes/two-spines.lfts";

std::string import_into(const ScratchDirectory& scratch) {
    const std::string topology = (scratch.path() / "two-spines.yaml").string();
    EXPECT_EQ(run_tool({"import", "ibnetdiscover", dump, "-o", topology}).exit_code, 0);
    return topology;
}

/// The tables with `from`, which they have once, replaced.
std::string changed_tables(const ScratchDirectory& scratch, const std::string& from, const std::string& to) {
    std::ifstream file(std::string(BCASTGEN_SOURCE_DIR) + "/" + tables);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::size_t found = text.find(from);
    EXPECT_NE(found, std::string::npos);
    text.replace(found, from.size(), to);
    return scratch.write("changed.lfts", text);
}

TEST(Routes, ShowWhatPlannedTreesLoad) {
    const ScratchDirectory scratch;
    const std::string topology = import_into(scratch);
    const Outcome check = run_tool({"check", topology, "--routes", tables});
    EXPECT_EQ(check.exit_code, 0) << check.err;
    EXPECT_NE(check.out.find("  along the forwarding tables\n"
                             "  tree      heaviest trunk  stage\n"
                             "  linear    1               1      contention-free\n"
                             "  binary    1               2      contention-free\n"
                             "  two-tree  1               1      contention-free\n"),
              std::string::npos)
        << check.out;
    const Outcome json = run_tool({"check", topology, "--routes", tables, "--format", "json"});
    EXPECT_EQ(nlohmann::json::parse(json.out)["routes"].size(), 3U);
}

TEST(Routes, CarryAPlan) {
    const ScratchDirectory scratch;
    const std::string topology = import_into(scratch);
    const Outcome plan = run_tool({"plan", topology, "--tree", "flat", "--routes", tables});
    EXPECT_EQ(plan.exit_code, 0) << plan.err;
    EXPECT_NE(plan.out.find("  routes   loads follow the forwarding tables\n"), std::string::npos);
    // b0 is reached by way of spine1 and b1 by way of spine2.
    EXPECT_NE(plan.out.find("  leaf1 ─ spine1       1       0\n"
                            "  leaf1 ─ spine2       1       0\n"
                            "  leaf2 ─ spine1       0       1\n"
                            "  leaf2 ─ spine2       0       1\n"),
              std::string::npos)
        << plan.out;
    const Outcome json = run_tool({"plan", topology, "--routes", tables, "--format", "json"});
    EXPECT_EQ(nlohmann::json::parse(json.out)["routes"], "forwarding tables");
}

TEST(Routes, ThatEndOnTheWayAreRefusedWithTheTable) {
    const ScratchDirectory scratch;
    const std::string topology = import_into(scratch);
    const std::string missing =
        changed_tables(scratch, "0x0008 004 : (Channel Adapter portguid 0x0000000000000008: 'b1 mlx5_0')\n", "");
    const Outcome check = run_tool({"check", topology, "--routes", missing});
    EXPECT_EQ(check.exit_code, 2);
    EXPECT_EQ(check.out, "");
    EXPECT_NE(check.err.find(missing + ":1:1: error: the forwarding tables lead nowhere from a"), std::string::npos)
        << check.err;
    EXPECT_NE(check.err.find(" to b1: at switch leaf1, whose table begins here, the way ends or goes in a circle\n"
                             "    Unicast lids [0x0-0x8] of switch Lid 1 guid 0x0000000000000001"),
              std::string::npos)
        << check.err;
    const Outcome plan = run_tool({"plan", topology, "--tree", "flat", "--routes", missing});
    EXPECT_EQ(plan.exit_code, 2);
    EXPECT_NE(plan.err.find(missing + ":1:1: error: the forwarding tables lead nowhere from a0 to b1"),
              std::string::npos)
        << plan.err;
}

TEST(Routes, ThatCannotBeReadAreShown) {
    const ScratchDirectory scratch;
    const std::string topology = import_into(scratch);
    const std::string broken = changed_tables(scratch, "0x0007 003 : (Channel", "0x0007 0o3 : (Channel");
    for (const char* command : {"check", "plan"}) {
        const Outcome outcome = run_tool({command, topology, "--routes", broken});
        EXPECT_EQ(outcome.exit_code, 2);
        EXPECT_EQ(
            outcome.err,
            broken +
                ":10:1: error: not a route: an address from 0x0001 to 0xbfff and a port from 0 to 255 are needed\n"
                "    0x0007 0o3 : (Channel Adapter portguid 0x0000000000000007: 'b0 mlx5_0')\n"
                "    ^\n");
    }
}

}  // namespace
}  // namespace bcastgen
