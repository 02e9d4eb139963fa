#include "tuner/wiring/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "base/index.hpp"
#include "tuner/wiring/alone.hpp"
#include "tuner/wiring/conclusions.hpp"
#include "tuner/wiring/evidence.hpp"
#include "tuner/wiring/packing.hpp"
#include "tuner/wiring/places.hpp"
#include "tuner/wiring/rounds.hpp"

namespace bcastgen {

namespace {

constexpr int times_alone = 5;
constexpr int most_passes = 4;
constexpr std::size_t most_suspects = 48;   // that are measured alone in one pass
constexpr std::size_t most_filled = 64;     // trunks, each way, that shifts do not fill and that are filled
constexpr std::size_t most_lost = 6;        // machines that are looked for by rates in one pass
constexpr std::size_t most_searches = 200;  // rounds that this may take, but for the first machine's
constexpr double full_enough = 0.95;

class Verification {
  public:
    Verification(const Network& described, const std::vector<int>& machines, const Instrument& ask, std::uint64_t seed)
        : machines_(machines), ask_(ask), random_(static_cast<std::mt19937::result_type>(seed)), belief_(described) {}

    WiringVerdict run() {
        ask(first_questions());
        yardstick_ = yardstick_of(belief_, evidence_);
        trips_ = fit_round_trips(belief_, evidence_);
        look_for(out_of_place(belief_, evidence_, trips_));
        for (int pass = 0; pass < most_passes && look_at_suspects(); ++pass) {
        }
        verdict_.not_shown = trunks_not_filled(belief_, evidence_);
        for (Finding& finding : links_that_differ(belief_, evidence_, alone_, yardstick_, verdict_.unclear)) {
            verdict_.findings.push_back(std::move(finding));
        }
        verdict_.corrected = belief_;
        verdict_.machines = static_cast<int>(machines_.size());
        verdict_.rounds = rounds_;
        verdict_.efficiency = yardstick_.efficiency;
        verdict_.round_trips_tell = trips_.tell;
        return std::move(verdict_);
    }

  private:
    std::vector<Answer> ask(const std::vector<Round>& rounds) {
        if (rounds.empty()) return {};
        std::vector<Answer> answers = ask_(rounds);
        evidence_.add(rounds, answers);
        rounds_ += static_cast<int>(rounds.size());
        return answers;
    }

    /// The usual rounds, and every trunk filled twice that these would not fill if all is as described.
    std::vector<Round> first_questions() {
        std::vector<Round> rounds = first_rounds(belief_, machines_, random_);
        Evidence planned;
        for (const Round& round : rounds) planned.add({round}, {Answer(round.streams.size(), 0)});
        const Capacities capacities = described_capacities(belief_);
        const std::vector<Reading> readings = readings_of(belief_, capacities, planned, 1);
        std::vector<Round> filling;
        for (std::size_t t = 0; t < belief_.trunks.size() && filling.size() < 2 * most_filled; ++t) {
            if (!belief_.trunks[t].in_tree) continue;
            for (const bool from_a : {true, false}) {
                const LinkId link = trunk_link(belief_, static_cast<int>(t), from_a);
                if (readings[at(link)].expected_Bps >= full_enough * capacities.link_Bps[at(link)]) continue;
                const Round round = filling_round(belief_, machines_, static_cast<int>(t), from_a, {});
                if (!round.streams.empty()) filling.insert(filling.end(), 2, round);
            }
        }
        const std::vector<Round> packed = pack_rounds(belief_, filling).rounds;
        rounds.insert(rounds.end(), packed.begin(), packed.end());
        return rounds;
    }

    /// Finds where these machines are, if that is to be found.
    void look_for(std::vector<int> lost) {
        std::erase_if(lost, [&](int machine) { return !looked_for_.insert(machine).second; });
        if (lost.empty()) return;
        if (trips_.tell) ask(place_rounds(belief_, machines_, lost));
        std::vector<std::pair<int, int>> moved;  // machine, switch
        for (const int machine : lost) {
            const Whereabouts place = trips_.tell ? place_by_round_trips(belief_, evidence_, trips_, machine, lost)
                                                  : place_by_asking(machine, lost);
            settle(machine, place);
            if (place.or_switches.empty() && place.sw >= 0) moved.emplace_back(machine, place.sw);
        }
        for (const auto& [machine, sw] : moved) {
            if (std::exchange(belief_.machines[at(machine)].sw, sw) != sw)
                alone_.clear();  // it may have been part of it
        }
    }

    Whereabouts place_by_asking(int machine, const std::vector<int>& lost) {
        const std::vector<Round> rounds = place_rounds_by_rates(belief_, machines_, machine, lost);
        if (rounds.empty()) return {};
        Evidence own;  // it would be no evidence for links: where its streams go is the question
        own.add(rounds, ask_(rounds));
        rounds_ += static_cast<int>(rounds.size());
        return place_by_rates(belief_, own, yardstick_, machine);
    }

    void settle(int machine, const Whereabouts& place) {
        const Machine& described = belief_.machines[at(machine)];
        if (place.sw < 0) {
            verdict_.unclear.push_back(
                fmt::format("{} seems to hang on another switch than {}, and nothing tells on which", described.name,
                            switch_name(described.sw)));
        } else if (!place.or_switches.empty()) {
            std::string switches = switch_name(place.sw);
            for (const int sw : place.or_switches) switches += " or " + switch_name(sw);
            verdict_.unclear.push_back(
                fmt::format("{} hangs on {}: the measurements do not tell which", described.name, switches));
        } else if (place.sw != described.sw) {
            Finding finding;
            finding.differs = Differs::place;
            finding.machine = machine;
            finding.is_on = place.sw;
            finding.by_rates = !trips_.tell;
            verdict_.findings.push_back(finding);
        }
    }

    [[nodiscard]] const std::string& switch_name(int sw) const { return belief_.switches[at(sw)].name; }

    [[nodiscard]] std::vector<SlowLink> slow() const {
        return slow_links(belief_, described_capacities(belief_), evidence_, yardstick_);
    }

    /// Measures what looks slow, or faster than described, alone. False if nothing new did.
    bool look_at_suspects() {
        std::vector<LinkId> links = fast_links(belief_, evidence_, yardstick_);
        for (const SlowLink& one : slow()) links.push_back(one.link);
        std::vector<int> suspects;
        for (const LinkId link : links) {
            if (is_port(belief_, link)) suspects.push_back(link / 2);
        }
        std::erase_if(links, [&](LinkId link) { return alone_.count(link) != 0; });
        if (links.size() > most_suspects) links.resize(most_suspects);
        std::vector<Round> rounds;
        for (const LinkId link : links) {
            rounds.insert(rounds.end(), times_alone, alone_round(belief_, machines_, link, suspects));
        }
        const std::vector<Answer> answers = ask(rounds);
        for (std::size_t i = 0; i < links.size(); ++i) {
            const auto first = answers.begin() + static_cast<std::ptrdiff_t>(i * times_alone);
            alone_[links[i]] = {rounds[i * times_alone], {first, first + times_alone}};
        }
        fill_by_others(links);
        const std::vector<int> lost = sharing();
        look_for(lost);
        return !links.empty() || !lost.empty();
    }

    /// Trunks that carried too much are filled again by machines that had no part in it.
    void fill_by_others(const std::vector<LinkId>& links) {
        const std::vector<LinkId> fast = fast_links(belief_, evidence_, yardstick_);
        for (const LinkId link : links) {
            if (is_port(belief_, link) || std::find(fast.begin(), fast.end(), link) == fast.end()) continue;
            Alone& alone = alone_[link];
            if (trips_.tell) {  // nobody is elsewhere
                alone.by_others_Bps = measured_alone(alone).median_Bps;
                continue;
            }
            const int trunk = link / 2 - static_cast<int>(belief_.machines.size());
            const Round round = filling_round(belief_, machines_, trunk, link % 2 == 0, machines_in(alone.round));
            if (round.streams.empty()) continue;
            const std::vector<Round> rounds(times_alone, round);
            alone.by_others_Bps = measured_alone({round, ask(rounds)}).median_Bps;
        }
    }

    /// Machines that share what they should not, where round trips do not tell who is out of place.
    [[nodiscard]] std::vector<int> sharing() const {
        if (trips_.tell) return {};
        const Capacities capacities = with_slow_links(described_capacities(belief_), slow());
        std::vector<int> machines = falling_short(belief_, capacities, evidence_, yardstick_);
        std::erase_if(machines, [&](int machine) { return looked_for_.count(machine) != 0; });
        const std::size_t each = std::max<std::size_t>(1, 2 * belief_.trunks.size());
        const std::size_t most = std::clamp<std::size_t>(most_searches / each, 1, most_lost);
        if (machines.size() > most) machines.resize(most);
        return machines;
    }

    const std::vector<int>& machines_;
    const Instrument& ask_;
    std::mt19937 random_;
    Network belief_;  ///< as described, with machines where they were found
    Evidence evidence_;
    Yardstick yardstick_;
    RoundTrips trips_;
    std::map<LinkId, Alone> alone_;
    std::set<int> looked_for_;
    int rounds_ = 0;
    WiringVerdict verdict_;
};

}  // namespace

WiringVerdict verify_network(const Network& described, const std::vector<int>& machines, const Instrument& ask,
                             std::uint64_t seed) {
    return Verification(described, machines, ask, seed).run();
}

}  // namespace bcastgen
