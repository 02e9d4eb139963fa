#include "tuner/search/tune_options.hpp"

#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "base/parse_error.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tuner/measure/shape.hpp"

namespace bcastgen {
namespace {

Network star() {
    return read_topology(
        "name: star\nswitches:\n  s0: {machines: \"n[0,2,4,6,8,10]\"}\n  s1: {machines: \"n[1,3,5,7,9,11]\"}\n"
        "links:\n  - {between: [s0, s1]}\n",
        "star.yaml");
}

std::vector<std::string> names(const Network& network, const Placement& placement) {
    std::vector<std::string> found;
    for (const int machine : placement.machines)
        found.push_back(network.machines[static_cast<std::size_t>(machine)].name);
    return found;
}

TEST(TuneOptions, HasAnAnswerForEverythingNotSaid) {
    TuneOptions options;
    options.on = "simulated";
    const TuneRequest request = tune_request(star(), options);
    EXPECT_EQ(request.machines.size(), 12U);
    EXPECT_EQ(request.machine_counts, (std::vector<int>{2, 3, 5, 8, 12}));
    EXPECT_EQ(request.ranks_per_machine, (std::vector<int>{1}));
    EXPECT_EQ(request.arrivals, (std::vector<std::string>{"balanced"}));
    EXPECT_EQ(request.sizes, (std::vector<std::size_t>{256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304}));
    EXPECT_EQ(request.budget_s, 600);
    EXPECT_EQ(std::count(request.algorithms.begin(), request.algorithms.end(), "native"), 0);
    EXPECT_EQ(std::count(request.algorithms.begin(), request.algorithms.end(), "two-tree"), 1);
    EXPECT_EQ(std::count(request.algorithms.begin(), request.algorithms.end(), "multicast"), 0);
}

TEST(TuneOptions, ReadsListsAndRanges) {
    TuneOptions options;
    options.on = "simulated";
    options.machines = "n[3-10]";
    options.root = "n5";
    options.machine_counts = "8,2";
    options.ranks_per_machine = "4,1";
    options.sizes = "1K-100K";
    options.time_budget = "none";
    options.algorithms = "linear,two-tree,linear";
    options.arrivals = "all";
    const TuneRequest request = tune_request(star(), options);
    EXPECT_EQ(request.machine_counts, (std::vector<int>{2, 8}));
    EXPECT_EQ(request.ranks_per_machine, (std::vector<int>{1, 4}));
    EXPECT_EQ(request.sizes, (std::vector<std::size_t>{1024, 4096, 16384, 65536, 102400}));
    EXPECT_EQ(request.algorithms, (std::vector<std::string>{"linear", "two-tree"}));
    EXPECT_EQ(request.arrivals, (std::vector<std::string>{"balanced", "imbalanced"}));
    EXPECT_EQ(request.budget_s, 0);
    EXPECT_EQ(star().machines[static_cast<std::size_t>(request.root)].name, "n5");
}

TEST(TuneOptions, TakesWhatAnMpiHasOfItsOwn) {
    TuneOptions options;
    options.on = "mpiexec";
    options.mpi = "mpich";
    options.algorithms = "mpich:kary2,mpich:all,linear";
    const TuneRequest request = tune_request(star(), options);
    EXPECT_EQ(request.algorithms.size(), 8U);
    EXPECT_EQ(request.algorithms.front(), "mpich:kary2");
    options.algorithms = "linear,ompi:chain,mpich:kary5";
    try {
        (void)tune_request(star(), options);
        FAIL() << "took it";
    } catch (const InputErrors& errors) {
        const std::string text = errors.what();
        EXPECT_NE(text.find("--algorithms:1:8: error: ompi:chain is Open MPI's own; measure it with --mpi openmpi"),
                  std::string::npos)
            << text;
        EXPECT_NE(text.find("--algorithms:1:19: error: \"mpich:kary5\" is none of flat, "), std::string::npos) << text;
    }
}

TEST(TuneOptions, PutsAWorkloadBeforeWhatIsUsual) {
    TuneOptions options;
    options.on = "simulated";
    options.like.jobs = 1;
    options.like.cells = {{5, 2, 70000, 10, 10, 3.0}, {700, 1, 512, 10, 10, 1.0}};
    const TuneRequest request = tune_request(star(), options);
    EXPECT_EQ(request.like.cells.size(), 2U);
    EXPECT_EQ(request.ranks_per_machine, (std::vector<int>{1, 2}));
    EXPECT_TRUE(std::count(request.machine_counts.begin(), request.machine_counts.end(), 5));
    EXPECT_FALSE(std::count(request.machine_counts.begin(), request.machine_counts.end(), 700));
    EXPECT_EQ(request.sizes, (std::vector<std::size_t>{512, 4096, 16384, 70000, 1 << 20, 4 << 20}));

    options.like.cells = {{700, 1, 512, 10, 10, 1.0}};
    EXPECT_THROW((void)tune_request(star(), options), InputErrors);
    options.like.cells.clear();
    EXPECT_THROW((void)tune_request(star(), options), InputErrors);
}

TEST(TuneOptions, TellsEverythingThatIsWrongAtOnce) {
    TuneOptions options;
    options.on = "simulated";
    options.sizes = "1K,2Q";
    options.machine_counts = "2,13";
    options.ranks_per_machine = "0";
    options.time_budget = "10";
    options.algorithms = "linaer";
    options.arrivals = "late";
    try {
        (void)tune_request(star(), options);
        FAIL() << "took it";
    } catch (const InputErrors& errors) {
        std::vector<std::string> found;
        for (const Diagnostic& error : errors.diagnostics()) {
            found.push_back(error.file + ":" + std::to_string(error.column));
        }
        EXPECT_EQ(found, (std::vector<std::string>{"--ranks-per-machine:1", "--machine-counts:3", "--sizes:5",
                                                   "--time-budget:1", "--algorithms:1", "--arrival:1"}));
        EXPECT_NE(std::string(errors.what()).find("did you mean linear?"), std::string::npos);
    }
}

TEST(TuneOptions, CountsOneMachineWhereItHasSeveralRanks) {
    TuneOptions options;
    options.on = "simulated";
    options.machines = "n0";
    EXPECT_THROW((void)tune_request(star(), options), InputErrors);
    options.ranks_per_machine = "1,4";
    EXPECT_EQ(tune_request(star(), options).machine_counts, (std::vector<int>{1}));
    options.machines = "n[0-2]";
    EXPECT_EQ(tune_request(star(), options).machine_counts, (std::vector<int>{1, 2, 3}));
    options.machine_counts = "1,3";
    EXPECT_EQ(tune_request(star(), options).machine_counts, (std::vector<int>{1, 3}));
    options.ranks_per_machine = "1";
    EXPECT_THROW((void)tune_request(star(), options), InputErrors);
}

TEST(TuneOptions, ReadsDurations) {
    EXPECT_EQ(parse_duration_s("90s"), 90);
    EXPECT_EQ(parse_duration_s("1.5m"), 90);
    EXPECT_EQ(parse_duration_s("2h"), 7200);
    EXPECT_EQ(parse_duration_s("none"), 0);
    for (const char* bad : {"", "10", "s", "0s", "-5m", "1e3s", "10 m", "31d", "1.2.3m"}) {
        EXPECT_THROW((void)parse_duration_s(bad), ParseError) << bad;
    }
}

TEST(Shape, ACountStandsForMachinesNearTheRootOrSpread) {
    const Network network = star();
    const std::vector<int> all = near_placement(network, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 0, 12).machines;
    const auto near = near_placement(network, all, 6, 4);  // machine 6 is n1, on s1
    EXPECT_EQ(names(network, near), (std::vector<std::string>{"n1", "n3", "n5", "n7"}));
    const auto spread = spread_placement(network, all, 6, 4);
    EXPECT_EQ(names(network, spread), (std::vector<std::string>{"n1", "n2", "n3", "n4"}));
    EXPECT_EQ(near_placement(network, all, 0, 12).machines, spread_placement(network, all, 0, 12).machines);
}

TEST(Shape, CountsGrowGeometrically) {
    EXPECT_EQ(usual_machine_counts(2), (std::vector<int>{2}));
    EXPECT_EQ(usual_machine_counts(4), (std::vector<int>{2, 3, 4}));
    EXPECT_EQ(usual_machine_counts(32), (std::vector<int>{2, 3, 5, 8, 16, 32}));
    EXPECT_EQ(usual_machine_counts(100), (std::vector<int>{2, 3, 5, 8, 16, 32, 64, 100}));
}

}  // namespace
}  // namespace bcastgen
