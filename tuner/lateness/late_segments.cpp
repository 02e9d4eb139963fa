#include "tuner/lateness/late_segments.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "tuner/lateness/hop_lateness.hpp"
#include "tuner/wiring/cable_names.hpp"
#include "tuner/wiring/fair_rates.hpp"
#include "tuner/wiring/middle.hpp"

namespace bcastgen {

namespace {

// Lateness is counted in logarithms: so many times as long as usual.
constexpr std::size_t most_broadcasts = 1000;
constexpr std::size_t most_suspects = 24;
constexpr double is_late = 0.22;           // a hop that takes a quarter longer
constexpr double later_than_above = 0.15;  // than the hop that feeds it
constexpr double surely_slower = 0.29;     // a cable at three quarters of its speed
constexpr double on_time = 0.2;
constexpr double hardly = 0.05;
constexpr int least_broadcasts = 5;
constexpr double least_gain = 3;          // of lateness explained in all, less what would be explained wrongly
constexpr double least_share = 0.5;       // of the lateness behind the cable
constexpr double most_that_differ = 0.3;  // of the broadcasts meanwhile
constexpr double least_on_time = 0.1;     // hops elsewhere, for each that the cable makes late
constexpr int least_before = 3;           // broadcasts without it, of a cable that is slow one way only
constexpr double shows = 0.3;             // of what the cable should explain in a broadcast
constexpr double as_good = 0.95;
constexpr std::size_t most_alternatives = 3;
const std::vector<double> factors{0.75, 0.6, 0.5, 0.4, 0.33, 0.25, 0.2, 0.15, 0.1, 0.07, 0.05};
const std::vector<double> near_factors{0.88, 0.94, 1, 1.06, 1.12};

enum class Ways { both, forth, back };  // of a cable

/// A cable that carries a part of what is described, while broadcasts first to last went on.
struct Suspicion {
    int cable = -1;
    Ways ways = Ways::both;
    double factor = 1;
    double gain = 0;
    std::size_t first = 0;
    std::size_t last = 0;
};

class LateFinder {
  public:
    LateFinder(const Network& network, const std::vector<BroadcastHops>& broadcasts)
        : network_(network), capacities_(described_capacities(network)) {
        const std::size_t skipped = broadcasts.size() > most_broadcasts ? broadcasts.size() - most_broadcasts : 0;
        for (std::size_t b = skipped; b < broadcasts.size(); ++b) broadcasts_.push_back(&broadcasts[b]);
        lateness_ = hop_lateness(network, capacities_, broadcasts_);
    }

    LateSegments run() {
        LateSegments found;
        found.broadcasts = static_cast<int>(broadcasts_.size());
        std::vector<Suspicion> suspicions;
        for (const int cable : suspects()) add_suspicions(cable, suspicions);
        const Suspicion* worst = choose(suspicions);
        if (worst != nullptr && stands(*worst)) found.slow = described(*worst, suspicions);
        return found;
    }

  private:
    /// The cables where lateness begins, those where it does so most often.
    [[nodiscard]] std::vector<int> suspects() const {
        std::map<int, int> votes;
        for (std::size_t b = 0; b < lateness_.late.size(); ++b) {
            const AlikeBroadcasts& alike = lateness_.alike[lateness_.alike_of[b]];
            if (!alike.tells) continue;
            for (std::size_t h = 0; h < lateness_.late[b].size(); ++h) {
                const int above = alike.fed_by[h];
                const bool begins =
                    lateness_.late[b][h] > is_late &&
                    (above < 0 || lateness_.late[b][at(above)] < lateness_.late[b][h] - later_than_above);
                if (!begins) continue;
                for (const LinkId link : alike.paths[h]) ++votes[link / 2];
            }
        }
        std::vector<int> cables;
        for (const auto& [cable, count] : votes) cables.push_back(cable);
        std::stable_sort(cables.begin(), cables.end(), [&](int a, int b) { return votes.at(a) > votes.at(b); });
        cables.resize(std::min(cables.size(), most_suspects));
        return cables;
    }

    /// Slow both ways, or one way, if anything goes that way.
    void add_suspicions(int cable, std::vector<Suspicion>& suspicions) const {
        suspicions.push_back(best(cable, Ways::both));
        for (const Ways ways : {Ways::forth, Ways::back}) {
            if (!in_use(cable, ways)) continue;
            const bool only_way = !in_use(cable, ways == Ways::forth ? Ways::back : Ways::forth);
            Suspicion one = only_way ? suspicions.back() : best(cable, ways);
            one.ways = ways;
            suspicions.push_back(one);
        }
    }

    [[nodiscard]] bool in_use(int cable, Ways way) const {
        const LinkId link = 2 * cable + (way == Ways::forth ? 0 : 1);
        return std::any_of(lateness_.alike.begin(), lateness_.alike.end(),
                           [&](const AlikeBroadcasts& alike) { return alike.tells && alike.load_Bps[at(link)] > 0; });
    }

    /// By group of alike broadcasts and hop: how late it would be. Empty: not at all.
    using Lateness = std::vector<std::vector<double>>;

    [[nodiscard]] Lateness lateness_of(const Suspicion& of) const {
        Capacities slower = capacities_;
        std::vector<LinkId> links;
        for (const LinkId link : {2 * of.cable, 2 * of.cable + 1}) {
            if (of.ways != Ways::both && (of.ways == Ways::forth) != (link % 2 == 0)) continue;
            slower.link_Bps[at(link)] *= of.factor;
            slower.stream_Bps[at(link)] *= of.factor;
            links.push_back(link);
        }
        Lateness all(lateness_.alike.size());
        for (std::size_t a = 0; a < lateness_.alike.size(); ++a) {
            const AlikeBroadcasts& alike = lateness_.alike[a];
            const bool fills = std::any_of(links.begin(), links.end(), [&](LinkId link) {
                return alike.load_Bps[at(link)] > std::min(slower.link_Bps[at(link)], slower.stream_Bps[at(link)]);
            });
            if (!alike.tells || !fills) continue;
            const std::vector<double> rates_Bps = alike.streams.rates(slower);
            for (std::size_t h = 0; h < rates_Bps.size(); ++h) {
                all[a].push_back(std::max(0.0, std::log(alike.rates_Bps[h] / rates_Bps[h])));
            }
        }
        return all;
    }

    /// How much of a broadcast's lateness that explains, less what it makes worse.
    [[nodiscard]] double gain(std::size_t b, const Lateness& lateness) const {
        const std::vector<double>& explained = lateness[lateness_.alike_of[b]];
        double sum = 0;
        for (std::size_t h = 0; h < explained.size(); ++h) {
            sum += std::abs(lateness_.late[b][h]) - std::abs(lateness_.late[b][h] - explained[h]);
        }
        return sum;
    }

    /// When it explains most.
    void time(Suspicion& one) const {
        const Lateness lateness = lateness_of(one);
        double running = 0;
        std::size_t begin = 0;
        one.gain = 0;
        for (std::size_t b = 0; b < broadcasts_.size(); ++b) {
            if (running <= 0) {
                running = 0;
                begin = b;
            }
            const double more = gain(b, lateness);
            running += more;
            if (running <= one.gain || more <= 0) continue;
            one.gain = running;
            one.first = begin;
            one.last = b;
        }
    }

    [[nodiscard]] Suspicion best(int cable, Ways ways) const {
        Suspicion best{cable, ways, 1, 0, 0, 0};
        const auto attempt = [&](double factor) {
            Suspicion one{cable, ways, factor, 0, 0, 0};
            time(one);
            if (one.gain > best.gain) best = one;
        };
        for (const double factor : factors) attempt(factor);
        const double coarse = best.factor;
        for (const double nearer : near_factors) attempt(std::min(1.0, coarse * nearer));
        return best;
    }

    /// A cable is mostly slow both ways.
    [[nodiscard]] static const Suspicion* choose(const std::vector<Suspicion>& suspicions) {
        const Suspicion* chosen = nullptr;
        const auto weight = [](const Suspicion& one) { return one.ways == Ways::both ? one.gain / as_good : one.gain; };
        for (const Suspicion& one : suspicions) {
            if (one.gain > 0 && (chosen == nullptr || weight(one) > weight(*chosen))) chosen = &one;
        }
        return chosen;
    }

    /// Whether it explains what it should, in broadcast after broadcast, and others are on time meanwhile.
    [[nodiscard]] bool stands(const Suspicion& one) const {
        if (one.gain < least_gain || std::log(1 / one.factor) < surely_slower) return false;
        const Lateness lateness = lateness_of(one);
        if (one.ways != Ways::both && telling_before(one, lateness) < least_before) return false;
        double behind = 0;
        double left = 0;
        int late_hops = 0;
        int showing = 0;
        int telling = 0;
        std::vector<double> elsewhere;
        for (std::size_t b = one.first; b <= one.last; ++b) {
            const std::vector<double>& explained = lateness[lateness_.alike_of[b]];
            if (!lateness_.alike[lateness_.alike_of[b]].tells) continue;
            for (std::size_t h = 0; h < lateness_.late[b].size(); ++h) {
                const double should = explained.empty() ? 0 : explained[h];
                if (should < hardly) elsewhere.push_back(lateness_.late[b][h]);
                if (should < is_late) continue;
                ++late_hops;
                behind += std::abs(lateness_.late[b][h]);
                left += std::abs(lateness_.late[b][h] - should);
            }
            if (!tells(explained)) continue;
            ++telling;
            const double all = std::accumulate(explained.begin(), explained.end(), 0.0);
            if (gain(b, lateness) > shows * all) ++showing;
        }
        return showing >= least_broadcasts && telling - showing <= most_that_differ * telling &&
               left <= (1 - least_share) * behind &&
               static_cast<double>(elsewhere.size()) >= least_on_time * late_hops && middle_of(elsewhere) < on_time;
    }

    /// Whether a broadcast would show it.
    [[nodiscard]] static bool tells(const std::vector<double>& explained) {
        return std::accumulate(explained.begin(), explained.end(), 0.0) >= is_late;
    }

    /// Broadcasts that show that it was not there before.
    [[nodiscard]] int telling_before(const Suspicion& one, const Lateness& lateness) const {
        return static_cast<int>(std::count_if(lateness_.alike_of.begin(),
                                              lateness_.alike_of.begin() + static_cast<std::ptrdiff_t>(one.first),
                                              [&](std::size_t alike) { return tells(lateness[alike]); }));
    }

    [[nodiscard]] std::optional<SlowCable> described(const Suspicion& one,
                                                     const std::vector<Suspicion>& suspicions) const {
        SlowCable slow;
        const int machines = static_cast<int>(network_.machines.size());
        (one.cable < machines ? slow.machine : slow.trunk) = one.cable < machines ? one.cable : one.cable - machines;
        for (const Suspicion& other : suspicions) {
            const bool counts = other.cable != one.cable && (other.ways == Ways::both || one.ways != Ways::both);
            if (!counts || other.gain < as_good * one.gain) continue;
            const std::string name = cable_name(network_, other.cable);
            if (std::find(slow.also.begin(), slow.also.end(), name) == slow.also.end()) slow.also.push_back(name);
        }
        if (slow.also.size() > most_alternatives) return std::nullopt;  // that would say nothing
        slow.described_Bps = capacities_.link_Bps[at(2 * one.cable)];
        slow.carries_Bps = one.factor * slow.described_Bps;
        slow.first = static_cast<int>(one.first);
        slow.last = static_cast<int>(one.last);
        count_costs(one, slow);
        return slow;
    }

    /// By the hop that takes longest, as is usual and with that cable.
    void count_costs(const Suspicion& one, SlowCable& slow) const {
        const Lateness lateness = lateness_of(one);
        std::vector<double> costs_s;
        for (std::size_t b = one.first; b <= one.last; ++b) {
            const std::vector<double>& explained = lateness[lateness_.alike_of[b]];
            if (explained.empty() || gain(b, lateness) <= 0) continue;
            double usual_s = 0;
            double with_it_s = 0;
            for (std::size_t h = 0; h < explained.size(); ++h) {
                const double hop_s = broadcasts_[b]->hops[h].seconds * std::exp(-lateness_.late[b][h]);
                usual_s = std::max(usual_s, hop_s);
                with_it_s = std::max(with_it_s, hop_s * std::exp(explained[h]));
            }
            costs_s.push_back(with_it_s - usual_s);
        }
        slow.broadcasts = static_cast<int>(costs_s.size());
        slow.costs_in_all_s = std::accumulate(costs_s.begin(), costs_s.end(), 0.0);
        slow.costs_s = middle_of(std::move(costs_s));
    }

    const Network& network_;
    Capacities capacities_;
    std::vector<const BroadcastHops*> broadcasts_;
    HopLateness lateness_;
};

}  // namespace

LateSegments late_segments(const Network& network, const std::vector<BroadcastHops>& broadcasts) {
    return LateFinder(network, broadcasts).run();
}

}  // namespace bcastgen
