#include "cli/options/lab_options.hpp"

#include <fmt/format.h>

#include <thread>

#include "base/diagnostic.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "cli/terminal.hpp"

namespace bcastgen {

void add_lab_options(CLI::App& command, LabOptions& options) {
    command
        .add_option("--rate", options.rate,
                    "Emulated: speed of the fastest machine port, all links scaled alike [as in the topology]")
        ->type_name("BANDWIDTH");
    command
        .add_option("--loss", options.loss,
                    "Emulated: fraction of UDP datagrams lost on the way into each machine [none]")
        ->check(CLI::Range(0.0, 1.0));
}

LabSettings lab_settings(const LabOptions& options) {
    LabSettings settings;
    settings.loss = options.loss;
    if (options.rate.empty()) return settings;
    try {
        settings.rate_Bps = parse_bandwidth_Bps(options.rate);
    } catch (const ParseError& error) {
        throw InputErrors({{"--rate", 1, static_cast<int>(error.offset()) + 1, error.what(), options.rate}});
    }
    return settings;
}

void warn_of_crowding(const Network& network, const LabSettings& settings) {
    const unsigned processors = std::max(1U, std::thread::hardware_concurrency());
    const double carried_Bps = carried_rate_Bps(network, processors);
    if (fastest_port_Bps(network, settings) <= carried_Bps) return;
    say(fmt::format("{} machines at {} are more than {} processors carry; --rate {} keeps the ratios of times true",
                    network.machines.size(), format_bandwidth(fastest_port_Bps(network, settings)), processors,
                    format_bandwidth(carried_Bps)));
}

}  // namespace bcastgen
