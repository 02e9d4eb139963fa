#include "base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>
#include <system_error>

#include "base/characters.hpp"
#include "base/names.hpp"
#include "base/parse_error.hpp"

namespace bcastgen {

namespace {

struct Unit {
    std::string_view name;
    double factor;
};

constexpr double kibi = 1024;

// Units of bandwidth in bytes per second, in order of preference where several fit.
constexpr std::array<Unit, 18> bandwidth_units{{
    {"Tbit/s", 1e12 / 8},
    {"Gbit/s", 1e9 / 8},
    {"Mbit/s", 1e6 / 8},
    {"kbit/s", 1e3 / 8},
    {"bit/s", 1.0 / 8},
    {"TB/s", 1e12},
    {"GB/s", 1e9},
    {"MB/s", 1e6},
    {"kB/s", 1e3},
    {"B/s", 1},
    {"TiB/s", kibi* kibi* kibi* kibi},
    {"GiB/s", kibi* kibi* kibi},
    {"MiB/s", kibi* kibi},
    {"KiB/s", kibi},
    {"Tibit/s", kibi* kibi* kibi* kibi / 8},
    {"Gibit/s", kibi* kibi* kibi / 8},
    {"Mibit/s", kibi* kibi / 8},
    {"Kibit/s", kibi / 8},
}};

// Units of latency in parts of a second: 20/1e6 is the double nearest to 20 us, 20*1e-6 is not.
constexpr std::array<Unit, 4> latency_units{{{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}}};

constexpr double least_bandwidth_Bps = 1e3 / 8;
constexpr double most_bandwidth_Bps = 1e15 / 8;
constexpr double least_latency_s = 1e-9;
constexpr double most_latency_s = 10;

struct Quantity {
    double number;
    std::string_view unit;
    std::size_t unit_offset;
};

// A number without sign or exponent, and what follows it; one space may stand between.
Quantity split_quantity(std::string_view text, std::string_view what) {
    Quantity quantity{};
    const char* end = text.data() + text.size();
    const bool starts_well = !text.empty() && is_digit(text.front());
    const auto [rest, error] = starts_well
                                   ? std::from_chars(text.data(), end, quantity.number, std::chars_format::fixed)
                                   : std::from_chars_result{text.data(), std::errc::invalid_argument};
    if (error != std::errc{}) throw ParseError(fmt::format("{} is not a {}", in_quotes(text), what));
    quantity.unit_offset = static_cast<std::size_t>(rest - text.data());
    if (quantity.unit_offset < text.size() && text[quantity.unit_offset] == ' ') ++quantity.unit_offset;
    quantity.unit = text.substr(quantity.unit_offset);
    return quantity;
}

struct Written {
    double number;
    double factor;
};

Written parse_with_units(std::string_view text, std::string_view what, std::span<const Unit> units) {
    const Quantity quantity = split_quantity(text, what);
    for (const Unit& unit : units) {
        if (unit.name == quantity.unit) return {quantity.number, unit.factor};
    }
    const std::string problem = quantity.unit.empty() ? fmt::format("{} has no unit", in_quotes(text))
                                                      : fmt::format("unknown unit {}", in_quotes(quantity.unit));
    throw ParseError(problem, quantity.unit.empty() ? 0 : quantity.unit_offset);
}

std::string format_number(double number, std::string_view unit) {
    return fmt::format("{:.12g}{}", number, unit);
}

}  // namespace

bool is_bandwidth(double bandwidth_Bps) {
    return bandwidth_Bps >= least_bandwidth_Bps && bandwidth_Bps <= most_bandwidth_Bps;
}

double parse_bandwidth_Bps(std::string_view text) {
    double bandwidth_Bps = 0;
    try {
        const Written written = parse_with_units(text, "bandwidth", bandwidth_units);
        bandwidth_Bps = written.number * written.factor;
    } catch (const ParseError& error) {
        throw ParseError(fmt::format("{}; write it like 100Mbit/s, 10Gbit/s or 1.25GB/s", error.what()),
                         error.offset());
    }
    if (!is_bandwidth(bandwidth_Bps)) {
        throw ParseError(fmt::format("no link has a bandwidth of {}: it must lie between {} and {}", in_quotes(text),
                                     format_bandwidth(least_bandwidth_Bps), format_bandwidth(most_bandwidth_Bps)));
    }
    return bandwidth_Bps;
}

double parse_latency_s(std::string_view text) {
    double latency_s = 0;
    try {
        const Written written = parse_with_units(text, "latency", latency_units);
        latency_s = written.number / written.factor;
    } catch (const ParseError& error) {
        throw ParseError(fmt::format("{}; write it like 20us, 1.5ms or 300ns", error.what()), error.offset());
    }
    if (latency_s < least_latency_s || latency_s > most_latency_s) {
        throw ParseError(fmt::format("no link has a latency of {}: it must lie between {} and {}", in_quotes(text),
                                     format_latency(least_latency_s), format_latency(most_latency_s)));
    }
    return latency_s;
}

double parse_duration_s(std::string_view text, double most_s) {
    double duration_s = 0;
    try {
        const Written written = parse_with_units(text, "time", latency_units);
        duration_s = written.number / written.factor;
    } catch (const ParseError& error) {
        throw ParseError(fmt::format("{}; write it like 2.5us, 400ns or 0.1ns", error.what()), error.offset());
    }
    if (duration_s > most_s) {
        throw ParseError(fmt::format("{} is too long: it may be at most {}", in_quotes(text), format_latency(most_s)));
    }
    return duration_s;
}

std::uint64_t parse_size_bytes(std::string_view text) {
    struct SizeUnit {
        std::string_view name;
        int shift;
    };
    static constexpr std::array<SizeUnit, 7> units{
        {{"", 0}, {"K", 10}, {"KiB", 10}, {"M", 20}, {"MiB", 20}, {"G", 30}, {"GiB", 30}}};
    constexpr std::string_view advice = "write it like 8192, 8K, 64KiB or 1M (1K is 1024 bytes)";
    std::uint64_t number = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc::invalid_argument) {
        throw ParseError(fmt::format("{} is not a size; {}", in_quotes(text), advice));
    }
    const auto offset = static_cast<std::size_t>(rest - text.data());
    for (const SizeUnit& unit : units) {
        if (unit.name != text.substr(offset)) continue;
        constexpr std::uint64_t most = std::uint64_t{1} << 62;
        if (error == std::errc{} && number <= most >> unit.shift) return number << unit.shift;
        throw ParseError(fmt::format("{} is too large a size", in_quotes(text)));
    }
    throw ParseError(fmt::format("unknown unit {}; {}", in_quotes(text.substr(offset)), advice), offset);
}

std::string format_bandwidth(double bandwidth_Bps) {
    // Of each family (decimal bits, decimal bytes, binary …) the largest unit that leaves at least 1 before the point;
    // of those the first with few digits, or else the one with the fewest.
    constexpr std::array<std::size_t, 5> family_ends{0, 5, 10, 14, 18};
    constexpr std::size_t few_digits = 6;
    std::string best;
    std::size_t best_digits = std::numeric_limits<std::size_t>::max();
    for (std::size_t family = 0; family + 1 < family_ends.size() && best_digits > few_digits; ++family) {
        std::size_t i = family_ends[family];
        while (i + 1 < family_ends[family + 1] && bandwidth_Bps < bandwidth_units[i].factor) ++i;
        const double number = bandwidth_Bps / bandwidth_units[i].factor;
        const std::size_t digits = format_number(number, "").size();
        if (digits >= best_digits) continue;
        best_digits = digits;
        best = format_number(number, bandwidth_units[i].name);
    }
    return best;
}

std::string format_latency(double latency_s) {
    std::size_t i = 0;
    while (i + 1 < latency_units.size() && latency_s * latency_units[i].factor < 1) ++i;
    return format_number(latency_s * latency_units[i].factor, latency_units[i].name);
}

std::string format_size(std::uint64_t bytes) {
    static constexpr std::string_view names = "GMK";
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::uint64_t unit = std::uint64_t{1} << (30 - 10 * i);
        if (bytes >= unit && bytes % unit == 0) return fmt::format("{}{}", bytes / unit, names[i]);
    }
    return fmt::format("{}", bytes);
}

std::string time_text(double microseconds) {
    const auto digits = [](double value) {
        return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
    };
    if (microseconds < 0) return "-" + time_text(-microseconds);
    if (microseconds < 999.5) return digits(microseconds) + " us";
    if (microseconds < 999.5e3) return digits(microseconds / 1e3) + " ms";
    return digits(microseconds / 1e6) + " s";
}

}  // namespace bcastgen
