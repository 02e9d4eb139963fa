// How many networks a discovery finds exactly: random topologies against a max-min fair model with noise
// (docs/wiring.md).
//
//   discover_networks [TRIALS] [FIRST_SEED]
//   discover_networks write SEED                   the network of that number, as a topology file
//   discover_networks compare FOUND.yaml TRUE.yaml     exactly, or what differs, and exit code 1
//
// Exactly: the same tree, as far as measurements between machines can show it, and every port and trunk that streams
// can fill within 5 % of its speed. A network of which it says that something is unclear is not found.
#include <fmt/format.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/text_file.hpp"
#include "bench/programs/numbered_trials.hpp"
#include "planner/topology/topology_writer.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/tuner/wiring/observable.hpp"
#include "tests/tuner/wiring/true_network.hpp"
#include "tuner/wiring/discovery/discovery.hpp"

namespace bcastgen {

namespace {

constexpr testing::Noise noise{0.03, 0.02, 0.94, 30e-6};
constexpr double near_enough = 0.05;

enum class For { model, simulation };

/// For a simulation few machines, and no slow ports: SimGrid counts what a slow port adds to a round trip but once
/// where there are two, so that their machines look nearer to each other than to others of their switch.
Network random_network(unsigned seed, For use) {
    std::mt19937 random(seed);
    const int least = 16 << (random() % (use == For::model ? 4 : 2));
    Network network = testing::random_wiring(least + static_cast<int>(random() % static_cast<unsigned>(least)), random);
    for (Machine& machine : network.machines) {
        if (use == For::model && random() % 20 == 0) machine.port.bandwidth_Bps /= 10;
    }
    return network;
}

/// The machines on the side of a trunk that is not the first machine's.
std::set<std::string> away(const Network& network, int trunk) {
    const std::vector<char> side = side_of_a(network, trunk);
    std::set<std::string> names;
    for (std::size_t m = 0; m < side.size(); ++m) {
        if (side[m] != side[0]) names.insert(network.machines[m].name);
    }
    return names;
}

/// What each division of the machines carries: of trunks in a row the narrowest. As much as streams can show.
std::map<std::set<std::string>, double> carried(const Network& network, const Network& truth) {
    std::map<std::set<std::string>, double> all;
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        const std::set<std::string> machines = away(network, static_cast<int>(t));
        if (machines.size() < 2 || machines.size() + 1 >= network.machines.size()) continue;
        double most_Bps = network.trunks[t].cables * network.trunks[t].speed.bandwidth_Bps;
        for (std::size_t other = 0; other < truth.trunks.size(); ++other) {
            if (away(truth, static_cast<int>(other)) == machines) {
                most_Bps = std::min(most_Bps, testing::most_across_Bps(truth, static_cast<int>(other)));
            }
        }
        const auto [at_key, is_new] = all.try_emplace(machines, most_Bps);
        if (!is_new) at_key->second = std::min(at_key->second, most_Bps);
    }
    return all;
}

/// Empty: it is the same network.
std::string difference(const Network& found, const Network& truth) {
    if (testing::observable(found) != testing::observable(truth)) return "another tree";
    std::map<std::string, double> ports;
    for (const Machine& machine : found.machines) ports[machine.name] = machine.port.bandwidth_Bps;
    for (const Machine& machine : truth.machines) {
        const double ratio = ports[machine.name] / machine.port.bandwidth_Bps;
        if (std::abs(ratio - 1) > near_enough) return fmt::format("port of {}: {:.2f} times", machine.name, ratio);
    }
    const auto is = carried(truth, truth);
    for (const auto& [machines, rate_Bps] : carried(found, truth)) {
        const double ratio = rate_Bps / is.at(machines);
        if (std::abs(ratio - 1) > near_enough) {
            return fmt::format("trunk to {} and {} more: {:.2f} times", *machines.begin(), machines.size() - 1, ratio);
        }
    }
    return "";
}

int run(const NumberedTrials& trials) {
    unsigned exact = 0;
    int most_rounds = 0;
    for (unsigned seed = trials.first; seed < trials.first + trials.count; ++seed) {
        const Network truth = random_network(seed, For::model);
        std::vector<std::string> names;
        for (const Machine& machine : truth.machines) names.push_back(machine.name);
        const Discovery found = discover_network("found", names, testing::instrument_of(truth, noise, seed), seed);
        const std::string differs = found.unclear.empty() ? difference(found.network, truth) : found.unclear.front();
        exact += differs.empty() ? 1 : 0;
        most_rounds = std::max(most_rounds, found.rounds);
        if (!differs.empty()) {
            fmt::print("seed {}, {} machines under {} switches: {}\n", seed, truth.machines.size(),
                       truth.switches.size(), differs);
        }
    }
    fmt::print("{} of {} exactly, {} rounds at most\n", exact, trials.count, most_rounds);
    return 0;
}

int compare(const std::string& found, const std::string& truth) {
    const auto read = [](const std::string& file) { return read_topology(text_of(file).value(), file); };
    const std::string differs = difference(read(found), read(truth));
    fmt::print("{}\n", differs.empty() ? "exactly" : differs);
    return differs.empty() ? 0 : 1;
}

int run(const std::vector<std::string>& words, const NumberedTrials& trials) {
    if (words.size() == 3 && words[0] == "compare") return compare(words[1], words[2]);
    if (words.size() != 2 || words[0] != "write") return run(trials);
    fmt::print("{}",
               write_topology(random_network(static_cast<unsigned>(std::stoul(words[1])), For::simulation), {}, {}));
    return 0;
}

}  // namespace

}  // namespace bcastgen

int main(int argc, char** argv) {
    return bcastgen::run({argv + 1, argv + argc}, bcastgen::NumberedTrials(argc, argv, 50));
}
