#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "run_tool.hpp"

namespace bcastgen {
namespace {

using testing::Outcome;
using testing::run_tool;
using testing::ScratchDirectory;
using testing::Surroundings;

/// The tool's own part of the environment, whatever this test was started with.
Surroundings with(std::vector<std::pair<std::string, std::string>> variables) {
    Surroundings surroundings;
    for (const char* name :
         {"LD_PRELOAD", "SLURM_JOB_NODELIST", "PBS_NODEFILE", "HYDRA_HOST_FILE", "OMPI_MCA_orte_default_hostfile"}) {
        const bool is_wanted = std::any_of(variables.begin(), variables.end(),
                                           [&](const auto& variable) { return variable.first == name; });
        if (!is_wanted) surroundings.environment.emplace_back(name, "");
    }
    for (auto& variable : variables) surroundings.environment.push_back(std::move(variable));
    return surroundings;
}

bool has_line(const Outcome& outcome, const std::string& health, const std::string& of, const std::string& found) {
    const auto json = nlohmann::json::parse(outcome.out);
    for (const auto& symptom : json["symptoms"]) {
        if (symptom["health"] == health && symptom["of"] == of &&
            symptom["found"].get<std::string>().find(found) != std::string::npos) {
            return true;
        }
    }
    return false;
}

Outcome doctor(std::vector<std::string> arguments, const Surroundings& surroundings = with({})) {
    arguments.insert(arguments.begin(), "doctor");
    arguments.insert(arguments.end(), {"--format", "json"});
    return run_tool(std::move(arguments), surroundings);
}

TEST(Doctor, AsksSlurmWhichMachinesThereAre) {
    const ScratchDirectory scratch;
    const auto program = [&](const std::string& name, const std::string& says) {
        const std::string file = scratch.write(name, "#!/bin/sh\ncat <<END\n" + says + "END\n");
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    };
    program("sinfo", "n0\nn1\nn1\n");
    program("scontrol", "NodeName=n1 Arch=x86_64 State=IDLE\nNodeName=n40 Arch=x86_64 State=DOWN\n");
    const char* path = std::getenv("PATH");
    const Surroundings here = with({{"PATH", scratch.path().string() + ":" + (path == nullptr ? "" : path)}});
    const Outcome outcome = doctor({"topologies/fsu-1.yaml"}, here);
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_TRUE(has_line(outcome, "ill", "sinfo", "does not name 14 machines of the file, n[2-15]")) << outcome.out;
    EXPECT_TRUE(has_line(outcome, "ill", "scontrol", "names 1 machine that the file does not have, n40"));
    EXPECT_TRUE(has_line(outcome, "ill", "scontrol", "does not name 15 machines of the file, n[0,2-15]"));
}

TEST(Doctor, ShowsALineForEachThing) {
    const Outcome outcome = run_tool({"doctor", "topologies/fsu-4.yaml", "--hosts", "n[0-30],x1"}, with({}));
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_EQ(outcome.out.rfind("well  topology", 0), 0U) << outcome.out;
    for (const char* line :
         {"  --hosts         names 1 machine that the file does not have, x1: ",
          "  --hosts         does not name 1 machine of the file, n31: ", "  open files  ", "  /dev/shm  "}) {
        EXPECT_NE(outcome.out.find(line), std::string::npos) << line << '\n' << outcome.out;
    }
}

TEST(Doctor, MatchesFullNamesWithShortOnes) {
    const ScratchDirectory scratch;
    const std::string hosts = scratch.write("hosts", "# all of them\nn0.example.org slots=2\nn1.example.org:4\n\n");
    const std::string file = scratch.write("two.yaml", "name: two\nswitches: {s: {machines: \"n[0-1]\"}}\n");
    const Outcome outcome = doctor({file, "--hosts", hosts});
    EXPECT_TRUE(has_line(outcome, "well", "--hosts", "names 2 machines, all of the file and no other")) << outcome.out;
}

TEST(Doctor, LooksAtTheJobThatItRunsIn) {
    const ScratchDirectory scratch;
    const std::string hosts = scratch.write("nodes", "n3\nn3\nn4\nstranger\n");
    const Outcome outcome = doctor({"topologies/fsu-4.yaml"}, with({{"SLURM_JOB_NODELIST", "n[0-3]"},
                                                                    {"OMPI_MCA_orte_default_hostfile", hosts},
                                                                    {"HYDRA_HOST_FILE", "/nowhere/hosts"}}));
    EXPECT_EQ(outcome.exit_code, 3);
    EXPECT_TRUE(has_line(outcome, "well", "this job", "names 4 machines, all in the file")) << outcome.out;
    EXPECT_TRUE(has_line(outcome, "ill", "OMPI_MCA_orte_default_hostfile", "the file does not have, stranger"))
        << outcome.out;
    EXPECT_TRUE(has_line(outcome, "ill", "HYDRA_HOST_FILE", "/nowhere/hosts cannot be read")) << outcome.out;
}

TEST(Doctor, LooksAtSettings) {
    const Outcome outcome =
        doctor({"topologies/fsu-4.yaml"}, with({{"BCASTGEN_ALGORITM", "x"}, {"BCASTGEN_DISABLE", "1"}}));
    EXPECT_TRUE(has_line(outcome, "ill", "settings", "BCASTGEN_ALGORITM is no setting")) << outcome.out;
    EXPECT_TRUE(has_line(outcome, "ill", "settings", "BCASTGEN_DISABLE=1 is set")) << outcome.out;
    EXPECT_EQ(outcome.exit_code, 3);
}

TEST(Doctor, KnowsItsOwnLibraries) {
    const ScratchDirectory scratch;
    const std::string directory = (scratch.path() / "site").string();
    ASSERT_EQ(run_tool({"topologies/fsu-4.yaml", "-o", directory}).exit_code, 0);
    // What it says of itself stands in its source as it does in the shared object, and compiling that takes long.
    const std::string library = directory + "/build/mpich/libbcast_fsu-4.so";
    std::filesystem::create_directories(directory + "/build/mpich");
    std::filesystem::copy_file(directory + "/mpi_bcast.cpp", library);
    const auto under = [](const std::string& preload) { return with({{"LD_PRELOAD", preload}}); };
    const Outcome right = doctor({"topologies/fsu-4.yaml"}, under(library));
    EXPECT_TRUE(has_line(right, "well", "LD_PRELOAD", "is of this file and version")) << right.out;
    EXPECT_TRUE(has_line(right, "well", "audit", "trees proved")) << right.out;
    const Outcome other = doctor({"topologies/fsu-5.yaml"}, under(library));
    EXPECT_TRUE(has_line(other, "ill", "LD_PRELOAD", "is for fsu-4, and the file is fsu-5")) << other.out;
    const Outcome missing = doctor({"topologies/fsu-4.yaml"}, under(library + ".old"));
    EXPECT_TRUE(has_line(missing, "ill", "LD_PRELOAD", ".so.old cannot be read")) << missing.out;
    std::ofstream(scratch.path() / "site/bcast/mpi/mpi_library.hpp", std::ios::app) << "int x;\n";
    const Outcome changed = doctor({"topologies/fsu-4.yaml"}, under(library));
    EXPECT_TRUE(has_line(changed, "ill", "audit", "is not what bcastgen emits")) << changed.out;
}

}  // namespace
}  // namespace bcastgen
