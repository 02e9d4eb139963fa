#include "tuner/bench/bench_options.hpp"

#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "base/parse_error.hpp"
#include "tests/models/random_network.hpp"
#include "tuner/measure/measure_options.hpp"

namespace bcastgen {
namespace {

Network network_of(const std::vector<std::string>& names) {
    Network network = testing::make_network(1, {}, std::vector<int>(names.size(), 0));
    for (std::size_t i = 0; i < names.size(); ++i) network.machines[i].name = names[i];
    return network;
}

std::vector<std::string> rank_order(const std::vector<std::string>& names) {
    const Network network = network_of(names);
    BenchOptions options;
    options.on = "simulated";
    std::vector<std::string> order;
    for (const int machine : bench_request(network, options).machines) {
        order.push_back(network.machines[static_cast<std::size_t>(machine)].name);
    }
    return order;
}

std::string errors_of(const BenchOptions& options) {
    try {
        static_cast<void>(bench_request(network_of({"n0", "n1", "n2"}), options));
    } catch (const InputErrors& errors) {
        return errors.what();
    }
    return "";
}

TEST(BenchOptions, RanksAreDealtToMachinesByNumber) {
    EXPECT_EQ(rank_order({"n10", "n2", "n1"}), (std::vector<std::string>{"n1", "n2", "n10"}));
    EXPECT_EQ(rank_order({"r2n1", "r1n12", "r1n03", "login"}),
              (std::vector<std::string>{"login", "r1n03", "r1n12", "r2n1"}));
    EXPECT_EQ(rank_order({"a1", "a01", "a", "b", "a1x"}), (std::vector<std::string>{"a", "a01", "a1", "a1x", "b"}));
}

TEST(BenchOptions, TheFirstMachineIsTheRootUnlessOneIsNamed) {
    const Network network = network_of({"n10", "n2", "n1"});
    BenchOptions options;
    options.on = "simulated";
    EXPECT_EQ(bench_request(network, options).root, 2);
    options.root = "n10";
    EXPECT_EQ(bench_request(network, options).root, 0);
    options.root = "";
    options.machines = "n[2,1]";
    EXPECT_EQ(bench_request(network, options).machines, (std::vector<int>{1, 2}));
    EXPECT_EQ(bench_request(network, options).root, 1);
}

TEST(BenchOptions, ReadsArrivalPatterns) {
    EXPECT_EQ(parse_arrival("balanced").kind, ArrivalPattern::Kind::balanced);
    const ArrivalPattern random = parse_arrival("random:16");
    EXPECT_EQ(random.kind, ArrivalPattern::Kind::random);
    EXPECT_EQ(random.most_if, 16);
    const ArrivalPattern late = parse_arrival("late:0.2:8.5");
    EXPECT_EQ(late.kind, ArrivalPattern::Kind::late);
    EXPECT_EQ(late.late_fraction, 0.2);
    EXPECT_EQ(late.most_if, 8.5);
    for (const char* wrong : {"", "random", "random:", "random:-1", "random:x", "random:1:2", "late:0.5", "late:2:1",
                              "late:nan:1", "late:0.5:1e9", "early:1", "balanced:1"}) {
        EXPECT_THROW(static_cast<void>(parse_arrival(wrong)), ParseError) << wrong;
    }
}

TEST(BenchOptions, ReadsSizesOnce) {
    EXPECT_EQ(parse_sizes("1K,1024,1M,7"), (std::vector<std::size_t>{1024, 1048576, 7}));
    for (const char* wrong : {"", "0", "1K,", ",1K", "1K,,2K", "1K 2K", "-1"})
        EXPECT_THROW(static_cast<void>(parse_sizes(wrong)), ParseError) << wrong;
}

TEST(BenchOptions, ReadsRangesOfSizes) {
    EXPECT_EQ(parse_message_sizes("1K-16K"), (std::vector<std::size_t>{1024, 4096, 16384}));
    EXPECT_EQ(parse_message_sizes("7,4-20,16"), (std::vector<std::size_t>{7, 4, 16, 20}));
    EXPECT_EQ(parse_message_sizes("8-8"), (std::vector<std::size_t>{8}));
    const std::pair<const char*, std::size_t> rows[] = {{"2K-1K", 0}, {"1K,2K-", 6},   {"1K,-2", 3},
                                                        {"1-2-3", 3}, {"1K,2K-4Q", 7}, {"0-4", 0}};
    for (const auto& [wrong, place] : rows) {
        try {
            static_cast<void>(parse_message_sizes(wrong));
            ADD_FAILURE() << wrong;
        } catch (const ParseError& error) {
            EXPECT_EQ(error.offset(), place) << wrong << ": " << error.what();
        }
    }
}

TEST(BenchOptions, ReadsSegments) {
    BenchOptions options;
    options.on = "simulated";
    EXPECT_FALSE(bench_request(network_of({"a", "b"}), options).segments);
    options.segments = "8K,max";
    EXPECT_EQ(bench_request(network_of({"a", "b"}), options).segments, (std::vector<std::size_t>{8192, 0}));
}

TEST(BenchOptions, KnowsAlgorithmsByCluster) {
    BenchOptions options;
    options.on = "mpiexec";
    options.algorithms = "all,linear";
    const std::vector<std::string> all = bench_request(network_of({"a", "b"}), options).algorithms;
    EXPECT_EQ(all.front(), "pingpong");
    EXPECT_EQ(std::count(all.begin(), all.end(), "linear"), 1);
    EXPECT_EQ(std::count(all.begin(), all.end(), "tuned"), 1);
    options.algorithms = "smpi:mpich";
    EXPECT_EQ(errors_of(options),
              "--algorithms:1:1: error: smpi:mpich is for the simulated cluster only\n    smpi:mpich\n    ^\n");
    options.on = "simulated";
    EXPECT_EQ(errors_of(options), "");
}

TEST(BenchOptions, KnowsOpponentsOnEveryClusterButNotAsPartOfAll) {
    BenchOptions options;
    for (const char* cluster : {"simulated", "emulated", "mpiexec", "slurm"}) {
        options.on = cluster;
        options.algorithms = "all";
        for (const std::string& name : bench_request(network_of({"a", "b"}), options).algorithms) {
            EXPECT_EQ(name.find("opponent:"), std::string::npos) << name;
        }
        options.algorithms = "opponent:circulant,opponent:two-level,opponent:topology-kary2,opponent:topology-wave";
        EXPECT_EQ(errors_of(options), "");
    }
    options.algorithms = "opponent:circulent";
    EXPECT_EQ(errors_of(options),
              "--algorithms:1:1: error: no algorithm is called \"opponent:circulent\"; did you mean "
              "opponent:circulant?\n    opponent:circulent\n    ^\n");
}

TEST(BenchOptions, KnowsWhatAnMpiHasOfItsOwnWhereThatMpiRuns) {
    BenchOptions options;
    options.on = "emulated";
    options.mpi = "openmpi";
    options.algorithms = "ompi:pipeline,ompi:all,linear";
    const std::vector<std::string> chosen = bench_request(network_of({"a", "b"}), options).algorithms;
    EXPECT_EQ(chosen.front(), "ompi:pipeline");
    EXPECT_EQ(chosen.back(), "linear");
    EXPECT_EQ(std::count(chosen.begin(), chosen.end(), "ompi:pipeline"), 1);
    EXPECT_EQ(chosen.size(), 10U);
    options.algorithms = "all";
    for (const std::string& name : bench_request(network_of({"a", "b"}), options).algorithms) {
        EXPECT_EQ(name.find(':'), std::string::npos) << name;
    }
    options.algorithms = "mpich:kary1";
    EXPECT_EQ(
        errors_of(options),
        "--algorithms:1:1: error: mpich:kary1 is MPICH's own; measure it with --mpi mpich\n    mpich:kary1\n    ^\n");
    options.algorithms = "ompi:pipelin";
    EXPECT_EQ(errors_of(options),
              "--algorithms:1:1: error: no algorithm is called \"ompi:pipelin\"; did you mean ompi:pipeline?\n"
              "    ompi:pipelin\n    ^\n");
    options.on = "simulated";
    options.algorithms = "linear,ompi:all";
    EXPECT_EQ(
        errors_of(options),
        "--algorithms:1:8: error: ompi:basic_linear is Open MPI's own, and on the simulated cluster SimGrid takes "
        "its place\n    linear,ompi:all\n           ^\n");
    EXPECT_EQ(usual_segments("ompi:pipeline", 5000), usual_segments("linear", 5000));
    EXPECT_EQ(usual_segments("ompi:scatter_allgather", 5000), std::vector<std::size_t>{0});
}

TEST(BenchOptions, TellsEverythingThatIsWrongAtOnce) {
    BenchOptions options;
    options.on = "simulated";
    options.machines = "n[0-1]";
    options.root = "n2";
    options.sizes = "1K,12Q";
    options.segments = "8K,no";
    options.arrival = "late:1";
    options.algorithms = "native,liner";
    options.repetitions = -1;
    options.ranks_per_machine = 0;
    const std::string text = errors_of(options);
    const char* liner =
        "--algorithms:1:8: error: no algorithm is called \"liner\"; did you mean linear?\n    native,liner\n           "
        "^";
    for (const char* part : {"--root: error: n2 is not among",
                             "--sizes:1:6: error: ", "--segments:1:4: error: ", "--arrival:1:1: error: ", liner,
                             "--repetitions: error: ", "--ranks-per-machine: error: "}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << "\nnot in\n" << text;
    }
}

TEST(BenchOptions, OneMachineIsNoCluster) {
    BenchOptions options;
    options.on = "simulated";
    options.machines = "n1";
    EXPECT_EQ(
        errors_of(options),
        "--machines: error: a broadcast needs at least two machines, or several ranks on one (--ranks-per-machine)\n");
}

TEST(Bench, TriesSegmentsThatCutTheMessage) {
    EXPECT_EQ(usual_segments("flat", 1 << 20), (std::vector<std::size_t>{0}));
    EXPECT_EQ(usual_segments("latency", 1 << 20), (std::vector<std::size_t>{0}));
    EXPECT_EQ(usual_segments("linear", 1), (std::vector<std::size_t>{0}));
    EXPECT_EQ(usual_segments("opponent:circulant", 5000), usual_segments("linear", 5000));
    EXPECT_EQ(usual_segments("scatter-ring-tuned", 10000), (std::vector<std::size_t>{8192, 0}));
    for (const std::size_t bytes :
         {std::size_t{3000}, std::size_t{65537}, std::size_t{1} << 24, std::size_t{1} << 32}) {
        const std::vector<std::size_t> segments = usual_segments("binary", bytes);
        EXPECT_FALSE(segments.empty());
        for (const std::size_t segment : segments) {
            EXPECT_TRUE(segment == 0 || (segment < bytes && (bytes / segment <= 512 || segments.size() == 1)));
        }
    }
}

}  // namespace
}  // namespace bcastgen
