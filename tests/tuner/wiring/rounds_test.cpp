#include "tuner/wiring/rounds.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "planner/network/paths.hpp"
#include "true_network.hpp"

namespace bcastgen {
namespace {

std::vector<int> all_machines(const Network& network) {
    std::vector<int> machines(network.machines.size());
    std::iota(machines.begin(), machines.end(), 0);
    return machines;
}

/// The theorem that verification rests on.
RC_GTEST_PROP(ShiftRound, SendsAsManyStreamsOverATrunkAsItsSidesAllow, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    const int machines = *rc::gen::inRange(2, 60);
    const Network network = testing::random_wiring(machines, random);
    const int k = *rc::gen::inRange(1, std::max(2, machines));
    const Round round = shift_round(shuffled_order(network, all_machines(network), random), k);
    const Paths paths(network);
    std::map<LinkId, int> streams;
    for (const Stream& stream : round.streams) {
        for (const LinkId link : paths.between(stream.from, stream.to)) ++streams[link];
    }
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        const std::vector<char> side = side_of_a(network, static_cast<int>(t));
        const int below = std::accumulate(side.begin(), side.end(), 0);
        for (const bool from_a : {true, false}) {
            const LinkId link = trunk_link(network, static_cast<int>(t), from_a);
            RC_ASSERT(streams[link] == std::min({k, machines - k, below, machines - below}));
        }
    }
}

RC_GTEST_PROP(FillingRound, CrossesItsTrunkAndNobodyTwice, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    const Network network = testing::random_wiring(*rc::gen::inRange(2, 60), random);
    const int trunk = *rc::gen::inRange(0, static_cast<int>(network.trunks.size()));
    const int busy = *rc::gen::inRange(0, static_cast<int>(network.machines.size()));
    const bool from_a = *rc::gen::arbitrary<bool>();
    const Round round = filling_round(network, all_machines(network), trunk, from_a, {busy});
    const std::vector<char> side = side_of_a(network, trunk);
    std::set<int> seen{busy};
    for (const Stream& stream : round.streams) {
        RC_ASSERT((side[static_cast<std::size_t>(stream.from)] != 0) == from_a);
        RC_ASSERT((side[static_cast<std::size_t>(stream.to)] != 0) != from_a);
        RC_ASSERT(seen.insert(stream.from).second);
        RC_ASSERT(seen.insert(stream.to).second);
    }
}

TEST(FirstRounds, AreAboutTenWhateverTheSize) {
    std::mt19937 random(1);
    for (const int machines : {16, 64, 1024}) {
        std::vector<int> machine_switch;
        for (int m = 0; m < machines; ++m) machine_switch.push_back(1 + m / 16);
        const int racks = machines / 16;
        std::vector<std::pair<int, int>> trunks;
        for (int s = 1; s <= racks; ++s) trunks.emplace_back(0, s);
        Network network = testing::make_network(racks + 1, trunks, machine_switch);
        for (Trunk& trunk : network.trunks) trunk.speed.bandwidth_Bps *= 4;
        EXPECT_EQ(first_rounds(network, all_machines(network), random).size(), 14U);
    }
}

}  // namespace
}  // namespace bcastgen
