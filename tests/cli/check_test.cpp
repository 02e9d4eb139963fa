#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

using testing::Outcome;
using testing::run_tool;
using testing::ScratchDirectory;

TEST(Check, ShowsTheTopologyOnStdout) {
    const Outcome outcome = run_tool({"check", "topologies/fsu-2.yaml"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.out,
              "fsu-2: 32 machines on 2 switches\n"
              "  depth          2 switch levels\n"
              "  spanning tree  not needed: the links form a tree\n"
              "  ports          32 x 100Mbit/s 20us\n"
              "  trunks         1 x 100Mbit/s 20us\n"
              "  cores          1 on 32 machines\n"
              "  software       32 x send 5us, receive 0ns; copy 80Gbit/s 400ns (usual)\n"
              "\n"
              "  s0                     16 machines  n[0-15]\n"
              "  └─ s1  100Mbit/s 20us  16 machines  n[16-31]\n");
}

TEST(Check, WritesJson) {
    const Outcome outcome = run_tool({"check", "topologies/campus.yaml", "--format", "json"});
    EXPECT_EQ(outcome.exit_code, 0);
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["topology"], "campus");
    EXPECT_EQ(json["machines"], 362);
    EXPECT_EQ(json["spanning_tree"]["rule"], "stp");
    EXPECT_EQ(json["partitions"][1]["partition"], "gpu");
}

TEST(Check, ShowsEveryErrorOnStderr) {
    const Outcome outcome = run_tool({"check", "tests/planner/topology/bad/machine_on_two_switches.yaml"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err,
              "tests/planner/topology/bad/machine_on_two_switches.yaml:4:28: error: machine n7 is on switch s0 already "
              "(line 3); "
              "a machine hangs on one switch: of several ports write the one that MPI uses\n"
              "      s1: {machines: \"n[16-31],n7,n[12-13]\"}\n"
              "                               ^\n"
              "tests/planner/topology/bad/machine_on_two_switches.yaml:4:31: error: machines n[12-13] are on switch s0 "
              "already "
              "(line 3); a machine hangs on one switch: of several ports write the one that MPI uses\n"
              "      s1: {machines: \"n[16-31],n7,n[12-13]\"}\n"
              "                                  ^\n");
}

TEST(Check, QuietStillShowsResultsAndErrors) {
    EXPECT_NE(run_tool({"check", "--quiet", "topologies/fsu-1.yaml"}).out, "");
    EXPECT_NE(run_tool({"--quiet", "check", "topologies/fsu-1.yaml"}).out, "");
    EXPECT_NE(run_tool({"check", "-q", "tests/planner/topology/bad/no_name.yaml"}).err, "");
}

TEST(Check, RefusesWhatIsNoReadableFile) {
    const ScratchDirectory scratch;
    const std::string missing = (scratch.path() / "missing.yaml").string();
    Outcome outcome = run_tool({"check", missing});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, missing + ": error: cannot be read: No such file or directory\n");

    outcome = run_tool({"check", scratch.path()});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, scratch.path().string() + ": error: cannot be read: Is a directory\n");

    const std::string empty = scratch.write("empty.yaml", "");
    outcome = run_tool({"check", empty});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, empty + ": error: the file is empty; a topology file describes a network\n");

    outcome = run_tool({"check", "/dev/zero"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, "/dev/zero: error: is larger than 64 MiB; no input file of bcastgen is\n");

    outcome = run_tool({"check", "/bin/sh"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err, "/bin/sh:1:1: error: control character U+007F; the file is to be plain text\n    \n    ^\n");
}

TEST(Check, FailsWhenTheResultCannotBeWritten) {
    const Outcome outcome = run_tool({"check", "topologies/fsu-1.yaml"}, {BCASTGEN_SOURCE_DIR, "/dev/full", {}});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.err, "bcastgen: error: the result could not be written to stdout\n");
}

TEST(Check, RunsNothingThatAFileSays) {
    const ScratchDirectory scratch;
    const std::string witness = (scratch.path() / "witness").string();
    for (const std::string& name :
         {"$(touch " + witness + ")", "`touch " + witness + "`", "; touch " + witness + " #"}) {
        const std::string file =
            scratch.write("t.yaml", "name: '" + name + "'\nswitches: {'" + name + "': {machines: '" + name + "'}}\n");
        EXPECT_EQ(run_tool({"check", file}).exit_code, 2);
    }
    EXPECT_FALSE(std::filesystem::exists(witness));
}

}  // namespace
}  // namespace bcastgen
