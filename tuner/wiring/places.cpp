#include "tuner/wiring/places.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <queue>
#include <utility>

#include "base/index.hpp"
#include "planner/network/paths.hpp"
#include "tuner/wiring/middle.hpp"

namespace bcastgen {

namespace {

constexpr double least_step_over_scatter = 4;  // else round trips tell nothing
constexpr double half_step = 0.5;              // whoever is off by more is out of place
constexpr int most_known_per_switch = 2;
constexpr std::size_t most_classes = 6;  // of ways, that lines are drawn through
constexpr double nearly_as_good = 0.25;  // of a step

/// By switch: the described latency of the trunks from `sw` on, one way.
std::vector<double> trunk_latencies_from(const Network& network, int sw) {
    std::vector<std::vector<int>> trunks(network.switches.size());
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        if (!network.trunks[t].in_tree) continue;
        trunks[at(network.trunks[t].a)].push_back(static_cast<int>(t));
        trunks[at(network.trunks[t].b)].push_back(static_cast<int>(t));
    }
    std::vector<double> way_s(network.switches.size(), -1);
    way_s[at(sw)] = 0;
    std::queue<int> walk({sw});
    for (; !walk.empty(); walk.pop()) {
        for (const int t : trunks[at(walk.front())]) {
            const int next = across(network.trunks[at(t)], walk.front());
            if (way_s[at(next)] >= 0) continue;
            way_s[at(next)] = way_s[at(walk.front())] + network.trunks[at(t)].speed.latency_s;
            walk.push(next);
        }
    }
    return way_s;
}

/// A round trip with what is described of its way.
struct Trip {
    Stream ends;
    double way_s;
    double took_s;
};

std::vector<Trip> trips_of(const Network& network, const Evidence& evidence) {
    const Paths paths(network);
    std::vector<Trip> trips;
    for (std::size_t r = 0; r < evidence.rounds.size(); ++r) {
        if (evidence.rounds[r].asked != Asked::round_trips) continue;
        for (std::size_t i = 0; i < evidence.rounds[r].streams.size(); ++i) {
            const Stream& ends = evidence.rounds[r].streams[i];
            double way_s = 0;
            for (const LinkId link : paths.between(ends.from, ends.to)) way_s += link_latency_s(network, link);
            trips.push_back({ends, way_s, evidence.answers[r][i]});
        }
    }
    return trips;
}

double least_trunk_latency_s(const Network& network) {
    double least_s = std::numeric_limits<double>::infinity();
    for (const Trunk& trunk : network.trunks) {
        if (trunk.in_tree) least_s = std::min(least_s, trunk.speed.latency_s);
    }
    return std::isfinite(least_s) ? least_s : 0;
}

bool is_among(const std::vector<int>& machines, int machine) {
    return std::find(machines.begin(), machines.end(), machine) != machines.end();
}

/// The described switch, if none is better by `margin`; else the best, and those within `margin` of it.
Whereabouts cheapest(const std::vector<double>& costs, double margin, int described) {
    const auto best = std::min_element(costs.begin(), costs.end());
    if (costs[at(described)] <= *best + margin) return {described, {}};
    Whereabouts place{static_cast<int>(best - costs.begin()), {}};
    for (std::size_t sw = 0; sw < costs.size(); ++sw) {
        if (static_cast<int>(sw) != place.sw && costs[sw] <= *best + margin) {
            place.or_switches.push_back(static_cast<int>(sw));
        }
    }
    return place;
}

/// Round trips whose ways are described as equally long.
struct QuartersOfWay {
    double way_s = 0;
    std::size_t trips = 0;
    std::array<double, 3> took_s{};  ///< what a quarter, a half and three quarters of them took at most
};

struct Line {
    RoundTrips trips;
    double off_s = std::numeric_limits<double>::infinity();  ///< on average
};

/// Takes the line through two such points if trips are less off on average than with `best`, none by more than
/// `most_off_s`. (Not by the median: where most trips are of one way, all lines through those are as good.)
void try_line(const std::vector<Trip>& trips, const QuartersOfWay& one, double one_took_s, const QuartersOfWay& other,
              double other_took_s, double most_off_s, Line& best) {
    Line line;
    const double slope = (other_took_s - one_took_s) / (other.way_s - one.way_s);
    line.trips.per_latency = slope / 2;
    line.trips.base_s = one_took_s - slope * one.way_s;
    std::vector<double> off;
    off.reserve(trips.size());
    line.off_s = 0;
    for (const Trip& trip : trips) {
        off.push_back(std::abs(trip.took_s - line.trips.expected_s(trip.way_s)));
        line.off_s += std::min(off.back(), most_off_s) / static_cast<double>(trips.size());
    }
    if (line.off_s >= best.off_s) return;
    line.trips.scatter_s = middle_of(std::move(off));
    best = line;
}

/// The line of least squares through the trips that lie near `line`.
RoundTrips polished(const std::vector<Trip>& trips, RoundTrips line) {
    constexpr double near = 3;  // times the median deviation
    double n = 0;
    double x = 0;
    double y = 0;
    double xx = 0;
    double xy = 0;
    for (const Trip& trip : trips) {
        if (std::abs(trip.took_s - line.expected_s(trip.way_s)) > near * line.scatter_s) continue;
        n += 1;
        x += trip.way_s;
        y += trip.took_s;
        xx += trip.way_s * trip.way_s;
        xy += trip.way_s * trip.took_s;
    }
    const double spread = n * xx - x * x;
    if (spread <= 0) return line;
    const double slope = (n * xy - x * y) / spread;
    line.per_latency = slope / 2;
    line.base_s = (y - slope * x) / n;
    return line;
}

}  // namespace

RoundTrips fit_round_trips(const Network& network, const Evidence& evidence) {
    const std::vector<Trip> trips = trips_of(network, evidence);
    std::map<long, std::vector<double>> classes;  // by way, in nanoseconds
    for (const Trip& trip : trips) classes[std::lround(1e9 * trip.way_s)].push_back(trip.took_s);
    if (classes.size() < 2) return {};
    // Over lines through the quartiles of two classes: machines that hang elsewhere spoil the trips of a small switch,
    // medians too.
    std::vector<QuartersOfWay> quarters;
    for (auto& [way_ns, times] : classes) {
        std::sort(times.begin(), times.end());
        const auto quarter = [&, &all = times](std::size_t i) { return all[i * (all.size() - 1) / 4]; };
        quarters.push_back({1e-9 * static_cast<double>(way_ns), times.size(), {quarter(1), quarter(2), quarter(3)}});
    }
    std::stable_sort(quarters.begin(), quarters.end(),
                     [](const QuartersOfWay& a, const QuartersOfWay& b) { return a.trips > b.trips; });
    quarters.resize(std::min(quarters.size(), most_classes));
    const auto [shortest, longest] = std::minmax_element(
        trips.begin(), trips.end(), [](const Trip& a, const Trip& b) { return a.took_s < b.took_s; });
    const double most_off_s = (longest->took_s - shortest->took_s) / 4;
    Line best;
    for (const QuartersOfWay& one : quarters) {
        for (const QuartersOfWay& other : quarters) {
            if (one.way_s >= other.way_s) continue;
            for (const double near_s : one.took_s) {
                for (const double far_s : other.took_s) try_line(trips, one, near_s, other, far_s, most_off_s, best);
            }
        }
    }
    RoundTrips scale = polished(trips, best.trips);
    scale.step_s = scale.per_latency * 2 * least_trunk_latency_s(network);
    scale.tell = scale.step_s > least_step_over_scatter * scale.scatter_s && scale.per_latency > 0.3;
    return scale;
}

std::vector<int> out_of_place(const Network& network, const Evidence& evidence, const RoundTrips& scale) {
    if (!scale.tell) return {};
    std::vector<std::vector<double>> off(network.machines.size());
    for (const Trip& trip : trips_of(network, evidence)) {
        const double by_s = std::abs(trip.took_s - scale.expected_s(trip.way_s));
        off[at(trip.ends.from)].push_back(by_s);
        off[at(trip.ends.to)].push_back(by_s);
    }
    std::vector<int> lost;
    for (std::size_t machine = 0; machine < off.size(); ++machine) {
        if (middle_of(off[machine]) > half_step * scale.step_s) lost.push_back(static_cast<int>(machine));
    }
    return lost;
}

std::vector<Round> place_rounds(const Network& network, const std::vector<int>& machines,
                                const std::vector<int>& lost) {
    std::vector<int> known;
    std::vector<int> on_switch(network.switches.size(), 0);
    for (const int machine : machines) {
        int& already = on_switch[at(network.machines[at(machine)].sw)];
        if (is_among(lost, machine) || already == most_known_per_switch) continue;
        ++already;
        known.push_back(machine);
    }
    // The i-th lost machine meets the known ones from the i-th on, so that most rounds hold many pairs.
    std::vector<Round> rounds;
    for (std::size_t first = 0; first < lost.size(); first += std::max<std::size_t>(1, known.size())) {
        const std::size_t last = std::min(lost.size(), first + known.size());
        for (std::size_t turn = 0; turn < known.size(); ++turn) {
            Round round{Asked::round_trips, {}};
            for (std::size_t i = first; i < last; ++i) {
                round.streams.push_back({lost[i], known[(turn + i) % known.size()]});
            }
            rounds.push_back(std::move(round));
        }
    }
    return rounds;
}

Whereabouts place_by_round_trips(const Network& network, const Evidence& evidence, const RoundTrips& scale, int lost,
                                 const std::vector<int>& all_lost) {
    std::vector<Trip> trips = trips_of(network, evidence);
    std::erase_if(trips, [&](const Trip& trip) {
        const int other = trip.ends.from == lost ? trip.ends.to : trip.ends.from;
        return (trip.ends.from != lost && trip.ends.to != lost) || is_among(all_lost, other);
    });
    if (trips.empty()) return {};
    const double port_s = network.machines[at(lost)].port.latency_s;
    std::vector<double> costs;
    for (std::size_t sw = 0; sw < network.switches.size(); ++sw) {
        const std::vector<double> way_s = trunk_latencies_from(network, static_cast<int>(sw));
        double cost = 0;
        for (const Trip& trip : trips) {
            const Machine& other = network.machines[at(trip.ends.from == lost ? trip.ends.to : trip.ends.from)];
            const double whole_s = port_s + way_s[at(other.sw)] + other.port.latency_s;
            cost += std::abs(trip.took_s - scale.expected_s(whole_s));
        }
        costs.push_back(cost / static_cast<double>(trips.size()));
    }
    // Another switch's cost differs by a step for every machine that is on the other side of it.
    const double margin = nearly_as_good * scale.step_s / static_cast<double>(trips.size());
    return cheapest(costs, margin, network.machines[at(lost)].sw);
}

}  // namespace bcastgen
