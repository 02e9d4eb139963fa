// The cluster of the commands that measure wiring. Where a cluster is only played, --of names the network that is
// there.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/temporary_directory.hpp"
#include "cli/options/cluster_options.hpp"
#include "planner/network/network.hpp"
#include "tuner/wiring/round.hpp"

namespace bcastgen {

struct WiringClusterChoice {
    ClusterChoice cluster;
    std::string of;
    std::uint64_t seed = 1;
};

/// Those of add_cluster_options, --of and --seed.
void add_wiring_cluster_options(CLI::App& command, WiringClusterChoice& choice);

/// The machines to ask about where there is no description: those of `machines`, a hostlist; if that is empty, of the
/// hosts, or of the network of --of. All on one switch, by ports without speed. Throws InputErrors.
[[nodiscard]] Network undescribed_network(const WiringClusterChoice& choice, const std::string& machines);

/// Errors for options that the cluster would ignore, or that it lacks.
[[nodiscard]] std::vector<Diagnostic> misplaced_for_wiring(const WiringClusterChoice& choice);

/// A cluster with the wiring program on it, while it lives.
class WiringCluster {
  public:
    /// `asked`: the network whose machines the rounds name; of its wiring nothing is used but the speed of a port and
    /// the longest latency, and where ports have no speed neither of them. Throws InputErrors for machines that the
    /// network of --of does not have, and OutsideFailure.
    WiringCluster(const WiringClusterChoice& choice, const Network& asked);
    WiringCluster(const WiringCluster&) = delete;  // its instrument refers to it
    WiringCluster& operator=(const WiringCluster&) = delete;
    ~WiringCluster() = default;

    [[nodiscard]] const Instrument& instrument() const { return instrument_; }

    /// How long its rounds have taken so far on the cluster's clock: in a simulation those of the network.
    [[nodiscard]] double measured_s() const { return measured_s_; }

  private:
    TemporaryDirectory work_;
    Network there_;
    std::unique_ptr<Cluster> cluster_;
    Instrument instrument_;
    double measured_s_ = 0;
};

}  // namespace bcastgen
