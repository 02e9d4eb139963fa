#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "bench_rows.hpp"
#include "tests/models/card_times.hpp"

namespace bcastgen {
namespace {

using testing::bench_rows;
using testing::BenchLine;
using testing::Outcome;
using testing::row_of;
using testing::run_tool;

constexpr std::size_t mebi = 1048576;
constexpr double wire_us = 1048576 / 12.5;  // 1 MiB at 100 Mbit/s
constexpr double envelope_us = 16 / 12.5;   // SMPI counts 16 bytes for tag, destination and communicator

/// As a decision table must state it: from the banner of the emitted library.
std::string plan_hash(const std::string& topology) {
    const testing::ScratchDirectory scratch;
    const std::string directory = scratch.path() / "library";
    EXPECT_EQ(run_tool({topology, "-o", directory}).exit_code, 0);
    std::ifstream in(directory + "/mpi_bcast.cpp");
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const std::string before = "// Plan ";
    const std::size_t begin = text.find(before) + before.size();
    return text.substr(begin, text.find(',', begin) - begin);
}

TEST(Simulated, GivesTheSameBytesTwiceAndLinearNearOneMessageTime) {
    const std::vector<std::string> command = {"bench",        "topologies/fsu-5.yaml",
                                              "--on",         "simulated",
                                              "--sizes",      "64K,1M",
                                              "--algorithms", "pingpong,native,linear,binary,smpi:mpich,smpi:ompi",
                                              "--format",     "csv"};
    const Outcome first = run_tool(command);
    EXPECT_EQ(first.exit_code, 0) << first.err;
    EXPECT_EQ(first.err, "");
    EXPECT_EQ(run_tool(command).out, first.out);
    const std::vector<BenchLine> rows = testing::rows_in(first.out);
    ASSERT_EQ(rows.size(), 12U);
    EXPECT_LE(row_of(rows, "linear", mebi).completion_us(), 1.6 * row_of(rows, "pingpong", mebi).completion_us());
    EXPECT_LT(row_of(rows, "linear", mebi).completion_us(), row_of(rows, "native", mebi).completion_us() / 4);
    EXPECT_EQ(row_of(rows, "linear", mebi).fields[2], "32");
    EXPECT_EQ(row_of(rows, "linear", mebi).fields[3], "32");
}

TEST(Simulated, IdealNetworkIsLatencyPlusBytesOverBandwidth) {
    const auto rows = bench_rows({"topologies/fsu-1.yaml", "--on", "simulated", "--network", "ideal", "--sizes", "1M",
                                  "--machines", "n[0-7]", "--algorithms", "pingpong,flat,binomial,linear"});
    EXPECT_NEAR(row_of(rows, "pingpong", mebi).completion_us(), wire_us + envelope_us + 40, 0.1);
    EXPECT_NEAR(row_of(rows, "flat", mebi).completion_us(), 7 * wire_us, 0.01 * wire_us);
    EXPECT_NEAR(row_of(rows, "binomial", mebi).completion_us(), 3 * wire_us, 0.01 * wire_us);
    EXPECT_LT(row_of(rows, "linear", mebi).completion_us(), 1.25 * wire_us);
}

// A fast network: what software costs, and ports that send one message after the other.
std::string fast_topology(const testing::ScratchDirectory& scratch, const std::string& software,
                          const std::string& machine) {
    return scratch.write(
        "fast.yaml", "name: fast\ndefaults: {link: {bandwidth: 100Gbit/s, latency: 1us}, software: {" + software +
                         "}}\nswitches: {s0: {machines: \"n[0-7]\"}}\nmachines: {n1: {software: {" + machine + "}}}\n");
}

constexpr double fast_wire_us = 1048576 / 12.5e3;  // 1 MiB at 100 Gbit/s

TEST(Simulated, AutoChargesSoftwareOnFastLinks) {
    const testing::ScratchDirectory scratch;
    const std::string file =
        fast_topology(scratch, "send: 3us, receive: 5us, per_byte: 0.01ns, copy: {bandwidth: 40Gbit/s, latency: 5ms}",
                      "receive: 50us");
    const auto one_us = [&](const std::string& machines, const std::string& network) {
        return bench_rows({file, "--on", "simulated", "--network", network, "--sizes", "1M", "--machines", machines,
                           "--algorithms", "pingpong"})
            .front();
    };
    const double per_byte_us = 2 * 1048576 * 0.01e-3;
    const BenchLine plain = one_us("n[0,2]", "auto");
    EXPECT_EQ(plain.network(), "fabric");
    EXPECT_NEAR(plain.completion_us(), fast_wire_us + 2 + 3 + 5 + per_byte_us, 0.1);
    EXPECT_NEAR(one_us("n[0-1]", "auto").completion_us(), fast_wire_us + 2 + 3 + (5 + 50) / 2.0 + per_byte_us, 0.1);
    EXPECT_NEAR(one_us("n[0,2]", "ideal").completion_us(), fast_wire_us + 2, 0.1);
    const std::vector<BenchLine> within =
        bench_rows({file, "--on", "simulated", "--sizes", "1M", "--machines", "n[0,2]", "--ranks-per-machine", "2",
                    "--algorithms", "smpi:flattree"});
    EXPECT_NEAR(within.front().completion_us(), 1048576 / 5e3 + 5000, 0.1) << "a copy, and nothing else";
}

// Seven messages that leave one port take as long together either way, but one after the other most are there early.
TEST(Simulated, PortsOfFastNetworksSendInOrder) {
    const testing::ScratchDirectory scratch;
    const std::string file = fast_topology(scratch, "send: 0us, receive: 0us", "send: 0us");
    const auto all_at_once = [&](const std::string& network) {
        return bench_rows(
                   {file, "--on", "simulated", "--network", network, "--sizes", "1M", "--algorithms", "smpi:flattree"})
            .front();
    };
    const BenchLine in_order = all_at_once("fabric");
    const BenchLine shared = all_at_once("ideal");
    EXPECT_NEAR(in_order.completion_us(), 7 * fast_wire_us + 2, 1);
    EXPECT_NEAR(shared.completion_us(), 7 * fast_wire_us + 2, 1);
    EXPECT_NEAR(in_order.per_node_us(), (1 + 2 + 3 + 4 + 5 + 6 + 7 + 7) * fast_wire_us / 8 + 2, 3);
    EXPECT_NEAR(shared.per_node_us(), 7 * fast_wire_us + 2, 3);
}

// Both trees send to both slow machines. What comes to their ports waits in the switch, no quicker than these ports are
// and without holding up its sender: a port that was held until its message had arrived would take two messages' time.
TEST(Simulated, WhatWaitsForSlowPortsWaitsInTheSwitch) {
    const testing::ScratchDirectory scratch;
    const std::string file = scratch.write("mixed.yaml",
                                           "name: mixed\ndefaults: {link: {bandwidth: 10Gbit/s, latency: 1us}}\n"
                                           "switches: {s0: {machines: \"n[0-3]\"}}\n"
                                           "machines:\n  n2: {link: {bandwidth: 1Gbit/s}}\n"
                                           "  n3: {link: {bandwidth: 1Gbit/s}}\n");
    const auto rows =
        bench_rows({file, "--on", "simulated", "--sizes", "64K", "--segments", "8K", "--algorithms", "two-tree"});
    const double slow_wire_us = 65536 * 8 / 1e3;
    EXPECT_GT(row_of(rows, "two-tree", 65536).completion_us(), slow_wire_us);
    EXPECT_LT(row_of(rows, "two-tree", 65536).completion_us(), 1.1 * slow_wire_us);
}

/// Machine r's children: r + m for every power of two m above r's own lowest bit, the largest first.
std::vector<std::vector<std::size_t>> binomial_children(std::size_t machines) {
    std::vector<std::vector<std::size_t>> children(machines);
    for (std::size_t machine = 0; machine < machines; ++machine) {
        std::size_t step = 1;
        while (step < machines && (machine & step) == 0) step *= 2;
        for (step /= 2; step > 0; step /= 2) {
            if (machine + step < machines) children[machine].push_back(machine + step);
        }
    }
    return children;
}

// MPIs tell the first of a row that has ended. Where receives came first, a rank that software keeps busy was told of
// them alone, and found its sends ended only once no receive was left: a window of 7 took 516 us and one of 5 237.
TEST(Simulated, AWideWindowDoesNotStarveAChain) {
    const testing::ScratchDirectory scratch;
    const std::string file = scratch.write("chain.yaml",
                                           "name: chain\ndefaults: {link: {bandwidth: 100Gbit/s, latency: 1us}}\n"
                                           "switches: {s0: {machines: \"n[0-5]\"}}\n");
    const auto chain_us = [&](const char* window) {
        ::setenv("BCASTGEN_IN_FLIGHT", window, 1);
        const auto rows =
            bench_rows({file, "--on", "simulated", "--sizes", "1M", "--segments", "4K", "--algorithms", "linear"});
        ::unsetenv("BCASTGEN_IN_FLIGHT");
        return row_of(rows, "linear", mebi).completion_us();
    };
    const double narrow_us = chain_us("5");
    for (const char* window : {"7", "8", "16"}) EXPECT_LT(chain_us(window), 1.05 * narrow_us) << window;
}

TEST(Simulated, FabricAgreesWithCardsWorkedOutMessageByMessage) {
    constexpr std::size_t machines = 8;
    constexpr std::size_t envelope = 16;
    std::vector<std::vector<std::size_t>> flat(machines);
    for (std::size_t machine = 1; machine < machines; ++machine) flat[0].push_back(machine);
    const struct {
        const char* text;
        Software software;
    } rows[] = {{"send: 0.4us, receive: 0.4us, per_byte: 0ns", {0.4e-6, 0.4e-6, 0}},
                {"send: 5us, receive: 4us, per_byte: 0.1ns", {5e-6, 4e-6, 0.1e-9}},
                {"send: 0us, receive: 30us, per_byte: 0ns", {0, 30e-6, 0}}};
    for (const auto& [text, software] : rows) {
        const testing::ScratchDirectory scratch;
        const std::string file = fast_topology(scratch, text, "copy: {latency: 1us}");
        const std::vector<BenchLine> lines = bench_rows(
            {file, "--on", "simulated", "--sizes", "1K,64K,1M", "--algorithms", "smpi:flattree,smpi:binomial_tree"});
        for (const BenchLine& line : lines) {
            const bool is_flat = line.algorithm() == "smpi:flattree";
            const std::vector<double> exits_s =
                testing::card_exits_s(is_flat ? flat : binomial_children(machines), line.message_bytes() + envelope,
                                      !is_flat, {software, 2e-6, 12.5e9});
            const double mean_us = 1e6 * std::accumulate(exits_s.begin(), exits_s.end(), 0.0) / machines;
            const double last_us = 1e6 * *std::max_element(exits_s.begin(), exits_s.end());
            EXPECT_NEAR(line.completion_us(), last_us, 0.05 + 0.001 * last_us) << text << line.algorithm();
            EXPECT_NEAR(line.per_node_us(), mean_us, 0.1 + 0.01 * mean_us) << text << line.algorithm();
        }
    }
}

TEST(Simulated, AutoIsTheDefaultUpToGigabitEthernet) {
    const auto rows = [](const std::string& network) {
        return run_tool({"bench", "topologies/fsu-1.yaml", "--on", "simulated", "--network", network, "--sizes",
                         "1K,64K", "--machines", "n[0-5]", "--algorithms", "native,linear", "--segments", "8K",
                         "--format", "csv"});
    };
    const Outcome picked = rows("auto");
    EXPECT_EQ(picked.out, rows("default").out);
    EXPECT_EQ(testing::rows_in(picked.out).front().network(), "default");
}

TEST(Simulated, SlowLinksAndSeveralCablesAreModelled) {
    const testing::ScratchDirectory scratch;
    const std::string file = scratch.write("t.yaml", R"(
name: t
defaults: {link: {bandwidth: 1Gbit/s, latency: 10us}}
switches: {s0: {machines: "a,b"}, s1: {machines: "c,d"}}
links: [{between: [s0, s1], bandwidth: 100Mbit/s, cables: 4}]
machines: {b: {link: {bandwidth: 10Mbit/s}}}
)");
    const auto time_us = [&](const std::string& root, const std::string& machines) {
        return bench_rows({file, "--on", "simulated", "--network", "ideal", "--sizes", "1M", "--root", root,
                           "--machines", machines, "--algorithms", "pingpong"})
            .front()
            .completion_us();
    };
    EXPECT_NEAR(time_us("a", "a,b"), 10 * wire_us, 0.02 * wire_us);
    EXPECT_NEAR(time_us("c", "c,d"), 0.1 * wire_us, 0.02 * wire_us);
    EXPECT_NEAR(time_us("a", "a,c"), wire_us, 0.02 * wire_us) << "one stream has one cable";
}

TEST(Simulated, RanksOfAMachineMeetInMemory) {
    const auto rows =
        bench_rows({"topologies/fsu-1.yaml", "--on", "simulated", "--sizes", "64K", "--machines", "n[3,1,5]", "--root",
                    "n1", "--ranks-per-machine", "4", "--algorithms", "linear,binary,tuned", "--segments", "8K"});
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].fields[2], "3");
    EXPECT_EQ(rows[0].fields[3], "12");
    EXPECT_LT(rows[0].completion_us(), 2 * 65536 / 12.5);
}

TEST(Simulated, RanksGoRoundTheMachines) {
    const auto completion_us = [](const std::string& distribution, const std::string& algorithm) {
        const auto rows = bench_rows({"topologies/fsu-1.yaml", "--on", "simulated", "--sizes", "64K", "--machines",
                                      "n[0-3]", "--ranks-per-machine", "4", "--distribution", distribution,
                                      "--algorithms", algorithm, "--segments", "8K"});
        EXPECT_EQ(rows.at(0).distribution(), distribution);
        return rows.at(0).completion_us();
    };
    // Who knows on which machines ranks are takes the same time; a chain in rank order crosses the network 15 times
    // instead of 3.
    EXPECT_NEAR(completion_us("cyclic", "linear"), completion_us("block", "linear"), 0.01 * 65536 / 12.5);
    EXPECT_GT(completion_us("cyclic", "smpi:ompi_pipeline"), 1.5 * completion_us("block", "smpi:ompi_pipeline"));
}

TEST(Simulated, OneMachineIsTunedForItsRanks) {
    const testing::ScratchDirectory scratch;
    const std::string tuning = scratch.path() / "tuning.yaml";
    const Outcome tuned =
        run_tool({"tune", "topologies/fsu-1.yaml", "--on", "simulated", "--machines", "n4", "--ranks-per-machine", "4",
                  "--sizes", "64K", "--time-budget", "none", "--db", scratch.path() / "tuning.db", "-o", tuning});
    ASSERT_EQ(tuned.exit_code, 0) << tuned.err;
    const auto rows = bench_rows({"topologies/fsu-1.yaml", "--on", "simulated", "--sizes", "64K", "--machines", "n4",
                                  "--ranks-per-machine", "4", "--algorithms", "native,tuned", "--tuning", tuning});
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_LT(rows[1].completion_us(), 0.8 * rows[0].completion_us());
    EXPECT_EQ(run_tool({"bench", "topologies/fsu-1.yaml", "--on", "simulated", "--sizes", "64K", "--machines", "n4"})
                  .exit_code,
              2);
}

TEST(Simulated, SegmentsAreRowsOfTheirOwn) {
    const auto rows =
        bench_rows({"topologies/fsu-1.yaml", "--on", "simulated", "--sizes", "64K,8K", "--machines", "n[0-3]",
                    "--algorithms", "native,linear", "--segments", "4K,max", "--repetitions", "2"});
    ASSERT_EQ(rows.size(), 6U);
    EXPECT_EQ(rows[0].algorithm(), "native");
    EXPECT_EQ(rows[1].segment_bytes(), 4096U);
    EXPECT_EQ(rows[2].segment_bytes(), 0U);
    EXPECT_EQ(rows[3].message_bytes(), 8192U);
    for (const BenchLine& row : rows) EXPECT_EQ(row.repetitions(), 2);
    EXPECT_LT(rows[1].completion_us(), rows[2].completion_us());
}

TEST(Simulated, TunedFollowsTheTable) {
    const testing::ScratchDirectory scratch;
    const std::string tuning = scratch.write(
        "tuning.yaml", "format: bcastgen-tuning/1\ntopology: fsu-1\nplan: " + plan_hash("topologies/fsu-1.yaml") + R"(
measured: {cluster: simulated, mpi: mpich, machines: 16}
rules:
  - {machines: 2-, ranks_per_machine: 1-, arrival: balanced,
     messages: [{up_to: 1K, algorithm: native}, {up_to: max, algorithm: linear, segment: 2K}]}
)");
    const auto rows_of = [&](const std::string& algorithms) {
        return bench_rows({"topologies/fsu-1.yaml", "--on", "simulated", "--machines", "n[0-5]", "--sizes", "1K,32K",
                           "--algorithms", algorithms, "--segments", "2K", "--tuning", tuning});
    };
    const auto rows = rows_of("tuned,native,linear");
    EXPECT_EQ(row_of(rows, "tuned", 32768).segment_bytes(), 2048U);
    EXPECT_NEAR(row_of(rows, "tuned", 32768).completion_us(), row_of(rows, "linear", 32768).completion_us(), 5);
    EXPECT_NEAR(row_of(rows, "tuned", 1024).completion_us(), row_of(rows, "native", 1024).completion_us(), 5);
    // What linear needs for its first broadcast is not counted, whether or not others have had it done.
    EXPECT_EQ(row_of(rows_of("tuned"), "tuned", 32768).completion_us(), row_of(rows, "tuned", 32768).completion_us());
}

TEST(Simulated, LateRanksAreWaitedForFromTheRootsEntry) {
    const auto times = [](const std::string& arrival) {
        return bench_rows({"topologies/fsu-1.yaml", "--on", "simulated", "--machines", "n[0-5]", "--sizes", "64K",
                           "--algorithms", "pingpong,linear", "--segments", "8K", "--repetitions", "3", "--arrival",
                           arrival});
    };
    const auto balanced = times("balanced");
    const double unit_us = row_of(balanced, "pingpong", 65536).completion_us();
    const double linear_us = row_of(balanced, "linear", 65536).completion_us();
    const auto none_late = times("late:0:10");
    EXPECT_NEAR(row_of(none_late, "linear", 65536).completion_us(), linear_us, 0.02 * linear_us);
    const auto all_late = times("late:1:10");
    EXPECT_EQ(all_late.front().fields[4], "late:1:10");
    EXPECT_NEAR(row_of(all_late, "linear", 65536).completion_us(), linear_us + 10 * unit_us, 0.1 * unit_us);
    EXPECT_NEAR(row_of(all_late, "pingpong", 65536).completion_us(), unit_us, 0.01 * unit_us);
    // The root alone spends the delay in the call.
    EXPECT_LT(row_of(all_late, "linear", 65536).per_node_us(), linear_us + 2 * unit_us);
    const auto random = row_of(times("random:10"), "linear", 65536);
    EXPECT_GT(random.completion_us(), linear_us + unit_us);
    EXPECT_LT(random.completion_us(), linear_us + 10 * unit_us);
}

TEST(Simulated, JsonAndText) {
    const std::vector<std::string> command = {
        "bench", "topologies/fsu-1.yaml", "--on",          "simulated", "--machines", "n[0-2]",  "--sizes",
        "4K",    "--algorithms",          "native,linear", "--mpi",     "openmpi",    "--format"};
    std::vector<std::string> json_command = command;
    json_command.emplace_back("json");
    const nlohmann::json json = nlohmann::json::parse(run_tool(json_command).out);
    EXPECT_EQ(json["mpi"], "openmpi");
    EXPECT_EQ(json["network"], "default");
    EXPECT_EQ(json["rows"].size(), 2U);
    EXPECT_GT(json["references"][0]["one_peer_us"], 4096 / 12.5 / 2);
    std::vector<std::string> text_command = command;
    text_command.emplace_back("text");
    const std::string text = run_tool(text_command).out;
    EXPECT_NE(text.find("\n* linear "), std::string::npos);
    EXPECT_EQ(text.find("fsu-1 on the simulated cluster (network default), native as in openmpi: 3 machines"), 0U);
}

// On an ideal switch the circulant graph needs n - 1 + ceil(log2 P) rounds, and no chain fewer than n - 1 + P - 1.
TEST(Simulated, OpponentsTakeTheRoundsThatTheyPromise) {
    const auto rows = bench_rows({"topologies/fsu-1.yaml", "--on", "simulated", "--network", "ideal", "--sizes", "1M",
                                  "--segments", "64K", "--machines", "n[0-8]", "--root", "n5", "--algorithms",
                                  "opponent:circulant,opponent:topology-kary1,opponent:two-level"});
    const double round_us = wire_us / 16;
    const double round_with_latency_us = round_us + envelope_us + 60;
    const double circulant_us = row_of(rows, "opponent:circulant", mebi).completion_us();
    EXPECT_GT(circulant_us, (16 - 1 + 4) * round_us);
    EXPECT_LT(circulant_us, (16 - 1 + 4) * round_with_latency_us);
    EXPECT_GT(row_of(rows, "opponent:topology-kary1", mebi).completion_us(), (16 - 1 + 8) * round_us);
    EXPECT_GT(row_of(rows, "opponent:two-level", mebi).completion_us(), 4 * wire_us) << "binomial: four sends each";
}

// The floor is that of the model in force. With one segment of a byte to three machines it is two sends, one after the
// other: software of the first, then all of the second.
TEST(Simulated, NoBroadcastIsBelowTheFloor) {
    const testing::ScratchDirectory scratch;
    const std::string fast = fast_topology(scratch, "send: 3us, receive: 5us", "receive: 5us");
    const auto rows_with = [](const std::string& file, const std::string& network, const std::string& machines) {
        return bench_rows({file, "--on", "simulated", "--network", network, "--sizes", "1,2K,1M", "--machines",
                           machines, "--algorithms", "native,flat,two-tree,linear,opponent:circulant"});
    };
    for (const std::string& file : {std::string("topologies/fsu-1.yaml"), fast}) {
        std::vector<double> floors;
        for (const char* network : {"default", "ideal", "fabric"}) {
            const std::vector<BenchLine> rows = rows_with(file, network, "n[0-7]");
            for (const BenchLine& row : rows)
                EXPECT_GE(row.completion_us(), row.floor_us()) << network << row.algorithm();
            floors.push_back(row_of(rows, "flat", 1).floor_us());
        }
        EXPECT_NE(floors[0], floors[1]) << "factors for TCP";
        EXPECT_NE(floors[1], floors[2]) << "software";
    }
    const BenchLine two_sends = row_of(rows_with(fast, "fabric", "n[0-2]"), "flat", 1);
    EXPECT_NEAR(two_sends.floor_us(), 3 + 3 + 2 + 5, 0.01);
    EXPECT_NEAR(two_sends.completion_us(), two_sends.floor_us(), 0.01);
}

TEST(Simulated, NativeFollowsTheRuleOfTheMpi) {
    const auto times = [](const std::string& mpi, const std::string& machines, const std::string& sizes) {
        return bench_rows({"topologies/fsu-1.yaml", "--on", "simulated", "--machines", machines, "--sizes", sizes,
                           "--mpi", mpi, "--algorithms",
                           "native,smpi:binomial_tree,smpi:scatter_rdb_allgather,smpi:scatter_LR_allgather,smpi:ompi"});
    };
    const auto same = [](const std::vector<BenchLine>& rows, const std::string& algorithm, std::size_t bytes) {
        EXPECT_EQ(row_of(rows, "native", bytes).completion_us(), row_of(rows, algorithm, bytes).completion_us())
            << algorithm << ' ' << bytes;
    };
    const auto mpich = times("mpich", "n[0-15]", "12287,12288,524287,524288");
    same(mpich, "smpi:binomial_tree", 12287);
    same(mpich, "smpi:scatter_rdb_allgather", 12288);
    same(mpich, "smpi:scatter_rdb_allgather", 524287);
    same(mpich, "smpi:scatter_LR_allgather", 524288);
    same(times("mpich", "n[0-6]", "64K"), "smpi:binomial_tree", 65536);
    same(times("mpich", "n[0-8]", "64K"), "smpi:scatter_LR_allgather", 65536);
    same(times("openmpi", "n[0-15]", "64K"), "smpi:ompi", 65536);
}

// Private communicators that first calls make take time, too.
TEST(Simulated, FirstCallsAreNotMeasured) {
    const auto times = [](const std::string& sizes) {
        return bench_rows({"topologies/fsu-1.yaml", "--on", "simulated", "--sizes", sizes, "--segments", "64K",
                           "--algorithms", "two-tree,scatter-ring,linear"});
    };
    const std::vector<BenchLine> alone = times("1M");
    const std::vector<BenchLine> after_others = times("1K,1M");
    for (const char* algorithm : {"two-tree", "scatter-ring", "linear"}) {
        const double usual_us = row_of(after_others, algorithm, mebi).completion_us();
        EXPECT_NEAR(row_of(alone, algorithm, mebi).completion_us(), usual_us, 0.002 * usual_us) << algorithm;
    }
}

// SimGrid looks at all links always where it is told to. Who looks only at those that a change reaches must find the
// same.
TEST(Simulated, LongJobsShareLinksAsSimGridDoes) {
    const testing::ScratchDirectory scratch;
    const std::string path = std::getenv("PATH");
    const std::string said = (scratch.path() / "said").string();
    const std::string between = scratch.write(
        "smpirun", "#!/bin/sh\necho \"$@\" >> " + said + "\nPATH=" + path + " exec smpirun $SETTING \"$@\"\n");
    std::filesystem::permissions(between, std::filesystem::perms::owner_all);
    const auto times = [&](const std::string& sizes, const std::string& setting) {
        const Outcome outcome =
            run_tool({"bench", "topologies/fsu-1.yaml", "--on", "simulated", "--sizes", sizes, "--segments", "256K",
                      "--ranks-per-machine", "17", "--algorithms", "linear,binary,two-tree", "--format", "csv"},
                     {.environment = {{"PATH", scratch.path().string() + ":" + path}, {"SETTING", setting}}});
        EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
        return testing::rows_in(outcome.out);
    };
    const auto shared_by_us = [&] { return testing::detail::text_of(said).find("libsharing.so") != std::string::npos; };
    EXPECT_EQ(times("64K", "").size(), 3U);
    EXPECT_FALSE(shared_by_us()) << "64K are little";
    const std::vector<BenchLine> ours = times("4M", "");
    EXPECT_TRUE(shared_by_us());
    const std::vector<BenchLine> simgrids = times("4M", "--cfg=network/optim:Full");
    for (const char* algorithm : {"linear", "binary", "two-tree"}) {
        const double expected_us = row_of(simgrids, algorithm, 4 * mebi).completion_us();
        EXPECT_NEAR(row_of(ours, algorithm, 4 * mebi).completion_us(), expected_us, 0.005 * expected_us) << algorithm;
    }
}

TEST(Simulated, AFailureNamesTheBroadcast) {
    const Outcome outcome = run_tool({"bench", "topologies/fsu-1.yaml", "--on", "simulated", "--sizes", "1K",
                                      "--algorithms", "native,smpi:SMP_linear"});
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("smpi:SMP_linear of 1024 bytes"), std::string::npos) << outcome.err;
}

TEST(Simulated, BadUsageIsToldBeforeAnythingRuns) {
    const Outcome outcome =
        run_tool({"bench", "topologies/fsu-1.yaml", "--on", "simulated", "--algorithms", "linear,smpi:nonsense",
                  "--segments", "8Q", "--machines", "n99", "--hosts", "a", "--rate", "10Mbit/s", "--loss", "0.5"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    for (const char* part :
         {"--algorithms:1:8: error: no algorithm is called \"smpi:nonsense\"", "--segments:1:1: error:",
          "--hosts: error: goes with --on mpiexec only", "--rate: error: goes with --on emulated only",
          "--loss: error: goes with --on emulated only", "--machines: error: no machine \"n99\" in fsu-1"}) {
        EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    }
    EXPECT_EQ(run_tool({"bench", "topologies/fsu-1.yaml"}).exit_code, 2);
    EXPECT_EQ(run_tool({"bench", "topologies/fsu-1.yaml", "--on", "moon"}).exit_code, 2);
    const Outcome ideal = run_tool({"bench", "topologies/fsu-1.yaml", "--on", "mpiexec", "--network", "ideal"});
    EXPECT_EQ(ideal.exit_code, 2);
    EXPECT_EQ(ideal.err, "--network: error: goes with --on simulated only\n");
}

}  // namespace
}  // namespace bcastgen
