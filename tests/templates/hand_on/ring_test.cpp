#include "bcast/hand_on/ring.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/templates/hand_on/ring_threads.hpp"

namespace bcast {
namespace {

TEST(Ring, RanksAsThreadsGetEveryByte) {
    EXPECT_EQ(ring_threads::run_all(100), "");
}

class RingOfTwo : public testing::Test {
  protected:
    RingOfTwo() : memory_(Ring::page_bytes + Ring::bytes_of(shape_, 2, 1), '\0') {
        char* const page =
            memory_.data() + (Ring::page_bytes - reinterpret_cast<std::uintptr_t>(memory_.data()) % Ring::page_bytes);
        writer_ = Ring(page, shape_, {0, 0}, 0);
        reader_ = Ring(page, shape_, {0, 0}, 1);
        writer_.begin(0);
        reader_.begin(0);
    }

    void write(char content) {
        PieceHead head;
        head.bytes = 1;
        writer_.write(head, &content);
    }

    const RingShape shape_{2, 64};
    std::vector<char> memory_;
    Ring writer_;
    Ring reader_;
};

TEST_F(RingOfTwo, NothingIsReadBeforeItIsWritten) {
    EXPECT_EQ(reader_.read(), nullptr);
    write('a');
    ASSERT_NE(reader_.read(), nullptr);
    EXPECT_EQ(*reader_.bytes(), 'a');
    reader_.done_with_piece();
    EXPECT_EQ(reader_.read(), nullptr);
}

TEST_F(RingOfTwo, APieceStaysUntilItsReaderIsDoneWithIt) {
    write('a');
    write('b');
    EXPECT_FALSE(writer_.may_write());
    ASSERT_NE(reader_.read(), nullptr);
    EXPECT_FALSE(writer_.may_write());
    reader_.done_with_piece();
    ASSERT_TRUE(writer_.may_write());
    write('c');
    EXPECT_FALSE(writer_.may_write());
    ASSERT_NE(reader_.read(), nullptr);
    EXPECT_EQ(*reader_.bytes(), 'b');
}

TEST_F(RingOfTwo, WhoReadWritesNextOnlyOverWhatTheFormerWriterIsDoneWith) {
    write('a');
    ASSERT_NE(reader_.read(), nullptr);
    reader_.done_with_piece();
    writer_.begin(1);
    reader_.begin(1);
    EXPECT_TRUE(reader_.may_write());
    EXPECT_EQ(writer_.read(), nullptr);
    PieceHead head;
    head.bytes = 1;
    reader_.write(head, "z");
    ASSERT_NE(writer_.read(), nullptr);
    EXPECT_EQ(*writer_.bytes(), 'z');
}

TEST(Ring, EachRankTouchesTheMemoryOfItsDomainFirst) {
    const RingShape shape{4, 1000};
    const Row<int> domains{0, 0, 1, 1};
    const std::size_t all = Ring::bytes_of(shape, 4, 2);
    std::vector<std::pair<std::size_t, std::size_t>> parts;
    for (int rank = 0; rank < 4; ++rank) parts.push_back(Ring(nullptr, shape, domains, rank).own_part());
    EXPECT_EQ(parts[0].first, 0U);
    EXPECT_EQ(parts[1].second, 0U);
    EXPECT_EQ(parts[2].first, parts[0].second);
    EXPECT_EQ(parts[2].first + parts[2].second, all);
    EXPECT_EQ(parts[3].second, 0U);
}

}  // namespace
}  // namespace bcast
