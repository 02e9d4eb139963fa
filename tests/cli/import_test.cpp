// import, export, explain and audit as a user runs them.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

using testing::Outcome;
using testing::run_tool;
using testing::ScratchDirectory;

TEST(Import, GoesFromSlurmToAnAuditedLibrary) {
    const ScratchDirectory scratch;
    const std::string conf = scratch.write(
        "topology.conf", "SwitchName=top Switches=r[0-1]\nSwitchName=r0 Nodes=n[0-3]\nSwitchName=r1 Nodes=n[4-7]\n");
    const std::string yaml = scratch.path() / "site.yaml";
    const std::string library = scratch.path() / "library";
    const Outcome imported = run_tool({"import", "slurm", conf, "-o", yaml});
    EXPECT_EQ(imported.exit_code, 0) << imported.err;
    EXPECT_EQ(imported.out, "");
    EXPECT_NE(imported.err.find("8 machines under 3 switches\nnext: bcastgen check " + yaml), std::string::npos)
        << imported.err;
    EXPECT_EQ(run_tool({"check", yaml}).exit_code, 0);
    EXPECT_EQ(run_tool({"explain", yaml, "--size", "1M", "--root", "n5"}).exit_code, 0);
    EXPECT_EQ(run_tool({"export", "slurm", yaml}).out.substr(0, 22), "# topology.conf of sit");
    const Outcome scheduler = run_tool({"export", "slurm-yaml", yaml});
    EXPECT_TRUE(scheduler.out.starts_with("# topology.yaml of site, for Slurm")) << scheduler.out;
    const std::string again = scratch.write("topology.yaml", scheduler.out);
    ASSERT_EQ(run_tool({"import", "slurm", again, "-o", yaml}).exit_code, 0);
    EXPECT_EQ(run_tool({"export", "slurm-yaml", yaml}).out, scheduler.out);
    EXPECT_EQ(run_tool({"export", "simgrid", yaml}).out.substr(0, 5), "<?xml");
    ASSERT_EQ(run_tool({yaml, "-o", library}).exit_code, 0);
    const Outcome clean = run_tool({"audit", library, yaml});
    EXPECT_EQ(clean.exit_code, 0) << clean.err;
}

TEST(Import, SaysOfWhichTrunksProofsWillSpeak) {
    const ScratchDirectory scratch;
    const std::string triangle =
        scratch.write("fabric",
                      "Switch 36 \"S-1\" # \"a\"\n[1] \"H-1\"[1] # \"n0\" 4xEDR\n"
                      "[2] \"S-2\"[2]\n[3] \"S-3\"[3]\nSwitch 36 \"S-2\" # \"b\"\n"
                      "[2] \"S-1\"[2]\n[3] \"S-3\"[1]\nSwitch 36 \"S-3\" # \"c\"\n"
                      "[3] \"S-1\"[3]\n[1] \"S-2\"[3]\nCa 1 \"H-1\" # \"n0\"\n[1] \"S-1\"[1]\n");
    const Outcome outcome = run_tool({"import", "ibnetdiscover", triangle});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_NE(outcome.err.find("plans will be proved on the 2 of 3 trunks that the spanning tree uses\n"
                               "where messages take others (InfiniBand), give the routes: dump_lfts >lfts.txt, then "),
              std::string::npos)
        << outcome.err;
}

TEST(Import, FollowsIncludes) {
    const ScratchDirectory scratch;
    const std::string rack = scratch.write("rack.conf", "SwitchName=r0 Nodes=n[0-3]\n");
    const std::string conf = scratch.write("t.conf", "Include rack.conf\nSwitchName=top Switches=r0\n");
    const Outcome imported = run_tool({"import", "slurm", conf});
    EXPECT_EQ(imported.exit_code, 0) << imported.err;
    EXPECT_NE(imported.out.find("  r0: {machines: \"n[0-3]\"}\n  top:\n"), std::string::npos) << imported.out;
    EXPECT_EQ(run_tool({"import", "slurm", conf, rack}).out, imported.out);
    std::filesystem::remove(rack);
    const Outcome gone = run_tool({"import", "slurm", conf});
    EXPECT_EQ(gone.exit_code, 2);
    EXPECT_EQ(gone.err, conf + ":1:9: error: " + rack +
                            " cannot be read: No such file or directory; put its lines here, or import what scontrol "
                            "show topology prints\n    Include rack.conf\n            ^\n");
}

TEST(Import, SaysWhatAFileIsInstead) {
    const ScratchDirectory scratch;
    const std::string xml =
        scratch.write("l.xml", "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n</topology>\n");
    const std::string fabric = scratch.write("f", "Switch\t36 \"S-0002c902\"\t\t# \"a\"\n");
    const std::string advice =
        "is lstopo's XML: it tells what is inside a machine, not how machines are wired; import what ibnetdiscover "
        "prints (InfiniBand), or lldpcli show neighbors -f json on every host (Ethernet), or measure the wiring with "
        "bcastgen discover\n";
    for (const char* format : {"netloc", "lldp", "slurm"}) {
        EXPECT_EQ(run_tool({"import", format, xml}).err, xml + ": error: " + advice);
    }
    EXPECT_EQ(run_tool({"check", xml}).err, xml + ": error: " + advice);
    EXPECT_NE(run_tool({"import", "lstopo", xml}).err.find("format: lstopo is lstopo's XML: it tells"),
              std::string::npos);
    EXPECT_EQ(run_tool({"import", "slurm", fabric}).err,
              fabric + ": error: is no slurm file; it looks like one for bcastgen import ibnetdiscover\n");
    EXPECT_EQ(run_tool({"plan", fabric}).err,
              fabric + ": error: is no topology file; bcastgen import ibnetdiscover " + fabric + " makes one of it\n");
    EXPECT_EQ(run_tool({"check", fabric}).exit_code, 2);
}

TEST(Import, WritesNothingForAFileThatIsBroken) {
    const ScratchDirectory scratch;
    const std::string conf = scratch.write("t.conf", "SwitchName=r0 Nodes=n[0-3\n");
    const std::string yaml = scratch.path() / "site.yaml";
    const Outcome outcome = run_tool({"import", "slurm", conf, "-o", yaml});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, conf + ":1:22: error: this [ is never closed\n    SwitchName=r0 Nodes=n[0-3\n" +
                               std::string(25, ' ') + "^\n");
    EXPECT_FALSE(std::filesystem::exists(yaml));
    EXPECT_EQ(run_tool({"import", "slurm", conf, conf}).exit_code, 2);
    EXPECT_EQ(run_tool({"audit", scratch.path(), conf}).exit_code, 2);
    EXPECT_EQ(run_tool({"explain", "topologies/fsu-1.yaml", "--size", "lots"}).exit_code, 2);
}

}  // namespace
}  // namespace bcastgen
