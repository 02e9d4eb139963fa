#include "tuner/wiring/rounds.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "planner/network/paths.hpp"
#include "true_network.hpp"
#include "tuner/wiring/packing.hpp"

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

RC_GTEST_PROP(PackRounds, LetsNoTwoRoundsShareACable, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    const Network network = testing::random_wiring(*rc::gen::inRange(2, 60), random);
    std::vector<Round> rounds;
    for (int i = 0; i < 30; ++i) {
        const int trunk = static_cast<int>(random() % network.trunks.size());
        const CrossingOrder order = random() % 4 == 0 ? CrossingOrder::in_turn : CrossingOrder::near_first;
        rounds.push_back(crossing_round(network, all_machines(network), trunk, random() % 2 == 0, order));
        rounds.back().streams.resize(std::min<std::size_t>(rounds.back().streams.size(), random() % 9));
    }
    const Packing packing = pack_rounds(network, rounds);
    RC_ASSERT(packing.places.size() == rounds.size());
    const Paths paths(network);
    std::vector<std::map<LinkId, std::size_t>> of(packing.rounds.size());  // by cable: the round that crosses it
    std::vector<Answer> numbers;                                           // each stream's answer is its place
    for (const Round& round : packing.rounds) {
        numbers.emplace_back(round.streams.size());
        std::iota(numbers.back().begin(), numbers.back().end(), 0.0);
    }
    std::size_t streams = 0;
    for (std::size_t r = 0; r < rounds.size(); ++r) {
        const Answer answer = packing.answer(numbers, r, rounds[r].streams.size());
        RC_ASSERT(answer.size() == rounds[r].streams.size());
        streams += answer.size();
        for (std::size_t i = 0; i < answer.size(); ++i) {
            const std::size_t round = packing.places[r].round;
            RC_ASSERT(packing.rounds[round].streams[static_cast<std::size_t>(answer[i])] == rounds[r].streams[i]);
            for (const LinkId link : paths.between(rounds[r].streams[i].from, rounds[r].streams[i].to)) {
                RC_ASSERT(of[round].emplace(link / 2, r).first->second == r);
            }
        }
    }
    std::size_t packed = 0;
    for (const Round& round : packing.rounds) {
        RC_ASSERT(!round.streams.empty());
        packed += round.streams.size();
    }
    RC_ASSERT(packed == streams);
}

// Racks under a switch: each one's trunk is filled towards the next one, every second at once.
TEST(PackRounds, AsksTheTrunksOfAStarInTwoRounds) {
    std::vector<int> machine_switch;
    for (int m = 0; m < 160; ++m) machine_switch.push_back(1 + m / 16);
    std::vector<std::pair<int, int>> trunks;
    for (int s = 1; s <= 10; ++s) trunks.emplace_back(0, s);
    const Network network = testing::make_network(11, trunks, machine_switch);
    std::vector<Round> rounds;
    for (int trunk = 0; trunk < 10; ++trunk) {
        rounds.push_back(crossing_round(network, all_machines(network), trunk, false, CrossingOrder::near_first));
        rounds.back().streams.resize(8);
    }
    EXPECT_EQ(pack_rounds(network, rounds).rounds.size(), 2U);
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
