#include "codegen/audit/audit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "codegen/audit/read_back.hpp"
#include "planner/decision/prediction.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/base/files.hpp"

namespace bcastgen {
namespace {

using testing::contents;
using testing::source_path;

std::vector<std::string> mpi_headers() {
    std::vector<std::string> directories;
    std::istringstream list(BCASTGEN_MPI_HEADERS);
    for (std::string directory; std::getline(list, directory, ':');) directories.push_back(directory);
    return directories;
}

/// A sample's library, and what the audit says of it.
struct Sample {
    explicit Sample(const std::string& path) : Sample(read_topology(contents(source_path(path)), path)) {}
    explicit Sample(Network given)
        : network(std::move(given)),
          plan(make_site_plan(network)),
          files(emit_library(network, plan, default_table(network, plan), "bcastgen sample.yaml")) {}

    std::string& text(const std::string& path) {
        return std::find_if(files.begin(), files.end(), [&](const EmittedFile& file) { return file.path == path; })
            ->text;
    }

    void edit(const std::string& path, const std::string& from, const std::string& to) {
        std::string& in = text(path);
        const std::size_t at = in.find(from);
        ASSERT_NE(at, std::string::npos) << path << " has no " << from;
        in.replace(at, from.size(), to);
    }

    [[nodiscard]] std::string audited() const {
        const Audit audit = audit_library(files, "lib", network, plan, nullptr, mpi_headers());
        return audit.findings.empty() ? fmt::format("{} trees\n", audit.trees) : InputErrors(audit.findings).what();
    }

    Network network;
    SitePlan plan;
    std::vector<EmittedFile> files;
};

Sample small() {
    return Sample(
        read_topology("name: small\nswitches: {s0: {machines: \"a[0-2]\"}, s1: {machines: \"b[0-2]\"}}\n"
                      "links: [{between: [s0, s1]}]\npartitions: {half: \"a[1-2],b0\"}\n",
                      "small.yaml"));
}

TEST(Audit, PassesEverySample) {
    for (const char* name : {"campus", "fat-tree", "fsu-1", "fsu-2", "fsu-3", "fsu-4", "fsu-5"}) {
        const std::string said = Sample(std::string("topologies/") + name + ".yaml").audited();
        EXPECT_TRUE(said.ends_with(" trees\n")) << name << ": " << said;
    }
}

TEST(Audit, LeavesCommentsAndLayoutFree) {
    Sample sample = small();
    for (const char* path : {"site_plan.hpp", "site_tuning.hpp", "mpi_bcast.cpp", "bcast/trees/tree.hpp"}) {
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
    EXPECT_EQ(sample.audited(), small().audited());
}

struct Edit {
    const char* file;
    const char* from;
    const char* to;
    const char* said;
};

TEST(Audit, SaysWhereWhatWasExpectedAndWhatWasFound) {
    const Edit edits[] = {
        {"site_plan.hpp", "{\"a1\", 1}", "{\"a9\", 1}",
         "lib/site_plan.hpp:23:6: error: machine_names[1].name: expected \"a1\", found \"a9\"\n"
         "        {\"a9\", 1},  // on s0\n         ^\n"},
        {"site_plan.hpp", "    0, 0, 0, 1, 1, 1,", "    0, 0, 1, 1, 1, 1,",
         "lib/site_plan.hpp:32:11: error: machine_switch[2]: expected 0, found 1\n"
         "        0, 0, 1, 1, 1, 1,  // 0 to 5\n              ^\n"},
        {"site_tuning.hpp", "512, bcast::Algorithm::native", "513, bcast::Algorithm::native", nullptr},
        {"bcast/trees/tree.hpp", "position + 1 < machines", "position + 2 < machines",
         "lib/bcast/trees/tree.hpp:56:39: error: not what bcastgen emits: expected \"1\", found \"2\"\n"
         "        for (int position = 0; position + 2 < machines; ++position) {\n"
         "                                          ^\n"},
        {"CMakeLists.txt", "OUTPUT_NAME bcast_small", "OUTPUT_NAME other",
         "lib/CMakeLists.txt:18:15: error: not what bcastgen emits: expected \"bcast_small\", found \"other\"\n"
         "      OUTPUT_NAME other\n                  ^\n"},
        {"mpi_bcast.cpp", "::site::rules", "::site::ruler", nullptr},
        {"mpi_bcast.cpp", "return facts;", "return facts; int unused;", nullptr},
        {"site_plan.hpp", "switches = 2", "switches = 3", nullptr},
        {"mpi_bcast.cpp", ", stage 1;", ", stage 2;", nullptr},
    };
    for (const Edit& edit : edits) {
        Sample sample = small();
        sample.edit(edit.file, edit.from, edit.to);
        const std::string said = sample.audited();
        EXPECT_NE(said.find(std::string("lib/") + edit.file), std::string::npos) << edit.to << ": " << said;
        if (edit.said != nullptr) {
            EXPECT_EQ(said, edit.said);
        }
    }
}

TEST(Audit, FindsFilesThatAreMissingOrTooMany) {
    Sample sample = small();
    sample.files.push_back({"cstddef", ""});
    EXPECT_EQ(sample.audited(),
              "lib/cstddef: error: expected no such file: the compiler would look into it for a header\n");
    sample = small();
    std::erase_if(sample.files, [](const EmittedFile& file) { return file.path == "CMakeLists.txt"; });
    EXPECT_EQ(sample.audited(), "lib/CMakeLists.txt: error: expected this file, found none\n");
}

TEST(Audit, WantsTheDecisionTableThatItIsGiven) {
    const Sample sample = small();
    DecisionTable table = default_table(sample.network, sample.plan);
    table.rules.front().messages.front().up_to = 1000;
    const Audit audit = audit_library(sample.files, "lib", sample.network, sample.plan, &table, mpi_headers());
    ASSERT_FALSE(audit.findings.empty());
    EXPECT_NE(audit.findings.front().message.find("rules[0].messages[0].up_to: expected 1000, found "),
              std::string::npos)
        << audit.findings.front().message;
}

/// Another token of the same kind: a number, a name of the same file, a text.
std::string changed(const CodeToken& token, const std::vector<CodeToken>& tokens, std::mt19937& random) {
    const char first = token.text.front();
    if (first >= '0' && first <= '9')
        return std::to_string(std::strtoull(token.text.c_str(), nullptr, 0) + 1 + random() % 3);
    if (first == '"') return "\"x" + token.text.substr(1);
    std::vector<std::string> names;
    for (const CodeToken& other : tokens) {
        const char c = other.text.front();
        const bool name = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (name && other.text != token.text) names.push_back(other.text);
    }
    return names[random() % names.size()];
}

/// Changes one token of the site's facts, or swaps two neighbours of a table. Says what it did.
std::string mutate(Sample& sample, std::mt19937& random) {
    const char* const paths[] = {"site_plan.hpp", "site_tuning.hpp", "mpi_bcast.cpp"};
    EmittedFile file{paths[random() % 3], ""};
    file.text = sample.text(file.path);
    const std::vector<CodeToken> tokens = tokens_of(file);
    while (true) {
        const std::size_t at = random() % (tokens.size() - 2);
        const CodeToken& token = tokens[at];
        const char c = token.text.front();
        if (c != '"' && c != '_' && std::isalnum(static_cast<unsigned char>(c)) == 0) continue;
        const bool swap = tokens[at + 1].text == "," && tokens[at + 2].text != token.text && random() % 2 == 0 &&
                          tokens[at + 2].place.line == token.place.line && !tokens[at + 2].text.empty() &&
                          std::isalnum(static_cast<unsigned char>(tokens[at + 2].text.front())) != 0;
        const std::string now = swap ? tokens[at + 2].text : changed(token, tokens, random);
        std::size_t start = 0;
        for (int line = 1; line < token.place.line; ++line) start = file.text.find('\n', start) + 1;
        const std::size_t here = start + static_cast<std::size_t>(token.place.column) - 1;
        std::string& text = sample.text(file.path);
        if (swap) {
            const std::size_t there = start + static_cast<std::size_t>(tokens[at + 2].place.column) - 1;
            text.replace(there, now.size(), token.text);
        }
        text.replace(here, token.text.size(), now);
        return fmt::format("{}:{}:{} {} -> {}", file.path, token.place.line, token.place.column, token.text, now);
    }
}

TEST(Audit, CatchesRandomMutations) {
    const char* const count = std::getenv("BCASTGEN_MUTATIONS");  // a longer sweep by hand
    const int mutations = count == nullptr ? 25 : std::atoi(count);
    std::mt19937 random(20240607);
    const Sample sample = small();
    for (int number = 0; number < mutations; ++number) {
        Sample mutant = sample;
        const std::string what = mutate(mutant, random);
        const Audit audit = audit_library(mutant.files, "lib", mutant.network, mutant.plan, nullptr, mpi_headers());
        ASSERT_FALSE(audit.findings.empty()) << what;
        EXPECT_GT(audit.findings.front().line, 0) << what << ": " << audit.findings.front().message;
    }
}

}  // namespace
}  // namespace bcastgen
