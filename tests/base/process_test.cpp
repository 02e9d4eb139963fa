#include "base/process.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "base/outside_failure.hpp"

namespace bcastgen {
namespace {

Command shell(const std::string& script) {
    return {{"sh", "-c", script}, {}, {}, std::chrono::seconds(300), {}};
}

bool alive(const std::string& pid) {
    return kill(static_cast<pid_t>(std::stoi(pid)), 0) == 0;
}

bool ends(const std::string& pid) {
    for (int tries = 0; tries < 3000 && alive(pid); ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return !alive(pid);
}

TEST(Command, CollectsBothOutputsAndTheExitCode) {
    const CommandOutcome outcome = run_command(shell("echo out; echo err >&2; exit 7"));
    EXPECT_EQ(outcome.output, "out\n");
    EXPECT_EQ(outcome.errors, "err\n");
    EXPECT_EQ(outcome.exit_code, 7);
    EXPECT_FALSE(outcome.timed_out);
}

TEST(Command, TakesArgumentsAsTheyAre) {
    EXPECT_EQ(run_command({{"printf", "%s|", "a b", "$HOME;", ""}, {}, {}, {}, {}}).output, "a b|$HOME;||");
}

TEST(Command, AddsAndRemovesVariables) {
    setenv("BCASTGEN_TEST_GOES", "x", 1);
    Command command = shell("echo $BCASTGEN_TEST_STAYS-${BCASTGEN_TEST_GOES-unset}");
    command.environment = {{"BCASTGEN_TEST_STAYS", "here"}, {"BCASTGEN_TEST_GOES", ""}};
    EXPECT_EQ(run_command(command).output, "here-unset\n");
}

TEST(Command, HandsOutLinesAsTheyCome) {
    std::vector<std::string> lines;
    Command command = shell("printf 'one\\ntw'; sleep 0.1; printf 'o\\nrest'");
    command.on_line = [&](std::string_view line) { lines.emplace_back(line); };
    run_command(command);
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
}

TEST(Command, CollectsMoreThanAPipeHolds) {
    EXPECT_EQ(run_command(shell("head -c 3000000 /dev/zero; head -c 200000 /dev/zero >&2")).output.size(), 3000000U);
}

TEST(Command, EndsTheWholeGroupAtTheTimeLimit) {
    Command command = shell("sleep 1000 & echo $!; wait");
    CommandOutcome outcome;
    for (int limit_ms = 300; outcome.output.empty() && limit_ms < 60'000; limit_ms *= 2) {  // it may be slow to start
        command.time_limit = std::chrono::milliseconds(limit_ms);
        outcome = run_command(command);
        EXPECT_TRUE(outcome.timed_out);
        EXPECT_EQ(outcome.exit_code, 128 + SIGTERM);
    }
    EXPECT_TRUE(ends(outcome.output));
}

TEST(Command, EndsWhatFallsSilent) {
    Command command = shell("for i in 1 2 3 4; do echo $i; sleep 0.2; done; sleep 1000");
    CommandOutcome outcome;
    // A busy host may keep it silent for longer before it has said everything.
    for (int limit_ms = 600; outcome.output != "1\n2\n3\n4\n" && limit_ms < 60'000; limit_ms *= 2) {
        int told = 0;
        command.silence_limit = std::chrono::milliseconds(limit_ms);
        command.on_time_limit = [&] { ++told; };
        outcome = run_command(command);
        EXPECT_TRUE(outcome.timed_out);
        EXPECT_EQ(told, 1);
    }
    EXPECT_EQ(outcome.output, "1\n2\n3\n4\n");
}

TEST(Command, DoesNotWaitForDaemons) {
    const CommandOutcome outcome = run_command(shell("setsid sleep 1000 & echo $!"));
    EXPECT_FALSE(outcome.timed_out);
    EXPECT_TRUE(alive(outcome.output));
    kill(static_cast<pid_t>(std::stoi(outcome.output)), SIGKILL);
}

TEST(Command, SaysWhatFailed) {
    EXPECT_THROW(run_command({{"no-such-program-here"}, {}, {}, {}, {}}), OutsideFailure);
    try {
        must_run(shell("echo because >&2; exit 3"), "testing");
        FAIL();
    } catch (const OutsideFailure& failure) {
        EXPECT_STREQ(failure.what(), "testing failed (sh returned 3):\nbecause\n");
    }
}

TEST(Command, EndsWhenInterrupted) {
    Command command = shell("sleep 1000 & echo $!; wait");
    std::string sleeper;
    command.on_line = [&](std::string_view line) {
        sleeper = line;
        kill(getpid(), SIGINT);
    };
    EXPECT_THROW(run_command(command), Interrupted);
    EXPECT_TRUE(ends(sleeper));
}

}  // namespace
}  // namespace bcastgen
