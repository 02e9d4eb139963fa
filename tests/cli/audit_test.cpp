// audit as a user runs it, and that what it passed is what build compiles.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

namespace fs = std::filesystem;

using testing::Outcome;
using testing::run_tool;
using testing::ScratchDirectory;
using testing::Surroundings;

/// In an environment that has nothing but PATH and `variables`.
Outcome audited(const std::string& library, const std::string& yaml, const std::vector<std::string>& variables = {}) {
    std::vector<std::string> words = {"env", "-i", std::string("PATH=") + std::getenv("PATH")};
    words.insert(words.end(), variables.begin(), variables.end());
    words.insert(words.end(), {BCASTGEN_TOOL, "audit", library, yaml, "--mpi", "mpich"});
    return testing::run_program(std::move(words));
}

TEST(AuditCommand, TellsByItsExitCode) {
    const ScratchDirectory scratch;
    const std::string yaml = scratch.write("t.yaml", "name: t\nswitches: {s0: {machines: \"n[0-3]\"}}\n");
    const std::string library = scratch.path() / "library";
    ASSERT_EQ(run_tool({yaml, "-o", library}).exit_code, 0);

    const Outcome clean = audited(library, yaml);
    EXPECT_EQ(clean.exit_code, 0);
    EXPECT_EQ(clean.out, library + " (mpich): 3 trees proved for 4 machines; decision table and code are as emitted\n");
    EXPECT_EQ(clean.err, "");

    const Outcome noted = audited(library, yaml, {"CPATH=/nowhere", "CMAKE_TOOLCHAIN_FILE=/nowhere", "CXXFLAGS="});
    EXPECT_EQ(noted.exit_code, 0);
    EXPECT_EQ(
        noted.err,
        "note: set here, and able to change what a build reads or runs: CPATH, CMAKE_TOOLCHAIN_FILE (docs/audit.md)\n");

    fs::create_directory_symlink(library, scratch.path() / "current");
    scratch.write("library/LICENSE", "free");
    EXPECT_EQ(audited(scratch.path() / "current", yaml).exit_code, 0);

    scratch.write("library/cstddef", "#include_next <cstddef>\n");
    const Outcome shadowed = audited(library, yaml);
    EXPECT_EQ(shadowed.exit_code, 3);
    EXPECT_EQ(shadowed.err,
              library + "/cstddef: error: expected no such file: the compiler would look into it for a header\n");
    EXPECT_EQ(shadowed.out, "");
    const Outcome told = run_tool({"audit", library, yaml, "--mpi", "mpich", "--format", "json"});
    EXPECT_EQ(told.exit_code, 3);
    const auto json = nlohmann::json::parse(told.out);
    EXPECT_EQ(json["format"], "bcastgen-audit/1");
    EXPECT_EQ(json["proved"], nlohmann::json::array());
    EXPECT_EQ(json["findings"], nlohmann::json::parse(R"([{"file": ")" + library + R"(/cstddef", "line": 0, "column": 0,
        "message": "expected no such file: the compiler would look into it for a header"}])"));
    fs::remove(library + "/cstddef");
    const auto passed =
        nlohmann::json::parse(run_tool({"audit", library, yaml, "--mpi", "mpich", "--format", "json"}).out);
    EXPECT_EQ(passed["proved"], nlohmann::json::parse(R"([{"mpi": "mpich", "trees": 3, "machines": 4}])"));
    EXPECT_EQ(passed["findings"], nlohmann::json::array());

    scratch.write("library/site_tuning.hpp", "#error gone\n");
    const Outcome edited = audited(library, yaml);
    EXPECT_EQ(edited.exit_code, 3);
    EXPECT_NE(edited.err.find("/site_tuning.hpp:1:1: error: not what bcastgen emits: expected \"#pragma once\", found "
                              "\"#error gone\"\n"),
              std::string::npos)
        << edited.err;
}

TEST(BuildCommand, TakesNothingFromWhatIsLeftInBuild) {
    const ScratchDirectory scratch;
    // As much of an emitted library as the command asks for, and quick to build.
    scratch.write("site_plan.hpp", "");
    scratch.write("t.cpp", "int genuine() { return 0; }\n");
    scratch.write("CMakeLists.txt",
                  "cmake_minimum_required(VERSION 3.13)\nproject(t LANGUAGES CXX)\nadd_library(bcast MODULE t.cpp)\n"
                  "set_target_properties(bcast PROPERTIES\n  OUTPUT_NAME bcast_t\n)\n");
    const fs::path left = scratch.path() / "build/mpich";
    fs::create_directories(left);
    scratch.write("evil.cmake", "file(WRITE \"" + (scratch.path() / "came-to-run").string() + "\" \"\")\n");
    scratch.write("build/mpich/CMakeCache.txt",
                  "CMAKE_PROJECT_INCLUDE:FILEPATH=" + (scratch.path() / "evil.cmake").string() + "\n");
    for (int time = 0; time < 2; ++time) {
        const ScratchDirectory cache;  // nothing was compiled before
        Surroundings surroundings;
        surroundings.environment = {{"XDG_CACHE_HOME", cache.path().string()}};
        const Outcome built = run_tool({"build", scratch.path(), "--mpi", "mpich"}, surroundings);
        EXPECT_EQ(built.exit_code, 0) << built.err;
        EXPECT_EQ(built.out, (left / "libbcast_t.so").string() + "\n");
    }
    EXPECT_TRUE(fs::exists(left / "libbcast_t.so"));
    EXPECT_FALSE(fs::exists(scratch.path() / "came-to-run"));
    EXPECT_FALSE(fs::exists(left / "libbcast_t.so.new"));
}

}  // namespace
}  // namespace bcastgen
