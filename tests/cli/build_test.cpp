// bcastgen build: what was compiled before is not compiled again.
#include <gtest/gtest.h>

#include <filesystem>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

namespace fs = std::filesystem;

using testing::Outcome;
using testing::run_program;
using testing::run_tool;
using testing::ScratchDirectory;
using testing::Surroundings;

/// As much of an emitted library as the command asks for, and quick to compile.
class Build : public ::testing::Test {
  protected:
    Build() {
        library_.write("site_plan.hpp", "");
        write_build_file("");
        say("first");
    }

    /// `command` is CMake's, before it compiles.
    void write_build_file(const std::string& command) {
        library_.write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.13)\nproject(t LANGUAGES CXX)\n" + command +
                                             "\nfile(APPEND $ENV{COMPILED} .)\nadd_library(bcast MODULE t.cpp)\n"
                                             "set_target_properties(bcast PROPERTIES\n  OUTPUT_NAME bcast_t\n)\n");
    }

    void say(const std::string& word) {
        library_.write("t.cpp", "extern const char* const said;\nconst char* const said = \"" + word + "\";\n");
    }

    /// What is in the library, after how many compilations.
    void expect(const std::string& word, std::size_t compilations, const std::string& flags = "",
                const std::string& compiler = "c++") {
        Surroundings surroundings;
        surroundings.environment = {{"XDG_CACHE_HOME", (work_.path() / "cache").string()},
                                    {"COMPILED", (work_.path() / "compiled").string()},
                                    {"CXXFLAGS", flags},
                                    {"CXX", compiler}};
        const bool compiles =
            !fs::exists(work_.path() / "compiled") || fs::file_size(work_.path() / "compiled") < compilations;
        const Outcome built = run_tool({"build", library_.path(), "--mpi", "mpich"}, surroundings);
        EXPECT_EQ(built.exit_code, 0) << built.err;
        EXPECT_EQ(built.out, (library_.path() / "build/mpich/libbcast_t.so").string() + "\n");
        EXPECT_EQ(run_program({"grep", "-c", word, library_.path() / "build/mpich/libbcast_t.so"}).exit_code, 0);
        EXPECT_EQ(fs::file_size(work_.path() / "compiled"), compilations);
        EXPECT_EQ(built.err.find("compiling the library for mpich with ") != std::string::npos, compiles) << built.err;
    }

    ScratchDirectory library_;
    ScratchDirectory work_;
};

TEST_F(Build, TakesWhatWasCompiledBeforeFromTheSameFilesAndFlags) {
    expect("first", 1);
    expect("first", 1);
    say("second");
    expect("second", 2);
    fs::create_directories(library_.path() / "bcast");
    library_.write("bcast/shadow.h", "");  // any file may be one that the compiler reads
    expect("second", 3);
    expect("second", 4, "-O1");
    say("first");
    fs::remove_all(library_.path() / "bcast");
    fs::remove_all(library_.path() / "build");
    expect("first", 4);
}

TEST_F(Build, TakesNothingThatAnotherCompilerMade) {
    expect("first", 1);
    work_.write("other-c++", "#!/bin/sh\nexec c++ -DOTHER \"$@\"\n");
    const std::string other = (work_.path() / "other-c++").string();
    fs::permissions(other, fs::perms::owner_all);
    expect("first", 2, "", other);
    expect("first", 2);
}

TEST_F(Build, CountsTheSecondsOnATerminal) {
    write_build_file("execute_process(COMMAND sleep 2)");
    Surroundings surroundings;
    surroundings.environment = {{"XDG_CACHE_HOME", (work_.path() / "cache").string()},
                                {"COMPILED", (work_.path() / "compiled").string()},
                                {"LC_ALL", "C.UTF-8"}};
    const std::string command = std::string(BCASTGEN_TOOL) + " build " + library_.path().string() + " --mpi mpich";
    const std::string seen = run_program({"script", "-qec", command, "/dev/null"}, surroundings).out;
    EXPECT_NE(seen.find("\rcompiling the library for mpich with "), std::string::npos) << seen;
    EXPECT_NE(seen.find(" … 1 s"), std::string::npos) << seen;
}

}  // namespace
}  // namespace bcastgen
