#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

using testing::Outcome;
using testing::run_tool;
using testing::ScratchDirectory;

/// What shells are told of a command line that ends with the last word.
std::string completed(std::vector<std::string> words) {
    words.insert(words.begin(), "--complete");
    const Outcome outcome = run_tool(std::move(words));
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
    return outcome.out;
}

TEST(Completion, SaysWhatMayFollow) {
    const ScratchDirectory scratch;
    const std::string site = scratch.write(
        "site.yaml", "name: site\nswitches: {s0: {machines: [alpha, alps, beta]}}\npartitions: {alpine: [alps]}\n");
    const struct {
        std::vector<std::string> words;
        std::string lines;
    } rows[] = {
        {{"rep"}, "report\tShow a tuning, or what a program broadcast, as one HTML page\n: files\n"},
        {{"check", ""}, ": files\n"},
        {{"check", "a.yaml", ""}, ":\n"},
        {{"check", "--fo"}, "--format\ttext for people, json for programs\n:\n"},
        {{"check", "--format", ""}, "text\njson\n:\n"},
        {{"check", "--format=j"}, "--format=json\n:\n"},
        {{"check", "--nonsense=j"}, ":\n"},
        {{"check", "--nonsense", "--format", "j"}, "json\n:\n"},
        {{"build", ""}, ": directories\n"},
        {{"build", "library", "--mpi", "mpich,"}, "mpich,openmpi\n: list\n"},
        {{"plan", site, "--root", "al"}, "alpha\nalps\n:\n"},
        {{"plan", site, "--machines", "alpha,"}, "alpha,alps\nalpha,beta\nalpha,alpine\n: list\n"},
        {{"plan", "--root", "al"}, ":\n"},
        {{"plan", "no such file", "--root", "al"}, ":\n"},
        {{site, "--tun"}, "--tuning\tDecision table (tuning.yaml); predicted from the plan if not given\n:\n"},
        {{"lab", "d"}, "down\tEnd all labs that are up, or the one named\n: files\n"},
        {{"lab", site, "--", "mpi"}, ": files\n"},
        {{"lab", site, "--", "mpiexec", "--ma"}, ": files\n"},
        {{"tune", "--algorithms", "all,arrival-l"}, "all,arrival-live\n: list\n"},
        {{"tune", "--algorithms", "smpi:"}, ": list\n"},
        {{"bench", "--on", "mpiexec", "--algorithms", "smpi:"}, ": list\n"},
        {{"bench", "--on", "simulated", "--algorithms", "smpi:ompi_split"}, "smpi:ompi_split_bintree\n: list\n"},
    };
    for (const auto& row : rows) {
        SCOPED_TRACE(row.words.back());
        EXPECT_EQ(completed(row.words), row.lines);
    }
}

TEST(Completion, OffersEveryCommand) {
    const std::string commands = completed({""});
    for (const char* command : {"import\t", "tune\t", "lab\t", "install\t"}) {
        EXPECT_NE(("\n" + commands).find(std::string("\n") + command), std::string::npos) << commands;
    }
}

}  // namespace
}  // namespace bcastgen
