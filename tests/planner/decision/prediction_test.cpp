#include "planner/decision/prediction.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "planner/price/price.hpp"
#include "tests/models/random_network.hpp"
#include "tests/models/sites.hpp"

namespace bcastgen {
namespace {

using testing::network_of;
using testing::sample_network;
using testing::Site;

bool begins_with_many_segments(const MessageRule& rule, std::size_t own_above, std::size_t /*above*/) {
    return rule.segment_bytes == 0 || own_above >= 16 * rule.segment_bytes;
}

void expect_sound(const DecisionTable& table, int machines) {
    int next = table.rules.front().machines_from;
    EXPECT_LE(next, 2);
    for (const Rule& rule : table.rules) {
        EXPECT_EQ(rule.machines_from, next);
        EXPECT_EQ(rule.ranks_per_machine_from, 1);
        EXPECT_EQ(rule.ranks_per_machine_to, bcast::any_number);
        next = rule.machines_to == bcast::any_number ? 0 : rule.machines_to + 1;
        ASSERT_FALSE(rule.messages.empty());
        std::size_t taken = 0;  // messages of up to so many bytes have their rule
        for (const MessageRule& message : rule.messages) {
            EXPECT_GT(message.up_to, taken);
            EXPECT_LE(message.segment_bytes, taken + 1) << "a segment above the message";
            EXPECT_EQ(message.segment_bytes == 0, !bcast::pipelines(message.algorithm));
            taken = message.up_to;
        }
        EXPECT_EQ(taken, bcast::no_limit);
        EXPECT_EQ(rule.messages, merged(rule.messages, begins_with_many_segments)) << "rules that could be one";
    }
    EXPECT_EQ(next, 0) << "the last row is for all larger machine counts";
    EXPECT_LE(table.rules.back().machines_from, std::max(2, machines));
}

void expect_large_messages_pipelined(const DecisionTable& table, const std::vector<Machine>& machines) {
    EXPECT_EQ(table.rules.front().messages.front().algorithm, bcast::Algorithm::native) << "small messages stay native";
    const bcast::Algorithm last = table.rules.back().messages.back().algorithm;
    const auto differs = [&](const Machine& machine) {
        return machine.port.bandwidth_Bps < machines.front().port.bandwidth_Bps ||
               machine.port.bandwidth_Bps > machines.front().port.bandwidth_Bps;
    };
    if (std::none_of(machines.begin(), machines.end(), differs)) {
        EXPECT_TRUE(last == bcast::Algorithm::linear || last == bcast::Algorithm::two_tree ||
                    last == bcast::Algorithm::circulant)
            << "stage 1 wins in the end";
    } else {  // the slowest machine sets the stage of all
        EXPECT_TRUE(bcast::streams(last));
    }
}

class EveryTable : public testing::ForEverySite {};

// One test, since it takes long to predict a table.
TEST_P(EveryTable, CoversAllMachineCountsAndSizesInGrowingStepsAndPipelinesLargeMessages) {
    if (!sample_.own_network) return;
    const std::vector<Machine>& machines = sample_.network.machines;
    const DecisionTable table = testing::predicted_table(sample_.network);
    expect_sound(table, static_cast<int>(machines.size()));
    if (machines.size() > 2) expect_large_messages_pipelined(table, machines);
}

INSTANTIATE_TEST_SUITE_P(Sites, EveryTable, ::testing::ValuesIn(testing::sample_sites()), testing::label_of);

RC_GTEST_PROP(DefaultTable, IsSoundForAnyNetwork, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    const int machines = *rc::gen::inRange(1, 7);
    Network network =
        testing::random_network(machines, *rc::gen::inRange(1, 8), testing::Shape::random_links, false, random);
    for (Machine& machine : network.machines) {
        machine.port.bandwidth_Bps *= *rc::gen::element(0.1, 1.0, 100.0);
        machine.port.latency_s *= *rc::gen::element(0.01, 1.0, 1000.0);
    }
    expect_sound(testing::predicted_table(network), machines);
}

TEST(DefaultTable, LeavesOneAndTwoMachinesToTheMpi) {
    const DecisionTable one = testing::predicted_table(network_of("name: t\nswitches: {s0: {machines: n0}}\n"));
    ASSERT_EQ(one.rules.size(), 1U);
    EXPECT_EQ(one.rules[0].machines_from, 1);
    EXPECT_EQ(one.rules[0].messages, std::vector<MessageRule>{MessageRule{}});
    const DecisionTable two = testing::predicted_table(network_of("name: t\nswitches: {s0: {machines: \"n[0-1]\"}}\n"));
    ASSERT_EQ(two.rules.size(), 1U);
    EXPECT_EQ(two.rules[0].messages, std::vector<MessageRule>{MessageRule{}});
}

/// The choice that the table makes for all machines of the site.
MessageRule choice(const DecisionTable& table, std::size_t bytes) {
    for (const MessageRule& message : table.rules.back().messages) {
        if (bytes <= message.up_to) return message;
    }
    return {};
}

std::vector<int> machines_of(const Network& network) {
    return make_site_plan(network).machines;
}

// Real sockets pay for headers, and gain nothing by lengths that SimGrid's factors favour.
TEST(DefaultTable, CutsForTheNetworkThatItIsFor) {
    const Network network = sample_network("fsu-5");
    const SitePlan site = make_site_plan(network);
    const DecisionTable real = default_table(network, site, message_costs(network));
    const DecisionTable simulated = default_table(network, site, simulated_costs(network));
    EXPECT_EQ(choice(simulated, 8192).segment_bytes, 240U);
    for (const Rule& rule : real.rules) {
        for (const MessageRule& message : rule.messages) {
            if (message.segment_bytes == 0) continue;
            EXPECT_GE(message.segment_bytes, 1024U);
            EXPECT_LE(message.segment_bytes, 8192U * (message.up_to > (std::size_t{32} << 20) ? 64 : 1));
        }
    }
    EXPECT_LE(choice(real, 65536).segment_bytes, 2048U);
    EXPECT_GE(choice(simulated, 65536).segment_bytes, 4096U);
}

// Among many machines a chain takes far longer until it is filled than among those that schedules are gone through for.
TEST(DefaultTable, KnowsHowHighTreesAreAmongManyMachines) {
    const Network network = network_of(R"(name: t
defaults: {link: {bandwidth: 100Gbit/s, latency: 1us}}
switches: {core: {}, a: {machines: "a[0-199]"}, b: {machines: "b[0-199]"}}
links: [{between: [core, a]}, {between: [core, b]}]
)");
    const DecisionTable table = testing::predicted_table(network);
    const std::vector<int> machines = machines_of(network);
    EXPECT_EQ(table.rules.back().machines_from, most_priced_machines(simulated_costs(network)) + 1);
    Prices prices(network, machines, machines.front(), simulated_costs(network));
    for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{16} << 20}) {
        const MessageRule chosen = choice(table, bytes);
        const double chosen_s = prices.quick_s(chosen.algorithm, bytes, chosen.segment_bytes);
        const double chain_s = prices.best(bcast::usual::chain, bytes).time_s;
        const double pair_s = prices.best(bcast::usual::large_messages, bytes).time_s;
        EXPECT_LT(pair_s, 0.9 * chain_s) << bytes;
        EXPECT_LT(chosen_s, 1.1 * pair_s) << bytes << ' ' << bcast::name_of(chosen.algorithm);
    }
    // What goes in one piece is priced among all of them.
    const std::size_t small_bytes = 8192;
    const MessageRule chosen = choice(table, small_bytes);
    ASSERT_FALSE(bcast::is_native(chosen.algorithm));
    EXPECT_LT(prices.time_s(chosen.algorithm, small_bytes, chosen.segment_bytes),
              1.03 * prices.best(bcast::usual::small_messages, small_bytes).time_s);
}

// Of few segments, some are sure to come only where the rule's shortest message has them, too.
TEST(DefaultTable, BeginsRulesOfFewSegmentsWhereThatIsQuicker) {
    const std::string switches =
        "switches: {hub: {machines: 0}, a: {machines: \"a[0-15]\"}, b: {machines: \"b[0-15]\"}}\n";
    const std::string links = "links: [{between: [hub, a]}, {between: [hub, b]}]\n";
    const auto rules_kept_apart = [&](const std::string& link) {
        const DecisionTable table =
            testing::predicted_table(network_of("name: t\ndefaults: {link: " + link + "}\n" + switches + links));
        std::size_t kept_apart = 0;
        for (const Rule& rule : table.rules) kept_apart += rule.messages.size() - merged(rule.messages).size();
        return kept_apart;
    };
    EXPECT_GT(rules_kept_apart("{bandwidth: 100Gbit/s, latency: 1us}"), 0U);
    EXPECT_EQ(rules_kept_apart("{bandwidth: 100Mbit/s, latency: 20us}"), 0U);
}

// Wherever a rule holds, ours is predicted to win; and where native stays, nothing of ours would win by much.
void expect_wins(const char* name, MessageCosts (*costs_of)(const Network&)) {
    const Network network = sample_network(name);
    const DecisionTable table = default_table(network, make_site_plan(network), costs_of(network));
    const std::vector<int> machines = machines_of(network);
    Prices prices(network, machines, machines.front(), costs_of(network));
    for (std::size_t bytes = 1024; bytes <= (std::size_t{16} << 20); bytes *= 8) {
        SCOPED_TRACE(std::string(name) + " " + std::to_string(bytes));
        const MessageRule chosen = choice(table, bytes);
        const double native_s = prices.native_s(bytes);
        double best_s = native_s;
        for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
            if (!Prices::has_price(row.algorithm)) continue;
            if (bcast::has(row.algorithm, bcast::trait::full_bisection) && !carries_all(network)) continue;
            best_s = std::min(best_s, prices.best(row.algorithm, bytes).time_s);
        }
        if (bcast::is_native(chosen.algorithm)) {
            EXPECT_GT(best_s, 0.85 * native_s);
        } else {
            const double chosen_s = prices.time_s(chosen.algorithm, bytes, chosen.segment_bytes);
            EXPECT_LT(chosen_s, 0.97 * native_s);
            EXPECT_LT(chosen_s, 1.20 * best_s);
        }
    }
}

TEST(DefaultTable, TakesWhatWinsAndLeavesWhatMayLose) {
    expect_wins("fsu-1", simulated_costs);
    expect_wins("fsu-5", simulated_costs);
}

TEST(DefaultTable, TakesWhatWinsOverRealSockets) {
    expect_wins("fsu-5", message_costs);
}

bool proposes_rounds(const Network& network) {
    for (const Rule& rule : testing::predicted_table(network).rules) {
        for (const MessageRule& message : rule.messages) {
            if (bcast::goes_in_rounds(message.algorithm)) return true;
        }
    }
    return false;
}

// Any eight machines of a site take its rule for eight, wherever they are.
TEST(DefaultTable, GoesInRoundsOnlyWhereTrunksCarryEverybody) {
    const auto site = [](const char* trunk) {
        return network_of(std::string("name: t\ndefaults: {link: {bandwidth: 100Mbit/s}}\nswitches: {a: {machines: "
                                      "\"a[0-7]\"}, b: {machines: \"b[0-7]\"}}\n") +
                          "links: [{between: [a, b], bandwidth: " + trunk + "}]\n");
    };
    EXPECT_TRUE(proposes_rounds(
        network_of("name: t\ndefaults: {link: {bandwidth: 100Mbit/s}}\nswitches: {s: {machines: \"n[0-15]\"}}\n")));
    EXPECT_FALSE(proposes_rounds(site("100Mbit/s")));
    EXPECT_FALSE(proposes_rounds(site("700Mbit/s")));
    EXPECT_TRUE(proposes_rounds(site("800Mbit/s")));
}

// Where ports send in turn, an even cut of few blocks saves a round.
TEST(DefaultTable, MayCutMessagesOfRoundsEvenly) {
    const auto sizes = [](bcast::Algorithm algorithm, const char* bandwidth) {
        const Network network = network_of(std::string("name: t\ndefaults: {link: {bandwidth: ") + bandwidth +
                                           ", latency: 1us}}\nswitches: {s: {machines: \"n[0-15]\"}}\n");
        const Prices prices(network, machines_of(network), 0, simulated_costs(network));
        return prices.segment_sizes_for(algorithm, 65536);
    };
    const auto any = [](const std::vector<std::size_t>& of, std::size_t size) {
        return std::count(of.begin(), of.end(), size) > 0;
    };
    for (const std::size_t even : {21888U, 13120U, 10944U, 9408U}) {  // a third, a fifth, a sixth, a seventh
        EXPECT_TRUE(any(sizes(bcast::Algorithm::circulant, "10Gbit/s"), even)) << even;
        EXPECT_FALSE(any(sizes(bcast::Algorithm::binary, "10Gbit/s"), even)) << even;
        EXPECT_FALSE(any(sizes(bcast::Algorithm::circulant, "100Mbit/s"), even)) << even;
    }
}

// What all machines of a site load its trunks with, none of them exceed, and it is known where ports send in turn.
TEST(DefaultTable, GoesInRoundsThatMeetWithShortMessagesToAllMachines) {
    const auto racks = [](const char* trunk) {
        std::string text = "name: t\ndefaults: {link: {bandwidth: 10Gbit/s, latency: 1us}}\nswitches:\n  core: {}\n";
        std::string trunks = "links:\n";
        for (int rack = 0; rack < 8; ++rack) {
            const std::string name(1, static_cast<char>('a' + rack));
            text += "  " + name + ": {machines: \"" + name + "[0-7]\"}\n";
            trunks += "  - {between: [core, " + name + "], bandwidth: " + trunk + "}\n";
        }
        return network_of(text + trunks);
    };
    const DecisionTable table = testing::predicted_table(racks("20Gbit/s"));
    EXPECT_TRUE(bcast::goes_in_rounds(choice(table, 20000).algorithm));
    for (const Rule& rule : table.rules) {
        for (const MessageRule& message : rule.messages) {
            if (!bcast::goes_in_rounds(message.algorithm)) continue;
            EXPECT_EQ(&rule, &table.rules.back());
            EXPECT_LE(message.up_to, 131072U);
        }
    }
    EXPECT_FALSE(proposes_rounds(racks("10Gbit/s")));
}

TEST(DefaultTable, KnowsThatRanksMayMeetOnTrunks) {
    // Machine i on switch i mod 4: natively every step crosses trunks.
    const Network blocks = sample_network("fsu-4");
    const Network cyclic = sample_network("fsu-5");
    Prices in_blocks(blocks, machines_of(blocks), machines_of(blocks).front(), simulated_costs(blocks));
    Prices in_cycles(cyclic, machines_of(cyclic), machines_of(cyclic).front(), simulated_costs(cyclic));
    EXPECT_GT(in_cycles.native_s(8192), 2 * in_blocks.native_s(8192));
    EXPECT_FALSE(bcast::is_native(choice(testing::predicted_table(cyclic), 8192).algorithm));
}

}  // namespace
}  // namespace bcastgen
