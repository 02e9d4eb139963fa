// Decision tables as other MPIs' own rules: rows of (table, whole output).
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/diagnostic.hpp"
#include "base/parse_error.hpp"
#include "planner/decision/tuning_writer.hpp"
#include "planner/decision/tuning_yaml.hpp"
#include "planner/exports/intel_adjust.hpp"
#include "planner/exports/mpich_selection.hpp"
#include "planner/exports/ompi_rules.hpp"

namespace bcastgen {
namespace {

const std::string table_head =
    "format: bcastgen-tuning/1\ntopology: site\nplan: 00\n"
    "measured: {cluster: emulated, mpi: openmpi 4.1.4, machines: 16}\nrules:\n";

const std::string open_mpi_rules =
    table_head +
    "  - {machines: 2-8, ranks_per_machine: 1, arrival: balanced, messages: [{up_to: max, algorithm: ompi:binomial}]}\n"
    "  - {machines: 9-16, ranks_per_machine: 1, arrival: balanced, messages:\n"
    "      [{up_to: 8K, algorithm: native}, {up_to: 64K, algorithm: two-tree, segment: 8K},\n"
    "       {up_to: 1M, algorithm: ompi:chain, segment: 16K}, {up_to: max, algorithm: ompi:pipeline, segment: 8K}]}\n"
    "  - {machines: 9-16, ranks_per_machine: 2-, arrival: balanced, messages: [{up_to: max, algorithm: "
    "ompi:knomial}]}\n"
    "  - {machines: 2-, ranks_per_machine: 1-, arrival: imbalanced, messages: [{up_to: max, algorithm: linear}]}\n";

const std::string mpich_rules =
    table_head +
    "  - {machines: 2-8, ranks_per_machine: 1, arrival: balanced, messages: [{up_to: max, algorithm: native}]}\n"
    "  - {machines: 9-, ranks_per_machine: 1, arrival: balanced, messages:\n"
    "      [{up_to: 8K, algorithm: mpich:binomial}, {up_to: 64K, algorithm: mpich:scatter_ring_allgather},\n"
    "       {up_to: max, algorithm: mpich:kary1, segment: 8K}]}\n";

/// What all versions have, and nothing else: enough to see what is replaced.
const std::string selection =
    R"({"collective=bcast":{"comm_type=intra":{"algorithm=MPIR_Bcast_intra_binomial":{}},"comm_type=inter":{"algorithm=A":{}}},)"
    R"("collective=barrier":{"algorithm=B":{}},)"
    R"("collective=ibcast":{"comm_type=intra":{"algorithm=MPIR_Ibcast_intra_sched_binomial":{}}}})";

DecisionTable table_of(const std::string& text) {
    std::string topology;
    DecisionTable table = read_tuning_of_any_plan(text, "t.yaml", topology);
    EXPECT_EQ(topology, "site");
    return table;
}

std::vector<RankRule> rules_of(const std::string& text, int ranks_per_machine = 1) {
    return rank_rules(table_of(text), ranks_per_machine);
}

TEST(Exports, ClassicRulesOfOpenMpi) {
    const ExportedRules rules =
        ompi_classic_rules(rules_of(open_mpi_rules), {"site", "measured on the emulated cluster, 16 machines, X"});
    EXPECT_EQ(
        rules.text,
        "# MPI_Bcast on site, by bcastgen export ompi-rules: measured on the emulated cluster, 16 machines, X.\n"
        "# For coll/tuned of Open MPI. All jobs take this file, FILE, by two lines of etc/openmpi-mca-params.conf:\n"
        "#   coll_tuned_use_dynamic_rules = 1\n"
        "#   coll_tuned_dynamic_rules_filename = FILE\n"
        "# or one by\n"
        "#   mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE\n"
        "1  # collective\n"
        "7  # is MPI_Bcast\n"
        "4  # ranges of communicator sizes\n"
        "0  # ranks and more\n"
        "1  # ranges of message sizes: bytes algorithm chains segment\n"
        "0 0 0 0  # Open MPI's own choice\n"
        "2  # ranks and more\n"
        "1  # ranges of message sizes: bytes algorithm chains segment\n"
        "0 6 0 0  # binomial\n"
        "9  # ranks and more\n"
        "4  # ranges of message sizes: bytes algorithm chains segment\n"
        "0 0 0 0  # Open MPI's own choice\n"
        "8193 0 0 0  # Open MPI's own choice\n"
        "65537 2 4 16384  # chain\n"
        "1048577 3 0 8192  # pipeline\n"
        "17  # ranks and more\n"
        "1  # ranges of message sizes: bytes algorithm chains segment\n"
        "0 0 0 0  # Open MPI's own choice\n");
    EXPECT_EQ(rules.remarks,
              std::vector<std::string>{"9-16 ranks, messages above 8K up to 64K: two-tree in segments of 8K is none of "
                                       "Open MPI's own broadcasts, and is left to its own choice"});
}

TEST(Exports, JsonRulesOfOpenMpi) {
    EXPECT_EQ(ompi_json_rules(rules_of(open_mpi_rules)).text, R"({
  "rule_file_version": 3,
  "module": "tuned",
  "collectives": {
    "bcast": [
      {
        "comm_size_min": 2,
        "comm_size_max": 8,
        "rules": [
          {
            "msg_size_min": 0,
            "alg": "binomial"
          }
        ]
      },
      {
        "comm_size_min": 9,
        "comm_size_max": 16,
        "rules": [
          {
            "msg_size_min": 65537,
            "msg_size_max": 1048576,
            "alg": "chain",
            "faninout": 4,
            "seg_size": 16384
          },
          {
            "msg_size_min": 1048577,
            "alg": "pipeline",
            "seg_size": 8192
          }
        ]
      }
    ]
  }
}
)");
}

// With three ranks on a machine, nine to sixteen machines have 25 to 48.
TEST(Exports, CountRanksOfTheJobsThatAreAskedFor) {
    const std::vector<RankRule> rules = rules_of(open_mpi_rules, 3);
    ASSERT_EQ(rules.size(), 3U);
    EXPECT_EQ(rules[1].ranks_from, 25);
    EXPECT_EQ(rules[1].ranks_to, 48);
    EXPECT_STREQ(name_of(rules[1].messages.at(0)), "ompi:knomial");
    EXPECT_EQ(rules[2].messages, std::vector<MessageRule>{MessageRule{}});
}

TEST(Exports, SelectionOfMpich4) {
    const ExportedRules rules = mpich_selection(rules_of(mpich_rules), {selection, false});
    EXPECT_EQ(rules.text, R"({
 "collective=bcast": {
  "comm_type=intra": {
   "comm_size<9": {
    "algorithm=MPIR_Bcast_intra_binomial": {}
   },
   "comm_size=any": {
    "avg_msg_size<=8192": {
     "algorithm=MPIR_Bcast_intra_binomial": {}
    },
    "avg_msg_size<=65536": {
     "algorithm=MPIR_Bcast_intra_scatter_ring_allgather": {}
    },
    "avg_msg_size=any": {
     "algorithm=MPIR_Bcast_allcomm_nb": {}
    }
   }
  },
  "comm_type=inter": {
   "algorithm=A": {}
  }
 },
 "collective=barrier": {
  "algorithm=B": {}
 },
 "collective=ibcast": {
  "comm_type=intra": {
   "comm_size<9": {
    "algorithm=MPIR_Ibcast_intra_sched_binomial": {}
   },
   "comm_size=any": {
    "avg_msg_size<=8192": {
     "algorithm=MPIR_Ibcast_intra_sched_binomial": {}
    },
    "avg_msg_size<=65536": {
     "algorithm=MPIR_Ibcast_intra_sched_binomial": {}
    },
    "avg_msg_size=any": {
     "algorithm=MPIR_Ibcast_intra_tsp_tree": {
      "tree_type=kary": {},
      "k=1": {},
      "chunk_size=8192": {}
     }
    }
   }
  }
 }
}
)");
    EXPECT_EQ(rules.remarks,
              std::vector<std::string>{"this MPICH has trees in segments as non-blocking broadcasts alone: MPI_Ibcast "
                                       "takes them, too"});
}

TEST(Exports, LaterMpichHasTheTreeItself) {
    const ExportedRules rules = mpich_selection(rules_of(mpich_rules), {selection, true});
    EXPECT_NE(rules.text.find(R"("avg_msg_size=any": {
     "algorithm=MPIR_Bcast_intra_pipelined_tree": {
      "tree_type=kary": {},
      "is_non_blocking=1": {},
      "k=1": {},
      "chunk_size=8192": {},
      "recv_pre_posted=0": {}
     })"),
              std::string::npos)
        << rules.text;
    EXPECT_NE(rules.text.find(R"("collective=ibcast": {
  "comm_type=intra": {
   "algorithm=MPIR_Ibcast_intra_sched_binomial": {}
  })"),
              std::string::npos);
    EXPECT_TRUE(rules.remarks.empty());
}

TEST(Exports, FindTheSelectionInALibrary) {
    using namespace std::string_literals;
    const std::string device = R"({"collective=bcast":{"composition=MPIDI_Bcast_intra_composition_alpha":{}}})";
    const std::optional<MpichSelection> found = selection_in("ELF\0"s + device + "\0"s + selection + "\0rest"s);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->text, selection);
    EXPECT_FALSE(found->has_pipelined_tree);
    EXPECT_TRUE(selection_in(selection + "\0MPIR_Bcast_intra_pipelined_tree"s)->has_pipelined_tree);
    EXPECT_FALSE(selection_in("ELF\0"s + device));
    EXPECT_THROW((void)mpich_selection({}, {R"({"collective=bcast":{}})", false}), ParseError);
    EXPECT_THROW((void)mpich_selection({}, {"{", false}), ParseError);
}

TEST(Exports, VariableOfIntelMpi) {
    const ExportedRules rules = intel_adjust(rules_of(mpich_rules));
    EXPECT_EQ(rules.text,
              "I_MPI_ADJUST_BCAST='0:0-2147483647@1-8;1:0-8192@9-2147483647;3:8193-65536@9-2147483647;"
              "0:65537-2147483647@9-2147483647'\n");
    EXPECT_EQ(rules.remarks, std::vector<std::string>{
                                 "9 ranks and more, messages above 64K: mpich:kary1 in segments of 8K is none of Intel "
                                 "MPI's own broadcasts, and is left to its own choice"});
}

TEST(Exports, TablesThatNameAnMpisOwnComeBackAsTheyWere) {
    const DecisionTable table = table_of(mpich_rules);
    const std::string written = write_tuning(table, {"site", 0, "emulated", "openmpi 4.1.4", 16});
    EXPECT_NE(written.find("{up_to: max, algorithm: mpich:kary1, segment: 8K}"), std::string::npos) << written;
    EXPECT_EQ(table_of(written).rules, table.rules);
}

TEST(Exports, ToTheLibraryAnMpisOwnIsNative) {
    const DecisionTable table = for_library(table_of(mpich_rules));
    ASSERT_EQ(table.rules.size(), 2U);
    EXPECT_EQ(table.rules[1].messages, std::vector<MessageRule>{MessageRule{}});
    EXPECT_FALSE(names_own(table));
    EXPECT_TRUE(names_own(table_of(mpich_rules)));
}

TEST(Exports, ToTheLibraryRulesThatBeginLaterStayAsTheyAre) {
    const DecisionTable table = table_of(
        table_head +
        "  - {machines: 2-, ranks_per_machine: 1-, arrival: balanced, messages:\n"
        "      [{up_to: 1K, algorithm: mpich:binomial}, {up_to: 8K, algorithm: native}, {up_to: 16K, algorithm: kary4, "
        "segment: 4K},\n       {up_to: max, algorithm: kary4, segment: 4K}]}\n");
    const std::vector<MessageRule> found = for_library(table).rules[0].messages;
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].up_to, 8192U);
    EXPECT_EQ(found[1].up_to, 16384U);
    EXPECT_EQ(found[1].choice(), found[2].choice());
}

TEST(Exports, BroadcastsWithoutSegmentsTakeNone) {
    try {
        table_of(
            table_head +
            "  - {machines: 2-, ranks_per_machine: 1-, arrival: balanced, messages:\n"
            "      [{up_to: 1K, algorithm: mpich:binomal}, {up_to: max, algorithm: mpich:binomial, segment: 1K}]}\n");
        FAIL();
    } catch (const InputErrors& errors) {
        const std::string text = errors.what();
        EXPECT_NE(
            text.find("t.yaml:7:31: error: there is no algorithm \"mpich:binomal\"; did you mean mpich:binomial?"),
            std::string::npos)
            << text;
        EXPECT_NE(text.find("t.yaml:7:96: error: mpich:binomial takes no segment size"), std::string::npos) << text;
    }
}

// Whoever asks by ranks gets what the table says of so many machines.
RC_GTEST_PROP(Exports, AskedByRanksTheRulesAreTheTables, ()) {
    DecisionTable table;
    for (int i = *rc::gen::inRange(0, 6); i > 0; --i) {
        Rule rule;
        rule.machines_from = *rc::gen::inRange(1, 20);
        rule.machines_to = *rc::gen::element(bcast::any_number, rule.machines_from, rule.machines_from + 3);
        rule.ranks_per_machine_from = *rc::gen::inRange(1, 4);
        rule.arrival = *rc::gen::element(bcast::Arrival::balanced, bcast::Arrival::imbalanced);
        rule.messages = {
            MessageRule(bcast::no_limit, bcast::usual::large_messages, *rc::gen::inRange<std::size_t>(1, 9))};
        table.rules.push_back(rule);
    }
    const int per_machine = *rc::gen::inRange(1, 5);
    const std::vector<RankRule> rules = rank_rules(table, per_machine);
    RC_ASSERT(rules.front().ranks_from == 1);
    RC_ASSERT(rules.back().ranks_to == bcast::any_number);
    for (int machines = 2; machines < 30; ++machines) {
        const Rule* row = bcast::row_for(table.rules, machines, per_machine, bcast::Arrival::balanced);
        for (const int ranks : {(machines - 1) * per_machine + 1, machines * per_machine}) {
            std::size_t found = 0;
            for (const RankRule& rule : rules) {
                if (ranks < rule.ranks_from || ranks > rule.ranks_to) continue;
                ++found;
                RC_ASSERT(rule.messages == (row == nullptr ? std::vector{MessageRule{}} : row->messages));
            }
            RC_ASSERT(found == 1);
        }
    }
}

}  // namespace
}  // namespace bcastgen
