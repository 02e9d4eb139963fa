#include "planner/decision/measured_sends.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "planner/decision/tuning_values.hpp"

namespace bcastgen {

namespace {

struct SendTime {
    const char* key;
    std::int64_t bcast::SendTimes::*ns;
    bool always;  ///< where any is measured; former versions had receiving in the latency
};

constexpr SendTime send_times[] = {{"overhead", &bcast::SendTimes::overhead_ns, true},
                                   {"latency", &bcast::SendTimes::latency_ns, true},
                                   {"answer", &bcast::SendTimes::answer_ns, true},
                                   {"receive", &bcast::SendTimes::receive_ns, false}};

std::string time_text(std::int64_t ns) {
    return format_latency(1e-9 * static_cast<double>(ns));
}

/// `text` is a part of the scalar, from `offset` on.
std::int64_t read_ns(YamlSource& source, const YamlNode& scalar, std::string_view text, std::size_t offset) {
    try {
        return std::llround(1e9 * parse_latency_s(std::string(text)));
    } catch (const ParseError& error) {
        source.error(source.place_in(scalar, offset + error.offset()), error.what());
        return 0;
    }
}

/// "1.6us to 1.8us".
void read_bounds(YamlSource& source, const YamlNode& map, const YamlFields& fields, const SendTime& time,
                 SendBounds& bounds) {
    if (fields[time.key] == nullptr && !time.always) return;
    const std::optional<std::string> text = required(source, map, fields, time.key);
    if (!text) return;
    constexpr std::string_view to = " to ";
    const std::size_t at = text->find(to);
    const YamlNode& scalar = *fields[time.key];
    if (at == std::string::npos) {
        source.error(scalar, fmt::format("{} is not a range of times such as 1.6us to 1.8us", in_quotes(*text)));
        return;
    }
    bounds.least.*time.ns = read_ns(source, scalar, std::string_view(*text).substr(0, at), 0);
    bounds.most.*time.ns = read_ns(source, scalar, std::string_view(*text).substr(at + to.size()), at + to.size());
}

}  // namespace

std::string measured_sends_text(const DecisionTable& table) {
    if (table.sends.latency_ns == 0) return "";
    std::string text;
    std::string bounds;
    for (const SendTime& time : send_times) {
        if (!time.always && table.sends.*time.ns == 0) continue;
        text += fmt::format(", {}: {}", time.key, time_text(table.sends.*time.ns));
        if (!table.send_bounds) continue;
        bounds +=
            fmt::format("{}{}: {} to {}", bounds.empty() ? "" : ", ", time.key,
                        time_text(table.send_bounds->least.*time.ns), time_text(table.send_bounds->most.*time.ns));
    }
    return bounds.empty() ? text : fmt::format("{}, between: {{{}}}", text, bounds);
}

void read_measured_sends(YamlSource& source, const YamlNode& map, const YamlFields& fields, DecisionTable& table) {
    const bool any = std::any_of(std::begin(send_times), std::end(send_times),
                                 [&](const SendTime& time) { return fields[time.key] != nullptr; });
    if (!any && fields["between"] == nullptr) return;
    for (const SendTime& time : send_times) {
        table.sends.*time.ns = 0;
        if (fields[time.key] == nullptr && !time.always) continue;
        const std::optional<std::string> text = required(source, map, fields, time.key);
        if (text) table.sends.*time.ns = read_ns(source, *fields[time.key], *text, 0);
    }
    if (fields["between"] == nullptr) return;
    const YamlNode& between = *fields["between"];
    const YamlFields bounds(source, &between, "\"between\"", {"overhead", "latency", "answer", "receive"});
    if (between.kind != YamlNode::Kind::map) return;
    table.send_bounds.emplace();
    for (const SendTime& time : send_times) read_bounds(source, between, bounds, time, *table.send_bounds);
}

}  // namespace bcastgen
