// Rounds of streams on a cluster: the wiring program (tuner/program/wiring/) as an instrument of tuner/wiring/.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/clusters/cluster.hpp"
#include "tuner/wiring/round.hpp"

namespace bcastgen {

struct WiringMeasurement {
    Cluster& cluster;               ///< prepared
    std::filesystem::path program;  ///< what build_wiring_program returned
    std::filesystem::path work_directory;
    /// By machine of the network that is asked about: its index in the cluster's own.
    std::vector<int> machines;
    double port_Bps = 0;       ///< the speed that ports are thought to have, as the cluster runs them
    double longest_way_s = 0;  ///< the latency that ways are thought to have at most
    bool way_is_measured = false;
    double speed_factor = 1;  ///< the cluster's links are so many times as fast as the network's
    bool exact = false;       ///< the same round takes the same time again
    /// Called as rounds are answered, with how many of how many; may be empty.
    std::function<void(std::size_t done, std::size_t all)> on_progress{};
    /// Called after a job, with how long the rounds took on the cluster's clock; may be empty.
    std::function<void(double seconds)> on_took{};
};

/// Compiles the wiring program for the cluster. Throws OutsideFailure.
[[nodiscard]] std::filesystem::path build_wiring_program(Cluster& cluster, const std::filesystem::path& work_directory);

/// Each time it is asked, it runs one job with a rank on each of the machines of the rounds. Rates and times are those
/// of the network, not of its slow motion. Throws OutsideFailure.
[[nodiscard]] Instrument wiring_instrument(const WiringMeasurement& measurement);

/// Measures the speed of ports and the latency of ways roughly, and sets port_Bps and longest_way_s by that.
void calibrate(WiringMeasurement& measurement);

/// Sets longest_way_s by the longest round trip, if `rounds` asked for nothing else: those are of many pairs.
void learn_longest_way(WiringMeasurement& measurement, const std::vector<Round>& rounds,
                       const std::vector<Answer>& answers);

/// How long a round of rates takes on the cluster, in seconds.
[[nodiscard]] double round_seconds(const WiringMeasurement& measurement);

}  // namespace bcastgen
