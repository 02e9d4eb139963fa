#include "tuner/clusters/program_cache.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <map>

#include "base/outside_failure.hpp"
#include "base/process.hpp"
#include "base/temporary_directory.hpp"
#include "base/text_file.hpp"

namespace bcastgen {
namespace {

class ProgramTest : public ::testing::Test {
  protected:
    void SetUp() override {
        setenv("XDG_CACHE_HOME", (directory_.path() / "cache").c_str(), 1);
        std::filesystem::create_directories(directory_.path() / "include");
        write_file(directory_.path() / "main.cpp",
                   "#include <cstdio>\n#include \"word.hpp\"\nint main() { std::puts(WORD SUFFIX); }\n");
        say("first");
    }

    void say(const std::string& word) {
        write_file(directory_.path() / "include" / "word.hpp", "#define WORD \"" + word + "\"\n");
    }

    std::string output(const std::vector<std::string>& flags = {"-DSUFFIX=\"!\""}) {
        ProgramSources program;
        program.name = "say";
        program.sources = {directory_.path() / "main.cpp"};
        program.include_directories = {directory_.path() / "include"};
        Command command;
        command.words = {compile_program(program, compiler_, flags, directory_.path() / "bin").string()};
        return run_command(command).output;
    }

    TemporaryDirectory directory_{std::filesystem::temp_directory_path()};
    std::string compiler_ = "c++";
};

TEST_F(ProgramTest, FollowsEveryChange) {
    EXPECT_EQ(output(), "first!\n");
    EXPECT_EQ(output(), "first!\n");
    say("second");
    EXPECT_EQ(output(), "second!\n");
    EXPECT_EQ(output({"-DSUFFIX=\"?\""}), "second?\n");
    say("first");
    EXPECT_EQ(output(), "first!\n");
}

TEST_F(ProgramTest, StopsAtItsDeadline) {
    compiler_ = (directory_.path() / "c++").string();
    write_file(compiler_, "#!/bin/sh\n[ \"$1\" = --version ] || exec sleep 600\n");  // never ends
    std::filesystem::permissions(compiler_, std::filesystem::perms::owner_all);
    ProgramSources program;
    program.name = "say";
    program.sources = {directory_.path() / "main.cpp"};
    program.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
    EXPECT_THROW((void)compile_program(program, compiler_, {}, directory_.path() / "bin"), OutsideFailure);
}

TEST_F(ProgramTest, IsCompiledOnceForTheSameText) {
    EXPECT_EQ(output(), "first!\n");
    // A compiler that only knows its version: what runs now was compiled before.
    const std::string path = std::getenv("PATH");
    write_file(directory_.path() / "c++",
               "#!/bin/sh\n[ \"$1\" = --version ] && PATH=" + path + " exec c++ --version\nexit 1\n");
    std::filesystem::permissions(directory_.path() / "c++", std::filesystem::perms::owner_all);
    setenv("PATH", (directory_.path().string() + ":" + path).c_str(), 1);
    EXPECT_EQ(output(), "first!\n");
    say("second");
    EXPECT_THROW(output(), OutsideFailure);
    setenv("PATH", path.c_str(), 1);
}

/// Each run of the tool has the sources in a temporary directory of its own, and a site of its own among them.
TEST_F(ProgramTest, SourcesThatStayAreCompiledOnceWhereverTheyAre) {
    for (const std::string run : {"run1", "run2"}) {
        const std::filesystem::path here = directory_.path() / run;
        std::filesystem::create_directories(here);
        write_file(here / "where.hpp", "inline const char* where() { return __FILE__; }\n");
        write_file(here / "site.cpp", "const char* site() { return \"" + run + "\"; }\n");
        write_file(here / "main.cpp", "#include \"where.hpp\"\nint main() { return where()[0] == '/' ? 0 : 1; }\n");
        ProgramSources program;
        program.name = "where";
        program.sources = {here / "main.cpp", here / "site.cpp"};
        program.include_directories = {here};
        Command command;
        command.words = {compile_program(program, compiler_, {}, directory_.path() / "bin").string()};
        EXPECT_EQ(run_command(command).exit_code, 0);
    }
    std::map<std::string, int> objects;
    for (const auto& file : std::filesystem::directory_iterator(directory_.path() / "cache/bcastgen/programs")) {
        const std::string name = file.path().filename().string();
        if (name.ends_with(".o")) ++objects[name.substr(0, name.find('-'))];
    }
    EXPECT_EQ(objects, (std::map<std::string, int>{{"main", 1}, {"site", 2}}));
}

TEST_F(ProgramTest, ShowsTheCompilersWords) {
    try {
        output({"-DSUFFIX=nonsense"});
        FAIL();
    } catch (const OutsideFailure& failure) {
        EXPECT_NE(std::string(failure.what()).find("nonsense"), std::string::npos) << failure.what();
    }
    compiler_ = "no-such-compiler";
    EXPECT_THROW(output(), OutsideFailure);
}

TEST_F(ProgramTest, NeedsNoCache) {
    setenv("XDG_CACHE_HOME", "/proc/none", 1);
    EXPECT_EQ(output(), "first!\n");
    say("second");
    EXPECT_EQ(output(), "second!\n");
}

/// A directory that others can write to may hold programs of theirs.
TEST_F(ProgramTest, NothingIsRunFromADirectoryOfOthers) {
    const std::filesystem::path cache = directory_.path() / "cache/bcastgen";
    std::filesystem::create_directories(cache);
    for (const auto rights : {std::filesystem::perms::group_write, std::filesystem::perms::others_write}) {
        std::filesystem::permissions(cache, std::filesystem::perms::owner_all | rights);
        EXPECT_EQ(output(), "first!\n");
        EXPECT_TRUE(std::filesystem::is_empty(cache));
    }
    std::filesystem::permissions(cache, std::filesystem::perms::owner_all);
    EXPECT_EQ(output(), "first!\n");
    EXPECT_FALSE(std::filesystem::is_empty(cache / "programs"));
}

}  // namespace
}  // namespace bcastgen
