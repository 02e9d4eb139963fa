// One decision table, one answer: what explain, the report, the emitted site_tuning.hpp and the library's own Decision
// say of random broadcasts by random tables, each against the model.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>

#include "codegen/emit/library_directory.hpp"
#include "planner/decision/explanation.hpp"
#include "planner/print/explanation_text.hpp"
#include "tests/models/decision_model.hpp"
#include "tests/models/sites.hpp"
#include "tests/run_program.hpp"
#include "tuner/report/report_parts.hpp"

namespace bcastgen {
namespace {

using bcast::Question;
using testing::modelled_choice;
using testing::ScratchDirectory;

constexpr int machines_there = 12;
constexpr std::size_t tables_tried = 50;
constexpr std::size_t questions_each = 150;
constexpr const char* groups = "239.192.0.0/16";

/// A site with its table, and what is asked of it.
struct Asked {
    Network network;
    std::string topology;  ///< its text
    DecisionTable table;
    std::vector<Question> questions;
};

/// Random tables: rows that overlap and leave gaps, ranges that end and that do not, message rules with and without an
/// end, every algorithm.
class Tables {
  public:
    explicit Tables(std::uint64_t seed) : random_(seed) {}

    DecisionTable table() {
        DecisionTable made;
        made.origin = "made up for a test";
        const int kind = number(0, 4);  // 0: for imbalanced arrivals only; 1: for balanced ones only
        const int rows = number(1, 7);
        for (int i = 0; i < rows; ++i) {
            const Rule row = random_row(kind);
            // A second row for the very same communicators is never reached, and the store tells none from the first.
            if (made.rules.empty() || !same_communicators(made.rules.back(), row)) made.rules.push_back(row);
        }
        return made;
    }

    /// On the ends of the table's ranges, next to them and anywhere.
    Question question(const DecisionTable& table, bool multicast) {
        const Rule& row = table.rules[index(table.rules.size())];
        const MessageRule& message = row.messages[index(row.messages.size())];
        Question asked;
        asked.machines = std::max(1, near(row.machines_from, row.machines_to, machines_there + 3));
        asked.ranks_per_machine = std::max(1, near(row.ranks_per_machine_from, row.ranks_per_machine_to, 6));
        asked.arrival = number(0, 1) == 0 ? bcast::Arrival::balanced : bcast::Arrival::imbalanced;
        const std::size_t sizes[] = {0,
                                     1,
                                     message.up_to - 1,
                                     message.up_to,
                                     message.up_to == bcast::no_limit ? message.up_to : message.up_to + 1,
                                     16384,
                                     65535,
                                     65536,
                                     std::size_t{1} << 30,
                                     (std::size_t{1} << 30) + 1,
                                     index(1 << 20)};
        asked.bytes = sizes[index(std::size(sizes))];
        asked.multicast = multicast;
        return asked;
    }

  private:
    int number(int from, int to) { return std::uniform_int_distribution<int>(from, to)(random_); }
    std::size_t index(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_); }

    int near(int from, int to, int most) {
        const int end = to == bcast::any_number ? most : to;
        const int counts[] = {from - 1, from, end, end + 1, number(1, most)};
        return counts[index(std::size(counts))];
    }

    static bool same_communicators(Rule a, const Rule& b) {
        a.messages = b.messages;
        return a == b;
    }

    Rule random_row(int kind) {
        Rule row;
        row.machines_from = number(1, machines_there);
        row.machines_to = number(0, 1) == 0 ? bcast::any_number : row.machines_from + number(0, 5);
        row.ranks_per_machine_from = number(1, 3);
        row.ranks_per_machine_to = number(0, 1) == 0 ? bcast::any_number : row.ranks_per_machine_from + number(0, 2);
        const bool imbalanced = kind == 0 || (kind > 1 && number(0, 2) == 0);
        row.arrival = imbalanced ? bcast::Arrival::imbalanced : bcast::Arrival::balanced;
        const std::size_t ends[] = {
            1, 2, 1000, 8192, 16384, 65535, 65536, 65537, 1 << 20, 1 << 30, std::size_t{5} << 30};
        for (const std::size_t end : ends) {
            if (number(0, 3) == 0) row.messages.push_back(random_rule(end));
        }
        if (row.messages.empty() || number(0, 3) > 0) row.messages.push_back(random_rule(bcast::no_limit));
        return row;
    }

    MessageRule random_rule(std::size_t up_to) {
        MessageRule rule{up_to, static_cast<bcast::Algorithm>(index(bcast::algorithm_count)), 0};
        if (rule.algorithm != bcast::Algorithm::native && number(0, 2) > 0) rule.segment_bytes = 1 + index(20000);
        return rule;
    }

    std::mt19937_64 random_;
};

std::string topology_text(bool multicast) {
    return fmt::format(
        "name: dozen\nswitches: {{s0: {{machines: \"n[0-5]\"}}, s1: {{machines: \"n[6-11]\"}}}}\n"
        "links: [{{between: [s0, s1]}}]\n{}",
        multicast ? fmt::format("multicast: {{groups: {}}}\n", groups) : "");
}

std::vector<Asked> asked_at_random() {
    Tables tables(20240607);
    std::vector<Asked> all;
    for (std::size_t i = 0; i < tables_tried; ++i) {
        const bool multicast = i % 2 == 0;
        Asked one{testing::network_of(topology_text(multicast)), topology_text(multicast), tables.table(), {}};
        for (std::size_t j = 0; j < questions_each; ++j) one.questions.push_back(tables.question(one.table, multicast));
        all.push_back(std::move(one));
    }
    return all;
}

std::string text_of(const bcast::Choice& choice) {
    return fmt::format("{} {}", bcast::name_of(choice.algorithm), choice.segment_bytes);
}

std::string text_of(const Question& asked) {
    return fmt::format("{} {} {} {}", asked.machines, asked.ranks_per_machine, static_cast<int>(asked.arrival),
                       asked.bytes);
}

TEST(Decisions, ExplainSaysWhatTheTableSays) {
    constexpr std::size_t in_full = 100;  // one of so many, since prices take long
    std::size_t explained = 0;
    for (const Asked& one : asked_at_random()) {
        for (const Question& question : one.questions) {
            if (question.machines > machines_there) continue;
            AskedBroadcast asked;
            for (int machine = 0; machine < question.machines; ++machine) asked.plan.machines.push_back(machine);
            asked.bytes = question.bytes;
            asked.ranks_per_machine = question.ranks_per_machine;
            asked.arrival = question.arrival;
            const bcast::Choice expected = modelled_choice(one.table.rules, question);
            ASSERT_EQ(text_of(answer_to(one.network, one.table, asked).choice), text_of(expected)) << text_of(question);
            if (++explained % in_full != 0) continue;
            const Explanation found = explain(one.network, one.table, asked, message_costs(one.network));
            ASSERT_EQ(text_of(found.answer.choice), text_of(expected)) << text_of(question);
            const std::string text = explanation_text(one.network, one.table, false, found);
            EXPECT_NE(text.find(bcast::name_of(expected.algorithm)), std::string::npos) << text;
        }
    }
    EXPECT_GT(explained, tables_tried * questions_each / 2);
}

/// The table of a run that is in a store, as the report has it.
SiteTable reported_table(const ScratchDirectory& scratch, const Asked& one, std::size_t number) {
    const std::string file = (scratch.path() / fmt::format("{}.db", number)).string();
    {
        TuningStore store(file);
        StoredRun run;
        run.topology_yaml = one.topology;
        store.conclude(store.begin_run(run), one.table.rules, {});
    }
    TuningStore store(file, StoreAccess::read);
    return view_of(read_run(store, file, std::nullopt)).table;
}

TEST(Decisions, TheReportSaysWhatTheTableSays) {
    const ScratchDirectory scratch;
    std::size_t number = 0;
    for (const Asked& one : asked_at_random()) {
        const SiteTable table = reported_table(scratch, one, number++);
        ASSERT_EQ(table.rules, one.table.rules);
        for (const Question& asked : one.questions) {
            const Shape shape{asked.machines, asked.ranks_per_machine, bcast::name_of(asked.arrival)};
            const std::optional<MeasureCase> found = chosen(table, shape, asked.bytes);
            ASSERT_TRUE(found);
            ASSERT_EQ(fmt::format("{} {}", found->algorithm, found->segment_bytes),
                      text_of(modelled_choice(one.table.rules, asked)))
                << text_of(asked);
        }
    }
}

TEST(Decisions, WhatIsLeftNativeWithoutALookUpIsNative) {
    for (const Asked& one : asked_at_random()) {
        for (const Question& asked : one.questions) {
            const Rule* row = bcast::row_for(one.table.rules, asked.machines, asked.ranks_per_machine, asked.arrival);
            if (asked.bytes > bcast::native_up_to(row, asked.machines, asked.arrival)) continue;
            EXPECT_EQ(text_of(modelled_choice(one.table.rules, asked)), "native 0") << text_of(asked);
        }
    }
}

/// A program that has every table as it is emitted, and the path of the questions as its argument.
std::string emitted_tables(const ScratchDirectory& scratch, const std::vector<Asked>& all) {
    std::string includes;
    std::string sites;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto directory = scratch.path() / fmt::format("site{}", i);
        std::vector<EmittedFile> files = testing::emitted_library(all[i].network, all[i].table, "bcastgen dozen.yaml");
        if (i > 0) std::erase_if(files, [](const EmittedFile& file) { return file.path != "site_tuning.hpp"; });
        write_library(directory, files);
        includes += fmt::format("namespace table{} {{\n#include \"{}/site_tuning.hpp\"\n}}\n", i, directory.string());
        sites += fmt::format("    {{table{}::site::rules, \"{}\"}},\n", i, all[i].network.multicast ? groups : "");
    }
    const std::string tables =
        scratch.write("tables.hpp", fmt::format("{}constexpr Table tables[] = {{\n{}}};\n", includes, sites));
    const std::string program = (scratch.path() / "answers").string();
    const testing::Outcome compiled = testing::run_program(
        {"g++", "-std=c++17", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror",
         "-I" + (scratch.path() / "site0").string(), fmt::format("-DTABLES=\"{}\"", tables),
         std::string(BCASTGEN_SOURCE_DIR) + "/tests/cli/decisions/emitted_answers.cpp", "-o", program});
    EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
    return program;
}

TEST(Decisions, TheEmittedTableAndTheLibrarySayWhatTheTableSays) {
    const ScratchDirectory scratch;
    const std::vector<Asked> all = asked_at_random();
    const std::string program = emitted_tables(scratch, all);
    std::string questions;
    std::string expected;
    for (std::size_t i = 0; i < all.size(); ++i) {
        for (const Question& asked : all[i].questions) {
            const std::string question = fmt::format("{} {}", i, text_of(asked));
            const std::string answer = text_of(modelled_choice(all[i].table.rules, asked));
            questions += question + "\n";
            expected += fmt::format("{}: table {}, library {}\n", question, answer, answer);
        }
    }
    const testing::Outcome told = testing::run_program({program, scratch.write("questions", questions)});
    EXPECT_EQ(told.exit_code, 0);
    std::istringstream said(told.out);
    std::istringstream wanted(expected);
    std::size_t lines = 0;
    for (std::string line, other; std::getline(wanted, line); ++lines) {
        std::getline(said, other);
        ASSERT_EQ(other, line);
    }
    EXPECT_EQ(lines, tables_tried * questions_each);
}

}  // namespace
}  // namespace bcastgen
