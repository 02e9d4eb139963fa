// All that was asked and answered, and what of it a network with such and such links explains.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/network/paths.hpp"
#include "tuner/wiring/fair_rates.hpp"
#include "tuner/wiring/round.hpp"

namespace bcastgen {

struct Evidence {
    std::vector<Round> rounds;
    std::vector<Answer> answers;  ///< of the rounds

    void add(const std::vector<Round>& more_rounds, const std::vector<Answer>& more_answers);
};

/// A directed link's best sums of rates over the rounds: disturbances only slow, so the best is what it carries.
struct Reading {
    double expected_Bps = 0;  ///< the most that any round should have brought; 0: no stream crossed it
    double measured_Bps = 0;  ///< the most that any round brought, as a share of the network's efficiency
    int streams = 0;          ///< in the round that should have brought most

    [[nodiscard]] double ratio() const { return measured_Bps / expected_Bps; }
};

/// What the network does with streams: with what it is described to carry, what brings that down for all links alike
/// (headers, acknowledgements), and how much measured figures scatter.
struct Yardstick {
    double efficiency = 1;        ///< measured over described, of a typical port while it sends and receives
    double alone_efficiency = 1;  ///< while it does one of them
    double scatter = 0;           ///< of ports that are as described, relative

    /// Below this ratio a sum of so many streams is too low to be chance.
    [[nodiscard]] double least_ratio(int streams) const;
};

/// By LinkId. The network says where machines hang, the capacities what links carry.
[[nodiscard]] std::vector<Reading> readings_of(const Network& network, const Capacities& capacities,
                                               const Evidence& evidence, double efficiency);

/// From the ports, most of which are taken to be as described.
[[nodiscard]] Yardstick yardstick_of(const Network& network, const Evidence& evidence);

/// A link that must be slower than described for the evidence to be explained.
struct SlowLink {
    LinkId link = 0;
    double carries_Bps = 0;
};

/// The fewest links, found one after the other, that explain what is slow: after each of them what is slow because of
/// it counts no more. `capacities`: as described.
[[nodiscard]] std::vector<SlowLink> slow_links(const Network& network, Capacities capacities, const Evidence& evidence,
                                               const Yardstick& yardstick);

inline constexpr double most_excess = 1.12;  ///< over the description, of a link that is as described

/// Links over which more went than they are described to carry. None in a folded Clos, whose speeds are bounds.
[[nodiscard]] std::vector<LinkId> fast_links(const Network& network, const Evidence& evidence,
                                             const Yardstick& yardstick);

/// As described, but with what fast_links() were seen to carry, and slow_links().
[[nodiscard]] Capacities explaining_capacities(const Network& network, const Evidence& evidence,
                                               const Yardstick& yardstick);

/// How many rates were asked for.
[[nodiscard]] std::size_t rates_of(const Evidence& evidence);

/// By stream of a round of rates.
[[nodiscard]] std::vector<double> predicted_rates(const Paths& paths, const Capacities& capacities, const Round& round);

/// How far two rates are from each other, as a logarithm; whoever is that far off may as well be farther.
[[nodiscard]] double off_by(double rate_Bps, double other_Bps);

/// How far streams are from the rates that the capacities explain, in the mean (off_by()).
[[nodiscard]] double far_off(const Network& network, const Capacities& capacities, const Evidence& evidence,
                             const Yardstick& yardstick);

/// Streams of a round that are not as the capacities explain.
struct StreamsOff {
    std::vector<Stream> slower;  ///< far slower, though nothing but their ports should hold them back
    std::vector<Stream> faster;  ///< far faster, though others should
};

/// By round.
[[nodiscard]] std::vector<StreamsOff> streams_off(const Network& network, const Capacities& capacities,
                                                  const Evidence& evidence, const Yardstick& yardstick);

/// The machines of at least two of these streams, those of most of them first. By round, as streams_off().
[[nodiscard]] std::vector<int> machines_of(const std::vector<std::vector<Stream>>& streams);

/// The links that all streams of the evidence that cross `link`, and no others, cross too: none of them can be told
/// from it.
[[nodiscard]] std::vector<LinkId> inseparable_from(const Network& network, const Evidence& evidence, LinkId link);

}  // namespace bcastgen
