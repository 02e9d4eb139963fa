#include "tuner/clusters/costed_network.hpp"

#include <gtest/gtest.h>

#include "planner/network/software.hpp"
#include "tests/models/random_network.hpp"
#include "tuner/clusters/emulated.hpp"
#include "tuner/clusters/mpiexec.hpp"
#include "tuner/clusters/simulated.hpp"
#include "tuner/clusters/slurm.hpp"

namespace bcastgen {
namespace {

/// Eight machines on a switch: 100 Mbit/s and 20 us a link.
ClusterRequest eight_machines() {
    ClusterRequest request;
    request.network = testing::make_network(1, {}, std::vector<int>(8, 0));
    request.mpi = "mpich";
    return request;
}

const std::vector<int> all_of_them = {0, 1, 2, 3, 4, 5, 6, 7};
constexpr double envelope_us = 16 / 12.5;

// A byte is so short against the latency that the root sends to all seven, one after the other.
TEST(CostedNetwork, IdealLinksTakeLatencyAndBytes) {
    const double floor_us = as_simulated(eight_machines().network, "ideal").floor_us(all_of_them, 0, 1);
    EXPECT_NEAR(floor_us, 7 * (envelope_us + 1 / 12.5) + 40, 0.01);
}

TEST(CostedNetwork, FabricChargesSoftware) {
    Network network = eight_machines().network;
    for (Machine& machine : network.machines) machine.software = Software{1e-3, 2e-3, 0, 0, 0};
    // A send takes 1 ms, and 2 ms later it is there. The root's are there from 3 ms on, one each millisecond; those of
    // the first receiver from 6 ms on, of the second from 7 ms on, by when there are more than eight.
    const double port_us = envelope_us + 1 / 12.5 + 40;
    EXPECT_NEAR(as_simulated(network, "fabric").floor_us(all_of_them, 0, 1), 7e3, 3 * port_us);
    EXPECT_EQ(as_simulated(network, "fat-tree-fabric").floor_us(all_of_them, 0, 1),
              as_simulated(network, "fabric").floor_us(all_of_them, 0, 1));
    EXPECT_EQ(as_simulated(network, "fat-tree").floor_us(all_of_them, 0, 1),
              as_simulated(network, "default").floor_us(all_of_them, 0, 1));
    EXPECT_EQ(as_described(network).floor_us(all_of_them, 0, 1),
              as_simulated(network, "fabric").floor_us(all_of_them, 0, 1));
}

TEST(CostedNetwork, OfRealHostsHasOnlyWhatIsDescribed) {
    Network network = eight_machines().network;
    EXPECT_EQ(as_described(network).floor_us(all_of_them, 0, 1000),
              as_simulated(network, "ideal").floor_us(all_of_them, 0, 1000));
    for (Machine& machine : network.machines) machine.port.bandwidth_Bps = 12.5e9;
    EXPECT_EQ(as_described(network).floor_us(all_of_them, 0, 1000),
              as_simulated(network, "ideal").floor_us(all_of_them, 0, 1000));
    EXPECT_LT(as_described(network).floor_us(all_of_them, 0, 1000),
              as_simulated(network, "fabric").floor_us(all_of_them, 0, 1000));
}

TEST(CostedNetwork, IsWhatEachClusterMeasuresOn) {
    const Network network = eight_machines().network;
    const double described_us = as_described(network).floor_us(all_of_them, 0, 1000);
    const auto floor_us = [](const Cluster& cluster) {
        return cluster.costed_network()->floor_us(all_of_them, 0, 1000);
    };
    EXPECT_EQ(floor_us(*make_simulated_cluster(eight_machines(), NetworkModel::automatic)),
              as_simulated(network, "default").floor_us(all_of_them, 0, 1000));
    EXPECT_EQ(floor_us(*make_simulated_cluster(eight_machines(), NetworkModel::ideal)), described_us);
    EXPECT_FALSE(make_emulated_cluster(eight_machines(), {})->costed_network()) << "links let bursts pass";
    EXPECT_EQ(floor_us(*make_slurm_cluster(eight_machines(), {{0, "m0"}})), described_us);
    EXPECT_EQ(floor_us(*make_mpiexec_cluster(eight_machines(), {{0, "m0"}})), described_us);
    EXPECT_FALSE(make_mpiexec_cluster(eight_machines(), {})->costed_network()) << "all ranks are here";
}

}  // namespace
}  // namespace bcastgen
