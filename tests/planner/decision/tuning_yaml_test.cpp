#include "planner/decision/tuning_yaml.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "base/diagnostic.hpp"
#include "codegen/emit/site_tables.hpp"
#include "planner/decision/covering_rules.hpp"
#include "planner/decision/tuning_writer.hpp"
#include "planner/plan/site_plan.hpp"
#include "tests/models/random_network.hpp"
#include "tests/models/sites.hpp"

namespace bcastgen {
namespace {

using testing::sample_network;

/// A table as the tuner writes it.
DecisionTable read_for(const std::string& text, const std::string& file, const Network& network) {
    return read_tuning(text, file, network, make_site_plan(network));
}

std::string written(const DecisionTable& table, const Network& network) {
    std::string text = fmt::format(
        "format: bcastgen-tuning/1\ntopology: {}\nplan: {:016x}\n"
        "measured: {{cluster: simulated, mpi: mpich 4.0.2, machines: 32}}\nrules:\n",
        network.name, make_site_plan(network).hash);
    for (const Rule& rule : table.rules) {
        text += fmt::format("  - {{machines: {}, ranks_per_machine: {}, arrival: {}, messages: [",
                            range_text(rule.machines_from, rule.machines_to),
                            range_text(rule.ranks_per_machine_from, rule.ranks_per_machine_to),
                            rule.arrival == bcast::Arrival::balanced ? "balanced" : "imbalanced");
        for (const MessageRule& message : rule.messages) {
            text += fmt::format("{{up_to: {}, algorithm: {}", size_text(message.up_to), name_of(message.algorithm));
            if (message.segment_bytes != 0) text += ", segment: " + size_text(message.segment_bytes);
            if (message.hand_on != bcast::HandOn::messages)
                text += fmt::format(", hand_on: {}", name_of(message.hand_on));
            text += message.up_to == bcast::no_limit ? "}" : "}, ";
        }
        text += "]}\n";
    }
    return text;
}

TEST(TuningYaml, ReadsATable) {
    const Network network = sample_network("fsu-5");
    const std::string text = fmt::format(R"(# comments are fine
format: bcastgen-tuning/1
topology: fsu-5
plan: {:016x}
measured: {{cluster: emulated, mpi: mpich 4.0.2, machines: 32}}
rules:
  - {{machines: 2-8, ranks_per_machine: 1, arrival: balanced, messages: [{{up_to: max, algorithm: native}}]}}
  - {{machines: 9-, ranks_per_machine: 1-, arrival: imbalanced, messages:
      [{{up_to: 2KiB, algorithm: binomial}}, {{up_to: 64K, algorithm: binary, segment: 4K}},
       {{up_to: max, algorithm: linear, segment: 8192}}]}}
)",
                                         make_site_plan(network).hash);
    const DecisionTable table = read_for(text, "tuning.yaml", network);
    EXPECT_EQ(table.origin, "measured on the emulated cluster, 32 machines, mpich 4.0.2");
    ASSERT_EQ(table.rules.size(), 2U);
    const Rule first{2, 8, 1, 1, bcast::Arrival::balanced, {{bcast::no_limit, bcast::Algorithm::native, 0}}};
    const Rule second{9,
                      bcast::any_number,
                      1,
                      bcast::any_number,
                      bcast::Arrival::imbalanced,
                      {{2048, bcast::Algorithm::binomial, 0},
                       {65536, bcast::Algorithm::binary, 4096},
                       {bcast::no_limit, bcast::Algorithm::linear, 8192}}};
    EXPECT_EQ(table.rules[0], first);
    EXPECT_EQ(table.rules[1], second);
}

TEST(TuningYaml, ReadsBackTablesOfEveryKind) {
    const Network network = sample_network("fsu-1");
    for (const DecisionTable& table :
         {testing::usual_table(), testing::table_of_everything(), testing::all_native_table()}) {
        SCOPED_TRACE(table.origin);
        EXPECT_EQ(read_for(written(table, network), "t.yaml", network).rules, table.rules);
    }
}

RC_GTEST_PROP(TuningYaml, ReadsBackAnyTable, ()) {
    static const Network network = sample_network("fsu-1");
    const auto range = [](int& from, int& to) {
        from = *rc::gen::inRange(1, 5000);
        to = *rc::gen::element(from, from + *rc::gen::inRange(1, 100), bcast::any_number);
    };
    DecisionTable table;
    for (int rules = *rc::gen::inRange(1, 5); rules > 0; --rules) {
        Rule rule;
        range(rule.machines_from, rule.machines_to);
        range(rule.ranks_per_machine_from, rule.ranks_per_machine_to);
        rule.arrival = *rc::gen::element(bcast::Arrival::balanced, bcast::Arrival::imbalanced);
        std::size_t up_to = 0;
        for (int messages = *rc::gen::inRange(0, 6); messages >= 0; --messages) {
            up_to += std::size_t{1} << *rc::gen::inRange(0, 40);
            MessageRule message;
            message.up_to = messages == 0 ? bcast::no_limit : up_to;
            message.algorithm =
                static_cast<bcast::Algorithm>(*rc::gen::inRange<std::size_t>(0, bcast::algorithm_count));
            if (takes_segments(message.algorithm)) {
                message.segment_bytes = *rc::gen::inRange<std::size_t>(0, (std::size_t{1} << 30) + 1);
            }
            if (uses_trees(message.algorithm)) {
                message.hand_on =
                    *rc::gen::element(bcast::HandOn::messages, bcast::HandOn::window, bcast::HandOn::native);
            }
            rule.messages.push_back(message);
        }
        table.rules.push_back(std::move(rule));
        if (!covering_rules(table.rules, table.rules.size() - 1).empty()) table.rules.pop_back();
    }
    RC_ASSERT(read_for(written(table, network), "t.yaml", network).rules == table.rules);
}

/// Whether a rule is reached, asked for every communicator that there can be.
RC_GTEST_PROP(CoveringRules, AreFoundWhereNoCommunicatorGetsToARule, ()) {
    constexpr int most = 7;
    const auto range = [](int& from, int& to) {
        from = *rc::gen::inRange(1, most);
        to = *rc::gen::element(*rc::gen::inRange(from, most + 1), bcast::any_number);
    };
    DecisionTable table;
    for (int rules = *rc::gen::inRange(1, 9); rules > 0; --rules) {
        Rule rule;
        range(rule.machines_from, rule.machines_to);
        range(rule.ranks_per_machine_from, rule.ranks_per_machine_to);
        rule.arrival = *rc::gen::element(bcast::Arrival::balanced, bcast::Arrival::imbalanced);
        rule.messages.push_back({bcast::no_limit, bcast::Algorithm::linear, table.rules.size() + 1});
        table.rules.push_back(rule);
    }
    for (std::size_t at = 0; at < table.rules.size(); ++at) {
        const auto reached = [&](const DecisionTable& in, const Rule& rule) {
            for (int machines = 1; machines <= most + 1; ++machines) {
                for (int ranks = 1; ranks <= most + 1; ++ranks) {
                    const Rule* row = bcast::row_for(in.rules, machines, ranks, rule.arrival);
                    if (row != nullptr && *row == rule) return true;
                }
            }
            return false;
        };
        const std::vector<std::size_t> covering = covering_rules(table.rules, at);
        RC_ASSERT(covering.empty() == reached(table, table.rules[at]));
        DecisionTable those;
        for (const std::size_t before : covering) {
            RC_ASSERT(before < at);
            those.rules.push_back(table.rules[before]);
        }
        those.rules.push_back(table.rules[at]);
        RC_ASSERT(covering.empty() || !reached(those, table.rules[at]));
    }
}

/// A good file, and what a change to it brings.
constexpr const char* good = R"(format: bcastgen-tuning/1
topology: fsu-1
plan: PLAN
measured: {cluster: simulated, mpi: mpich, machines: 16}
rules:
  - machines: 2-
    ranks_per_machine: 1-
    arrival: balanced
    messages:
      - {up_to: 4K, algorithm: native}
      - {up_to: 1M, algorithm: binary, segment: 4K}
      - {up_to: max, algorithm: linear, segment: 8K}
)";

struct Row {
    const char* name;
    const char* from;
    const char* to;
    const char* error;  ///< all that is said, without source lines and carets
};

const Row refused_rows[] = {
    {"AnotherFormat", "bcastgen-tuning/1", "bcastgen-tuning/2",
     "t.yaml:1:9: error: format is \"bcastgen-tuning/2\" here, not bcastgen-tuning/1; tune again with this version"},
    {"AnotherTopology", "fsu-1", "fsu-2",
     "t.yaml:2:11: error: topology is \"fsu-2\" here, not fsu-1; tune with this topology file"},
    {"AnotherPlan", "PLAN", "0123456789abcdef",
     "t.yaml:3:7: error: plan is \"0123456789abcdef\" here, not PLAN; the topology file has changed since: tune again"},
    {"NoPlan", "plan: PLAN\n", "", "t.yaml:1:1: error: \"plan\" is missing"},
    {"MisspeltKey", "plan: PLAN", "paln: PLAN",
     "t.yaml:3:1: error: unknown key \"paln\" in a decision table; did you "
     "mean plan?"},
    {"NoMeasured", "measured: {cluster: simulated, mpi: mpich, machines: 16}\n", "",
     "t.yaml:1:1: error: \"measured\" is missing"},
    {"MeasuredIsAWord", "{cluster: simulated, mpi: mpich, machines: 16}", "yesterday",
     "t.yaml:4:11: error: \"measured\" is a map of \"key: value\" entries, not \"yesterday\""},
    {"MeasuredWithoutMpi", "mpi: mpich, ", "", "t.yaml:4:11: error: \"mpi\" is missing"},
    {"MeasuredOnSomeMachines", "machines: 16}", "machines: some}",
     "t.yaml:4:54: error: \"machines\" is a whole number from 1 to 16777216, not \"some\""},
    {"SendsInPart", "machines: 16}", "machines: 16, latency: 80us, overhead: 2us}",
     "t.yaml:4:11: error: \"answer\" is missing"},
    {"SendsWithoutUnit", "machines: 16}", "machines: 16, latency: 80us, overhead: 2, answer: 1us}",
     "t.yaml:4:83: error: \"2\" has no unit; write it like 20us, 1.5ms or 300ns"},
    {"RangeOfWords", "machines: 2-", "machines: many",
     "t.yaml:6:15: error: \"many\" is not a range of counts such as 8, 2-8 or 9-"},
    {"RangeFromZero", "machines: 2-", "machines: 0-",
     "t.yaml:6:15: error: \"0-\" is not a range of counts such as 8, 2-8 or 9-"},
    {"RangeBackwards", "ranks_per_machine: 1-", "ranks_per_machine: 8-4",
     "t.yaml:7:24: error: \"8-4\" is not a range of counts such as 8, 2-8 or 9-"},
    {"RangeTooLarge", "machines: 2-", "machines: 2-99999999999",
     "t.yaml:6:15: error: \"2-99999999999\" is not a range of counts such as 8, 2-8 or 9-"},
    {"RangeIsAList", "machines: 2-", "machines: [2]", "t.yaml:6:15: error: expected a word or number, found a list"},
    {"ArrivalOfAnotherKind", "arrival: balanced", "arrival: late",
     "t.yaml:8:14: error: \"late\" is neither balanced nor imbalanced"},
    {"NoMessages", "    messages:", "    comment:",
     "t.yaml:6:5: error: \"messages\" is missing\n"
     "t.yaml:9:5: error: unknown key \"comment\" in a rule; there may be: machines, ranks_per_machine, arrival, "
     "messages"},
    {"UnknownAlgorithm", "algorithm: binary", "algorithm: bianry",
     "t.yaml:11:32: error: there is no algorithm \"bianry\"; did you mean binary?; there are ALL"},
    {"UnknownAlgorithmWithSegment", "algorithm: linear", "algorithm: magic",
     "t.yaml:12:33: error: there is no algorithm \"magic\"; there are ALL"},
    {"NoAlgorithm", "up_to: 4K, algorithm: native", "up_to: 4K", "t.yaml:10:9: error: \"algorithm\" is missing"},
    {"NoUpTo", "up_to: 4K, ", "", "t.yaml:10:9: error: \"up_to\" is missing"},
    {"UpToNothing", "up_to: 4K", "up_to: 0", "t.yaml:10:17: error: messages of 0 bytes need no rule"},
    {"UpToDoesNotGrow", "up_to: 1M", "up_to: 4096",
     "t.yaml:11:9: error: \"up_to\" must grow from rule to rule, and 4K is not above 4K"},
    {"UpToShrinks", "up_to: 1M", "up_to: 1K",
     "t.yaml:11:9: error: \"up_to\" must grow from rule to rule, and 1K is not above 4K"},
    {"MaxBeforeTheEnd", "up_to: 1M", "up_to: max",
     "t.yaml:12:9: error: \"up_to\" must grow from rule to rule, and max is not above max"},
    {"NoMax", "up_to: max", "up_to: 1G",
     "t.yaml:12:9: error: the last message rule is for all larger messages: it must have up_to: max"},
    {"SegmentOfNative", "algorithm: native", "algorithm: native, segment: 1K",
     "t.yaml:10:49: error: native is the MPI's own broadcast; it takes no segment size"},
    {"SegmentOfMulticast", "algorithm: native", "algorithm: multicast, segment: 1K",
     "t.yaml:10:52: error: multicast takes no segment size"},
    {"SegmentOfNothing", "segment: 4K", "segment: 0",
     "t.yaml:11:49: error: a segment has 1 byte to 1G; leave it out to send messages in one piece"},
    {"SegmentTooLarge", "segment: 4K", "segment: 2G",
     "t.yaml:11:49: error: a segment has 1 byte to 1G; leave it out to send messages in one piece"},
    {"HandedOnSomehow", "segment: 4K", "segment: 4K, hand_on: shared",
     "t.yaml:11:62: error: \"hand_on\" is messages, window or native"},
    {"HandedOnBesideTrees", "algorithm: native", "algorithm: scatter-ring, hand_on: window",
     "t.yaml:10:55: error: scatter-ring goes down no trees: nothing is handed on within machines"},
    {"RuleThatIsNeverReached", "segment: 8K}\n",
     "segment: 8K}\n  - {machines: 5-, ranks_per_machine: 1-, arrival: balanced, messages: [{up_to: max, algorithm: "
     "native}]}\n",
     "t.yaml:13:5: error: this rule is never reached: the one on line 6 takes everything that it is for"},
    {"RuleThatTwoRulesTake", "machines: 2-\n",
     "machines: 2-4\n    ranks_per_machine: 1-\n    arrival: balanced\n    messages: [{up_to: max, algorithm: "
     "native}]\n"
     "  - {machines: 5-9, ranks_per_machine: 1-, arrival: balanced, messages: [{up_to: max, algorithm: flat}]}\n"
     "  - machines: 3-7\n",
     "t.yaml:11:5: error: this rule is never reached: those on lines 6, 10 together take everything that it is for"},
    {"RuleAfterOneThatIsUnclear", "machines: 2-\n",
     "machines: x\n    ranks_per_machine: 1-\n    arrival: balanced\n    messages: [{up_to: max, algorithm: native}]\n"
     "  - machines: 3-7\n",
     "t.yaml:6:15: error: \"x\" is not a range of counts such as 8, 2-8 or 9-"},
    {"EmptyValidated", "rules:\n", "validated:\nrules:\n",
     "t.yaml:5:1: error: \"validated\" is empty; it has \"margin\" and \"trials\", or is left out"},
    {"ValidatedWithoutTrials", "rules:\n", "validated: {margin: 0.02}\nrules:\n",
     "t.yaml:5:12: error: \"trials\" is missing"},
    {"ControlCharacter", "simulated", "simu\x01lated",
     "t.yaml:4:25: error: control character U+0001; the file is to be plain text"},
    {"SecondDocument", "segment: 8K}\n", "segment: 8K}\n---\nformat: x\n",
     "t.yaml:13:1: error: a second YAML document starts here; the file is to hold one"},
    {"RepeatedKey", "arrival: balanced", "arrival: balanced\n    machines: 4",
     "t.yaml:9:5: error: key \"machines\" is repeated; it stands on line 6 already"},
};

class BadTuning : public ::testing::TestWithParam<Row> {};

TEST_P(BadTuning, IsRefusedWithAPlaceAndAdvice) {
    const Network network = sample_network("fsu-1");
    const std::string hash = fmt::format("{:016x}", make_site_plan(network).hash);
    std::string algorithms;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        algorithms += (algorithms.empty() ? "" : ", ") + std::string(row.name);
    }
    const auto filled_in = [&](std::string text) {
        if (const std::size_t at = text.find("PLAN"); at != std::string::npos) text.replace(at, 4, hash);
        if (const std::size_t at = text.find("ALL"); at != std::string::npos) text.replace(at, 3, algorithms);
        return text;
    };
    std::string text = good;
    const std::size_t at = text.find(GetParam().from);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, std::string(GetParam().from).size(), GetParam().to);
    try {
        (void)read_for(filled_in(text), "t.yaml", network);
        ADD_FAILURE() << "taken";
    } catch (const InputErrors& errors) {
        std::string said;
        for (const Diagnostic& one : errors.diagnostics()) {
            said += fmt::format("{}{}:{}:{}: error: {}", said.empty() ? "" : "\n", one.file, one.line, one.column,
                                one.message);
        }
        EXPECT_EQ(said, filled_in(GetParam().error));
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, BadTuning, ::testing::ValuesIn(refused_rows),
                         [](const auto& row) { return row.param.name; });

/// Everything that is said of `text`.
std::string said_of(const std::string& text) {
    try {
        (void)read_for(text, "t.yaml", sample_network("fsu-1"));
        return "";
    } catch (const InputErrors& errors) {
        return errors.what();
    }
}

TuningOrigin origin_of(const Network& network) {
    return {network.name, make_site_plan(network).hash, "emulated", "openmpi 4.1.4", 32};
}

/// A table with everything that can be said in a file.
DecisionTable full_table() {
    DecisionTable table;
    table.rules = {
        {2, 8, 1, 1, bcast::Arrival::balanced, {{bcast::no_limit, bcast::Algorithm::native, 0, Grounds::no_time}}},
        {9,
         bcast::any_number,
         1,
         bcast::any_number,
         bcast::Arrival::imbalanced,
         {{2048, bcast::Algorithm::latency, 0},
          {70000, bcast::Algorithm::binary, 6144, Grounds::predicted},
          {bcast::no_limit, bcast::Algorithm::two_tree, 8192, Grounds::measured}}}};
    table.validation.margin = 0.02;
    table.validation.trials = {{8, 1, bcast::Arrival::balanced, "near", 1025, bcast::Algorithm::flat, 0,
                                bcast::HandOn::messages, 0.5, 0.25, 0.75, false},
                               {16, 4, bcast::Arrival::imbalanced, "spread", 65536, bcast::Algorithm::binary, 6144,
                                bcast::HandOn::window, 2.5, 1.125, std::numeric_limits<double>::infinity(), true}};
    return table;
}

TEST(TuningYaml, SaysByWhatModelTheNetworkWasSimulated) {
    const Network network = sample_network("fsu-5");
    const std::string text =
        write_tuning(full_table(), {network.name, make_site_plan(network).hash, "simulated", "mpich", 32, "fabric"});
    EXPECT_NE(text.find("measured: {cluster: simulated, network: fabric, mpi: mpich, machines: 32}"),
              std::string::npos);
    EXPECT_EQ(read_for(text, "t.yaml", network).origin,
              "measured on the simulated cluster (network fabric), 32 machines, mpich");
}

TEST(TuningYaml, PlansSendsAsTheTopologySaysWhereNothingIsMeasured) {
    Network network = testing::make_network(1, {}, {0, 0});
    const std::string text = written(testing::usual_table(), network);
    EXPECT_EQ(read_for(text, "t.yaml", network).sends.overhead_ns, 5000);
    for (Machine& machine : network.machines) machine.software = Software{1.5e-6, 0, 0, 1e9, 1e-6};
    EXPECT_EQ(read_for(text, "t.yaml", network).sends.overhead_ns, 1500);
    EXPECT_EQ(default_table(network, make_site_plan(network)).sends.overhead_ns, 1500);
    EXPECT_EQ(layout_of(network).sends.overhead_ns, 1500);
}

TEST(TuningYaml, WritesWhatItReads) {
    const Network network = sample_network("fsu-5");
    const std::string text = write_tuning(full_table(), origin_of(network));
    const DecisionTable table = read_for(text, "t.yaml", network);
    EXPECT_EQ(table.origin, "measured on the emulated cluster, 32 machines, openmpi 4.1.4");
    EXPECT_EQ(table.rules, full_table().rules);
    EXPECT_EQ(table.validation, full_table().validation);
    EXPECT_EQ(write_tuning(table, origin_of(network)), text);
    EXPECT_EQ(table.rules[0].messages[0].grounds, Grounds::no_time);
    EXPECT_EQ(table.rules[1].messages[1].grounds, Grounds::predicted);
    EXPECT_NE(text.find("{up_to: 70000, algorithm: binary, segment: 6K, because: predicted}"), std::string::npos);
}

TEST(TuningYaml, ReadsBackWhatSendsTake) {
    const Network network = sample_network("fsu-5");
    DecisionTable table = full_table();
    const std::uint64_t hash_without = hash_of(table);
    table.sends = {1'675, 80'592, 1, 900};
    const std::string text = write_tuning(table, origin_of(network));
    EXPECT_NE(text.find("machines: 32, overhead: 1.675us, latency: 80.592us, answer: 1ns, receive: 900ns}"),
              std::string::npos)
        << text;
    const DecisionTable read = read_for(text, "t.yaml", network);
    EXPECT_EQ(read.sends.overhead_ns, 1'675);
    EXPECT_EQ(read.sends.latency_ns, 80'592);
    EXPECT_EQ(read.sends.answer_ns, 1);
    EXPECT_EQ(read.sends.receive_ns, 900);
    EXPECT_NE(hash_of(read), hash_without);  // so that ranks with other times are told apart
    table.sends.receive_ns = 901;
    EXPECT_NE(hash_of(read), hash_of(table));
}

TEST(TuningYaml, ReadsBackBetweenWhatBoundsSendsLie) {
    const Network network = sample_network("fsu-5");
    DecisionTable table = full_table();
    table.sends = {1'675, 80'592, 1, 900};
    table.send_bounds = SendBounds{{1'600, 80'000, 1, 850}, {1'700, 81'000, 2, 950}};
    const std::string text = write_tuning(table, origin_of(network));
    EXPECT_NE(text.find("between: {overhead: 1.6us to 1.7us, latency: 80us to 81us, answer: 1ns to 2ns, "
                        "receive: 850ns to 950ns}}"),
              std::string::npos)
        << text;
    EXPECT_EQ(write_tuning(read_for(text, "t.yaml", network), origin_of(network)), text);
}

TEST(TuningYaml, ReadsSendsOfFormerVersionsWithoutReceives) {
    const Network network = sample_network("fsu-5");
    DecisionTable table = full_table();
    table.sends = {1'675, 80'592, 1, 0};
    const std::string text = write_tuning(table, origin_of(network));
    EXPECT_EQ(text.find("receive"), std::string::npos) << text;
    EXPECT_EQ(read_for(text, "t.yaml", network).sends.receive_ns, 0);
}

TEST(TuningYaml, TellsWhereAValidationIsWrong) {
    const Network network = sample_network("fsu-5");
    std::string text = write_tuning(full_table(), origin_of(network));
    const auto put = [&](const std::string& good_text, const std::string& bad) {
        text.replace(text.find(good_text), good_text.size(), bad);
    };
    put("placement: near", "placement: here");
    put("speed_up: 2.500", "speed_up: fast");
    put("kept: yes", "kpet: yes");
    put("size: 1025", "size: 1Q");
    try {
        (void)read_for(text, "t.yaml", network);
        FAIL() << "took it";
    } catch (const InputErrors& errors) {
        ASSERT_EQ(errors.diagnostics().size(), 4U) << errors.what();
        for (const Diagnostic& error : errors.diagnostics()) EXPECT_GT(error.column, 1) << error.message;
        EXPECT_EQ(errors.diagnostics()[0].message, "\"here\" is neither near nor spread");
        EXPECT_EQ(errors.diagnostics()[0].line, errors.diagnostics()[1].line);
        EXPECT_EQ(errors.diagnostics()[2].message, "\"fast\" is not a number from 0 on");
        EXPECT_NE(errors.diagnostics()[3].message.find("kpet"), std::string::npos);
    }
}

TEST(TuningYaml, TakesGapsAndOverlaps) {
    std::string text = good;
    text.replace(text.find("PLAN"), 4, fmt::format("{:016x}", make_site_plan(sample_network("fsu-1")).hash));
    text.replace(text.find("machines: 2-"), 12, "machines: 4-8");
    for (const char* rest : {"machines: 6-9, ranks_per_machine: 1-, arrival: balanced",
                             "machines: 4-8, ranks_per_machine: 1-, arrival: imbalanced",
                             "machines: 12-, ranks_per_machine: 2, arrival: balanced"}) {
        text += fmt::format("  - {{{}, messages: [{{up_to: max, algorithm: flat}}]}}\n", rest);
    }
    EXPECT_EQ(said_of(text), "");
}

TEST(TuningYaml, TakesTheGoodFileOfTheRows) {
    std::string text = good;
    text.replace(text.find("PLAN"), 4, fmt::format("{:016x}", make_site_plan(sample_network("fsu-1")).hash));
    EXPECT_EQ(said_of(text), "");
}

TEST(TuningYaml, ShowsTheLineAndACaret) {
    std::string text = good;
    text.replace(text.find("PLAN"), 4, fmt::format("{:016x}", make_site_plan(sample_network("fsu-1")).hash));
    text.replace(text.find("segment: 8K"), 11, "segment: 8Q");
    EXPECT_EQ(said_of(text),
              "t.yaml:12:51: error: unknown unit \"Q\"; write it like 8192, 8K, 64KiB or 1M (1K is 1024 bytes)\n"
              "          - {up_to: max, algorithm: linear, segment: 8Q}\n"
              "                                                      ^\n");
}

TEST(TuningYaml, RefusesWhatIsNoTableAtAll) {
    EXPECT_EQ(said_of(""), "t.yaml: error: the file is empty; a decision table has rules\n");
    EXPECT_EQ(said_of("- 1\n"),
              "t.yaml:1:1: error: a decision table is a map of \"key: value\" entries, not a list\n    - 1\n    ^\n");
    EXPECT_EQ(said_of("name: fsu-1\n").substr(0, 60), "t.yaml:1:1: error: unknown key \"name\" in a decision table; t");
}

TEST(TuningYaml, SaysEverythingAtOnce) {
    const std::string said = said_of("format: x\ntopology: y\nplan: z\nmeasured: 1\nrules: []\n");
    for (const char* line :
         {":1:9:", ":2:11:", ":3:7:", ":4:11:", ":5:8: error: a decision table has at least one rule"}) {
        EXPECT_NE(said.find(line), std::string::npos) << line << " is not in\n" << said;
    }
}

TEST(TuningYaml, ATableForAnotherPlanIsRefused) {
    const Network now = sample_network("fsu-4");
    const std::string text = written(testing::usual_table(), now);
    Network rewired = now;
    std::swap(rewired.machines[0].sw, rewired.machines[20].sw);
    EXPECT_NO_THROW((void)read_for(text, "t.yaml", now));
    EXPECT_THROW((void)read_for(text, "t.yaml", rewired), InputErrors);
}

}  // namespace
}  // namespace bcastgen
