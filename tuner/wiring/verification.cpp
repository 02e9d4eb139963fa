#include "tuner/wiring/verification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "base/hostlist.hpp"
#include "base/index.hpp"
#include "tuner/wiring/alone.hpp"
#include "tuner/wiring/conclusions.hpp"
#include "tuner/wiring/evidence.hpp"
#include "tuner/wiring/packing.hpp"
#include "tuner/wiring/places.hpp"
#include "tuner/wiring/rearrangement.hpp"
#include "tuner/wiring/rounds.hpp"

namespace bcastgen {

namespace {

constexpr int times_alone = 5;
constexpr int most_passes = 4;
constexpr std::size_t most_suspects = 48;  // that are measured alone in one pass
constexpr std::size_t most_filled = 64;    // trunks, each way, that shifts do not fill and that are filled
constexpr std::size_t most_spread = 64;    // ports, each way, that slow ones hide
constexpr int most_rearrangements = 8;     // one after the other
constexpr int most_tellings = 5;           // for each of them, if it is not clear before
constexpr double full_enough = 0.95;

class Verification {
  public:
    Verification(const Network& described, const std::vector<int>& machines, const Instrument& ask, std::uint64_t seed)
        : machines_(machines),
          ask_(ask),
          random_(static_cast<std::mt19937::result_type>(seed)),
          described_(described),
          belief_(described) {}

    WiringVerdict run() {
        ask(first_questions());
        yardstick_ = yardstick_of(belief_, evidence_);
        trips_ = fit_round_trips(belief_, evidence_);
        look_for(out_of_place(belief_, evidence_, trips_));
        // In a folded Clos routes are chosen by chance, and rates with them.
        const bool by_rates = !trips_.tell && !is_folded_clos(belief_);
        for (int moved = 0; by_rates && moved < most_rearrangements && rearrange(); ++moved) {
        }
        for (int pass = 0; pass < most_passes && look_at_suspects(); ++pass) {
        }
        verdict_.findings = places_that_differ();
        if (by_rates) say_who_shares_unknown_links();
        verdict_.not_shown = trunks_not_filled(belief_, evidence_);
        for (Finding& finding :
             links_that_differ(belief_, evidence_, alone_, yardstick_, or_elsewhere_, verdict_.unclear)) {
            verdict_.findings.push_back(std::move(finding));
        }
        verdict_.corrected = belief_;
        for (const int machine : somewhere_else_) {
            verdict_.corrected.machines[at(machine)].sw = described_.machines[at(machine)].sw;
        }
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

    /// Finds where these machines are, by round trips, if that is to be found.
    void look_for(const std::vector<int>& lost) {
        if (lost.empty()) return;
        ask(place_rounds(belief_, machines_, lost));
        std::vector<std::pair<int, int>> moved;  // machine, switch
        for (const int machine : lost) {
            const Whereabouts place = place_by_round_trips(belief_, evidence_, trips_, machine, lost);
            settle(machine, place);
            if (place.or_switches.empty() && place.sw >= 0) moved.emplace_back(machine, place.sw);
        }
        for (const auto& [machine, sw] : moved) belief_.machines[at(machine)].sw = sw;
    }

    /// Finds a machine that hangs elsewhere, or two that hang in each other's place, by rates. False if there is none,
    /// or it is not clear which.
    bool rearrange() {
        std::vector<Rearrangement> likely = likely_rearrangements(belief_, evidence_, yardstick_);
        std::vector<Rearrangement> as_near;
        Evidence told;  // of what made one likely nothing counts as evidence for it
        for (int times = 0; times < most_tellings && as_near.size() != 1; ++times) {
            if (likely.size() == 1) return false;
            const std::vector<Round> rounds = telling_rounds(belief_, machines_, likely, random_);
            told.add(rounds, ask(rounds));
            likely = likely_rearrangements(belief_, evidence_, yardstick_);
            as_near = as_near_as_the_first(likely, told);
        }
        // Nothing moved, or none of them in all: chance has its share in what was measured.
        if (as_near.front().moves.empty() || !have_one_in_common(as_near)) {
            if (as_near.size() > 1) or_elsewhere_ = ways_of(as_near);
            return false;
        }
        if (as_near.size() > 1) {
            verdict_.unclear.push_back(fmt::format(
                "machines hang elsewhere, and the measurements do not tell which of these: {}", ways_of(as_near)));
            for (const auto& [machine, sw] : likely.front().moves) somewhere_else_.insert(machine);
        }
        belief_ = rearranged(std::move(belief_), likely.front());
        return true;
    }

    /// The first, and those that it is not clearly nearer than.
    [[nodiscard]] std::vector<Rearrangement> as_near_as_the_first(const std::vector<Rearrangement>& likely,
                                                                  const Evidence& told) const {
        std::vector<Rearrangement> as_near;
        for (const Rearrangement& one : likely) {
            const bool is_first = as_near.empty();
            if (is_first || !is_clearly_nearer(belief_, told, yardstick_, likely.front(), one)) as_near.push_back(one);
        }
        return as_near;
    }

    /// Whether all of them move the same machine.
    [[nodiscard]] static bool have_one_in_common(const std::vector<Rearrangement>& all) {
        return std::any_of(all.front().moves.begin(), all.front().moves.end(), [&](const auto& move) {
            return std::all_of(all.begin(), all.end(), [&](const Rearrangement& one) {
                return std::any_of(one.moves.begin(), one.moves.end(),
                                   [&](const auto& other) { return other.first == move.first; });
            });
        });
    }

    /// What hangs where by those that move anything.
    [[nodiscard]] std::string ways_of(const std::vector<Rearrangement>& all) const {
        std::vector<std::string> ways;
        for (const Rearrangement& one : all) {
            std::vector<std::string> places;
            for (const auto& [machine, sw] : one.moves) {
                places.push_back(belief_.machines[at(machine)].name + " on " + switch_name(sw));
            }
            if (!places.empty()) ways.push_back(fmt::format("{}", fmt::join(places, " and ")));
        }
        return fmt::format("{}", fmt::join(ways, "; "));
    }

    /// Streams that are slow beside others though they have no link in common with them, as far as is known.
    void say_who_shares_unknown_links() {
        const Capacities explained = explaining_capacities(belief_, evidence_, yardstick_);
        std::vector<std::vector<Stream>> slower;
        for (StreamsOff& off : streams_off(belief_, explained, evidence_, yardstick_)) {
            slower.push_back(std::move(off.slower));
        }
        std::vector<std::string> names;
        for (const int machine : machines_of(slower)) names.push_back(belief_.machines[at(machine)].name);
        if (names.empty() || !somewhere_else_.empty()) return;  // what is unclear already explains it
        verdict_.unclear.push_back(
            fmt::format("streams of {} are slow beside others: links that are not in the file hold them back, or these "
                        "machines hang elsewhere, and nothing tells where",
                        fold_hostlist(names)));
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
        }
    }

    [[nodiscard]] std::vector<Finding> places_that_differ() const {
        std::vector<Finding> findings;
        for (std::size_t m = 0; m < described_.machines.size(); ++m) {
            const int machine = static_cast<int>(m);
            if (belief_.machines[m].sw == described_.machines[m].sw || somewhere_else_.count(machine) != 0) continue;
            Finding finding;
            finding.differs = Differs::place;
            finding.machine = machine;
            finding.is_on = belief_.machines[m].sw;
            finding.by_rates = !trips_.tell;
            findings.push_back(finding);
        }
        return findings;
    }

    [[nodiscard]] const std::string& switch_name(int sw) const { return belief_.switches[at(sw)].name; }

    /// Ports that could not show their speed, since all that they sent to or took from was slower, do so with several
    /// others at once.
    void look_behind_slow_ports() {
        const Capacities described = described_capacities(belief_);
        const Capacities explained = explaining_capacities(belief_, evidence_, yardstick_);
        const auto is_slow = [&](LinkId link) { return explained.link_Bps[at(link)] < described.link_Bps[at(link)]; };
        std::vector<int> slow;
        for (const int machine : machines_) {
            if (is_slow(port_out(machine)) || is_slow(port_in(machine))) slow.push_back(machine);
        }
        if (slow.empty()) return;
        const std::vector<Reading> as_described = readings_of(belief_, described, evidence_, 1);
        const std::vector<Reading> as_explained = readings_of(belief_, explained, evidence_, 1);
        std::vector<Round> rounds;
        for (const int machine : machines_) {
            for (const LinkId link : {port_out(machine), port_in(machine)}) {
                const double full_Bps = full_enough * as_described[at(link)].expected_Bps;
                if (is_slow(link) || as_explained[at(link)].expected_Bps >= full_Bps) continue;
                if (spread_.size() == most_spread || !spread_.insert(link).second) continue;
                const bool sends = link == port_out(machine);
                rounds.insert(rounds.end(), 2, spread_round(belief_, machines_, machine, sends, slow, explained));
            }
        }
        ask(rounds);
    }

    /// Measures what looks slow, or faster than described, alone. False if nothing new did.
    bool look_at_suspects() {
        look_behind_slow_ports();
        std::vector<LinkId> links = fast_links(belief_, evidence_, yardstick_);
        const Capacities described = described_capacities(belief_);
        for (const SlowLink& one : slow_links(belief_, described, evidence_, yardstick_)) links.push_back(one.link);
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
        return !links.empty();
    }

    const std::vector<int>& machines_;
    const Instrument& ask_;
    std::mt19937 random_;
    const Network& described_;
    Network belief_;                ///< as described, with machines where they were found
    std::set<int> somewhere_else_;  ///< machines of which it is unclear where
    std::string or_elsewhere_;      ///< what may hang where, if what seems a fast link is not one; empty: nothing
    Evidence evidence_;
    std::set<LinkId> spread_;  ///< ports that were asked for with several others at once
    Yardstick yardstick_;
    RoundTrips trips_;
    std::map<LinkId, Alone> alone_;
    int rounds_ = 0;
    WiringVerdict verdict_;
};

}  // namespace

WiringVerdict verify_network(const Network& described, const std::vector<int>& machines, const Instrument& ask,
                             std::uint64_t seed) {
    return Verification(described, machines, ask, seed).run();
}

}  // namespace bcastgen
