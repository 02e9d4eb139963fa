// What tags say of lengths that do not fit into them (pipeline/lane.hpp).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/lane.hpp"
#include "bcast/pipeline/segmentation.hpp"
#include "bcast/roles/send_window.hpp"

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

/// What a rank that passes `mine` bytes posts for one that sends `theirs`, when it would have as many posted as it may.
/// `least`: no rank of the broadcast passes less. `untold`: of this message MPI tells nothing.
void take_all(std::size_t mine, std::size_t theirs, std::size_t least, std::size_t segment_bytes, std::int64_t untold) {
    const bcast::SegmentTags my_tags(mine, bcast::least_length_bits);
    const bcast::SegmentTags their_tags(theirs, bcast::least_length_bits);
    const std::int64_t comes = bcast::Segmentation(theirs, segment_bytes, &their_tags, false).count();
    const std::int64_t ahead = bcast::usual_receives_ahead(bcast::widest_send_window, my_tags.tells(mine));
    bcast::Incoming incoming;
    const bcast::Segmentation cut(mine, segment_bytes, &my_tags, false, least);
    incoming.reset(0, cut.count(), &my_tags, cut.alike());
    bcast::Failure failure;
    while (!incoming.over() && !incoming.lost()) {
        while (incoming.may_post(ahead)) incoming.post();
        ASSERT_LE(incoming.posted(), comes) << mine << " for " << theirs << " in " << segment_bytes;
        ASSERT_GT(incoming.posted(), incoming.arrived());
        const bool tells = incoming.arrived() != untold;
        incoming.arrive(tells ? their_tags.of(comes - incoming.arrived()) : bcast::Requests::unknown_tag, failure);
    }
    EXPECT_TRUE(incoming.lost() || incoming.arrived() == comes) << mine << " for " << theirs << " in " << segment_bytes;
}

// Where no message is shorter than a segment all ranks begin with a whole one, and else with what all have room for.
TEST(Segmentation, BeginsAlikeAtAllRanks) {
    const bcast::SegmentTags tags(0, bcast::most_length_bits);
    for (const std::size_t segment : {1000U, 8192U, 20000U, 300000U}) {
        for (const std::size_t least : {0U, 999U, 1000U, 8193U, 19999U, 20000U, 20001U, 300000U, 700000U}) {
            std::size_t least_room = ~std::size_t{0};
            std::size_t longest_first = 0;
            for (const std::size_t more : {0U, 1U, 999U, 8192U, 20000U, 1000000U}) {
                const bcast::Segmentation cut(least + more, segment, &tags, true, least);
                least_room = std::min(least_room, cut.first_room());
                longest_first = std::max(longest_first, cut.length(0));
                if (least < segment) continue;
                EXPECT_EQ(cut.length(0), segment) << least << " and " << more;
                EXPECT_FALSE(cut.first_is_short()) << least << " and " << more;
            }
            EXPECT_LE(longest_first, least_room) << segment << " of at least " << least;
        }
    }
    EXPECT_EQ(bcast::Segmentation(700000, 20000, &tags, true, 19999).length(0), bcast::longest_first_segment_bytes);
    EXPECT_EQ(bcast::Segmentation(700000, 20000, &tags, false, 20000).length(0), bcast::longest_first_segment_bytes);
}

// Tags of 1024 bytes and more do not tell the length. Some of those here have the same tags until few segments are
// left.
TEST(Incoming, HasNoReceiveThatNothingComesFor) {
    constexpr std::size_t longest = 12000;
    int alike = 0;
    for (std::size_t mine = 1; mine < longest; mine += 7) {
        for (std::size_t theirs = 1; theirs < longest; theirs += mine < 1024 ? 97 : 1) {
            const bool same_tag =
                tag_of(mine, bcast::least_length_bits) == tag_of(theirs, bcast::least_length_bits) && mine != theirs;
            if (!same_tag && theirs % 97 != 1) continue;
            alike += same_tag ? 1 : 0;
            for (const std::size_t segment_bytes : {64U, 512U}) {
                for (const std::int64_t untold : {-1, 0, 3, 9}) {
                    take_all(mine, theirs, 0, segment_bytes, untold);
                    take_all(mine, theirs, std::min(mine, theirs), segment_bytes, untold);
                }
            }
            if (HasFailure()) return;
        }
    }
    EXPECT_GT(alike, 1000);
}

// What is received before the sender's length is known goes where the receiver's own segments lie.
TEST(Segmentation, KnowsWhichSegmentsAllLengthsHaveAlike) {
    constexpr std::size_t longest = 70000;
    int several = 0;
    for (const bool looked_at : {false, true}) {
        for (const std::size_t segment_bytes : {0U, 100U, 3000U, 5000U, 8192U, 9000U, 20000U}) {
            const auto cut = [&](std::size_t bytes, std::size_t least) {
                const bcast::SegmentTags tags(bytes, bcast::most_length_bits);
                return bcast::Segmentation(bytes, segment_bytes, &tags, looked_at, least);
            };
            for (std::size_t mine = 1; mine < longest; mine += 1 + mine / 7) {
                for (std::size_t least = 0; least <= mine; least += 1 + mine / 13) {
                    const bcast::Segmentation own = cut(mine, least);
                    const std::int64_t alike = own.alike();
                    ASSERT_GE(alike, 1);
                    if (alike == 1) continue;
                    ++several;
                    ASSERT_LE(own.first_room(), own.offset(1)) << mine << ' ' << least;  // receives do not overlap
                    for (std::size_t theirs = least; theirs < 2 * mine; theirs += 1 + mine / 17) {
                        const bcast::Segmentation other = cut(theirs, least);
                        ASSERT_LE(alike, other.count());
                        for (std::int64_t segment = 0; segment < alike; ++segment) {
                            ASSERT_EQ(own.length(segment), other.length(segment)) << mine << ' ' << theirs;
                        }
                    }
                }
            }
        }
    }
    EXPECT_GT(several, 1000);
    const bcast::SegmentTags tags(50000, bcast::most_length_bits);
    EXPECT_EQ(bcast::Segmentation(50000, 8192, &tags, true, 25000).alike(), 3);
    EXPECT_EQ(bcast::Segmentation(50000, 16384, &tags, true, 33000).alike(), 2);
    EXPECT_EQ(bcast::Segmentation(50000, 16384, &tags, true, 25000).alike(), 1);  // the first is as long as the others
    EXPECT_EQ(bcast::Segmentation(50000, 16384, &tags, true, 16000).alike(), 1);
}

}  // namespace
}  // namespace simulator
