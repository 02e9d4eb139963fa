#include "cli/run/outcome.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/units.hpp"
#include "base/wording.hpp"

namespace bcastgen {

namespace {

/// "38.2 s", "410 ms": three digits.
std::string duration(double seconds) {
    return time_text(1e6 * seconds);
}

std::string sizes_text(const TracedSizes& sizes) {
    const std::string most = format_size(sizes.most_bytes);
    return sizes.least_bytes == sizes.most_bytes ? most : fmt::format("{} to {}", format_size(sizes.least_bytes), most);
}

std::string percent(double part, double whole) {
    return fmt::format("{:.0f} %", whole > 0 ? 100 * part / whole : 0);
}

std::string broadcasts_text(const RunOutcome& outcome) {
    const TraceSummary summary = summary_of(*outcome.trace);
    const std::size_t ranks = outcome.trace->ranks.size();
    std::string text =
        fmt::format("A rank spent {} ({}) in {}", duration(summary.seconds), percent(summary.seconds, outcome.seconds),
                    counted(std::llround(summary.broadcasts), "broadcast", "broadcasts"));
    std::string separator = ": ";
    for (const TracedSizes& sizes : summary.sizes) {
        text += fmt::format("{}{} of {} in {}", separator, std::llround(sizes.broadcasts), sizes_text(sizes),
                            duration(sizes.seconds));
        separator = ", ";
    }
    text += fmt::format(". Planned trees carried {} of them, {} of the time.",
                        percent(summary.planned_broadcasts, summary.broadcasts),
                        percent(summary.planned_seconds, summary.seconds));
    if (ranks > 1) {
        text += fmt::format(" The slowest of {} ranks was {}, with {}.", ranks, summary.slowest.rank,
                            duration(summary.slowest.seconds));
    }
    return text;
}

std::string comparison_text(const RunOutcome& outcome) {
    const double without = *outcome.seconds_without;
    const double gain = without - outcome.seconds;
    return fmt::format(" Without the library it took {}: {} {} with it ({}), by one run each.", duration(without),
                       duration(std::abs(gain)), gain >= 0 ? "less" : "more", percent(std::abs(gain), without));
}

}  // namespace

std::string run_paragraph(const RunOutcome& outcome) {
    std::string text = fmt::format("{}: the program took {}. ", outcome.topology, duration(outcome.seconds));
    if (outcome.trace) {
        text += broadcasts_text(outcome);
    } else {
        text +=
            "No rank traced a broadcast: it called no MPI_Bcast, or the library did not reach it (linked statically, "
            "another MPI's program, or a launcher that passes on no environment).";
    }
    if (outcome.seconds_without) text += comparison_text(outcome);
    if (outcome.is_played) {
        text += fmt::format(" All ranks were on this host: these are its times, not those of {}'s network.",
                            outcome.topology);
    }
    return text;
}

nlohmann::ordered_json run_json(const RunOutcome& outcome) {
    nlohmann::ordered_json json = {{"format", "bcastgen-run/1"},
                                   {"topology", outcome.topology},
                                   {"exit_code", outcome.exit_code},
                                   {"played", outcome.is_played},
                                   {"seconds", outcome.seconds}};
    if (outcome.seconds_without) json["seconds_without_library"] = *outcome.seconds_without;
    json["broadcasts"] = nullptr;
    if (!outcome.trace) return json;
    const TraceSummary summary = summary_of(*outcome.trace);
    auto sizes = nlohmann::ordered_json::array();
    for (const TracedSizes& one : summary.sizes) {
        sizes.push_back({{"least_bytes", one.least_bytes},
                         {"most_bytes", one.most_bytes},
                         {"count", std::llround(one.broadcasts)},
                         {"seconds", one.seconds}});
    }
    json["broadcasts"] = {{"count", std::llround(summary.broadcasts)},
                          {"seconds", summary.seconds},
                          {"planned", std::llround(summary.planned_broadcasts)},
                          {"planned_seconds", summary.planned_seconds},
                          {"ranks", outcome.trace->ranks.size()},
                          {"slowest_rank", summary.slowest.rank},
                          {"slowest_rank_seconds", summary.slowest.seconds},
                          {"sizes", sizes}};
    return json;
}

}  // namespace bcastgen
