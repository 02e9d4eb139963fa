// Options of every command that builds a lab.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "tuner/clusters/lab/wiring.hpp"

namespace bcastgen {

struct LabOptions {
    std::string rate;
    double loss = 0;
};

/// --rate and --loss.
void add_lab_options(CLI::App& command, LabOptions& options);

/// Throws InputErrors.
[[nodiscard]] LabSettings lab_settings(const LabOptions& options);

/// Warns when this host's processors cannot carry the traffic that the links would allow: ratios are wrong then.
void warn_of_crowding(const Network& network, const LabSettings& settings);

}  // namespace bcastgen
