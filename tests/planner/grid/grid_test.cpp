#include "planner/grid/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "base/parse_error.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

TEST(Grid, IsReadAsRowsByColumns) {
    const Grid grid = parse_grid("4x8");
    EXPECT_EQ(grid.rows, 4);
    EXPECT_EQ(grid.columns, 8);
    EXPECT_EQ(grid.row_of(13), 1);
    EXPECT_EQ(grid.column_of(13), 5);
}

struct WrongGrid {
    const char* text;
    std::size_t offset;
};

TEST(Grid, RefusesWhatIsNone) {
    for (const WrongGrid& wrong : {WrongGrid{"", 0},
                                   {"x", 0},
                                   {"4", 1},
                                   {"4x", 2},
                                   {"0x4", 0},
                                   {"4x-1", 2},
                                   {"4x8x2", 3},
                                   {"4 x8", 1},
                                   {"99999999999x2", 0},
                                   {"1000001x1", 0},
                                   {"1001x1000", 0}}) {
        SCOPED_TRACE(wrong.text);
        try {
            (void)parse_grid(wrong.text);
            ADD_FAILURE() << "was accepted";
        } catch (const ParseError& error) {
            EXPECT_EQ(error.offset(), wrong.offset);
        }
    }
}

/// s0: m2 m10; s1: m0; s2 (on s1): m1 m3
Network three_switches() {
    Network network = testing::make_network(3, {{0, 1}, {1, 2}}, {0, 1, 2, 0, 2});
    const char* names[] = {"m2", "m0", "m1", "m10", "m3"};
    for (std::size_t i = 0; i < network.machines.size(); ++i) network.machines[i].name = names[i];
    return network;
}

std::string names_of(const Network& network, const Mapping& mapping) {
    std::string text;
    for (const int machine : mapping)
        text += (text.empty() ? "" : " ") + network.machines[static_cast<std::size_t>(machine)].name;
    return text;
}

TEST(UsualMappings, AreThoseOfLaunchers) {
    const Network network = three_switches();
    const Slots one{{0, 1, 2, 3, 4}, 1};
    EXPECT_EQ(names_of(network, mapping_by_name(network, {1, 4}, one)), "m0 m1 m2 m3");
    EXPECT_EQ(names_of(network, block_mapping(network, {1, 5}, one)), "m0 m2 m10 m1 m3");
    EXPECT_EQ(names_of(network, cyclic_mapping(network, {1, 5}, one)), "m0 m2 m1 m10 m3");
    const Slots two{{0, 1, 2}, 2};
    EXPECT_EQ(names_of(network, mapping_by_name(network, {1, 5}, two)), "m0 m0 m1 m1 m2");
    EXPECT_EQ(names_of(network, cyclic_mapping(network, {2, 3}, two)), "m0 m2 m1 m0 m2 m1");
}

TEST(Lines, AreRowsAndColumns) {
    const Mapping mapping{10, 11, 12, 13, 14, 15};
    EXPECT_EQ(machines_of_line({2, 3}, mapping, GridLine::row, 1), (std::vector<int>{13, 14, 15}));
    EXPECT_EQ(machines_of_line({2, 3}, mapping, GridLine::column, 1), (std::vector<int>{11, 14}));
}

}  // namespace
}  // namespace bcastgen
