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
    EXPECT_EQ(run_tool({"export", "simgrid", yaml}).out.substr(0, 5), "<?xml");
    ASSERT_EQ(run_tool({yaml, "-o", library}).exit_code, 0);
    const Outcome clean = run_tool({"audit", library, yaml});
    EXPECT_EQ(clean.exit_code, 0) << clean.err;
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
