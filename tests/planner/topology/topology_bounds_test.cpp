// Files of a megabyte that are made to take long: each ends in an error or a network, at once. Whatever looks at a line
// or at all names for every value takes minutes here.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/hostlist.hpp"
#include "planner/topology/topology_yaml.hpp"

namespace bcastgen {
namespace {

constexpr std::size_t megabyte = 1'000'000;

std::string repeated(std::string_view text, std::size_t bytes = megabyte) {
    std::string all;
    while (all.size() < bytes) all += text;
    return all;
}

std::string numbered(const std::function<std::string(std::size_t)>& line, std::size_t bytes = megabyte) {
    std::string all;
    for (std::size_t i = 0; all.size() < bytes; ++i) all += line(i);
    return all;
}

/// The first line of what is said, and the last one if there are several errors.
std::string ends_of_refusal(const std::string& text) {
    try {
        (void)read_topology(text, "t.yaml");
    } catch (const InputErrors& errors) {
        const std::string said = errors.what();
        EXPECT_LT(said.size(), 40'000U);
        const std::string first = said.substr(0, said.find('\n'));
        if (errors.more() == 0) return first;
        const std::size_t last = said.rfind('\n', said.size() - 2);
        return first + said.substr(last, said.size() - 1 - last);
    }
    return "accepted";
}

const std::string head = "name: x\nswitches:\n  s0: {machines: \"n[0-3]\"}\n";

TEST(TopologyBounds, QuotesAPieceOfALongLine) {
    const std::string text = head + "links: [" + repeated("a,", 40'000) + "a]\n";
    EXPECT_EQ(ends_of_refusal(text),
              "t.yaml:4:9: error: a link is a map of \"key: value\" entries, not \"a\"\n… and 19981 more errors");
}

TEST(TopologyBounds, CountsErrorsThatItDoesNotShow) {
    const auto pieces = [](std::size_t i) { return fmt::format("  t{}: {{machine: m{}}}\n", i, i); };
    EXPECT_EQ(
        ends_of_refusal(head + numbered(pieces)),
        "t.yaml:4:3: error: the network is in 36509 pieces that no link joins: {s0}, {t0}, {t1}, {t2}, {t3}, "
        "{t4}, {t5}, {t6} and 36501 more; if you do not know what joins them, add a switch (top:) and links ({between: "
        "[top, s0]}, {between: [top, t0]}, …), or let bcastgen discover measure it\n… and 36489 more errors");
    const auto unknown = [](std::size_t i) { return fmt::format("  - {{between: [q{}, s0]}}\n", i); };
    EXPECT_EQ(ends_of_refusal(head + "links:\n" + numbered(unknown)),
              "t.yaml:5:16: error: there is no switch \"q0\"\n… and 36092 more errors");
    EXPECT_EQ(ends_of_refusal(repeated("- ") + "\n"), "t.yaml:1:1000: error: values are nested too deeply");
    EXPECT_EQ(ends_of_refusal(head + "links:\n" + repeated("-\n")),
              "t.yaml:5:1: error: a link needs between: the two switches that it joins, like [s0, s1]\n"
              "… and 100000 more errors; reading ended there");
    EXPECT_EQ(ends_of_refusal(head + "links: [" + repeated("!x a,") + "]\n"),
              "t.yaml:4:9: error: the tag \"!x\" means nothing here\n… and 100000 more errors; reading ended there");
}

TEST(TopologyBounds, CountsWhatAliasesRepeat) {
    std::string laugh = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
    for (int i = 1; i < 12; ++i) {
        laugh += fmt::format("a{0}: &a{0} [*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1},*a{1}]\n", i, i - 1);
    }
    EXPECT_EQ(
        ends_of_refusal(laugh + "switches: *a11\n"),
        "t.yaml:7:38: error: more than 3000000 values, those counted that aliases repeat; no file for bcastgen has "
        "as many");
    EXPECT_EQ(ends_of_refusal("switches: &s {s0: *s}\n"),
              "t.yaml:1:19: error: this alias stands for a value that it is a part of");
    const std::string list = head + "partitions:\n  a: &a [" + repeated("n0,", 30'000) + "n1]\n";
    const auto part = [](std::size_t i) { return fmt::format("  p{}: *a\n", i); };
    EXPECT_EQ(
        ends_of_refusal(list + numbered(part)),
        "t.yaml:304:9: error: more than 3000000 values, those counted that aliases repeat; no file for bcastgen has "
        "as many");
}

TEST(TopologyBounds, RefusesMoreBracketsThanAFileHas) {
    const std::string said = "error: more than 3000000 brackets, colons and commas; no file for bcastgen has as many";
    EXPECT_EQ(ends_of_refusal(std::string(4'000'000, '[')), "t.yaml:1:3000001: " + said);
    EXPECT_EQ(ends_of_refusal("name: \"" + std::string(4'000'000, ',') + "\""), "t.yaml:1:3000007: " + said);
}

TEST(TopologyBounds, CountsTheNamesThatHostlistsStandFor) {
    const auto ranges = [](std::size_t i) { return fmt::format("  p{}: \"n[0-9999]\"\n", i); };
    const std::string said = ends_of_refusal("name: x\nswitches:\n  s0: {machines: \"n[0-9999]\"}\npartitions:\n" +
                                             numbered(ranges, 20'000));
    EXPECT_TRUE(
        said.starts_with("t.yaml:366:10: error: up to here the hostlists of this file stand for more names than "
                         "128 MiB hold\n"))
        << said;
    EXPECT_EQ(ends_of_refusal("name: x\nswitches:\n  s0: {machines: [" + repeated("\"n[0-999999][0-9]\",") + "]}\n"),
              "t.yaml:3:31: error: more than 1000000 names\n… and 52612 more errors");
}

TEST(TopologyBounds, PlacesErrorsWithinTheirLines) {
    EXPECT_TRUE(ends_of_refusal("\"\\").starts_with("t.yaml:1:3: error: ")) << ends_of_refusal("\"\\");
}

TEST(TopologyBounds, RefusesALongCycleOfMany) {
    constexpr std::size_t ring = 4'000;
    std::string text = "name: x\nspanning_tree: none\nswitches:\n  s0: {machines: n0}\n";
    for (std::size_t i = 1; i < ring; ++i) text += fmt::format("  s{}:\n", i);
    text += "links:\n";
    for (std::size_t step : {1U, 7U}) {
        for (std::size_t i = 0; i < ring; ++i)
            text += fmt::format("  - {{between: [s{}, s{}]}}\n", i, (i + step) % ring);
    }
    EXPECT_TRUE(ends_of_refusal(text).ends_with("\n… and 3981 more errors")) << ends_of_refusal(text);
    text.replace(text.find("none"), 4, "auto");
    EXPECT_EQ(ends_of_refusal(text), "accepted");
}

TEST(TopologyBounds, ReadsManyMachinesOnOneLine) {
    const auto names = [](std::size_t i) { return fmt::format("n{},", i); };
    EXPECT_EQ(ends_of_refusal("name: x\nswitches:\n  s0: {machines: [" + numbered(names) + "m]}\n"), "accepted");
    EXPECT_EQ(ends_of_refusal("name: x\nswitches:\n  s0: {machines: \"" + numbered(names) + "m\"}\n"), "accepted");
}

}  // namespace
}  // namespace bcastgen
