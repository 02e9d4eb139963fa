// Messages that meet on links, by hand.
#include "planner/price/shared_links.hpp"

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

/// When messages end, in bytes that a link has carried by then. Begins in the sequence of their times; the last may be
/// announced before.
std::vector<double> ends_of(const std::vector<Begin>& begins, bool port_in_turn, double announced_bytes = -1) {
    const Network network = testing::make_network(1, {}, std::vector<int>(machines_there, 0));
    const bcast::Order order = bcast::depth_first_order(layout_of(network), {0, 1, 2, 3, 4}, 0);
    const Wires wires(network, order, {std::vector<Software>(machines_there), 0, Framing::none, port_in_turn});
    std::vector<std::vector<LinkId>> paths;
    for (const Begin& begin : begins) paths.push_back(wires.between(begin.from, begin.to));
    SharedLinks links(wires);
    std::vector<SharedLinks::Ending> endings;
    std::vector<double> ends(begins.size());
    constexpr double never = std::numeric_limits<double>::infinity();
    for (std::size_t begun = 0;;) {
        SharedLinks::Ending next{never, 0, 0};
        for (const SharedLinks::Ending& ending : endings) {
            if (links.ends(ending) && ending.time_s < next.time_s) next = ending;
        }
        if (announced_bytes >= 0 && next.time_s > announced_bytes * byte_s && begun + 1 == begins.size()) {
            links.announce(paths.back());
            links.settle(announced_bytes * byte_s, endings);
            announced_bytes = -1;
            continue;
        }
        const double begin_s = begun == begins.size() ? never : begins[begun].after_bytes * byte_s;
        const double now_s = std::min(begin_s, next.time_s);
        if (now_s == never) return ends;
        if (begin_s <= next.time_s) {
            const auto way = static_cast<SharedLinks::Way>(begins[begun].from * machines_there + begins[begun].to);
            const auto number = static_cast<std::uint32_t>(begun);
            links.begin(way, paths[begun], begins[begun].bytes, number, now_s, number);
            ++begun;
        } else {
            ends[links.end(next.way, now_s)] = now_s / byte_s;
        }
        links.settle(now_s, endings);
    }
}

TEST(SharedLinks, GiveEveryMessageItsShare) {
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
        {"two into one port", {{0, 2, 1000, 0}, {1, 2, 1000, 0}}, {2000, 2000}, {2000, 2000}},
        // Three share port 0; what its message leaves of the port into 3 is for the one from 4. In turn, the message
        // from 0 overlooks that one, as in the simulator.
        {"what others cannot use",
         {{0, 1, 1000, 0}, {0, 2, 1000, 0}, {0, 3, 1000, 0}, {4, 3, 3000, 0}},
         {3000, 3000, 3000, 4000},
         {1000, 2000, 3000, 3000}},
    };
    for (const Row& row : rows) {
        for (const bool in_turn : {false, true}) {
            const std::vector<double> ends = ends_of(row.begins, in_turn);
            const std::vector<double>& expected = in_turn ? row.in_turn : row.shared;
            for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(ends[i], expected[i], 1e-6) << row.of;
        }
    }
}

/// Ends of a message to 3 that takes the turn of another, while 3000 bytes from 4 are on their way there.
std::vector<double> ends_announced(double after_bytes, const Begin& third) {
    return ends_of({{0, 1, 1000, 0}, {0, 3, 1000, 0}, {4, 3, 3000, 0}, third}, true, after_bytes);
}

TEST(SharedLinks, OverlookOthersUntilSomethingElseBeginsThere) {
    constexpr double no_time = -1;
    const Begin elsewhere{2, 4, 100, 1500};
    EXPECT_NEAR(ends_announced(no_time, elsewhere)[1], 2000, 1e-6);
    // What meets neither of them changes nothing. What is on its way to 3 lets both share the port from then on.
    const Begin there{2, 3, 100, 5000};
    const std::vector<double> ends = ends_announced(1500, there);
    EXPECT_NEAR(ends[1], 2500, 1e-6);
    EXPECT_NEAR(ends[2], 3500, 1e-6);
}

}  // namespace
}  // namespace bcastgen
