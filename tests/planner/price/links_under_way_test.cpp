// Messages that meet on links, by hand.
#include "planner/price/links_under_way.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "tests/models/random_network.hpp"
#include "tests/models/sites.hpp"

namespace bcastgen {
namespace {

constexpr int machines_there = 5;
constexpr double byte_s = 1 / 12.5e6;

struct Begin {
    int from;
    int to;
    double bytes;
    double after_bytes;  ///< begins when a link has carried so many
};

/// When messages end, in bytes that a link has carried by then. Begins in the sequence of their times.
std::vector<double> ends_of(const std::vector<Begin>& begins, bool in_turn) {
    const Network network = testing::make_network(1, {}, std::vector<int>(machines_there, 0));
    const bcast::Order order = bcast::depth_first_order(layout_of(network), {0, 1, 2, 3, 4}, 0);
    const Wires wires(network, order, {std::vector<Software>(machines_there), 0, Framing::none, in_turn});
    std::vector<std::vector<LinkId>> paths;
    for (const Begin& begin : begins) paths.push_back(wires.between(begin.from, begin.to));
    LinksUnderWay links(wires);
    std::vector<LinksUnderWay::Step> steps;
    std::vector<double> ends(begins.size());
    constexpr double never = std::numeric_limits<double>::infinity();
    for (std::size_t begun = 0;;) {
        const auto next = std::min_element(
            steps.begin(), steps.end(),
            [](const LinksUnderWay::Step& a, const LinksUnderWay::Step& b) { return a.time_s < b.time_s; });
        const double next_s = next == steps.end() ? never : next->time_s;
        const double begin_s = begun == begins.size() ? never : begins[begun].after_bytes * byte_s;
        const double now_s = std::min(begin_s, next_s);
        if (now_s == never) return ends;
        if (begin_s <= next_s) {
            const auto way = static_cast<LinksUnderWay::Way>(begins[begun].from * machines_there + begins[begun].to);
            links.begin(way, paths[begun], begins[begun].bytes, static_cast<std::uint32_t>(begun), now_s);
            ++begun;
        } else {
            const LinksUnderWay::Step step = *next;
            steps.erase(next);
            if (const auto arrived = links.go_on(step)) ends[arrived->message] = now_s / byte_s;
        }
        links.settle(now_s, [&](const LinksUnderWay::Step& step) { steps.push_back(step); });
    }
}

TEST(LinksUnderWay, GiveEveryMessageItsShareOrItsTurn) {
    struct Row {
        const char* of;
        std::vector<Begin> begins;
        std::vector<double> shared;
        std::vector<double> in_turn;
    };
    const Row rows[] = {
        {"one alone", {{0, 1, 1000, 0}}, {1000}, {1000}},
        {"two of one port", {{0, 1, 2000, 0}, {0, 2, 1000, 0}}, {3000, 2000}, {2000, 3000}},
        {"two of one way", {{0, 1, 1000, 0}, {0, 1, 1000, 500}}, {1500, 2000}, {1000, 2000}},
        {"the later one shorter", {{0, 1, 1000, 0}, {0, 1, 200, 500}}, {1200, 900}, {1000, 1200}},
        {"both ways at a time", {{0, 1, 1000, 0}, {1, 0, 1000, 0}}, {1000, 1000}, {1000, 1000}},
        {"two into one port", {{0, 2, 1000, 0}, {1, 2, 1000, 0}}, {2000, 2000}, {1000, 2000}},
        // Shared, port 0 is the narrower for its message to 3, and the rest of the port into 3 is for the one from 4.
        // In turn, that has the port into 3 first; the other waits behind it in the switch, and not its sender.
        {"what others cannot use",
         {{0, 1, 1000, 0}, {0, 2, 1000, 0}, {0, 3, 1000, 0}, {4, 3, 3000, 0}},
         {3000, 3000, 3000, 4000},
         {1000, 2000, 4000, 3000}},
        {"a sender whose message waits",
         {{1, 3, 2000, 0}, {0, 3, 1000, 0}, {0, 2, 1000, 0}},
         {3000, 2000, 2000},
         {2000, 3000, 2000}},
    };
    for (const Row& row : rows) {
        for (const bool in_turn : {false, true}) {
            const std::vector<double> ends = ends_of(row.begins, in_turn);
            const std::vector<double>& expected = in_turn ? row.in_turn : row.shared;
            for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(ends[i], expected[i], 1e-6) << row.of;
        }
    }
}

}  // namespace
}  // namespace bcastgen
