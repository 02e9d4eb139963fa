// What tags say of lengths that do not fit into them (pipeline/lane.hpp).
#include <gtest/gtest.h>

#include <cstddef>

#include "bcast/pipeline/lane.hpp"

namespace simulator {
namespace {

int tag_of(std::size_t bytes, int length_bits) {
    return bcast::SegmentTags(bytes, length_bits).of(bcast::SegmentTags::most_left);
}

TEST(SegmentTags, TellLengthsApartThatProgramsMixUp) {
    for (int bits = bcast::least_length_bits; bits <= bcast::most_length_bits; ++bits) {
        const std::size_t unit = std::size_t{1} << (bits - 1);
        for (const std::size_t units : {1U, 2U, 3U, 4U, 7U, 16U}) {
            for (const std::ptrdiff_t off : {-8, -4, -1, 0, 1, 4, 8}) {
                const std::size_t bytes = units * unit + static_cast<std::size_t>(off);
                for (const std::size_t times : {2U, 3U, 4U, 8U}) {
                    EXPECT_NE(tag_of(bytes, bits), tag_of(times * bytes, bits)) << bytes << ", " << times << " times";
                }
                for (const std::size_t more : {std::size_t{1}, std::size_t{8}, unit / 4, unit / 2 - 1}) {
                    EXPECT_NE(tag_of(bytes, bits), tag_of(bytes + more, bits)) << bytes << " and " << more;
                }
            }
        }
    }
}

}  // namespace
}  // namespace simulator
