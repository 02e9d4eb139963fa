#include "tuner/search/model_error.hpp"

#include <gtest/gtest.h>

namespace bcastgen {
namespace {

ModelError off_by(double ours_least, double ours_largest, double native_least, double native_largest) {
    ModelError error;
    for (int i = 0; i < ModelError::enough; ++i) {
        error.add("two-tree", 100, 100 * (i == 0 ? ours_largest : ours_least));
        error.add("native", 100, 100 * (i == 0 ? native_least : native_largest));
    }
    return error;
}

TEST(ModelError, LetsWinWhatWinsHoweverFarTheModelHasBeenOff) {
    struct Row {
        ModelError error;
        double ours_us, native_us;
        bool wins;
    };
    const Row rows[] = {
        {off_by(1, 1, 1, 1), 100, 103, true},      {off_by(1, 1, 1, 1), 100, 101, false},  // not by the margin
        {off_by(0.5, 1.2, 1, 1), 100, 120, false},  // ours was up to 1.2 times slower than predicted
        {off_by(0.5, 1.2, 1, 1), 100, 123, true},   //
        {off_by(1, 1, 0.5, 1.5), 100, 180, false},  // native was up to twice as quick
        {off_by(1, 1, 0.5, 1.5), 100, 210, true},   //
        {off_by(1.5, 2, 1.5, 2), 100, 130, false},  //
        {off_by(2, 2, 2, 2), 100, 103, true},       // off alike: what is quicker is known all the same
    };
    for (const Row& row : rows) {
        EXPECT_EQ(row.error.beats({"two-tree", row.ours_us}, {"native", row.native_us}, 0.02), row.wins)
            << row.ours_us << " and " << row.native_us;
    }
}

TEST(ModelError, SaysWhatHardlyTakesLess) {
    const ModelError error = off_by(0.5, 2, 1, 1);
    EXPECT_DOUBLE_EQ(error.hardly_less_us("two-tree", 100), 45);
    EXPECT_DOUBLE_EQ(error.hardly_less_us("native", 100), 90);
    EXPECT_EQ(error.hardly_less_us("linear", 100), 0);
}

TEST(ModelError, SaysNothingOfWhatItHasHardlySeen) {
    ModelError error;
    for (int i = 0; i < ModelError::enough - 1; ++i) {
        error.add("two-tree", 100, 100);
        error.add("native", 100, 100);
    }
    error.add("native", 100, 100);
    EXPECT_FALSE(error.beats({"two-tree", 1}, {"native", 1000}, 0.02));
    EXPECT_FALSE(error.beats({"linear", 1}, {"native", 1000}, 0.02));
    error.add("two-tree", 0, 100);  // without a price
    EXPECT_FALSE(error.beats({"two-tree", 1}, {"native", 1000}, 0.02));
    error.add("two-tree", 100, 100);
    EXPECT_TRUE(error.beats({"two-tree", 1}, {"native", 1000}, 0.02));
}

TEST(ModelError, BelievesChoicesWhereNoneLost) {
    ModelError error;
    for (int i = 0; i < ModelError::enough - 1; ++i) error.add_choice("two-tree", 100, 300);
    EXPECT_FALSE(error.choices_hold("two-tree", 0.02));  // too few
    error.add_choice("linear", 102, 100);
    EXPECT_TRUE(error.choices_hold("two-tree", 0.02));
    EXPECT_TRUE(error.choices_hold("linear", 0.02));
    EXPECT_TRUE(error.choices_hold("binary", 0.02));  // none of it was seen, and none of any lost
    error.add_choice("linear", 103, 100);
    EXPECT_FALSE(error.choices_hold("binary", 0.02));
    EXPECT_FALSE(error.choices_hold("linear", 0.02));
    EXPECT_TRUE(error.choices_hold("two-tree", 0.02));
}

}  // namespace
}  // namespace bcastgen
