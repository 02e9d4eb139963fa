// Emitted code under the compilers that sites have, with both MPIs' headers, and what its tables say once compiled.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "codegen/emit/emitter.hpp"
#include "codegen/emit/library_directory.hpp"
#include "codegen/emit/site_tables.hpp"
#include "planner/plan/site_plan.hpp"
#include "tests/models/sites.hpp"
#include "tests/run_program.hpp"

namespace bcastgen {
namespace {

using testing::Outcome;
using testing::run_program;
using testing::ScratchDirectory;
using testing::Site;

const std::vector<std::string> strict = {"-std=c++17",         "-Wall",    "-Wextra",      "-Wconversion",
                                         "-Wpedantic",         "-Wshadow", "-Wextra-semi", "-Wold-style-cast",
                                         "-Wnon-virtual-dtor", "-Werror"};

std::vector<std::string> operator+(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

/// C++ compilers of this host: g++, and clang++ where it is installed.
std::vector<std::string> compilers() {
    std::vector<std::string> found{"g++"};
    if (run_program({"sh", "-c", "command -v clang++"}).exit_code == 0) found.emplace_back("clang++");
    return found;
}

std::vector<std::string> headers_of(const std::string& include_directories) {
    std::vector<std::string> words;
    std::istringstream list(include_directories);
    for (std::string directory; std::getline(list, directory, ':');) {
        words.emplace_back("-isystem");
        words.push_back(directory);
    }
    return words;
}

void write_site(const ScratchDirectory& scratch, const Site& site) {
    write_library(scratch.path() / "site", testing::emitted_library(site.network, site.table, "bcastgen test.yaml"));
}

class EmittedCode : public testing::ForEverySite {};

/// Every compiler of this host finds nothing to warn of in the file. What only optimisation shows is an error for the
/// CMakeLists.txt that is emitted.
void expect_no_warning(const ScratchDirectory& scratch, const std::string& file,
                       const std::string& mpi = BCASTGEN_MPICH_HEADERS) {
    for (const std::string& compiler : compilers()) {
        const std::vector<std::string> words =
            std::vector<std::string>{compiler} + strict + headers_of(mpi) +
            std::vector<std::string>{"-DMPICH_SKIP_MPICXX", "-DOMPI_SKIP_MPICXX", "-fsyntax-only",
                                     "-I" + (scratch.path() / "site").string(), file};
        const Outcome outcome = run_program(words);
        EXPECT_EQ(outcome.exit_code, 0) << fmt::format("{}\n", fmt::join(words, " ")) << outcome.err;
        EXPECT_EQ(outcome.err, "");
    }
}

// What differs from site to site is in the tables, which know nothing of MPI.
TEST_P(EmittedCode, CompilesWithoutAWarning) {
    const ScratchDirectory scratch;
    write_site(scratch, sample_);
    expect_no_warning(scratch,
                      scratch.write("tables.cpp", "#include \"site_plan.hpp\"\n#include \"site_tuning.hpp\"\n"));
}

TEST(EmittedCode, TheWholeLibraryCompilesWithoutAWarning) {
    const ScratchDirectory scratch;
    write_site(scratch, {"everything", testing::sample_network("fsu-3"), testing::table_of_everything()});
    for (const char* mpi : {BCASTGEN_MPICH_HEADERS, BCASTGEN_OPENMPI_HEADERS}) {
        expect_no_warning(scratch, (scratch.path() / "site/mpi_bcast.cpp").string(), mpi);
    }
}

TEST_P(EmittedCode, IsAsClangFormatLeavesIt) {
    const ScratchDirectory scratch;
    write_site(scratch, sample_);
    const std::string site = (scratch.path() / "site/").string();
    const std::string style = "--style=file:" BCASTGEN_SOURCE_DIR "/.clang-format";
    const Outcome outcome = run_program({BCASTGEN_CLANG_FORMAT, style, "--dry-run", "-Werror", site + "site_plan.hpp",
                                         site + "site_tuning.hpp", site + "mpi_bcast.cpp"});
    EXPECT_EQ(outcome.exit_code, 0);
    EXPECT_EQ(outcome.err, "");
}

/// site_plan.hpp and site_tuning.hpp as a compiler understands them, told by read_back.cpp.
nlohmann::json read_back(const ScratchDirectory& scratch) {
    const std::string program = (scratch.path() / "read_back").string();
    const std::string reader = BCASTGEN_SOURCE_DIR "/tests/codegen/emit/read_back.cpp";
    const Outcome compiled = run_program({"g++", "-std=c++17", "-Wall", "-Wextra", "-Werror",
                                          "-I" + (scratch.path() / "site").string(), reader, "-o", program});
    EXPECT_EQ(compiled.exit_code, 0) << compiled.err;
    const Outcome outcome = run_program({program});
    EXPECT_EQ(outcome.exit_code, 0);
    return nlohmann::json::parse(outcome.out);
}

nlohmann::json told(const Network& network, const SitePlan& plan) {
    nlohmann::json sets = nlohmann::json::array();
    for (const BakedSetPlan& set : plan.sets) {
        nlohmann::json roots = nlohmann::json::array();
        for (const BakedRootPlan& root : set.roots) {
            nlohmann::json trees;
            for (const BakedTreePlan& tree : root.trees) {
                trees[bcast::name_of(tree.algorithm)] = {{"parent", tree.parent}, {"turn", tree.turn}};
            }
            roots.push_back({{"switch", root.sw}, {"order", root.order}, {"trees", trees}});
        }
        sets.push_back({{"name", set.name.empty() ? "all machines" : "partition " + set.name}, {"roots", roots}});
    }
    nlohmann::json machines = nlohmann::json::object();
    for (std::size_t number = 0; number < plan.machines.size(); ++number) {
        machines[network.machines[static_cast<std::size_t>(plan.machines[number])].name] = number;
    }
    return {{"plan_hash", plan.hash},
            {"machines", machines},
            {"machine_switch", plan.machine_switch},
            {"switch_links", plan.switch_links},
            {"switches", network.switches.size()},
            {"sets", sets}};
}

nlohmann::json told(const DecisionTable& table) {
    nlohmann::json rules = nlohmann::json::array();
    for (const Rule& rule : table.rules) {
        nlohmann::json messages = nlohmann::json::array();
        for (const MessageRule& message : rule.messages) {
            messages.push_back({message.up_to, bcast::name_of(message.algorithm), message.segment_bytes,
                                bcast::name_of(message.hand_on)});
        }
        rules.push_back({{"machines", {rule.machines_from, rule.machines_to}},
                         {"ranks_per_machine", {rule.ranks_per_machine_from, rule.ranks_per_machine_to}},
                         {"imbalanced", rule.arrival == bcast::Arrival::imbalanced},
                         {"messages", messages}});
    }
    return rules;
}

TEST_P(EmittedCode, TablesReadBackAsTheyWerePlanned) {
    const ScratchDirectory scratch;
    write_site(scratch, sample_);
    const nlohmann::json back = read_back(scratch);
    const SitePlan plan = make_site_plan(sample_.network);
    EXPECT_EQ(back["plan"], told(sample_.network, plan));
    EXPECT_EQ(back["rules"], told(sample_.table));
    EXPECT_TRUE(back["names_sorted"]);
}

INSTANTIATE_TEST_SUITE_P(Sites, EmittedCode, ::testing::ValuesIn(testing::sample_sites()), testing::label_of);

// Names are checked when a topology is read; should one ever come through, it must still be nothing but a string.
TEST(EmittedCode, QuotedTextIsTheSameTextToACompiler) {
    std::string bytes;
    for (int byte = 1; byte < 256; ++byte) bytes += static_cast<char>(byte);
    const std::vector<std::string> texts = {bytes,      "\?\?/\"; int evil; //", "\\",   "\"",    "a\n#error evil",
                                            "R\"(x)\"", "*/ int evil; /*",       "%s%n", "1\0012"};
    std::string code = "#include <cstdio>\nint main() {\n    const char* texts[] = {";
    for (const std::string& text : texts) code += quoted(text) + ", ";
    code += "};\n    for (const char* text : texts) std::puts(text);\n}\n";
    const ScratchDirectory scratch;
    const std::string source = scratch.write("quoted.cpp", code);
    const std::string program = (scratch.path() / "quoted").string();
    for (const char* dialect : {"-std=c++17", "-trigraphs"}) {
        const Outcome compiled = run_program({"g++", dialect, source, "-o", program});
        ASSERT_EQ(compiled.exit_code, 0) << compiled.err;
        std::string expected;
        for (const std::string& text : texts) expected += text + "\n";
        EXPECT_EQ(run_program({program}).out, expected);
    }
}

}  // namespace
}  // namespace bcastgen
