#include "tuner/wiring/rearrangement.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/index.hpp"
#include "planner/network/paths.hpp"
#include "tuner/wiring/rounds.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_moved = 24;         // machines that are tried elsewhere, and in each other's place
constexpr std::size_t most_predictions = 8e6;  // rates, of all that is tried
constexpr std::size_t rounds_at_first = 6;     // that it is tried with
constexpr std::size_t most_likely = 6;         // that are looked at closely
// Of rates that tell two of them apart: one stream more on a trunk makes less.
constexpr double least_difference = 0.55;
constexpr double least_off = 2.5;       // together, of streams that refute one
constexpr double clearly_nearer = 0.5;  // of how far the other is off
constexpr int rounds_drawn = 60;        // of which those are asked that tell most
constexpr std::size_t rounds_asked = 3;

/// By round: streams that links as fast as these do not explain, and those that crossed a link that is faster than
/// described. These may not have crossed it.
std::vector<std::vector<Stream>> strange_streams(const Network& network, const Evidence& evidence,
                                                 const Yardstick& yardstick, const Capacities& capacities) {
    const std::vector<LinkId> fast = fast_links(network, evidence, yardstick);
    const auto is_fast = [&](LinkId link) { return std::find(fast.begin(), fast.end(), link) != fast.end(); };
    const Paths paths(network);
    std::vector<std::vector<Stream>> strange;
    for (const StreamsOff& off : streams_off(network, capacities, evidence, yardstick)) {
        const Round& round = evidence.rounds[strange.size()];
        std::vector<Stream>& streams = strange.emplace_back(off.slower);
        streams.insert(streams.end(), off.faster.begin(), off.faster.end());
        if (fast.empty() || round.asked != Asked::rates) continue;
        for (const Stream& stream : round.streams) {
            const std::vector<LinkId> way = paths.between(stream.from, stream.to);
            if (std::any_of(way.begin(), way.end(), is_fast)) streams.push_back(stream);
        }
    }
    return strange;
}

/// The rounds with most such streams.
Evidence strangest_rounds(const Evidence& evidence, const std::vector<std::vector<Stream>>& strange) {
    std::vector<std::size_t> rounds;
    for (std::size_t r = 0; r < evidence.rounds.size(); ++r) {
        if (!strange[r].empty()) rounds.push_back(r);
    }
    std::stable_sort(rounds.begin(), rounds.end(),
                     [&](std::size_t a, std::size_t b) { return strange[a].size() > strange[b].size(); });
    if (rounds.size() > rounds_at_first) rounds.resize(rounds_at_first);
    Evidence some;
    for (const std::size_t r : rounds) some.add({evidence.rounds[r]}, {evidence.answers[r]});
    return some;
}

std::vector<Rearrangement> all_of(const Network& network, const std::vector<int>& machines) {
    std::vector<Rearrangement> all;
    for (std::size_t i = 0; i < machines.size(); ++i) {
        const int sw = network.machines[at(machines[i])].sw;
        for (int other = 0; other < static_cast<int>(network.switches.size()); ++other) {
            if (other != sw) all.push_back({{{machines[i], other}}, {}, 0});
        }
        for (std::size_t j = 0; j < i; ++j) {
            const int there = network.machines[at(machines[j])].sw;
            if (there != sw) all.push_back({{{machines[i], there}, {machines[j], sw}}, {}, 0});
        }
    }
    return all;
}

/// All machines, each sending to the next; one that may have moved is between two of the switch that it may be on.
Round drawn_round(const Network& network, const std::vector<int>& machines, const std::vector<Rearrangement>& likely,
                  std::mt19937& random) {
    std::vector<int> order = machines;
    std::shuffle(order.begin(), order.end(), random);
    const auto& moves = likely[random() % likely.size()].moves;
    if (moves.empty()) return shift_round(order, 1);
    const auto [machine, sw] = moves[random() % moves.size()];
    const auto is_there = [&, m = machine, s = sw](int one) { return one != m && network.machines[at(one)].sw == s; };
    std::stable_partition(order.begin(), order.end(), is_there);
    const auto there = std::count_if(order.begin(), order.end(), is_there);
    std::iter_swap(order.begin() + std::min<std::ptrdiff_t>(1, there), std::find(order.begin(), order.end(), machine));
    std::shuffle(order.begin() + std::min<std::ptrdiff_t>(3, static_cast<std::ptrdiff_t>(order.size())), order.end(),
                 random);
    return shift_round(order, 1);
}

bool nearer(const Rearrangement& a, const Rearrangement& b) {
    return a.off < b.off;
}

}  // namespace

Network rearranged(Network network, const Rearrangement& by) {
    for (const auto& [machine, sw] : by.moves) network.machines[at(machine)].sw = sw;
    return network;
}

std::vector<Rearrangement> likely_rearrangements(const Network& network, const Evidence& evidence,
                                                 const Yardstick& yardstick) {
    const Capacities explained = explaining_capacities(network, evidence, yardstick);
    std::vector<Rearrangement> likely{{{}, explained, far_off(network, explained, evidence, yardstick)}};
    if (machines_of(strange_streams(network, evidence, yardstick, explained)).empty()) return likely;
    // A first look: with links as described, at the rounds that say most.
    const Capacities described = described_capacities(network);
    const auto strange = strange_streams(network, evidence, yardstick, described);
    const Evidence first = strangest_rounds(evidence, strange);
    std::vector<int> machines = machines_of(strange);
    if (machines.size() > most_moved) machines.resize(most_moved);
    std::vector<Rearrangement> all = all_of(network, machines);
    while (all.size() * rates_of(first) > most_predictions && !machines.empty()) {
        machines.pop_back();
        all = all_of(network, machines);
    }
    for (Rearrangement& one : all) one.off = far_off(rearranged(network, one), described, first, yardstick);
    std::stable_sort(all.begin(), all.end(), nearer);
    if (all.size() > most_likely) all.resize(most_likely);
    for (Rearrangement& one : all) {
        const Network then = rearranged(network, one);
        one.capacities = explaining_capacities(then, evidence, yardstick);
        one.off = far_off(then, one.capacities, evidence, yardstick);
        likely.push_back(one);
    }
    std::stable_sort(likely.begin(), likely.end(), nearer);
    return likely;
}

bool is_clearly_nearer(const Network& network, const Evidence& evidence, const Yardstick& yardstick,
                       const Rearrangement& one, const Rearrangement& other) {
    const Network networks[2] = {rearranged(network, one), rearranged(network, other)};
    const Paths paths[2] = {Paths(networks[0]), Paths(networks[1])};
    double one_off = 0;
    double other_off = 0;
    for (std::size_t r = 0; r < evidence.rounds.size(); ++r) {
        if (evidence.rounds[r].asked != Asked::rates) continue;
        const auto one_Bps = predicted_rates(paths[0], one.capacities, evidence.rounds[r]);
        const auto other_Bps = predicted_rates(paths[1], other.capacities, evidence.rounds[r]);
        for (std::size_t i = 0; i < one_Bps.size(); ++i) {
            if (off_by(one_Bps[i], other_Bps[i]) < least_difference) continue;
            const double rate_Bps = evidence.answers[r][i] / yardstick.efficiency;
            one_off += off_by(rate_Bps, one_Bps[i]);
            other_off += off_by(rate_Bps, other_Bps[i]);
        }
    }
    return other_off > least_off && one_off < clearly_nearer * other_off;
}

std::vector<Round> telling_rounds(const Network& network, const std::vector<int>& machines,
                                  const std::vector<Rearrangement>& likely, std::mt19937& random) {
    std::vector<Network> networks;
    for (const Rearrangement& one : likely) networks.push_back(rearranged(network, one));
    std::vector<Round> drawn;
    std::vector<std::vector<double>> differ;  // by round: how much each of the others differs from the first
    for (int times = 0; times < rounds_drawn; ++times) {
        drawn.push_back(drawn_round(network, machines, likely, random));
        std::vector<std::vector<double>> rates;
        for (std::size_t i = 0; i < likely.size(); ++i) {
            rates.push_back(predicted_rates(Paths(networks[i]), likely[i].capacities, drawn.back()));
        }
        differ.emplace_back(likely.size(), 0);
        for (std::size_t other = 1; other < likely.size(); ++other) {
            for (std::size_t s = 0; s < rates[0].size(); ++s) {
                const double by = off_by(rates[0][s], rates[other][s]);
                if (by >= least_difference) differ.back()[other] += by;
            }
        }
    }
    std::vector<Round> rounds;
    std::vector<double> told(likely.size(), 0);
    while (rounds.size() < rounds_asked) {
        const auto then =
            [&](const std::vector<double>& by) {  // what would be told of all others, none more than it needs
                double sum = 0;
                for (std::size_t other = 1; other < by.size(); ++other) {
                    sum += std::min(told[other] + by[other], 2 * least_off);
                }
                return sum;
            };
        const auto best = std::max_element(differ.begin(), differ.end(),
                                           [&](const auto& one, const auto& other) { return then(one) < then(other); });
        rounds.push_back(drawn[static_cast<std::size_t>(best - differ.begin())]);
        for (std::size_t other = 1; other < told.size(); ++other) told[other] += (*best)[other];
    }
    return rounds;
}

}  // namespace bcastgen
