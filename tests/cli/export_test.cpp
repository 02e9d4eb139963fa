// export of decision tables as a user runs it; tests/planner/exports has what is written.
#include <gtest/gtest.h>

#include <string>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

using testing::Outcome;
using testing::run_tool;
using testing::ScratchDirectory;

const std::string exported_table =
    "format: bcastgen-tuning/1\ntopology: fsu-1\nplan: 00\n"
    "measured: {cluster: emulated, mpi: openmpi 4.1.4, machines: 16}\nrules:\n"
    "  - {machines: 2-, ranks_per_machine: 1-, arrival: balanced, messages:\n"
    "      [{up_to: 64K, algorithm: linear}, {up_to: max, algorithm: ompi:pipeline, segment: 8K}]}\n";

TEST(Export, RulesGoToAFileAndWhatToDoWithItToStderr) {
    const ScratchDirectory scratch;
    const std::string tuning = scratch.write("tuning.yaml", exported_table);
    const std::string rules = scratch.path() / "rules.conf";
    const Outcome outcome = run_tool({"export", "ompi-rules", tuning, "-o", rules});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(
        outcome.err,
        "2 ranks and more, messages up to 64K: linear is none of Open MPI's own broadcasts, and is left to its own "
        "choice\nto use it: mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename " +
            rules + " …\n");
    EXPECT_NE(run_tool({"export", "ompi-rules", tuning}).out.find("\n65537 3 0 8192  # pipeline\n"), std::string::npos);
    const Outcome json = run_tool({"export", "ompi-rules", tuning, "--format", "json"});
    EXPECT_NE(json.out.find("\"seg_size\": 8192"), std::string::npos) << json.out;
    EXPECT_EQ(run_tool({"export", "intel-adjust", tuning}).out.substr(0, 20), "I_MPI_ADJUST_BCAST='");
}

TEST(Export, WrongTablesAreShownTheirPlace) {
    const ScratchDirectory scratch;
    std::string wrong = exported_table;
    wrong.replace(wrong.find("pipeline"), 8, "pipelin");
    const std::string tuning = scratch.write("tuning.yaml", wrong);
    const Outcome outcome = run_tool({"export", "ompi-rules", tuning});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.err.find(tuning + ":7:65: error: there is no algorithm \"ompi:pipelin\"; did you mean "
                                        "ompi:pipeline?"),
              0U)
        << outcome.err;
    EXPECT_EQ(run_tool({"export", "mpich-json", "topologies/fsu-1.yaml"}).exit_code, 2);
}

TEST(Export, OptionsAreForOneFormat) {
    const ScratchDirectory scratch;
    const std::string tuning = scratch.write("tuning.yaml", exported_table);
    const Outcome form = run_tool({"export", "intel-adjust", tuning, "--format", "json"});
    EXPECT_EQ(form.exit_code, 2);
    EXPECT_EQ(form.err, "--format: error: is not for intel-adjust\n");
    EXPECT_EQ(run_tool({"export", "slurm", "topologies/fsu-1.yaml", "--ranks-per-machine", "2"}).exit_code, 2);
    const Outcome library = run_tool({"export", "mpich-json", tuning, "--mpich", tuning});
    EXPECT_EQ(library.exit_code, 2);
    EXPECT_EQ(library.err.find(tuning + ": error: carries no selection of collectives"), 0U) << library.err;
}

// An emitted library leaves to the MPI what a rule takes of the MPI's own.
TEST(Export, TheSameTableServesALibrary) {
    const ScratchDirectory scratch;
    const Outcome refused = run_tool({"topologies/fsu-1.yaml", "--tuning", scratch.write("tuning.yaml", exported_table),
                                      "-o", scratch.path() / "library"});
    ASSERT_EQ(refused.exit_code, 2);  // of another plan: the right one stands in the message
    const std::size_t at = refused.err.find(", not ") + 6;
    std::string right = exported_table;
    right.replace(right.find("plan: 00"), 8, "plan: " + refused.err.substr(at, 16));
    const std::string tuning = scratch.write("tuning.yaml", right);
    const Outcome explained =
        run_tool({"explain", "topologies/fsu-1.yaml", "--tuning", tuning, "--root", "n0", "--size", "1M"});
    EXPECT_EQ(explained.exit_code, 0) << explained.err;
    EXPECT_NE(explained.out.find("native (the MPI's own broadcast)"), std::string::npos) << explained.out;
    EXPECT_NE(explained.err.find("has rules for algorithms of the MPI's own: to the library they are native"),
              std::string::npos)
        << explained.err;
}

}  // namespace
}  // namespace bcastgen
