// A network that answers as the real one would: max-min fair rates and round trips by its latencies, both with noise.
// And what may be wrong with a description of it.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "planner/network/paths.hpp"
#include "tests/models/random_network.hpp"
#include "tuner/wiring/fair_rates.hpp"
#include "tuner/wiring/round.hpp"
#include "tuner/wiring/rounds.hpp"

namespace bcastgen::testing {

/// How far measurements were off, as factors.
struct RecordedNoise {
    std::vector<double> rates;
    std::vector<double> round_trips;
};

struct Noise {
    double rates = 0.05;                      ///< each rate is off by up to this share, either way
    double round_trips = 0.05;                ///< each round trip is longer by up to this share
    double efficiency = 0.94;                 ///< of a link's bandwidth that streams get
    double software_s = 30e-6;                ///< of a round trip
    const RecordedNoise* recorded = nullptr;  ///< instead of `rates` and `round_trips`
    double shares = 0;                        ///< of two streams that share a trunk one has so much more of it

    double rate_factor(std::mt19937_64& random) const {
        if (recorded != nullptr) return recorded->rates[random() % recorded->rates.size()];
        return 1 + rates * std::uniform_real_distribution<double>(-1, 1)(random);
    }

    double round_trip_factor(std::mt19937_64& random) const {
        if (recorded != nullptr) return recorded->round_trips[random() % recorded->round_trips.size()];
        return 1 + round_trips * std::uniform_real_distribution<double>(0, 1)(random);
    }
};

/// Round trips tell nothing, and of two streams that fill a trunk one has up to 30 % more, as over TCP.
inline Noise rates_alone() {
    Noise noise;
    noise.round_trips = 20;
    noise.shares = 0.3;
    return noise;
}

/// Of streams that fill a trunk together, each but the odd one loses to another, or wins, up to a share of its rate.
inline void share_unevenly(const Network& network, const Capacities& capacities,
                           const std::vector<std::vector<LinkId>>& ways, double most, std::mt19937_64& random,
                           Answer& rates) {
    std::vector<char> is_used(ways.size(), 0);
    for (auto link = static_cast<LinkId>(2 * network.machines.size()); link < link_count(network); ++link) {
        double sum_Bps = 0;
        std::vector<std::size_t> sharing;
        for (std::size_t i = 0; i < ways.size(); ++i) {
            if (std::find(ways[i].begin(), ways[i].end(), link) == ways[i].end()) continue;
            sum_Bps += rates[i];
            if (is_used[i] == 0) sharing.push_back(i);
        }
        if (sum_Bps < 0.99 * capacities.link_Bps[static_cast<std::size_t>(link)]) continue;
        std::shuffle(sharing.begin(), sharing.end(), random);
        for (std::size_t i = 0; i + 1 < sharing.size(); i += 2) {
            const double more_Bps = std::min(rates[sharing[i]], rates[sharing[i + 1]]) *
                                    std::uniform_real_distribution<double>(0, most)(random);
            rates[sharing[i]] += more_Bps;
            rates[sharing[i + 1]] -= more_Bps;
            is_used[sharing[i]] = is_used[sharing[i + 1]] = 1;
        }
    }
}

/// `network` must outlive it.
inline Instrument instrument_of(const Network& network, const Noise& noise, std::uint64_t seed) {
    return [&network, noise, random = std::mt19937_64(seed)](const std::vector<Round>& rounds) mutable {
        const Paths paths(network);
        const Capacities capacities = described_capacities(network);
        std::vector<Answer> answers;
        for (const Round& round : rounds) {
            std::vector<std::vector<LinkId>> ways;
            for (const Stream& stream : round.streams) ways.push_back(paths.between(stream.from, stream.to));
            Answer answer;
            if (round.asked == Asked::rates) {
                answer = fair_rates(capacities, ways);
                if (noise.shares > 0) share_unevenly(network, capacities, ways, noise.shares, random, answer);
                for (double& rate : answer) rate *= noise.efficiency * noise.rate_factor(random);
            } else {
                for (const auto& way : ways) {
                    double took_s = noise.software_s;
                    for (const LinkId link : way) took_s += 2 * link_latency_s(network, link);
                    answer.push_back(took_s * noise.round_trip_factor(random));
                }
            }
            answers.push_back(std::move(answer));
        }
        return answers;
    };
}

/// Switch trees of all shapes with trunks of one to eight cables, or one fat one, or as wide as a port.
inline Network random_wiring(int machines, std::mt19937& random) {
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const int switches = 2 + below(std::max(1, std::min(60, machines / 6)));
    Network network = random_network(machines, switches, static_cast<Shape>(below(static_cast<int>(Shape::count))),
                                     below(2) == 0, random);
    const int kind = below(3);
    for (Trunk& trunk : network.trunks) {
        const int width = 1 << below(4);
        if (kind == 1) trunk.cables = width;
        if (kind == 2) trunk.speed.bandwidth_Bps *= width;
    }
    return network;
}

enum class Fault { slow_port, slow_trunk, moved_machine, swapped_machines, missing_cable, count };

/// Where a network differs from its description.
struct Difference {
    Fault fault = Fault::slow_port;
    int machine = -1;
    int other_machine = -1;
    int trunk = -1;
};

/// The most that can go across a trunk one way if the trunk carries anything.
inline double most_across_Bps(const Network& network, int trunk) {
    Network wide = network;
    wide.trunks[static_cast<std::size_t>(trunk)].cables = 1;
    wide.trunks[static_cast<std::size_t>(trunk)].speed.bandwidth_Bps = 1e15;
    std::vector<int> machines(network.machines.size());
    for (std::size_t m = 0; m < machines.size(); ++m) machines[m] = static_cast<int>(m);
    const Round round = filling_round(wide, machines, trunk, true, {});
    const Paths paths(wide);
    std::vector<std::vector<LinkId>> ways;
    for (const Stream& stream : round.streams) ways.push_back(paths.between(stream.from, stream.to));
    double sum_Bps = 0;
    if (!ways.empty()) {
        for (const double rate_Bps : fair_rates(described_capacities(wide), ways)) sum_Bps += rate_Bps;
    }
    return sum_Bps;
}

/// Makes one fault in `network`, of that kind, which traffic can show; false if it has no place for such a fault.
inline bool break_one(Network& network, Fault fault, Difference& difference, std::mt19937& random) {
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    const auto at = [](int index) { return static_cast<std::size_t>(index); };
    const int machines = static_cast<int>(network.machines.size());
    difference = {fault, below(machines), below(machines), -1};
    Machine& machine = network.machines[at(difference.machine)];
    Machine& other = network.machines[at(difference.other_machine)];
    if (fault == Fault::slow_port) {
        machine.port.bandwidth_Bps /= below(2) == 0 ? 10 : 2;
        return true;
    }
    if (fault == Fault::moved_machine) {
        if (other.sw == machine.sw) return false;
        machine.sw = other.sw;
        return true;
    }
    if (fault == Fault::swapped_machines) {
        if (other.sw == machine.sw) return false;
        std::swap(machine.sw, other.sw);
        return true;
    }
    difference.trunk = below(static_cast<int>(network.trunks.size()));
    Trunk& trunk = network.trunks[at(difference.trunk)];
    const double described_Bps = trunk.cables * trunk.speed.bandwidth_Bps;
    if (fault == Fault::slow_trunk) {
        trunk.speed.bandwidth_Bps /= 2;
        return most_across_Bps(network, difference.trunk) > 0.9 * described_Bps;
    }
    if (trunk.cables < 2) return false;
    --trunk.cables;
    return most_across_Bps(network, difference.trunk) > 0.99 * described_Bps;
}

}  // namespace bcastgen::testing
