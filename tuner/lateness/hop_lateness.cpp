#include "tuner/lateness/hop_lateness.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "base/index.hpp"
#include "planner/network/paths.hpp"

namespace bcastgen {

namespace {

constexpr double most_usual = 0.3;          // a hop may usually take so much longer than others of its kind
constexpr double most_between_kinds = 0.5;  // and a kind than the best

double low_quarter(std::vector<double> values) {
    const auto quarter = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
    std::nth_element(values.begin(), quarter, values.end());
    return *quarter;
}

AlikeBroadcasts alike_like(const BroadcastHops& one, const Capacities& capacities, const Paths& paths) {
    AlikeBroadcasts alike;
    alike.kind = one.kind;
    std::map<std::pair<int, int>, int> into;  // by tree and machine
    for (std::size_t h = 0; h < one.hops.size(); ++h) {
        into[{one.hops[h].tree, one.hops[h].to}] = static_cast<int>(h);
        alike.paths.push_back(paths.between(one.hops[h].from, one.hops[h].to));
    }
    for (const SegmentHop& hop : one.hops) {
        const auto above = into.find({hop.tree, hop.from});
        alike.fed_by.push_back(above == into.end() ? -1 : above->second);
    }
    alike.streams = FairStreams(alike.paths, alike.fed_by);
    alike.rates_Bps = alike.streams.rates(capacities);
    alike.load_Bps.assign(capacities.link_Bps.size(), 0);
    for (std::size_t h = 0; h < alike.paths.size(); ++h) {
        for (const LinkId link : alike.paths[h]) alike.load_Bps[at(link)] += alike.rates_Bps[h];
    }
    return alike;
}

void sort_by_hops(const Network& network, const Capacities& capacities,
                  const std::vector<const BroadcastHops*>& broadcasts, HopLateness& lateness) {
    const Paths paths(network);
    std::map<std::pair<std::string, std::vector<int>>, std::size_t> known;
    for (std::size_t b = 0; b < broadcasts.size(); ++b) {
        std::vector<int> hops;
        for (const SegmentHop& hop : broadcasts[b]->hops) hops.insert(hops.end(), {hop.from, hop.to, hop.tree});
        const auto [at_key, is_new] = known.try_emplace({broadcasts[b]->kind, hops}, lateness.alike.size());
        if (is_new) lateness.alike.push_back(alike_like(*broadcasts[b], capacities, paths));
        lateness.alike[at_key->second].broadcasts.push_back(b);
        lateness.alike_of.push_back(at_key->second);
    }
}

/// Against the network as described, for a start.
void compare_with_rates(const std::vector<const BroadcastHops*>& broadcasts, HopLateness& lateness) {
    for (std::size_t b = 0; b < broadcasts.size(); ++b) {
        const std::vector<double>& rates_Bps = lateness.alike[lateness.alike_of[b]].rates_Bps;
        std::vector<double>& late = lateness.late.emplace_back();
        for (std::size_t h = 0; h < rates_Bps.size(); ++h) {
            const SegmentHop& hop = broadcasts[b]->hops[h];
            late.push_back(std::log(hop.seconds * rates_Bps[h] / hop.bytes));
        }
    }
}

/// By hop: what it takes in the better broadcasts.
std::vector<double> usual_of(const AlikeBroadcasts& alike, const HopLateness& lateness) {
    std::vector<double> usual;
    for (std::size_t h = 0; h < alike.paths.size(); ++h) {
        std::vector<double> values;
        for (const std::size_t b : alike.broadcasts) values.push_back(lateness.late[b][h]);
        usual.push_back(low_quarter(std::move(values)));
    }
    return usual;
}

}  // namespace

HopLateness hop_lateness(const Network& network, const Capacities& capacities,
                         const std::vector<const BroadcastHops*>& broadcasts) {
    HopLateness lateness;
    sort_by_hops(network, capacities, broadcasts, lateness);
    compare_with_rates(broadcasts, lateness);
    std::vector<std::vector<double>> usual;
    std::map<std::string, std::vector<double>> of_kind;
    for (const AlikeBroadcasts& alike : lateness.alike) {
        usual.push_back(usual_of(alike, lateness));
        of_kind[alike.kind].push_back(low_quarter(usual.back()));
    }
    double of_best_kind = std::numeric_limits<double>::infinity();
    for (const auto& [kind, values] : of_kind) of_best_kind = std::min(of_best_kind, low_quarter(values));
    for (std::size_t a = 0; a < lateness.alike.size(); ++a) {
        AlikeBroadcasts& alike = lateness.alike[a];
        const double of_others = low_quarter(of_kind[alike.kind]);
        alike.tells = of_others < of_best_kind + most_between_kinds;
        for (double& one : usual[a]) one = one > of_others + most_usual ? of_others : one;
        for (const std::size_t b : alike.broadcasts) {
            for (std::size_t h = 0; h < usual[a].size(); ++h) lateness.late[b][h] -= usual[a][h];
        }
    }
    return lateness;
}

}  // namespace bcastgen
