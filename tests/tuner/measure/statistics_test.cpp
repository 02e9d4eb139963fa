#include "tuner/measure/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace bcastgen {
namespace {

TEST(Statistics, MedianIsTheMiddle) {
    EXPECT_EQ(median({}), 0);
    EXPECT_EQ(median({3}), 3);
    EXPECT_EQ(median({5, 1, 100}), 5);
    EXPECT_EQ(median({5, 1, 100, 7}), 6);
}

/// The k that tables of the sign test give for 95 %: bounds are the k-th smallest and the k-th largest.
TEST(Statistics, BoundsAreThoseOfTheSignTest) {
    struct Row {
        std::size_t n;
        std::size_t k;
    };
    for (const auto& [n, k] : {Row{6, 1}, {8, 1}, {9, 2}, {11, 2}, {12, 3}, {15, 4}, {20, 6}, {30, 10}, {50, 18}}) {
        std::vector<double> values;
        for (std::size_t i = n; i > 0; --i) values.push_back(static_cast<double>(i));
        const Estimate estimated = estimate(values);
        EXPECT_EQ(estimated.samples, n);
        EXPECT_EQ(estimated.low, static_cast<double>(k)) << n;
        EXPECT_EQ(estimated.high, static_cast<double>(n + 1 - k)) << n;
    }
}

TEST(Statistics, FewSamplesHaveNoBounds) {
    const Estimate five = estimate({1, 2, 3, 4, 5});
    EXPECT_EQ(five.median, 3);
    EXPECT_EQ(five.low, 0);
    EXPECT_TRUE(std::isinf(five.high));
    EXPECT_TRUE(std::isinf(relative_half_width(five)));
    EXPECT_TRUE(std::isinf(estimate({1, 2, 3, 4, 5, 6}, 0.975).high));
    EXPECT_FALSE(std::isinf(estimate({1, 2, 3, 4, 5, 6, 7}, 0.975).high));
}

TEST(Statistics, ManySamplesKeepTheirBounds) {
    std::vector<double> values(5000);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
    const Estimate many = estimate(values);
    EXPECT_NEAR(many.low, 2500 - 1.96 * std::sqrt(5000.0) / 2, 2);  // the normal approximation
    EXPECT_NEAR(many.high, 2500 + 1.96 * std::sqrt(5000.0) / 2, 2);
}

TEST(Statistics, BoundsHoldAsOftenAsPromised) {
    std::uint64_t state = 42;
    const auto skewed = [&] {  // median ln 2
        state = state * 6364136223846793005U + 1442695040888963407U;
        return -std::log((static_cast<double>(state >> 11) + 0.5) / 9007199254740992.0);
    };
    int held = 0;
    constexpr int rounds = 2000;
    for (int round = 0; round < rounds; ++round) {
        std::vector<double> values;
        for (int i = 0; i < 12; ++i) values.push_back(skewed());
        const Estimate estimated = estimate(values);
        if (estimated.low <= std::log(2.0) && std::log(2.0) <= estimated.high) ++held;
    }
    EXPECT_GE(held, static_cast<int>(0.945 * rounds));  // 0.961 for 12 samples
}

TEST(Statistics, WhatRepeatsExactlyIsItsOwnBounds) {
    const Estimate exact = exact_estimate({7});
    EXPECT_EQ(exact.low, 7);
    EXPECT_EQ(exact.high, 7);
    EXPECT_EQ(relative_half_width(exact), 0);
    EXPECT_EQ(exact_estimate({}).samples, 0U);
}

}  // namespace
}  // namespace bcastgen
