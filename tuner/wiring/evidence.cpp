#include "tuner/wiring/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/index.hpp"
#include "planner/network/paths.hpp"

namespace bcastgen {

namespace {

constexpr double sure_shortfall = 0.05;       // of a sum of many streams
constexpr double chance_shortfall = 0.07;     // more for one stream; of a sum of k this over the root of k
constexpr double scatters = 2.5;              // so many times the scatter is not chance
constexpr double least_efficiency = 0.75;     // below this all ports are slow, not the protocol
constexpr double usual_efficiency = 0.94;     // of TCP over Ethernet
constexpr std::size_t most_slow_links = 64;   // of one explanation
constexpr double slower_than_shares = 0.65;   // a stream that gets less of its rate shares what it should not
constexpr double faster_than_shares = 1.5;    // and one that gets more does not share what it should
constexpr double most_off = 0.7;              // a rate that is halved
constexpr double undisturbed = 0.95;          // of its ports' speed
constexpr double as_slow = 1.1;               // ratios so close to the worst one's may stand for the same cause
constexpr std::size_t most_alternatives = 8;  // for it

using RoundPaths = std::vector<std::vector<LinkId>>;

/// By round, those of round trips empty: the links that each stream crosses.
std::vector<RoundPaths> paths_of_rounds(const Network& network, const Evidence& evidence) {
    const Paths paths(network);
    std::vector<RoundPaths> all(evidence.rounds.size());
    for (std::size_t r = 0; r < evidence.rounds.size(); ++r) {
        if (evidence.rounds[r].asked != Asked::rates) continue;
        for (const Stream& stream : evidence.rounds[r].streams) all[r].push_back(paths.between(stream.from, stream.to));
    }
    return all;
}

std::vector<Reading> read_links(const Capacities& capacities, const Evidence& evidence,
                                const std::vector<RoundPaths>& paths, double efficiency) {
    const std::size_t links = capacities.link_Bps.size();
    std::vector<Reading> readings(links);
    for (std::size_t r = 0; r < paths.size(); ++r) {
        if (paths[r].empty()) continue;
        const std::vector<double> rates = fair_rates(capacities, paths[r]);
        std::vector<Reading> sums(links);
        for (std::size_t i = 0; i < paths[r].size(); ++i) {
            for (const LinkId link : paths[r][i]) {
                Reading& sum = sums[at(link)];
                sum.expected_Bps += rates[i];
                sum.measured_Bps += evidence.answers[r][i] / efficiency;
                ++sum.streams;
            }
        }
        for (std::size_t link = 0; link < links; ++link) {
            Reading& best = readings[link];
            if (sums[link].expected_Bps > best.expected_Bps) {
                best.expected_Bps = sums[link].expected_Bps;
                best.streams = sums[link].streams;
            }
            best.measured_Bps = std::max(best.measured_Bps, sums[link].measured_Bps);
        }
    }
    return readings;
}

/// The links whose sums are too low.
std::vector<LinkId> low_links(const std::vector<Reading>& readings, const Yardstick& yardstick) {
    std::vector<LinkId> low;
    for (std::size_t link = 0; link < readings.size(); ++link) {
        const Reading& reading = readings[link];
        if (reading.expected_Bps > 0 && reading.ratio() < yardstick.least_ratio(reading.streams)) {
            low.push_back(static_cast<LinkId>(link));
        }
    }
    std::stable_sort(low.begin(), low.end(),
                     [&](LinkId a, LinkId b) { return readings[at(a)].ratio() < readings[at(b)].ratio(); });
    return low;
}

Capacities with_slow(Capacities capacities, LinkId link, double carries_Bps) {
    capacities.link_Bps[at(link)] = carries_Bps;
    capacities.stream_Bps[at(link)] = std::min(capacities.stream_Bps[at(link)], carries_Bps);
    return capacities;
}

/// Whether no machine both sends and receives.
bool is_one_way(const Round& round) {
    std::set<int> senders;
    for (const Stream& stream : round.streams) senders.insert(stream.from);
    return round.asked == Asked::rates && std::none_of(round.streams.begin(), round.streams.end(),
                                                       [&](const Stream& one) { return senders.count(one.to) != 0; });
}

/// Links that carried more than they are described to, and how many times as much.
std::vector<std::pair<LinkId, double>> excesses(const Network& network, const Evidence& evidence,
                                                const Yardstick& yardstick) {
    if (is_folded_clos(network)) return {};
    const Capacities capacities = described_capacities(network);
    const std::vector<Reading> readings = readings_of(network, capacities, evidence, yardstick.alone_efficiency);
    std::vector<std::pair<LinkId, double>> more;
    for (std::size_t link = 0; link < readings.size(); ++link) {
        const double times = readings[link].measured_Bps / capacities.link_Bps[link];
        if (times > most_excess) more.emplace_back(static_cast<LinkId>(link), times);
    }
    return more;
}

double quantile(const std::vector<double>& sorted, double share) {
    return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace

void Evidence::add(const std::vector<Round>& more_rounds, const std::vector<Answer>& more_answers) {
    rounds.insert(rounds.end(), more_rounds.begin(), more_rounds.end());
    answers.insert(answers.end(), more_answers.begin(), more_answers.end());
}

double Yardstick::least_ratio(int streams) const {
    const double chance = sure_shortfall + chance_shortfall / std::sqrt(std::max(1, streams));
    return 1 - std::min(0.5, std::max(chance, scatters * scatter));
}

std::vector<Reading> readings_of(const Network& network, const Capacities& capacities, const Evidence& evidence,
                                 double efficiency) {
    return read_links(capacities, evidence, paths_of_rounds(network, evidence), efficiency);
}

Yardstick yardstick_of(const Network& network, const Evidence& evidence) {
    const Capacities capacities = described_capacities(network);
    const auto ratios_in = [&](const Evidence& some) {
        const std::vector<Reading> readings = readings_of(network, capacities, some, 1);
        std::vector<double> ratios;
        for (std::size_t link = 0; link < 2 * network.machines.size(); ++link) {
            if (readings[link].expected_Bps > 0) ratios.push_back(readings[link].ratio());
        }
        std::sort(ratios.begin(), ratios.end());
        return ratios;
    };
    Evidence one_way;
    Evidence both_ways;
    for (std::size_t r = 0; r < evidence.rounds.size(); ++r) {
        Evidence& part = is_one_way(evidence.rounds[r]) ? one_way : both_ways;
        part.add({evidence.rounds[r]}, {evidence.answers[r]});
    }
    const std::vector<double> busy = ratios_in(both_ways);
    const std::vector<double> free = ratios_in(one_way);
    Yardstick yardstick{usual_efficiency, usual_efficiency, 0};
    if (busy.empty() || quantile(busy, 0.5) < least_efficiency) return yardstick;
    const double typical = quantile(busy, 0.5);
    yardstick.efficiency = std::min(1.0, typical);
    yardstick.alone_efficiency = free.empty() ? yardstick.efficiency : std::min(1.0, quantile(free, 0.5));
    yardstick.scatter = std::max(0.0, (typical - quantile(busy, 0.2)) / typical);
    return yardstick;
}

std::vector<SlowLink> slow_links(const Network& network, Capacities capacities, const Evidence& evidence,
                                 const Yardstick& yardstick) {
    const std::vector<RoundPaths> paths = paths_of_rounds(network, evidence);
    const auto read = [&](const Capacities& with) { return read_links(with, evidence, paths, yardstick.efficiency); };
    std::vector<SlowLink> slow;
    while (slow.size() < most_slow_links) {
        const std::vector<Reading> readings = read(capacities);
        std::vector<LinkId> low = low_links(readings, yardstick);
        if (low.empty()) break;
        const double worst = readings[at(low.front())].ratio();
        std::erase_if(low, [&](LinkId link) { return readings[at(link)].ratio() > as_slow * worst; });
        if (low.size() > most_alternatives) low.resize(most_alternatives);
        LinkId chosen = low.front();
        std::size_t fewest_left = std::numeric_limits<std::size_t>::max();
        for (const LinkId link : low) {
            const auto then = read(with_slow(capacities, link, readings[at(link)].measured_Bps));
            const std::size_t left = low_links(then, yardstick).size();
            if (left < fewest_left) {
                fewest_left = left;
                chosen = link;
            }
        }
        // Never nothing: a link that carries nothing at all would leave streams without any rate.
        const double carries_Bps = std::max(readings[at(chosen)].measured_Bps, 1e-6 * capacities.link_Bps[at(chosen)]);
        if (carries_Bps >= capacities.link_Bps[at(chosen)]) break;
        capacities = with_slow(std::move(capacities), chosen, carries_Bps);
        slow.push_back({chosen, carries_Bps});
    }
    return slow;
}

std::vector<LinkId> fast_links(const Network& network, const Evidence& evidence, const Yardstick& yardstick) {
    std::vector<LinkId> fast;
    for (const auto& [link, more] : excesses(network, evidence, yardstick)) fast.push_back(link);
    return fast;
}

Capacities explaining_capacities(const Network& network, const Evidence& evidence, const Yardstick& yardstick) {
    Capacities capacities = described_capacities(network);
    for (const auto& [link, more] : excesses(network, evidence, yardstick)) {
        capacities.link_Bps[at(link)] *= more;
        capacities.stream_Bps[at(link)] *= more;
    }
    for (const SlowLink& one : slow_links(network, capacities, evidence, yardstick)) {
        capacities = with_slow(std::move(capacities), one.link, one.carries_Bps);
    }
    return capacities;
}

std::size_t rates_of(const Evidence& evidence) {
    std::size_t rates = 0;
    for (const Round& round : evidence.rounds) rates += round.asked == Asked::rates ? round.streams.size() : 0;
    return rates;
}

std::vector<double> predicted_rates(const Paths& paths, const Capacities& capacities, const Round& round) {
    std::vector<std::vector<LinkId>> ways;
    for (const Stream& stream : round.streams) ways.push_back(paths.between(stream.from, stream.to));
    return fair_rates(capacities, ways);
}

double off_by(double rate_Bps, double other_Bps) {
    return std::min(most_off, std::abs(std::log(rate_Bps / other_Bps)));
}

double far_off(const Network& network, const Capacities& capacities, const Evidence& evidence,
               const Yardstick& yardstick) {
    const Paths paths(network);
    double off = 0;
    for (std::size_t r = 0; r < evidence.rounds.size(); ++r) {
        if (evidence.rounds[r].asked != Asked::rates) continue;
        const std::vector<double> rates_Bps = predicted_rates(paths, capacities, evidence.rounds[r]);
        for (std::size_t i = 0; i < rates_Bps.size(); ++i) {
            off += off_by(evidence.answers[r][i] / yardstick.efficiency, rates_Bps[i]);
        }
    }
    return off / static_cast<double>(std::max<std::size_t>(1, rates_of(evidence)));
}

std::vector<StreamsOff> streams_off(const Network& network, const Capacities& capacities, const Evidence& evidence,
                                    const Yardstick& yardstick) {
    const Paths paths(network);
    std::vector<StreamsOff> off(evidence.rounds.size());
    const double far_slower = std::min(slower_than_shares, yardstick.least_ratio(1));
    for (std::size_t r = 0; r < evidence.rounds.size(); ++r) {
        if (evidence.rounds[r].asked != Asked::rates) continue;
        const std::vector<Stream>& streams = evidence.rounds[r].streams;
        const std::vector<double> rates_Bps = predicted_rates(paths, capacities, evidence.rounds[r]);
        for (std::size_t i = 0; i < rates_Bps.size(); ++i) {
            const double ports_Bps = std::min(capacities.link_Bps[at(port_out(streams[i].from))],
                                              capacities.link_Bps[at(port_in(streams[i].to))]);
            const bool shares = rates_Bps[i] < undisturbed * ports_Bps;  // how evenly, is left to chance
            const double ratio = evidence.answers[r][i] / yardstick.efficiency / rates_Bps[i];
            if (shares && ratio > faster_than_shares) off[r].faster.push_back(streams[i]);
            if (!shares && ratio < far_slower) off[r].slower.push_back(streams[i]);
        }
    }
    return off;
}

std::vector<int> machines_of(const std::vector<std::vector<Stream>>& streams) {
    std::map<int, std::size_t> count;
    for (const std::vector<Stream>& round : streams) {
        for (const Stream& one : round) {
            ++count[one.from];
            ++count[one.to];
        }
    }
    std::vector<int> machines;
    for (const auto& [machine, times] : count) {
        if (times >= 2) machines.push_back(machine);
    }
    std::stable_sort(machines.begin(), machines.end(), [&](int a, int b) { return count[a] > count[b]; });
    return machines;
}

std::vector<LinkId> inseparable_from(const Network& network, const Evidence& evidence, LinkId link) {
    const std::vector<RoundPaths> paths = paths_of_rounds(network, evidence);
    const auto links = static_cast<std::size_t>(link_count(network));
    std::vector<std::size_t> together(links, 0);
    std::vector<std::size_t> all(links, 0);
    for (const RoundPaths& round : paths) {
        for (const std::vector<LinkId>& path : round) {
            const bool crosses = std::find(path.begin(), path.end(), link) != path.end();
            for (const LinkId other : path) {
                ++all[at(other)];
                together[at(other)] += crosses ? 1 : 0;
            }
        }
    }
    std::vector<LinkId> same;
    for (std::size_t other = 0; other < links; ++other) {
        if (static_cast<LinkId>(other) == link || all[other] == 0) continue;
        if (all[other] == all[at(link)] && together[other] == all[other]) same.push_back(static_cast<LinkId>(other));
    }
    return same;
}

}  // namespace bcastgen
