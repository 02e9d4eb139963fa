#include "planner/price/segments.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace bcastgen {
namespace {

TEST(Segments, AreOfTheWantedLengthButTheFirstAndTheLast) {
    struct Row {
        std::size_t trees, part_bytes, wanted_bytes, first_bytes, usual_bytes, last_bytes;
        std::int64_t count;
    };
    constexpr std::size_t no_end = std::numeric_limits<std::size_t>::max();
    constexpr std::size_t longest_told = std::size_t{1} << 23;
    const Row rows[] = {{1, 0, 1024, 1, 1, 0, 1},
                        {1, 1000, 0, 1000, 1000, 1000, 1},
                        {1, 1000, 1024, 1000, 1000, 1000, 1},
                        {1, 2048, 1024, 1024, 1024, 1024, 2},
                        {1, 2049, 1024, 1024, 1024, 1, 3},
                        {1, 16384, 16384, 16384, 16384, 16384, 1},
                        {1, 16385, 16384, 8192, 16384, 8193, 2},
                        {1, 40000, 16384, 8192, 16384, 15424, 3},
                        {1, 40000, 0, 40000, 40000, 40000, 1},
                        {2, 40000, 0, 8192, 40000, 31808, 2},
                        {1, 262144, 0, 262144, 262144, 262144, 1},
                        {1, 262145, 0, 8192, 262145, 253953, 2},
                        {1, no_end, 0, 8192, longest_told, longest_told - 8193, (std::int64_t{1} << 41) + 1},
                        {1, no_end, 1, 1, 1, 1, std::numeric_limits<std::int64_t>::max()}};
    for (const Row& row : rows) {
        const bcast::SegmentLengths found = segments_of(row.part_bytes, row.wanted_bytes, row.trees);
        SCOPED_TRACE(std::to_string(row.part_bytes) + " in " + std::to_string(row.wanted_bytes) + ", " +
                     std::to_string(row.trees));
        EXPECT_EQ(found.first_bytes, row.first_bytes);
        EXPECT_EQ(found.usual_bytes, row.usual_bytes);
        EXPECT_EQ(found.last_bytes, row.last_bytes);
        EXPECT_EQ(found.count, row.count);
    }
}

TEST(Segments, AreAlikeFromTheFirstWhereEveryMessageFillsOne) {
    EXPECT_EQ(segments_of(40000, 16384, 1, 16384).first_bytes, 16384U);
    EXPECT_EQ(segments_of(40000, 16384, 1, 16384).last_bytes, 40000U - 2 * 16384U);
    EXPECT_EQ(segments_of(40000, 16384, 1, 16383).first_bytes, 8192U);
    EXPECT_EQ(segments_of(40000, 16384, 2, 16384).first_bytes, 8192U);

    const bcast::Hop in_turn{400, 2000, 12'500'000'000, 2000, 400, 0};
    const bcast::Hop shared{5000, 40000, 12'500'000, 80000, 4000, 0};
    EXPECT_EQ(least_known({40000, 16384}, 1, in_turn), 16385U);
    EXPECT_EQ(least_known({40000, 50000}, 1, in_turn), 40000U);
    EXPECT_EQ(least_known({40000, 16384}, 2, in_turn), 0U);
    EXPECT_EQ(least_known({40000, 16384}, 1, shared), 0U);
}

}  // namespace
}  // namespace bcastgen
