#include "tuner/clusters/mpiexec.hpp"

#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "bench/programs/opponents/names.hpp"
#include "bench_rows.hpp"
#include "planner/mpis/broadcasts.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::bench_rows;
using testing::BenchLine;
using testing::row_of;

class Mpiexec : public ::testing::TestWithParam<const char*> {};

TEST_P(Mpiexec, MeasuresOnThisHost) {
    const auto rows = bench_rows({"tests/tuner/clusters/dealt.yaml", "--on", "mpiexec", "--mpi", GetParam(),
                                  "--machines", "n[0,5,2]", "--root", "n5", "--sizes", "1,1000,64K", "--algorithms",
                                  "all", "--segments", "4K,max", "--repetitions", "3"});
    for (const char* algorithm : {"pingpong", "native", "linear", "binary", "tuned"}) {
        for (const std::size_t bytes : {1, 1000, 65536}) {
            const BenchLine& row = row_of(rows, algorithm, bytes);
            EXPECT_EQ(row.fields[0], "mpiexec");
            EXPECT_EQ(row.fields[1], GetParam());
            EXPECT_EQ(row.repetitions(), 3);
            EXPECT_GT(row.completion_us(), 0);
            EXPECT_GT(row.per_node_us(), 0);
            EXPECT_EQ(row.fields.at(18), "") << "no floor: messages do not cross the network that is described";
        }
    }
}

// Whatever the rank of the root: bench_rows sees to it that every byte is right.
TEST_P(Mpiexec, MeasuresOpponents) {
    std::string opponents;
    for (const OpponentRow& row : opponent_rows) {
        opponents += (opponents.empty() ? "" : ",") + std::string(opponent_prefix) + row.name;
    }
    for (const char* ranks_per_machine : {"1", "2"}) {
        const auto rows =
            bench_rows({"tests/tuner/clusters/dealt.yaml", "--on", "mpiexec", "--mpi", GetParam(), "--machines",
                        "n[0-4]", "--root", "n3", "--ranks-per-machine", ranks_per_machine, "--sizes", "1,5000,300001",
                        "--algorithms", opponents, "--segments", "1000,64K,max", "--repetitions", "2"});
        EXPECT_EQ(rows.size(), 3 * 3 * std::size(opponent_rows));
    }
}

// As it is told to within one job, in random order with the library's: bench_rows sees to it that every byte is right.
TEST_P(Mpiexec, MeasuresWhatTheMpiHasOfItsOwn) {
    const bool open_mpi = GetParam() == std::string("openmpi");
    const auto rows = bench_rows({"tests/tuner/clusters/dealt.yaml", "--on", "mpiexec", "--mpi", GetParam(),
                                  "--machines", "n[0-4]", "--root", "n3", "--sizes", "1,5000,300001", "--algorithms",
                                  open_mpi ? "linear,ompi:all,native" : "linear,mpich:all,native", "--segments",
                                  "1000,64K", "--repetitions", "2"});
    std::size_t expected = 3 * (2 + 1);  // linear and native
    for (const MpiBroadcast& row : mpi_broadcasts) {
        if (mpi_name(row.of) != std::string(GetParam())) continue;
        for (const std::size_t bytes : {1, 5000, 300001}) EXPECT_GT(row_of(rows, row.name, bytes).completion_us(), 0);
        expected += 3 * (row.takes_segments ? 2 : 1);
    }
    EXPECT_EQ(rows.size(), expected);
}

TEST_P(Mpiexec, LatePatternsShow) {
    const auto rows = bench_rows({"tests/tuner/clusters/dealt.yaml", "--on", "mpiexec", "--mpi", GetParam(),
                                  "--machines", "n[0-1]", "--sizes", "8M", "--algorithms", "pingpong,linear",
                                  "--segments", "64K", "--arrival", "late:1:20", "--repetitions", "9"});
    // The least of the ping-pongs: other programs may hold up any of them, but hardly all.
    EXPECT_GT(rows.at(1).completion_us(), 10 * rows.at(0).least_completion_us());
}

// A space or a colon ends a name in LD_PRELOAD.
TEST_P(Mpiexec, RanksStepAsideWhereverTemporaryFilesAre) {
    const testing::ScratchDirectory scratch;
    ClusterRequest request;
    request.network = testing::make_network(1, {}, {0, 0});
    request.mpi = GetParam();
    request.mpi_compiler = std::string("mpicxx.") + GetParam();
    request.work_directory = scratch.path() / "with space:and colon";
    std::filesystem::create_directory(request.work_directory);
    const std::unique_ptr<Cluster> cluster = make_mpiexec_cluster(request, {});
    cluster->prepare();
    Job job;
    job.program = "/bin/sh";
    job.arguments = {"-c", "sleep 1; grep -q libidle_shim /proc/$$/maps && echo has it"};
    job.machines = {0, 1};
    job.time_limit = std::chrono::seconds(300);
    const JobOutcome outcome = cluster->run(job);
    EXPECT_EQ(outcome.output, "has it\nhas it\n") << outcome.errors;
}

INSTANTIATE_TEST_SUITE_P(Mpis, Mpiexec, ::testing::Values("mpich", "openmpi"),
                         [](const auto& parameter) { return std::string(parameter.param); });

TEST(MpiexecHosts, AreMachinesByTheirWholeOrShortNames) {
    const Network network = testing::make_network(1, {}, {0, 0, 0});
    const auto machines = machines_of_hosts(network, {"m2.cluster.example", "m0"});
    EXPECT_EQ(machines, (std::map<int, std::string>{{0, "m0"}, {2, "m2.cluster.example"}}));
    try {
        static_cast<void>(machines_of_hosts(network, {"m0", "x", "m0.cluster", "m9"}));
        FAIL();
    } catch (const InputErrors& errors) {
        EXPECT_EQ(errors.diagnostics().size(), 3U) << errors.what();
    }
}

TEST(MpiexecHosts, ComeFromTheBatchSystem) {
    const testing::ScratchDirectory scratch;
    setenv("PBS_NODEFILE", scratch.write("nodes", "n1 slots=2\nn1\nn2\n\n").c_str(), 1);
    EXPECT_EQ(batch_hosts(), (std::vector<std::string>{"n1", "n2"}));
    setenv("SLURM_JOB_NODELIST", "n[3-4]", 1);
    EXPECT_EQ(batch_hosts(), (std::vector<std::string>{"n3", "n4"}));
    unsetenv("SLURM_JOB_NODELIST");
    unsetenv("PBS_NODEFILE");
    EXPECT_EQ(batch_hosts(), std::vector<std::string>{});
}

}  // namespace
}  // namespace bcastgen
