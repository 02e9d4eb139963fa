// Bandwidths, latencies and sizes as people write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bcastgen {

/// Whether a link can have it: 1kbit/s to 1000Tbit/s.
[[nodiscard]] bool is_bandwidth(double bandwidth_Bps);

/// "100Mbit/s", "12.5MB/s", "1GiB/s" in bytes per second: bit/s or B/s with k M G T (decimal) or Ki Mi Gi Ti.
/// Throws ParseError for anything else, and for what no cable has: less than 1kbit/s or more than 1000Tbit/s.
[[nodiscard]] double parse_bandwidth_Bps(std::string_view text);

/// "20us", "1.5ms", "0.1s", "300ns" in seconds. Throws ParseError for anything else, and outside 1ns to 10s.
[[nodiscard]] double parse_latency_s(std::string_view text);

/// "0.4us", "250ns", "0.1ns", "0us" in seconds. Throws ParseError for anything else, and for more than `most_s`.
[[nodiscard]] double parse_duration_s(std::string_view text, double most_s);

/// "8K" = "8KiB" = "8192", "1M", "1GiB" in bytes. Throws ParseError for anything else, and above 2^62.
[[nodiscard]] std::uint64_t parse_size_bytes(std::string_view text);

/// The shortest spelling that parse_bandwidth_Bps reads, bit/s before B/s: "100Mbit/s".
[[nodiscard]] std::string format_bandwidth(double bandwidth_Bps);

[[nodiscard]] std::string format_latency(double latency_s);  ///< "20us"; durations too

[[nodiscard]] std::string format_size(std::uint64_t bytes);  ///< "64K", "1M"; "1000" where no unit divides it

/// With three significant digits at most: 0.81 us, 35.1 us, 1.07 ms, 106 ms, 2.41 s.
[[nodiscard]] std::string time_text(double microseconds);

}  // namespace bcastgen
