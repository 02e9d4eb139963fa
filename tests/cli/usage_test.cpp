#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

using testing::Outcome;
using testing::run_tool;

TEST(Usage, TellsTheVersion) {
    const Outcome outcome = run_tool({"--version"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.out, "bcastgen " BCASTGEN_VERSION "\n");
    EXPECT_EQ(outcome.err, "");
}

TEST(Usage, HelpsWithExamplesEverywhere) {
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"--help"}, {"-h"}, {"check", "--help"}, {"plan", "--help"}}) {
        const Outcome outcome = run_tool(words);
        EXPECT_EQ(outcome.exit_code, 0);
        EXPECT_EQ(outcome.err, "");
        EXPECT_NE(outcome.out.find("\nExamples:\n  bcastgen "), std::string::npos) << outcome.out;
    }
    EXPECT_NE(run_tool({"--help"}).out.find("Exit codes: 0 done, 1 "), std::string::npos);
}

TEST(Usage, BadUsageExitsWith2AndSaysWhereToLook) {
    struct Row {
        std::vector<std::string> words;
        std::string err;
    };
    const std::vector<Row> rows{
        {{"check"}, "bcastgen: error: topology is required\nSee bcastgen check --help\n"},
        {{"check", "a.yaml", "b.yaml"},
         "bcastgen: error: The following argument was not expected: b.yaml\nSee bcastgen check --help\n"},
        {{"check", "topologies/fsu-1.yaml", "--format", "xml"},
         "bcastgen: error: --format: xml not in {text,json}\nSee bcastgen check --help\n"},
        {{"--colour"}, "bcastgen: error: "},
        {{}, "bcastgen: error: A topology file or a command is required\n"},
        {{"check", "topologies/fsu-1.yaml", "--format", "jsn"},
         "bcastgen: error: --format: jsn not in {text,json}; did you mean json?\nSee bcastgen check --help\n"},
        {{"plan", "topologies/fsu-1.yaml", "--tree", "two-tre"}, "bcastgen: error: --tree: two-tre not in {"},
        {{"build", "generated/fsu-1", "--mpi", "mpich,openmp"},
         "bcastgen: error: --mpi: openmp not in {mpich,openmpi}; did you mean openmpi?\n"},
        {{"import", "ibnetdiscovr", "a"}, "bcastgen: error: format: ibnetdiscovr not in {ibnetdiscover,"},
        {{"check", "topologies/fsu-1.yaml", "--fromat", "json"},
         "bcastgen: error: there is no option --fromat; did you mean --format?\nSee bcastgen check --help\n"},
        {{"bench", "topologies/fsu-1.yaml", "--onn=simulated"},
         "bcastgen: error: there is no option --onn; did you mean --on?\nSee bcastgen bench --help\n"},
        {{"lab", "up", "topologies/fsu-1.yaml", "--rat", "1Mbit/s"},
         "bcastgen: error: there is no option --rat; did you mean --rate?\n"},
        {{"topologies/fsu-1.yaml", "--tunning", "t.yaml"},
         "bcastgen: error: there is no option --tunning; did you mean --tuning?\n"},
        {{"chekc", "a.yaml"}, "bcastgen: error: there is no command \"chekc\" and no such file; did you mean check?\n"},
    };
    for (const Row& row : rows) {
        const Outcome outcome = run_tool(row.words);
        EXPECT_EQ(outcome.exit_code, 2);
        EXPECT_EQ(outcome.out, "");
        EXPECT_EQ(outcome.err.substr(0, row.err.size()), row.err);
        EXPECT_NE(outcome.err.find("\nSee bcastgen "), std::string::npos) << outcome.err;
    }
}

/// What `bcastgen check` of a bad file writes when stderr is a terminal.
std::string on_a_terminal(bool no_colour) {
    int terminal = -1;
    const pid_t pid = forkpty(&terminal, nullptr, nullptr, nullptr);
    if (pid == 0) {
        setenv("TERM", "xterm", 1);
        unsetenv("NO_COLOR");
        if (no_colour) setenv("NO_COLOR", "1", 1);
        execl(BCASTGEN_TOOL, "bcastgen", "check", BCASTGEN_SOURCE_DIR "/tests/planner/topology/bad/no_name.yaml",
              nullptr);
        _exit(127);
    }
    std::string text;
    char block[4096];
    for (ssize_t count = 0; (count = read(terminal, block, sizeof block)) > 0;) {
        text.append(block, static_cast<std::size_t>(count));
    }
    close(terminal);
    waitpid(pid, nullptr, 0);
    return text;
}

/// `command` under a shell, in which $bcastgen is the tool.
Outcome in_a_shell(const std::string& command) {
    testing::Surroundings surroundings;
    surroundings.environment = {{"bcastgen", BCASTGEN_TOOL}};
    return testing::run_program({"sh", "-c", command}, surroundings);
}

TEST(Usage, ADashIsStdinAndStdout) {
    const Outcome checked = in_a_shell("$bcastgen check - <topologies/fsu-1.yaml");
    EXPECT_EQ(checked.out, run_tool({"check", "topologies/fsu-1.yaml"}).out);
    EXPECT_EQ(checked.exit_code, 0);
    EXPECT_EQ(in_a_shell("echo 'nmae: x' | $bcastgen check -").err.substr(0, 10), "-:1:1: err");
    const Outcome imported = in_a_shell(
        "$bcastgen export slurm topologies/fsu-4.yaml | $bcastgen import slurm - -o - | $bcastgen check - --format "
        "json");
    EXPECT_EQ(imported.exit_code, 0);
    EXPECT_NE(imported.out.find("\"machines\": 32"), std::string::npos) << imported.out;
    const Outcome told =
        in_a_shell("$bcastgen export slurm topologies/fsu-4.yaml | $bcastgen import slurm - --format json");
    EXPECT_NE(told.out.find("\"format\": \"bcastgen-import/1\",\n  \"topology\": \"fsu-4\",\n  \"machines\": 32,\n"),
              std::string::npos)
        << told.out;
    const testing::ScratchDirectory scratch;
    EXPECT_EQ(in_a_shell("cd '" + scratch.path().string() + "' && $bcastgen import slurm - -o - </dev/null; ls -A").out,
              "");
}

TEST(Usage, TakesNoMisspeltCommandForAFile) {
    const Outcome outcome = run_tool({"chekc"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.err, "bcastgen: error: there is no command \"chekc\" and no such file; did you mean check?\n");
    EXPECT_EQ(run_tool({"lab", "stauts"}).err,
              "bcastgen: error: there is no command \"stauts\" and no such file; did you mean status?\n");
}

TEST(Usage, ColoursErrorsOnATerminalThatWantsThem) {
    EXPECT_NE(on_a_terminal(false).find(" \x1b[1;31merror:\x1b[0m the topology has no name"), std::string::npos);
    EXPECT_NE(on_a_terminal(true).find(" error: the topology has no name"), std::string::npos);
}

TEST(Usage, ColoursNothingThatIsNoTerminal) {
    for (const std::vector<std::string>& words : {std::vector<std::string>{"check", "topologies/fsu-1.yaml"},
                                                  {"check", "tests/planner/topology/bad/no_name.yaml"}}) {
        const Outcome outcome = run_tool(words);
        EXPECT_EQ((outcome.out + outcome.err).find('\x1b'), std::string::npos);
    }
}

}  // namespace
}  // namespace bcastgen
