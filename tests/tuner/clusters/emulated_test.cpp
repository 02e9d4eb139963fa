// Any program can be run on an emulated cluster; here it is a shell, one for each rank.
#include "tuner/clusters/emulated.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "base/temporary_directory.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

class EmulatedCluster : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (geteuid() != 0) GTEST_SKIP() << "emulated clusters need root";
        ClusterRequest request;
        request.network = testing::make_network(1, {}, {0, 0, 0, 0});
        request.network.name = "emulated-cluster-test";
        request.mpi = GetParam();
        request.mpi_compiler = std::string("mpicxx.") + GetParam();
        request.work_directory = directory_.path();
        cluster_ = make_emulated_cluster(request, {});
        cluster_->prepare();
    }

    static Job job(const std::string& script) {
        Job job;
        job.program = "/bin/sh";
        job.arguments = {"-c", script};
        job.machines = {2, 0, 3};
        job.time_limit = std::chrono::seconds(300);
        return job;
    }

    TemporaryDirectory directory_{std::filesystem::temp_directory_path()};
    std::unique_ptr<Cluster> cluster_;
};

TEST_P(EmulatedCluster, PlacesRanksAndGivesThemTheirEnvironment) {
    Job places = job(
        "sleep 1; echo ${PMI_RANK-$OMPI_COMM_WORLD_RANK} $(hostname) $WORD; grep -q libidle_shim /proc/self/maps || "
        "echo no shim");
    places.ranks_per_machine = 2;
    places.environment = {{"WORD", "a b"}};
    std::vector<std::string> lines;
    places.on_line = [&](std::string_view line) { lines.emplace_back(line); };
    const JobOutcome outcome = cluster_->run(places);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    std::sort(lines.begin(), lines.end());
    EXPECT_EQ(lines,
              (std::vector<std::string>{"0 m2 a b", "1 m2 a b", "2 m0 a b", "3 m0 a b", "4 m3 a b", "5 m3 a b"}));
}

TEST_P(EmulatedCluster, DealsRanksRoundTheMachines) {
    Job places = job("sleep 1; echo ${PMI_RANK-$OMPI_COMM_WORLD_RANK} $(hostname)");
    places.ranks_per_machine = 2;
    places.distribution = Distribution::cyclic;
    std::vector<std::string> lines;
    places.on_line = [&](std::string_view line) { lines.emplace_back(line); };
    const JobOutcome outcome = cluster_->run(places);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.errors;
    std::sort(lines.begin(), lines.end());
    EXPECT_EQ(lines, (std::vector<std::string>{"0 m2", "1 m0", "2 m3", "3 m2", "4 m0", "5 m3"}));
}

TEST_P(EmulatedCluster, PassesAResultOn) {
    // Not at once: hydra ends by SIGPIPE if a rank ends while hydra is still writing to its proxy.
    EXPECT_EQ(cluster_->run(job("sleep 1; exit 3")).exit_code, 3);
}

TEST_P(EmulatedCluster, SaysWhichMachineHangs) {
    Job hanging = job("echo up; [ $(hostname) != m0 ] || while :; do sleep 1; done");
    hanging.program = directory_.path() / "hanging";  // processes are told by the program's name
    std::filesystem::copy_file("/bin/sh", hanging.program);
    hanging.time_limit = std::chrono::seconds(600);
    JobOutcome outcome;
    const auto said = [&](const char* text) { return outcome.errors.find(text) != std::string::npos; };
    bool seen = false;
    for (int silence_s = 3; !seen && silence_s < 200; silence_s *= 2) {  // a busy host may start them later than that
        hanging.silence_limit = std::chrono::seconds(silence_s);
        outcome = cluster_->run(hanging);
        EXPECT_TRUE(outcome.timed_out);
        seen = said("machines whose ranks have not ended: m0\n") &&
               said("machines whose ranks have ended or never started: m[2-3]\n");
    }
    EXPECT_TRUE(seen) << outcome.errors;
    EXPECT_EQ(cluster_->run(job("sleep 1")).exit_code, 0);  // it goes on working
}

INSTANTIATE_TEST_SUITE_P(Mpis, EmulatedCluster, ::testing::Values("mpich", "openmpi"),
                         [](const auto& parameter) { return std::string(parameter.param); });

}  // namespace
}  // namespace bcastgen
