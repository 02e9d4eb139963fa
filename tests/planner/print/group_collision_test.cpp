#include "planner/print/group_collision.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bcastgen {
namespace {

TEST(GroupCollision, IsTheBirthdayParadox) {
    EXPECT_EQ(no_collision_probability(1, 1), 1);
    EXPECT_EQ(no_collision_probability(2, 1), 0);
    EXPECT_EQ(collision_probability(5, 4), 1);
    EXPECT_DOUBLE_EQ(no_collision_probability(2, 4), 0.75);
    EXPECT_DOUBLE_EQ(no_collision_probability(4, 4), 24.0 / 256);  // 4! / 4^4
    EXPECT_NEAR(collision_probability(23, 365), 0.507297, 1e-6);
}

TEST(GroupCollision, IsExactWhereItIsTiny) {
    // 1000 groups of InfiniBand's 2^112: the paper's 99.99...9 %. n (n - 1) / 2m is the first term of the series.
    const double addresses = std::ldexp(1.0, 112);
    EXPECT_NEAR(collision_probability(1000, addresses) / (1000.0 * 999 / 2 / addresses), 1, 1e-12);
    EXPECT_EQ(no_collision_probability(1000, addresses), 1);
}

}  // namespace
}  // namespace bcastgen
