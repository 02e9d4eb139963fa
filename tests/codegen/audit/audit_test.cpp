#include "codegen/audit/audit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "planner/decision/prediction.hpp"
#include "planner/network/network.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/base/files.hpp"
#include "tests/codegen/audit/sample.hpp"

namespace bcastgen {
namespace {

using testing::contents;
using testing::mpi_headers;
using testing::Sample;
using testing::small_sample;
using testing::source_path;

Sample sample_of(const std::string& path) {
    return Sample(read_topology(contents(source_path(path)), path));
}

TEST(Audit, PassesEverySample) {
    for (const char* name : {"campus", "fat-tree", "fsu-1", "fsu-2", "fsu-3", "fsu-4", "fsu-5"}) {
        const std::string said = sample_of(std::string("topologies/") + name + ".yaml").audited();
        EXPECT_TRUE(said.ends_with(" trees\n")) << name << ": " << said;
    }
}

// What is assumed of sends depends on the links, with the predicted table and with any other.
TEST(Audit, PassesFastLinks) {
    Sample sample(
        read_topology("name: fast\ndefaults: {link: {bandwidth: 25Gbit/s, latency: 1us}}\n"
                      "switches: {s0: {machines: \"a[0-3]\"}, s1: {machines: \"b[0-3]\"}}\n"
                      "links: [{between: [s0, s1]}]\n",
                      "fast.yaml"));
    ASSERT_NE(usual_sends(sample.network).overhead_ns, bcast::SendTimes{}.overhead_ns);
    for (const DecisionTable& table : {sample.table, default_table(sample.network, sample.plan)}) {
        sample.files = emit_library(sample.network, sample.plan, table, "bcastgen fast.yaml");
        EXPECT_TRUE(sample.audited().ends_with(" trees\n")) << sample.audited();
    }
}

TEST(Audit, TakesNoNameForAClaim) {
    Sample sample(
        read_topology("name: stage\nswitches: {height: {machines: \"fan-out,1,2\"}, stage: {machines: \"3,4\"}}\n"
                      "links: [{between: [height, stage]}]\npartitions: {height: \"1,2,3\"}\n",
                      "height.yaml"));
    sample.files = emit_library(sample.network, sample.plan, sample.table, "bcastgen height --tuning 3.yaml");
    const std::string said = sample.audited();
    EXPECT_TRUE(said.ends_with(" trees\n")) << said;
}

TEST(Audit, LeavesCommentsAndLayoutFree) {
    Sample sample = small_sample();
    for (const char* path : {"site_plan.hpp", "site_tuning.hpp", "mpi_bcast.cpp"}) {
        std::istringstream lines(sample.text(path));
        std::string text = "// Somebody's remark.\n";
        for (std::string line; std::getline(lines, line);) {
            const std::size_t comment = line.find("//");
            std::string code = line.substr(0, comment);
            if (!code.starts_with('#')) {
                for (std::size_t at = 0; (at = code.find(',', at)) != std::string::npos; at += 14) {
                    code.replace(at, 1, " /* free */\n\t, ");
                }
            }
            text += code + "\n\n";
        }
        sample.text(path) = text;
    }
    sample.edit("CMakeLists.txt", "\n\n", "\n   # a remark\n\n");
    sample.text("README.md") = "Something else.";
    EXPECT_EQ(sample.audited(), small_sample().audited());
}

struct Edit {
    const char* file;
    const char* from;
    const char* to;
    const char* said;  // behind the line's number
};

// The line of `text` in which `part` stands, from 1.
std::ptrdiff_t line_of(const std::string& part, const std::string& text) {
    return 1 + std::count(text.begin(), text.begin() + std::ptrdiff_t(text.find(part)), '\n');
}

TEST(Audit, SaysWhereWhatWasExpectedAndWhatWasFound) {
    const Edit edits[] = {
        {"site_plan.hpp", "{\"a1\", 1}", "{\"a9\", 1}",
         ":6: error: machine_names[1].name: expected \"a1\", found \"a9\"\n"
         "        {\"a9\", 1},  // on s0\n         ^\n"},
        {"site_plan.hpp", "    0, 0, 0, 1, 1, 1,", "    0, 0, 1, 1, 1, 1,",
         ":11: error: machine_switch[2]: expected 0, found 1\n"
         "        0, 0, 1, 1, 1, 1,  // 0 to 5\n              ^\n"},
        {"site_tuning.hpp", "512, bcast::Algorithm::native", "513, bcast::Algorithm::native", nullptr},
        {"bcast/trees/tree.hpp", "position + 1 < machines", "position + 2 < machines",
         ":39: error: not what bcastgen emits: expected \"1\", found \"2\"\n"
         "        for (int position = 0; position + 2 < machines; ++position) {\n"
         "                                          ^\n"},
        {"CMakeLists.txt", "OUTPUT_NAME bcast_small", "OUTPUT_NAME other",
         ":15: error: not what bcastgen emits: expected \"bcast_small\", found \"other\"\n"
         "      OUTPUT_NAME other\n                  ^\n"},
        {"mpi_bcast.cpp", "::site::rules", "::site::ruler", nullptr},
        {"mpi_bcast.cpp", "return facts;", "return facts; int unused;", nullptr},
        {"site_plan.hpp", "switches = 2", "switches = 3", nullptr},
        {"mpi_bcast.cpp", ", stage 1;", ", stage 2;", nullptr},
    };
    for (const Edit& edit : edits) {
        Sample sample = small_sample();
        sample.edit(edit.file, edit.from, edit.to);
        const std::string said = sample.audited();
        EXPECT_NE(said.find(std::string("lib/") + edit.file), std::string::npos) << edit.to << ": " << said;
        if (edit.said != nullptr) {
            const std::ptrdiff_t line = line_of(edit.to, sample.text(edit.file));
            EXPECT_EQ(said, std::string("lib/") + edit.file + ":" + std::to_string(line) + edit.said);
        }
    }
}

TEST(Audit, KnowsWhatIsAssumedOfSends) {
    const std::pair<const char*, const char*> edits[] = {
        {"sends{5001, 0, 0, 0}", "sends.overhead_ns: expected 5000, found 5001"},
        {"sends{5000, 0, 3, 0}", "sends.answer_ns: expected 0, found 3"},
        {"sends{5000, 3, 0, 0}", "error: tuning_hash "}};
    for (const auto& [to, wanted] : edits) {
        Sample sample = small_sample();
        sample.edit("site_tuning.hpp", "sends{5000, 0, 0, 0}", to);
        const std::string said = sample.audited();
        EXPECT_NE(said.find(wanted), std::string::npos) << to << ": " << said;
    }
}

TEST(Audit, WantsTheDecisionTableThatItIsGiven) {
    const Sample sample = small_sample();
    DecisionTable table = sample.table;
    table.rules.front().messages.front().up_to = 1000;
    const Audit audit = audit_library({sample.files, {}}, "lib", sample.network, sample.plan, &table, mpi_headers());
    ASSERT_FALSE(audit.findings.empty());
    EXPECT_NE(audit.findings.front().message.find("rules[0].messages[0].up_to: expected 1000, found "),
              std::string::npos)
        << audit.findings.front().message;
}

TEST(Audit, SaysTheSameOfManyLibrariesOfOneSite) {
    const Edit edits[] = {
        {"site_plan.hpp", "// clang", "// Clang", ""},
        {"site_plan.hpp", "{\"a1\", 1}", "{\"a9\", 1}", "machine_names[1].name: expected \"a1\", found \"a9\""},
        {"site_plan.hpp", "plan_hash = ", "plan_hash = 1 + ", "plan_hash: expected 0x"},
        {"site_plan.hpp", "switches = 2", "switches = two", "does not compile: use of undeclared identifier 'two'"},
        {"site_plan.hpp", "switches = 2", "switches = (2)", "not what bcastgen emits: expected \"2\", found \"(\""},
        {"site_tuning.hpp", "512, bcast::Algorithm::native", "513, bcast::Algorithm::native",
         "rules[1].messages[0].up_to: expected 512, found 513"},
        {"mpi_bcast.cpp", "bcastgen sample.yaml", "bcastgen other.yaml", ""},
        {"mpi_bcast.cpp", "::site::rules", "::site::ruler", "not what bcastgen emits: expected \"rules\""},
        {"bcast/facts/site.hpp", "struct Rule", "struct Ruler", "not what bcastgen emits"},
    };
    const Sample sample = small_sample();
    const auto audited = [&](const FoundLibrary& library, const PreparedAudit* prepared) {
        const Audit audit =
            audit_library(library, "lib", sample.network, sample.plan, &sample.table, mpi_headers(), prepared);
        return audit.findings.empty() ? std::to_string(audit.trees) : InputErrors(audit.findings).what();
    };
    const PreparedAudit prepared =
        prepare_audit({sample.files, {}}, sample.network, sample.plan, sample.table, mpi_headers());
    EXPECT_EQ(audited({sample.files, {}}, &prepared), audited({sample.files, {}}, nullptr));
    for (const Edit& edit : edits) {
        Sample edited = small_sample();
        edited.edit(edit.file, edit.from, edit.to);
        const std::string said = audited({edited.files, {}}, &prepared);
        EXPECT_EQ(said, audited({edited.files, {}}, nullptr)) << edit.to;
        EXPECT_NE(said.find(edit.said), std::string::npos) << edit.to << ": " << said;
    }
}

// An audit gets no further with such a library; the reader alone must not be taken in, either.
TEST(Audit, TakesNoEditedHeaderForAPreparedOne) {
    const Sample sample = small_sample();
    const auto headers = prepare_headers(sample.files, mpi_headers());
    EXPECT_TRUE(read_back(sample.files, mpi_headers(), headers.get()).errors.empty());
    Sample edited = small_sample();
    edited.edit("bcast/facts/site.hpp", "namespace bcast {", "namespace bcast {\nstruct Site {};");
    EXPECT_FALSE(read_back(edited.files, mpi_headers(), headers.get()).errors.empty());
    edited = small_sample();
    std::erase_if(edited.files, [](const EmittedFile& file) { return file.path == "bcast/facts/site.hpp"; });
    EXPECT_FALSE(read_back(edited.files, mpi_headers(), headers.get()).errors.empty());
}

}  // namespace
}  // namespace bcastgen
