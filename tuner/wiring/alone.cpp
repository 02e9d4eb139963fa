#include "tuner/wiring/alone.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "planner/network/paths.hpp"
#include "tuner/wiring/rounds.hpp"

namespace bcastgen {

namespace {

/// The nearest machine, of the nearest one with the fastest port, of the suspects only if there is no other.
int partner_of(const Network& network, const std::vector<int>& machines, int machine,
               const std::vector<int>& suspects) {
    const Paths paths(network);
    int best = -1;
    std::pair<std::pair<bool, std::size_t>, double> best_cost;
    for (const int other : machines) {
        if (other == machine) continue;
        const bool suspect = std::find(suspects.begin(), suspects.end(), other) != suspects.end();
        const std::pair<std::pair<bool, std::size_t>, double> cost{{suspect, paths.between(machine, other).size()},
                                                                   -network.machines[at(other)].port.bandwidth_Bps};
        if (best >= 0 && cost >= best_cost) continue;
        best = other;
        best_cost = cost;
    }
    return best;
}

}  // namespace

bool is_port(const Network& network, LinkId link) {
    return link < 2 * static_cast<int>(network.machines.size());
}

Round alone_round(const Network& network, const std::vector<int>& machines, LinkId link,
                  const std::vector<int>& suspects) {
    const bool first_way = link % 2 == 0;
    if (is_port(network, link)) {
        const int machine = link / 2;
        const int other = partner_of(network, machines, machine, suspects);
        return {Asked::rates, {first_way ? Stream{machine, other} : Stream{other, machine}}};
    }
    const int trunk = link / 2 - static_cast<int>(network.machines.size());
    Round round = filling_round(network, machines, trunk, first_way, suspects);
    return round.streams.empty() ? filling_round(network, machines, trunk, first_way, {}) : round;
}

Measured measured_alone(const Alone& alone) {
    std::vector<double> sums;
    for (const Answer& answer : alone.answers) sums.push_back(std::accumulate(answer.begin(), answer.end(), 0.0));
    std::sort(sums.begin(), sums.end());
    return {sums[sums.size() / 2], sums.front(), sums.back(), static_cast<int>(sums.size())};
}

double expected_alone_Bps(const Network& network, const Alone& alone) {
    const std::vector<double> rates = predicted_rates(Paths(network), described_capacities(network), alone.round);
    return std::accumulate(rates.begin(), rates.end(), 0.0);
}

}  // namespace bcastgen
