#include "base/units.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/parse_error.hpp"

namespace bcastgen {
namespace {

template <class Parse>
std::string refusal(Parse parse, std::string_view text) {
    try {
        (void)parse(text);
    } catch (const ParseError& error) {
        return std::to_string(error.offset()) + ": " + error.what();
    }
    return "accepted";
}

TEST(Units, ReadsBandwidths) {
    const std::vector<std::pair<std::string, double>> rows{
        {"100Mbit/s", 12.5e6}, {"10Gbit/s", 1.25e9}, {"1kbit/s", 125},        {"8000bit/s", 1000},
        {"1.25GB/s", 1.25e9},  {"5000B/s", 5000},    {"128MiB/s", 134217728}, {"1Gibit/s", 134217728},
        {"4Kibit/s", 512},     {"2TiB/s", 0x2p40},   {"0.1Tbit/s", 12.5e9},   {"100 Mbit/s", 12.5e6},
        {"3kB/s", 3000},       {"7TB/s", 7e12},      {"00100Mbit/s", 12.5e6}, {"2.5Gbit/s", 312.5e6},
        {"1000Tbit/s", 125e12}};
    for (const auto& [text, bandwidth_Bps] : rows) EXPECT_EQ(parse_bandwidth_Bps(text), bandwidth_Bps) << text;
}

TEST(Units, ReadsLatencies) {
    const std::vector<std::pair<std::string, double>> rows{{"20us", 20e-6},   {"1.5ms", 1.5e-3}, {"0.25s", 0.25},
                                                           {"300ns", 300e-9}, {"10s", 10},       {"7 us", 7e-6}};
    for (const auto& [text, latency_s] : rows) EXPECT_EQ(parse_latency_s(text), latency_s) << text;
}

TEST(Units, ReadsDurations) {
    const std::vector<std::pair<std::string, double>> rows{{"0.4us", 0.4e-6}, {"250ns", 250e-9}, {"0.1ns", 0.1e-9},
                                                           {"0us", 0},        {"2 ms", 2e-3},    {"1s", 1}};
    for (const auto& [text, duration_s] : rows) EXPECT_DOUBLE_EQ(parse_duration_s(text, 1), duration_s) << text;
}

TEST(Units, ReadsSizes) {
    const std::vector<std::pair<std::string, std::uint64_t>> rows{{"8K", 8192},
                                                                  {"8KiB", 8192},
                                                                  {"8192", 8192},
                                                                  {"1M", 1048576},
                                                                  {"1MiB", 1048576},
                                                                  {"2G", 2147483648U},
                                                                  {"0", 0},
                                                                  {"300K", 307200},
                                                                  {"1GiB", 1073741824},
                                                                  {"4611686018427387904", std::uint64_t{1} << 62}};
    for (const auto& [text, bytes] : rows) EXPECT_EQ(parse_size_bytes(text), bytes) << text;
}

TEST(Units, RefusesBandwidths) {
    const std::string advice = "; write it like 100Mbit/s, 10Gbit/s or 1.25GB/s";
    const std::string range = ": it must lie between 1kbit/s and 1000Tbit/s";
    const std::vector<std::pair<std::string, std::string>> rows{
        {"", "0: \"\" is not a bandwidth" + advice},
        {"fast", "0: \"fast\" is not a bandwidth" + advice},
        {"-1Mbit/s", "0: \"-1Mbit/s\" is not a bandwidth" + advice},
        {".5Gbit/s", "0: \".5Gbit/s\" is not a bandwidth" + advice},
        {"infGbit/s", "0: \"infGbit/s\" is not a bandwidth" + advice},
        {"100", "0: \"100\" has no unit" + advice},
        {"100Mbps", "3: unknown unit \"Mbps\"" + advice},
        {"100Mb/s", "3: unknown unit \"Mb/s\"" + advice},
        {"100mbit/s", "3: unknown unit \"mbit/s\"" + advice},
        {"0x10Gbit/s", "1: unknown unit \"x10Gbit/s\"" + advice},
        {"10  Gbit/s", "3: unknown unit \" Gbit/s\"" + advice},
        {"10Gbit/s ", "2: unknown unit \"Gbit/s \"" + advice},
        {"0Gbit/s", "0: no link has a bandwidth of \"0Gbit/s\"" + range},
        {"999bit/s", "0: no link has a bandwidth of \"999bit/s\"" + range},
        {"1001Tbit/s", "0: no link has a bandwidth of \"1001Tbit/s\"" + range},
        {std::string(400, '9') + "B/s", "0: \"" + std::string(60, '9') + "…\" is not a bandwidth" + advice}};
    for (const auto& [text, message] : rows) EXPECT_EQ(refusal(parse_bandwidth_Bps, text), message);
}

TEST(Units, RefusesLatencies) {
    const std::string advice = "; write it like 20us, 1.5ms or 300ns";
    const std::string range = ": it must lie between 1ns and 10s";
    const std::vector<std::pair<std::string, std::string>> rows{{"20", "0: \"20\" has no unit" + advice},
                                                                {"20 µs", "3: unknown unit \"µs\"" + advice},
                                                                {"now", "0: \"now\" is not a latency" + advice},
                                                                {"0us", "0: no link has a latency of \"0us\"" + range},
                                                                {"11s", "0: no link has a latency of \"11s\"" + range}};
    for (const auto& [text, message] : rows) EXPECT_EQ(refusal(parse_latency_s, text), message);
}

TEST(Units, RefusesDurations) {
    const std::string advice = "; write it like 2.5us, 400ns or 0.1ns";
    const std::vector<std::pair<std::string, std::string>> rows{
        {"0", "0: \"0\" has no unit" + advice},
        {"-1us", "0: \"-1us\" is not a time" + advice},
        {"1Gbit/s", "1: unknown unit \"Gbit/s\"" + advice},
        {"1001ns", "0: \"1001ns\" is too long: it may be at most 1us"}};
    const auto parse = [](std::string_view text) { return parse_duration_s(text, 1e-6); };
    for (const auto& [text, message] : rows) EXPECT_EQ(refusal(parse, text), message);
}

TEST(Units, RefusesSizes) {
    const std::string advice = "; write it like 8192, 8K, 64KiB or 1M (1K is 1024 bytes)";
    const std::vector<std::pair<std::string, std::string>> rows{
        {"", "0: \"\" is not a size" + advice},
        {"-8K", "0: \"-8K\" is not a size" + advice},
        {"K", "0: \"K\" is not a size" + advice},
        {"8k", "1: unknown unit \"k\"" + advice},
        {"8KB", "1: unknown unit \"KB\"" + advice},
        {"1.5M", "1: unknown unit \".5M\"" + advice},
        {"8 K", "1: unknown unit \" K\"" + advice},
        {"99999999999999999999", "0: \"99999999999999999999\" is too large a size"},
        {"4611686018427387905", "0: \"4611686018427387905\" is too large a size"},
        {"9999999999G", "0: \"9999999999G\" is too large a size"}};
    for (const auto& [text, message] : rows) EXPECT_EQ(refusal(parse_size_bytes, text), message);
}

TEST(Units, WritesWhatAPersonWouldWrite) {
    for (const char* text : {"100Mbit/s", "1Gbit/s", "2.5Gbit/s", "10Gbit/s", "40Gbit/s", "400Gbit/s", "1Tbit/s",
                             "9600bit/s", "128MiB/s", "1kbit/s", "1000Tbit/s"}) {
        if (std::string(text) == "9600bit/s") {
            EXPECT_EQ(format_bandwidth(parse_bandwidth_Bps(text)), "9.6kbit/s");
        } else {
            EXPECT_EQ(format_bandwidth(parse_bandwidth_Bps(text)), text);
        }
    }
    for (const char* text : {"20us", "1.5ms", "300ns", "1s", "1ms", "1us", "1ns", "10s", "999ns", "7.25us"}) {
        EXPECT_EQ(format_latency(parse_latency_s(text)), text);
    }
    for (const char* text : {"8K", "64K", "1M", "3M", "1G", "1000", "0", "8193", "1025K"}) {
        EXPECT_EQ(format_size(parse_size_bytes(text)), text);
    }
}

RC_GTEST_PROP(Units, WhatIsWrittenReadsBackTheSame, ()) {
    const auto close = [](double a, double b) { return std::abs(a - b) <= 1e-11 * b; };
    const double bandwidth_Bps = std::exp(*rc::gen::inRange(5000, 32000) * 1e-3);
    RC_ASSERT(close(parse_bandwidth_Bps(format_bandwidth(bandwidth_Bps)), bandwidth_Bps));
    const double latency_s = std::exp(*rc::gen::inRange(-20000, 2000) * 1e-3);
    RC_ASSERT(close(parse_latency_s(format_latency(latency_s)), latency_s));
    const std::uint64_t bytes = *rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << 62);
    const int shift = *rc::gen::inRange(0, 62);
    RC_ASSERT(parse_size_bytes(format_size(bytes >> shift << (shift / 2))) == bytes >> shift << (shift / 2));
}

}  // namespace
}  // namespace bcastgen
