#include <fmt/format.h>

#include "base/units.hpp"
#include "base/wording.hpp"
#include "tuner/lateness/late_segments.hpp"
#include "tuner/wiring/cable_names.hpp"

namespace bcastgen {

namespace {

constexpr int about = 2;  // digits

std::string slow_text(const Network& network, const SlowCable& slow, int looked_at) {
    const std::string name = slow.machine >= 0 ? port_name(network, slow.machine) : trunk_name(network, slow.trunk);
    std::string text = fmt::format("{}: about {}, not {}, as {} of {} show", name, rate_text(slow.carries_Bps, about),
                                   format_bandwidth(slow.described_Bps), slow.broadcasts,
                                   counted(looked_at, "broadcast", "broadcasts"));
    text += fmt::format(" (number {} to {})", slow.first + 1, slow.last + 1);
    text += fmt::format("; it costs {} a broadcast, {} in all", time_text(1e6 * slow.costs_s),
                        time_text(1e6 * slow.costs_in_all_s));
    if (!slow.also.empty()) text += fmt::format("; or it is the {}: these broadcasts cannot tell", listed(slow.also));
    return text;
}

}  // namespace

std::string late_segments_text(const Network& network, const LateSegments& late) {
    if (late.broadcasts == 0) return "";
    if (late.slow) return slow_text(network, *late.slow, late.broadcasts);
    return fmt::format("no cable explains what is late in {} whose segments were timed",
                       counted(late.broadcasts, "broadcast", "broadcasts"));
}

}  // namespace bcastgen
