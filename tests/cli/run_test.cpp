// bcastgen run, up to where a program is started (tests/applications/run_command.py starts some).
#include <gtest/gtest.h>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

using testing::Outcome;
using testing::run_tool;
using testing::ScratchDirectory;
using testing::Surroundings;

Outcome run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "run");
    Surroundings surroundings;
    surroundings.environment = {{"BCASTGEN_MPI", ""}};
    return run_tool(std::move(arguments), surroundings);
}

TEST(Run, RefusesWhatItCannotStart) {
    const ScratchDirectory scratch;
    scratch.write("trace.2", "bytes=1 machines=1 ranks=1 rule=x algorithm=native segment=0\n");
    const struct {
        std::vector<std::string> arguments;
        const char* error;
    } rows[] = {
        {{"topologies/fsu-4.yaml", "--", "mpiexek", "-n", "2", "true"},
         "run: error: \"mpiexek\" is no program in PATH\n"},
        {{"topologies/fsu-4.yaml", "--", "true"},
         "--mpi: error: \"true\" does not tell which MPI the program runs with, and this host has several; say --mpi "
         "mpich "
         "or --mpi openmpi\n"},
        {{"topologies/fsu-4.yaml", "--trace", scratch.path() / "trace", "--", "mpiexec.mpich", "true"},
         "\" has traces already; name another file\n"},
        {{"topologies/none.yaml", "--", "true"}, "topologies/none.yaml: error: "},
    };
    for (const auto& row : rows) {
        const Outcome outcome = run(row.arguments);
        EXPECT_EQ(outcome.exit_code, 2);
        EXPECT_NE(outcome.err.find(row.error), std::string::npos) << outcome.err;
        EXPECT_EQ(outcome.out, "");
    }
}

}  // namespace
}  // namespace bcastgen
