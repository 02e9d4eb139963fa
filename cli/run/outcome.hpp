// What a program's run shows, for people and for programs.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tuner/measure/trace_summary.hpp"

namespace bcastgen {

struct RunOutcome {
    std::string topology;  ///< its name
    int exit_code = 0;
    bool is_played = false;  ///< on one host, whose ranks played machines: no message crossed a network
    double seconds = 0;      ///< from its start to its end
    std::optional<double> seconds_without{};  ///< of a run without the library
    std::optional<Trace> trace{};             ///< none: no rank wrote any
};

/// One paragraph: how many broadcasts of which size, the time in them, the part that planned trees carried, the slowest
/// rank, and how long the program took without the library.
[[nodiscard]] std::string run_paragraph(const RunOutcome& outcome);

/// "bcastgen-run/1" (docs/formats.md).
[[nodiscard]] nlohmann::ordered_json run_json(const RunOutcome& outcome);

}  // namespace bcastgen
