// The table of cluster kinds, and that a kind takes one class and one row: everything else asks the row.
#include "tuner/clusters/kinds.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <utility>

#include "base/diagnostic.hpp"
#include "tests/models/random_network.hpp"
#include "tuner/bench/bench_options.hpp"
#include "tuner/search/tune_options.hpp"

namespace bcastgen {
namespace {

/// Runs nothing; remembers what it was told.
class PaperCluster : public Cluster {
  public:
    explicit PaperCluster(ClusterRequest request) : request_(std::move(request)) {}
    [[nodiscard]] std::string name() const override { return request_.name; }
    [[nodiscard]] std::string mpi() const override { return request_.mpi; }
    void prepare() override {}
    std::filesystem::path compile(const ProgramSources& program) override { return program.name; }
    JobOutcome run(const Job& job) override { return {0, false, "played " + std::to_string(job.machines.size()), ""}; }
    void clean_up() override {}

  private:
    ClusterRequest request_;
};

const std::vector<std::string>& nobodys_broadcasts() {
    static const std::vector<std::string> names{"by_hand"};
    return names;
}

/// The row, once for all tests here.
const ClusterKind& paper() {
    static const bool added = [] {
        add_cluster_kind({.name = "paper",
                          .about = "runs in thought alone",
                          .exact = true,
                          .datagrams = true,
                          .peers = nobodys_broadcasts,
                          .make = [](const ClusterOptions&, ClusterRequest request) -> std::unique_ptr<Cluster> {
                              return std::make_unique<PaperCluster>(std::move(request));
                          }});
        return true;
    }();
    static_cast<void>(added);
    return cluster_kind("paper");
}

Network pair(bool multicast) {
    Network network = testing::make_network(1, {}, {0, 0});
    if (multicast) network.multicast = Multicast{"239.192.0.0/16", "eth0"};
    return network;
}

bool knows(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

TEST(ClusterKinds, NamesAreUniqueAndEveryRowIsWhole) {
    std::set<std::string> names;
    for (const ClusterKind& kind : cluster_kinds()) {
        EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
        EXPECT_FALSE(kind.about.empty()) << kind.name;
        EXPECT_NE(kind.make, nullptr) << kind.name;
        EXPECT_EQ(cluster_kind(kind.name).name, kind.name);
        for (const std::string& option : kind.options) {
            EXPECT_TRUE(knows({"--hosts", "--loss", "--rate", "--network", "--of"}, option)) << option;
        }
        EXPECT_TRUE(!kind.heeds("--hosts") || kind.given_hosts != nullptr) << kind.name;
    }
    EXPECT_THROW(static_cast<void>(cluster_kind("no such")), std::invalid_argument);
    EXPECT_EQ(recorded_cluster_kind("of another version").name, "of another version");
    EXPECT_FALSE(recorded_cluster_kind("of another version").exact);
}

TEST(ClusterKinds, OneMoreTakesAClassAndARow) {
    EXPECT_TRUE(paper().exact);
    EXPECT_TRUE(knows(cluster_names(), "paper"));
    EXPECT_THROW(add_cluster_kind({.name = "paper", .about = "again"}), std::invalid_argument);
    ClusterOptions options;
    options.on = "paper";
    ClusterRequest request;
    request.mpi = "mpich";
    const auto cluster = make_cluster(options, request);
    EXPECT_EQ(cluster->name(), "paper");
    Job job;
    job.machines = {0, 1};
    EXPECT_EQ(cluster->mpi(), "mpich");
    EXPECT_EQ(cluster->run(job).output, "played 2");
}

TEST(ClusterKinds, TheCommandsAskTheRow) {
    BenchOptions bench;
    bench.on = paper().name;
    bench.algorithms = "all,smpi:by_hand";
    const BenchRequest request = bench_request(pair(true), bench);
    EXPECT_TRUE(knows(request.algorithms, "multicast"));
    EXPECT_TRUE(knows(request.algorithms, "smpi:by_hand"));
    EXPECT_EQ(request.repetitions, 1);
    EXPECT_EQ(request.warm_ups, 0);
    EXPECT_FALSE(knows(bench_request(pair(false), bench).algorithms, "multicast"));
    TuneOptions tune;
    tune.on = paper().name;
    EXPECT_TRUE(knows(tune_request(pair(true), tune).algorithms, "multicast"));
}

// What is there to compare with is measured and tuned only where it is asked for.
TEST(ClusterKinds, OpponentsAreTunedOnlyByName) {
    TuneOptions tune;
    tune.on = "simulated";
    EXPECT_FALSE(knows(tune_request(pair(false), tune).algorithms, "double-binary"));
    tune.algorithms = "linear,double-binary";
    EXPECT_EQ(tune_request(pair(false), tune).algorithms, (std::vector<std::string>{"linear", "double-binary"}));
}

}  // namespace
}  // namespace bcastgen
