// `bcastgen verify` from the command line to its words, on clusters that any host can have.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/run_tool.hpp"

namespace bcastgen {
namespace {

using testing::Outcome;
using testing::run_tool;
using testing::ScratchDirectory;

constexpr const char* described = "tests/tuner/clusters/dealt.yaml";

constexpr const char* head = "name: dealt\ndefaults: {link: {bandwidth: 100Mbit/s, latency: 20us}}\n";

Outcome verify(const std::string& topology, const std::string& there, const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"verify", topology, "--on", "simulated", "--of", there};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_tool(arguments);
}

TEST(Verify, FindsThatATrueFileIsTrue) {
    const Outcome outcome = verify(described, described);
    EXPECT_EQ(outcome.err, "");
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out,
              "dealt is true: 12 machines in 14 rounds, every port and trunk that they can show is as described; "
              "streams get 92 % of what links have\n");
}

TEST(Verify, NamesWhatDiffersAndWritesACorrectedFileThatIsTrue) {
    const ScratchDirectory scratch;
    const std::string there = scratch.write("there.yaml", std::string(head) + R"(switches:
  s0: {machines: "n[0,3,6,9]"}
  s1: {machines: "n[1,4,7]"}
  s2: {machines: "n[2,5,8,11,10]"}
links:
  - {between: [s0, s1], bandwidth: 50Mbit/s}
  - {between: [s0, s2]}
machines:
  n3: {link: {bandwidth: 10Mbit/s}}
)");
    const std::string fixed = (scratch.path() / "fixed.yaml").string();
    Outcome outcome = verify(described, there, {"--fix", fixed});
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_EQ(outcome.err, "next: bcastgen verify " + fixed + " --on simulated\n");
    EXPECT_EQ(outcome.out, R"(dealt: 3 differences, 12 machines in 47 rounds; streams get 93 % of what links have

  n10 hangs on s2, not on s1
      by round trips to machines of every switch

  port of n3 on s0: 10Mbit/s, not 100Mbit/s
      n3 to s0 9.29Mbit/s (each of 5 times), s0 to n3 9.29Mbit/s (each of 5 times)

  trunk s0 - s1: 50Mbit/s, not 100Mbit/s
      s0 to s1 45.6Mbit/s (each of 5 times), s1 to s0 45.7Mbit/s (each of 5 times)

  s0                     4 machines  n[0,3,6,9]   <- n3: 10Mbit/s
  ├─ s1  100Mbit/s 20us  4 machines  n[1,4,7,10]  <- without n10: on s2
  │                                               <- trunk s0 - s1: 50Mbit/s, not 100Mbit/s
  └─ s2  100Mbit/s 20us  4 machines  n[2,5,8,11]  <- and n10
)");
    outcome = verify(fixed, there, {"--format", "json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.out;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["true"], true);
}

TEST(Verify, RefusesWhatItCannotMeasure) {
    Outcome outcome = run_tool({"verify", described, "--on", "simulated"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err,
              "--of: error: is needed with --on simulated: the topology file of the network that is there\n");
    outcome = run_tool({"verify", described, "--on", "mpiexec", "--of", described});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, "--of: error: goes with --on simulated or emulated only\n");
    outcome = verify(described, "topologies/fsu-1.yaml", {"--machines", "n3"});
    EXPECT_EQ(outcome.exit_code, 2);
    outcome = verify("topologies/fsu-5.yaml", described);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, "--of: error: " + std::string(described) +
                               " has no machines n[12,16,20,24,28,13,17,21,25,29,14,18,22,26,30,15,19,23,27,31]\n");
}

TEST(Discover, WritesAFileWithItsEvidenceThatIsTrue) {
    const ScratchDirectory scratch;
    const std::string found = (scratch.path() / "found.yaml").string();
    const Outcome written = run_tool({"discover", "--on", "simulated", "--of", described, "-o", found});
    EXPECT_EQ(written.exit_code, 0);
    EXPECT_EQ(written.err.find("12 machines under 3 switches, measured for "), 0U);
    EXPECT_NE(written.err.find(" s\nnext: bcastgen tune " + found + " --on simulated\n"), std::string::npos);
    EXPECT_EQ(verify(found, described).exit_code, 0);
    const Outcome printed = run_tool({"discover", "--on", "simulated", "--of", described});
    EXPECT_EQ(
        printed.out,
        "# Discovered by bcastgen " BCASTGEN_VERSION
        ": 12 machines in 83 rounds.\n"
        R"(# Only what streams can show: a switch with two cables and no machines, or with a single machine at the end of
#   a trunk, looks like one longer cable.
# Round trips of all pairs: on one switch they differ by 0.00 us at most, a trunk adds 80.6 us or more;
#   latencies hold software's part.
# Ports: the best streams of the slowest went at 94Mbit/s, of the fastest at 94Mbit/s.
# Verified in 20 rounds.
name: discovered
defaults:
  link: {bandwidth: 100Mbit/s, latency: 41.1us}
switches:
  # 4 machines, no trunk between them
  s0: {machines: "n[0,3,6,9]"}
  # 4 machines, no trunk between them
  s1: {machines: "n[1,4,7,10]"}
  # 4 machines, no trunk between them
  s2: {machines: "n[2,5,8,11]"}
links:
  # 80.6 us there and back; streams and their sum: 1 94Mbit/s, 2 95.6Mbit/s, 4 95.6Mbit/s
  - {between: [s0, s1], latency: 40.3us}
  # 80.6 us there and back; streams and their sum: 1 94Mbit/s, 2 95.5Mbit/s, 4 95.6Mbit/s
  - {between: [s0, s2], latency: 40.3us}
)");
}

TEST(Discover, NeedsMachines) {
    const Outcome outcome = run_tool({"discover", "--on", "mpiexec"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, "--machines: error: two machines or more are needed, as a hostlist: \"n[0-15]\"\n");
}

class VerifyOnThisHost : public ::testing::TestWithParam<const char*> {};

// Messages do not cross the network that is described, so nothing is known of the speeds: that it comes to an end.
TEST_P(VerifyOnThisHost, RunsUnderARealMpi) {
    const Outcome outcome = run_tool(
        {"verify", described, "--on", "mpiexec", "--mpi", GetParam(), "--machines", "n[0,1]", "--format", "json"});
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["machines"], 2);
    EXPECT_GE(json["rounds"], 10);
    EXPECT_EQ(outcome.exit_code == 0, json["true"] == true) << outcome.out;
}

TEST_P(VerifyOnThisHost, DiscoversWithoutAnyFile) {
    const ScratchDirectory scratch;
    const std::string found = (scratch.path() / "found.yaml").string();
    const Outcome outcome =
        run_tool({"discover", "--on", "mpiexec", "--mpi", GetParam(), "--machines", "n[0-2]", "-o", found});
    const bool is_said =
        outcome.err.find("no topology file: the measurements leave something open") != std::string::npos;
    EXPECT_TRUE(outcome.exit_code == 0 || (outcome.exit_code == 1 && is_said)) << outcome.exit_code << outcome.err;
}

INSTANTIATE_TEST_SUITE_P(Mpis, VerifyOnThisHost, ::testing::Values("mpich", "openmpi"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace bcastgen
