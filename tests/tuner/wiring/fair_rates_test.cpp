#include "tuner/wiring/fair_rates.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "planner/network/paths.hpp"
#include "tests/models/max_min.hpp"
#include "true_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;

std::vector<std::vector<LinkId>> ways(const Network& network, const std::vector<Stream>& streams) {
    const Paths paths(network);
    std::vector<std::vector<LinkId>> all;
    for (const Stream& stream : streams) all.push_back(paths.between(stream.from, stream.to));
    return all;
}

TEST(FairRates, ShareWhatIsFullFirst) {
    Network network = make_network(2, {{0, 1}}, {0, 0, 0, 1, 1, 1});  // 12.5 MB/s everywhere
    const Capacities capacities = described_capacities(network);
    EXPECT_EQ(fair_rates(capacities, ways(network, {{0, 3}, {1, 4}, {2, 0}})),
              (std::vector<double>{6.25e6, 6.25e6, 12.5e6}));
    network.trunks[0].cables = 4;
    network.trunks[0].speed.bandwidth_Bps = 5e6;  // one stream keeps to one cable
    EXPECT_EQ(fair_rates(described_capacities(network), ways(network, {{0, 3}, {1, 4}})),
              (std::vector<double>{5e6, 5e6}));
}

TEST(FairRates, HandOnNoMoreThanComes) {
    Network network = make_network(1, {}, {0, 0, 0, 0});
    network.machines[1].port.bandwidth_Bps = 5e6;
    // m0 > m1 > m2, and m3 > m2, which has what is left of m2's port.
    const auto paths = ways(network, {{0, 1}, {1, 2}, {3, 2}});
    EXPECT_EQ(fair_rates(described_capacities(network), paths, {-1, 0, -1}), (std::vector<double>{5e6, 5e6, 7.5e6}));
    // What comes slowly leaves room on a fast port, too.
    network.machines[1].port.bandwidth_Bps = 12.5e6;
    network.machines[0].port.bandwidth_Bps = 2.5e6;
    EXPECT_EQ(fair_rates(described_capacities(network), paths, {-1, 0, -1}), (std::vector<double>{2.5e6, 2.5e6, 10e6}));
}

RC_GTEST_PROP(FairRates, AreTheModelsOnAnyNetwork, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    const int machines = *rc::gen::inRange(4, 24);
    const Network network = testing::random_wiring(machines, random);
    std::vector<Stream> streams;
    for (int i = 0; i < machines; ++i) {
        const int from = std::uniform_int_distribution<int>(0, machines - 1)(random);
        const int to = std::uniform_int_distribution<int>(0, machines - 2)(random);
        streams.push_back({from, to >= from ? to + 1 : to});
    }
    const Capacities capacities = described_capacities(network);
    const auto paths = ways(network, streams);
    std::vector<model::SharedLink> links;
    for (const double link_Bps : capacities.link_Bps) links.push_back({link_Bps, false});
    std::vector<model::SharingMessage> messages;
    for (const auto& path : paths) {
        model::SharingMessage message;
        message.links = path;
        message.weights.assign(path.size(), 1);
        message.bound = 1e300;
        for (const LinkId link : path) {
            message.bound = std::min(message.bound, capacities.stream_Bps[static_cast<std::size_t>(link)]);
        }
        messages.push_back(message);
    }
    const std::vector<double> expected = model::max_min_rates(links, messages);
    const std::vector<double> found = fair_rates(capacities, paths);
    for (std::size_t i = 0; i < expected.size(); ++i) RC_ASSERT(std::abs(found[i] / expected[i] - 1) < 1e-6);
}

}  // namespace
}  // namespace bcastgen
