#include "tuner/wiring/discovery/discovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "base/units.hpp"
#include "base/wording.hpp"
#include "tuner/wiring/discovery/distances.hpp"
#include "tuner/wiring/discovery/speeds.hpp"
#include "tuner/wiring/usual_speed.hpp"
#include "tuner/wiring/verdict_formats.hpp"
#include "tuner/wiring/verification.hpp"

namespace bcastgen {

namespace {

constexpr double most_misfit = 0.4;      // of a trunk's length, between the times and the tree's
constexpr std::size_t rounds_again = 6;  // of round trips, in the end, each twice
constexpr int least_changed = 2;         // of one machine's: a single one may have been disturbed
constexpr double most_change = 0.7;      // of a trunk's length, of a round trip
constexpr int most_verifications = 4;
constexpr double least_latency_s = 1e-9;  // that a file can say
constexpr double apart_cables = 1.1;      // as many times as long: another cable's latency

/// Everybody meets everybody once: in round r the machines i and j with i + j = r modulo n - 1, and the last one
/// whoever is left. With an odd number one machine rests.
std::vector<Round> all_pairs(int machines) {
    const int even = machines + machines % 2;
    std::vector<Round> rounds;
    for (int r = 0; r < even - 1; ++r) {
        Round round{Asked::round_trips, {}};
        for (int i = 0; i < even / 2; ++i) {
            const int a = i == 0 ? even - 1 : (r + i) % (even - 1);
            const int b = (r + even - 1 - i) % (even - 1);
            if (a < machines && b < machines) round.streams.push_back({std::min(a, b), std::max(a, b)});
        }
        rounds.push_back(std::move(round));
    }
    return rounds;
}

/// Half a round trip as a file says it: with three digits, for more are noise.
double latency_of(double trip_s) {
    if (trip_s <= 2 * least_latency_s) return least_latency_s;
    const double digit = std::pow(10, std::floor(std::log10(trip_s / 2)) - 2);
    return std::round(1e9 * std::round(trip_s / 2 / digit) * digit) * 1e-9;
}

/// Values that noise may tell apart become one, their middle: those within a tenth of the least of them.
std::vector<double> alike(const std::vector<double>& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> middles(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t end = first;
        while (end < order.size() && values[order[end]] <= apart_cables * values[order[first]]) ++end;
        end = std::max(end, first + 1);
        for (std::size_t i = first; i < end; ++i) middles[order[i]] = values[order[(first + end) / 2]];
        first = end;
    }
    return middles;
}

std::string time_s_text(double seconds) {
    return time_text(1e6 * seconds);
}

double rounded_Bps(double rate_Bps) {
    const double power = std::pow(10, std::floor(std::log10(8 * rate_Bps)) - 2);
    return std::round(8 * rate_Bps / power) * power / 8;
}

class Discoverer {
  public:
    Discoverer(const std::string& name, const std::vector<std::string>& machines, const Instrument& ask,
               std::uint64_t seed)
        : names_(machines), ask_(ask), seed_(seed), random_(static_cast<std::mt19937::result_type>(seed)) {
        found_.network.name = name;
    }

    Discovery run() {
        tree_ = tree_of_distances(distances());
        if (tree_.misfit > most_misfit) {
            const std::string off = std::isinf(tree_.misfit) ? "as much" : time_s_text(tree_.misfit * tree_.gap_s);
            found_.unclear.push_back(
                fmt::format("the round trips are not those of a tree of switches: a trunk would add {}, and times are "
                            "off by {}; measure "
                            "again with nothing else on the network",
                            time_s_text(tree_.gap_s), off));
            return std::move(found_);
        }
        make_network();
        const auto counted_ask = [this](const std::vector<Round>& rounds) { return ask(rounds); };
        describe(measure_speeds(network(), counted_ask, random_));
        verify();
        if (found_.unclear.empty()) ask_round_trips_again();
        return std::move(found_);
    }

  private:
    [[nodiscard]] Network& network() { return found_.network; }

    std::vector<Answer> ask(const std::vector<Round>& rounds) {
        found_.rounds += static_cast<int>(rounds.size());
        return rounds.empty() ? std::vector<Answer>() : ask_(rounds);
    }

    Distances distances() {
        const std::vector<Round> rounds = all_pairs(static_cast<int>(names_.size()));
        const std::vector<Answer> answers = ask(rounds);
        Distances d(names_.size(), std::vector<double>(names_.size(), 0));
        for (std::size_t r = 0; r < rounds.size(); ++r) {
            for (std::size_t i = 0; i < rounds[r].streams.size(); ++i) {
                const Stream& pair = rounds[r].streams[i];
                d[at(pair.from)][at(pair.to)] = d[at(pair.to)][at(pair.from)] = answers[r][i];
            }
        }
        return d;
    }

    void make_network() {
        for (const std::string& name : names_) network().machines.push_back({name, 0, {1, least_latency_s}});
        std::vector<double> trunks_s;
        for (const FoundSwitch& one : tree_.switches) trunks_s.push_back(one.trunk_s);
        trunks_s = alike(trunks_s);
        for (std::size_t s = 0; s < tree_.switches.size(); ++s) {
            const FoundSwitch& one = tree_.switches[s];
            network().switches.push_back({fmt::format("s{}", s)});
            for (const int machine : one.machines) network().machines[at(machine)].sw = static_cast<int>(s);
            if (one.above < 0) continue;
            network().trunks.push_back({one.above, static_cast<int>(s), {1, latency_of(trunks_s[s])}});
        }
        const std::vector<double> ports_s = alike(tree_.ports_s);
        for (std::size_t m = 0; m < names_.size(); ++m) network().machines[m].port.latency_s = latency_of(ports_s[m]);
    }

    [[nodiscard]] std::vector<int> everybody() const {
        std::vector<int> all(names_.size());
        std::iota(all.begin(), all.end(), 0);
        return all;
    }

    void describe(const MeasuredSpeeds& speeds) {
        for (std::size_t t = 0; t < speeds.trunks.size(); ++t) {
            std::string sums;
            for (const auto& [streams, sum_Bps] : speeds.trunks[t].towards_b_Bps) {
                sums +=
                    fmt::format("{}{} {}", sums.empty() ? "" : ", ", streams, format_bandwidth(rounded_Bps(sum_Bps)));
            }
            found_.remarks.trunks[static_cast<int>(t)].push_back(fmt::format(
                "{} there and back; streams and their sum: {}{}",
                time_s_text(tree_.switches[at(network().trunks[t].b)].trunk_s), sums,
                speeds.trunks[t].only_ports ? "; at least: the machines on one side cannot send more" : ""));
        }
        for (std::size_t s = 0; s < tree_.switches.size(); ++s) {
            const std::size_t machines = tree_.switches[s].machines.size();
            found_.remarks.switches[static_cast<int>(s)].push_back(
                machines == 0 ? "no machines: here ways part that are the same before"
                              : fmt::format("{}, no trunk between them", counted(machines, "machine", "machines")));
        }
        found_.head.push_back(
            "Only what streams can show: a switch with two cables and no machines, or with a single machine at the end "
            "of "
            "a trunk, looks like one longer cable.");
        found_.head.push_back(
            tree_.gap_s == 0
                ? "One switch: no gap between the round trips is clear, so nothing tells switches apart."
                : fmt::format(
                      "Round trips of all pairs: on one switch they differ by {} at most, a trunk adds {} or more; "
                      "latencies hold software's part.",
                      time_s_text(tree_.scatter_s), time_s_text(tree_.gap_s)));
        const auto [slowest, fastest] = std::minmax_element(speeds.rates_Bps.begin(), speeds.rates_Bps.end());
        found_.head.push_back(fmt::format("Ports: the best streams of the slowest went at {}, of the fastest at {}.",
                                          format_bandwidth(rounded_Bps(*slowest)),
                                          format_bandwidth(rounded_Bps(*fastest))));
    }

    /// The network that was found answers as it should; else it is not that one, or not any more. Links that others
    /// held back are seen at their own speed only by that, and looked at once more.
    void verify() {
        for (int attempt = 1;; ++attempt) {
            WiringVerdict verdict = verify_network(network(), everybody(), ask_, seed_ + at(attempt));
            found_.rounds += verdict.rounds;
            std::erase_if(verdict.findings, [](const Finding& one) { return seems_faster(one) && !is_faster(one); });
            const bool may_mend = attempt < most_verifications && verdict.unclear.empty() &&
                                  std::all_of(verdict.findings.begin(), verdict.findings.end(), seems_faster);
            if (verdict.findings.empty() || !may_mend) {
                conclude(verdict);
                return;
            }
            for (const Finding& finding : verdict.findings) {
                auto& remark = finding.differs == Differs::trunk ? found_.remarks.trunks[finding.trunk]
                                                                 : found_.remarks.machines[finding.machine];
                remark = {"filled alone: " + evidence_text(network(), finding)};
                speed_of(finding).bandwidth_Bps = line_filled_alone_Bps(finding);
            }
        }
    }

    static bool seems_faster(const Finding& finding) {
        return finding.differs != Differs::place && finding.is_Bps > finding.described_Bps;
    }

    /// By the line that carries what was measured, as all speeds here are. The verification goes by what ports that
    /// are as described bring of their speed, which says nothing of this link while something holds them back.
    static bool is_faster(const Finding& finding) { return line_filled_alone_Bps(finding) > finding.described_Bps; }

    /// The line that carries what went over the link alone, the narrower way of those that differ.
    static double line_filled_alone_Bps(const Finding& finding) {
        double least_Bps = std::numeric_limits<double>::infinity();
        for (const Measured& way : {finding.out, finding.in}) {
            if (way.times > 0) least_Bps = std::min(least_Bps, way.median_Bps);
        }
        return line_speed_Bps(least_Bps);
    }

    [[nodiscard]] LinkSpeed& speed_of(const Finding& finding) {
        return finding.differs == Differs::trunk ? network().trunks[at(finding.trunk)].speed
                                                 : network().machines[at(finding.machine)].port;
    }

    void conclude(const WiringVerdict& verdict) {
        for (const Finding& finding : verdict.findings) {
            found_.unclear.push_back(fmt::format("measured again, it was otherwise: {} ({})",
                                                 difference_text(network(), finding),
                                                 evidence_text(network(), finding)));
        }
        found_.unclear.insert(found_.unclear.end(), verdict.unclear.begin(), verdict.unclear.end());
        if (found_.unclear.empty()) {
            found_.head.push_back(fmt::format("Verified in {}.", counted(verdict.rounds, "round", "rounds")));
        }
    }

    /// Some of them: of a machine that was moved while they were measured, a part is of here and a part of there, and
    /// a tree may be found for that.
    void ask_round_trips_again() {
        if (tree_.switches.size() == 1) return;
        const std::vector<Round> all = all_pairs(static_cast<int>(names_.size()));
        const std::size_t count = std::min(rounds_again, all.size());
        std::vector<Round> rounds;
        for (std::size_t i = 0; i < count; ++i) rounds.insert(rounds.end(), 2, all[i * all.size() / count]);
        const std::vector<Answer> answers = ask(rounds);
        std::vector<int> changed(names_.size(), 0);  // of the machine's round trips
        for (std::size_t r = 0; r < rounds.size(); r += 2) {
            for (std::size_t i = 0; i < rounds[r].streams.size(); ++i) {
                const auto& [a, b] = rounds[r].streams[i];
                const double is_s = std::min(answers[r][i], answers[r + 1][i]);
                if (std::abs(is_s - trip_s(a, b)) < most_change * tree_.gap_s) continue;
                for (const int machine : {a, b}) {
                    if (++changed[at(machine)] < least_changed) continue;
                    found_.unclear.push_back(fmt::format(
                        "a round trip between {} and {} took {} in the end, not {}: the network changed meanwhile, or "
                        "something else used it; measure again",
                        names_[at(a)], names_[at(b)], time_s_text(is_s), time_s_text(trip_s(a, b))));
                    return;
                }
            }
        }
    }

    /// By the tree.
    [[nodiscard]] double trip_s(int a, int b) const {
        double trip_s = tree_.ports_s[at(a)] + tree_.ports_s[at(b)];
        int one = found_.network.machines[at(a)].sw;
        int other = found_.network.machines[at(b)].sw;
        while (one != other) {
            int& lower = one > other ? one : other;  // a switch comes after the one above it
            trip_s += tree_.switches[at(lower)].trunk_s;
            lower = tree_.switches[at(lower)].above;
        }
        return trip_s;
    }

    const std::vector<std::string>& names_;
    const Instrument& ask_;
    std::uint64_t seed_;
    std::mt19937 random_;
    FoundTree tree_;
    Discovery found_;
};

}  // namespace

Discovery discover_network(const std::string& name, const std::vector<std::string>& machines, const Instrument& ask,
                           std::uint64_t seed) {
    return Discoverer(name, machines, ask, seed).run();
}

}  // namespace bcastgen
