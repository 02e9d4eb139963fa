#include "tuner/wiring/discovery/speeds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "planner/network/switch_graph.hpp"
#include "tuner/wiring/middle.hpp"
#include "tuner/wiring/packing.hpp"
#include "tuner/wiring/rounds.hpp"
#include "tuner/wiring/usual_speed.hpp"

namespace bcastgen {

namespace {

constexpr double as_good = 0.93;  // of what the machines could send, so that nothing was full but their ports
constexpr int port_turns = 3;
constexpr double far_faster = 1.5;  // than a port seemed, which had met slow ones only
constexpr int times_filled = 2;
constexpr std::size_t first_streams = 8;  // at most, across a trunk, before it is seen where more bring more
constexpr double grows = 1.1;             // a sum that does
constexpr double enough_streams = 2;      // over those that would bring what has been seen

/// A trunk while streams fill it, one way.
struct Filling {
    std::size_t most_streams = 0;            ///< as many as there are machines for
    std::map<std::size_t, double> sums_Bps;  ///< by streams at once: the best

    [[nodiscard]] double best_Bps(std::size_t streams) const {
        double best_Bps = 0;
        for (const auto& [count, sum_Bps] : sums_Bps) {
            if (count <= streams) best_Bps = std::max(best_Bps, sum_Bps);
        }
        return best_Bps;
    }
    [[nodiscard]] double best_Bps() const { return best_Bps(most_streams); }
};

class SpeedMeasurement {
  public:
    SpeedMeasurement(Network& network, const Instrument& ask, std::mt19937& random)
        : network_(network), ask_(ask), random_(random), everybody_(network.machines.size()) {
        std::iota(everybody_.begin(), everybody_.end(), 0);
        machines_on_.assign(network.switches.size(), 0);
        for (const Machine& machine : network.machines) ++machines_on_[at(machine.sw)];
    }

    MeasuredSpeeds run() {
        measure_ports();
        std::vector<TrunkSums> trunks = measure_trunks();
        return {std::move(rates_Bps_), std::move(trunks)};
    }

  private:
    /// Three times; in the second and third the fast ones meet each other.
    void measure_ports() {
        rates_Bps_.assign(network_.machines.size(), 0);
        for (int turn = 0; turn < port_turns; ++turn) meet_neighbours(turn > 0);
        set_port_speeds();
    }

    /// Pairs of machines that are on one switch, as far as there are such; one way, then the other.
    void meet_neighbours(bool fast_ones_together) {
        std::vector<int> order = everybody_;
        std::shuffle(order.begin(), order.end(), random_);
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            const int sw_a = network_.machines[at(a)].sw;
            const int sw_b = network_.machines[at(b)].sw;
            if (sw_a != sw_b) return sw_a < sw_b;
            return fast_ones_together &&
                   std::lround(10 * std::log(rates_Bps_[at(a)])) > std::lround(10 * std::log(rates_Bps_[at(b)]));
        });
        for (const int first : {0, 1}) {
            Round there = neighbour_round(order, first, Asked::rates);
            std::erase_if(there.streams, [&](const Stream& one) { return apart(one) && has_company(one); });
            Round back = there;
            for (Stream& one : back.streams) std::swap(one.from, one.to);
            take_best({there, back});
        }
    }

    void set_port_speeds() {
        for (std::size_t m = 0; m < network_.machines.size(); ++m) {
            network_.machines[m].port.bandwidth_Bps = line_speed_Bps(rates_Bps_[m]);
        }
    }

    [[nodiscard]] bool apart(const Stream& one) {
        return network_.machines[at(one.from)].sw != network_.machines[at(one.to)].sw;
    }

    /// Whether both machines have others on their switches to be measured with.
    [[nodiscard]] bool has_company(const Stream& one) {
        const auto company = [&](int machine) { return machines_on_[at(network_.machines[at(machine)].sw)] > 1; };
        return company(one.from) && company(one.to);
    }

    void take_best(const std::vector<Round>& rounds) {
        if (rounds.front().streams.empty()) return;
        const std::vector<Answer> answers = ask_(rounds);
        for (std::size_t r = 0; r < rounds.size(); ++r) {
            for (std::size_t i = 0; i < rounds[r].streams.size(); ++i) {
                const Stream& one = rounds[r].streams[i];
                for (const int machine : {one.from, one.to}) {
                    rates_Bps_[at(machine)] = std::max(rates_Bps_[at(machine)], answers[r][i]);
                }
            }
        }
    }

    /// 1, 2, 4, … streams across each trunk, each way, until two doublings bring no more; where trunks share no link,
    /// at once.
    std::vector<TrunkSums> measure_trunks() {
        double fastest_Bps = 0;
        for (const Machine& machine : network_.machines)
            fastest_Bps = std::max(fastest_Bps, machine.port.bandwidth_Bps);
        const double enough_Bps = fastest_Bps * static_cast<double>(network_.machines.size());
        for (Trunk& trunk : network_.trunks) trunk.speed.bandwidth_Bps = enough_Bps;
        std::vector<Filling> fillings(2 * network_.trunks.size());
        std::size_t least = 1;
        for (std::size_t most = first_streams; fill(fillings, least, most); most *= 4) least = 2 * most;
        fill_in_turn(fillings);
        std::vector<TrunkSums> trunks;
        for (std::size_t t = 0; t < network_.trunks.size(); ++t) {
            const double narrow_Bps = std::min(fillings[2 * t].best_Bps(), fillings[2 * t + 1].best_Bps());
            network_.trunks[t].speed.bandwidth_Bps = line_speed_Bps(narrow_Bps);
            trunks.push_back({fillings[2 * t].sums_Bps, narrow_Bps, only_ports(t, narrow_Bps)});
        }
        return trunks;
    }

    /// Between `least` and `most` streams at once, where that may bring more; false if it does nowhere.
    bool fill(std::vector<Filling>& fillings, std::size_t least, std::size_t most) {
        std::vector<Round> rounds;
        std::vector<std::size_t> of;
        for (std::size_t f = 0; f < fillings.size(); ++f) {
            Filling& filling = fillings[f];
            const double before_Bps = filling.best_Bps(least / 8);
            if (least > 1 && filling.best_Bps() < grows * before_Bps) continue;
            const Round near = crossing(f, CrossingOrder::near_first);
            filling.most_streams = near.streams.size();
            for (std::size_t count = least; count <= most && count < 2 * near.streams.size(); count *= 2) {
                Round some = near;
                some.streams.resize(std::min(count, near.streams.size()));
                rounds.insert(rounds.end(), times_filled, some);
            }
            of.resize(rounds.size(), f);
        }
        ask_fillings(fillings, rounds, of);
        return !rounds.empty();
    }

    /// Trunks that machines near them did not fill with all that their ports send, by machines of all switches: others
    /// may have held those back.
    void fill_in_turn(std::vector<Filling>& fillings) {
        std::vector<Round> rounds;
        std::vector<std::size_t> of;
        std::vector<double> rates = rates_Bps_;
        const double usual_Bps = middle_of(std::move(rates));
        for (std::size_t f = 0; f < fillings.size(); ++f) {
            const double best_Bps = fillings[f].best_Bps();
            if (only_ports(f / 2, best_Bps)) continue;
            Round round = crossing(f, CrossingOrder::in_turn);
            const auto enough = first_streams + static_cast<std::size_t>(enough_streams * best_Bps / usual_Bps);
            round.streams.resize(std::min(round.streams.size(), enough));
            rounds.push_back(std::move(round));
            of.push_back(f);
        }
        ask_fillings(fillings, rounds, of);
    }

    /// Whether so much across a trunk is all that the machines on one of its sides can send.
    [[nodiscard]] bool only_ports(std::size_t trunk, double sum_Bps) {
        const std::vector<char> side = side_of_a(network_, static_cast<int>(trunk));
        double sides_Bps[2] = {0, 0};
        for (std::size_t m = 0; m < side.size(); ++m) sides_Bps[side[m] != 0 ? 1 : 0] += rates_Bps_[m];
        return sum_Bps > as_good * std::min(sides_Bps[0], sides_Bps[1]);
    }

    /// All that there are machines for, across the trunk f / 2.
    [[nodiscard]] Round crossing(std::size_t f, CrossingOrder sequence) {
        return crossing_round(network_, everybody_, static_cast<int>(f / 2), f % 2 == 0, sequence);
    }

    /// `of`: by round, the filling that it belongs to.
    void ask_fillings(std::vector<Filling>& fillings, const std::vector<Round>& rounds,
                      const std::vector<std::size_t>& of) {
        const Packing packing = pack_rounds(network_, rounds);
        const std::vector<Answer> answers = ask_(packing.rounds);
        bool had_met_slow_ones = false;
        for (std::size_t r = 0; r < rounds.size(); ++r) {
            const Answer answer = packing.answer(answers, r, rounds[r].streams.size());
            Filling& filling = fillings[of[r]];
            double& sum_Bps = filling.sums_Bps[answer.size()];
            sum_Bps = std::max(sum_Bps, std::accumulate(answer.begin(), answer.end(), 0.0));
            for (std::size_t i = 0; i < answer.size(); ++i) {
                for (const int machine : {rounds[r].streams[i].from, rounds[r].streams[i].to}) {
                    if (answer[i] < far_faster * rates_Bps_[at(machine)]) continue;
                    rates_Bps_[at(machine)] = answer[i];
                    had_met_slow_ones = true;
                }
            }
        }
        if (!had_met_slow_ones) return;
        meet_neighbours(true);
        set_port_speeds();
    }

    Network& network_;
    const Instrument& ask_;
    std::mt19937& random_;
    std::vector<int> everybody_;
    std::vector<int> machines_on_;   ///< by switch: how many
    std::vector<double> rates_Bps_;  ///< by machine: the best that went in or out
};

}  // namespace

MeasuredSpeeds measure_speeds(Network& network, const Instrument& ask, std::mt19937& random) {
    return SpeedMeasurement(network, ask, random).run();
}

}  // namespace bcastgen
