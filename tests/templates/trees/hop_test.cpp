#include "bcast/trees/hop.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace bcast {
namespace {

TEST(Hop, CoversTheWayThereAndBack) {
    const Hop hop{5'000, 40'000, 12'500'000, 80'000};
    EXPECT_EQ(hop.gap_ns(0), 5'000);
    EXPECT_EQ(hop.gap_ns(1'250), 105'000);
    EXPECT_EQ(hop.covering(240), 4);
    EXPECT_EQ(hop.covering(8192), 1);
    EXPECT_EQ((Hop{0, 0, 1, 0}).covering(1), 1);
    EXPECT_EQ((Hop{}).covering(1000), 1);
}

// On a card the window is that of the cables' round trip, whatever was measured between neighbours: trunks take longer.
TEST(Hop, CoversNoLessOnceItIsMeasured) {
    Layout layout{{0, 0, 1}, {{1}, {0}}};
    layout.ports.assign(3, {12'500'000'000, 1'000});
    layout.trunks = {{{12'500'000'000, 1'000}}, {{12'500'000'000, 1'000}}};
    layout.sends = {400, 0, 0, 400};
    const Hop stated = hop_of(layout, {0, 1, 2});
    EXPECT_EQ(stated.covering(8192), 7);  // 0.66 us each, and 4 us until the first is known
    for (const std::int64_t answer_ns : {1, 2'000, 6'000}) {
        use_send_times(layout, {400, 2'000, answer_ns, 400});
        EXPECT_EQ(hop_of(layout, {0, 1, 2}).covering(8192), answer_ns == 6'000 ? 10 : 7) << answer_ns;
    }
}

TEST(Hop, HasSegmentsAnsweredWhereThatTakesLittle) {
    const Hop ethernet{5'000, 40'000, 12'500'000, 80'000};
    EXPECT_EQ(ethernet.answered_every(65536), 1);
    EXPECT_EQ(ethernet.answered_every(8192), 1);
    EXPECT_EQ(ethernet.answered_every(2048), 1);
    EXPECT_EQ(ethernet.answered_every(1024), 2);
    EXPECT_EQ(ethernet.answered_every(240), 7);
    const Hop gigabit{5'000, 40'000, 125'000'000, 80'000};
    EXPECT_EQ(gigabit.answered_every(8192), 3);
    EXPECT_EQ(gigabit.answered_every(65536), 1);
    EXPECT_EQ((Hop{0, 40'000, 12'500'000, 80'000}).answered_every(240), 1);  // answers that cost nothing
    EXPECT_EQ((Hop{5'000, 2'000, 1'250'000'000, 4'000}).answered_every(65536), 0);
    EXPECT_EQ((Hop{}).answered_every(8192), 0);
}

TEST(Hop, IsFarOverTrunksThatTakeAsLongAsAPort) {
    // s0: 0 1 -- s1: 2 -- s2: 3, ports of 20 us, trunks of 15 and 5 us
    Layout layout{{0, 0, 1, 2}, {{1}, {0, 2}, {1}}};
    layout.ports.assign(4, {12'500'000, 20'000});
    layout.trunks = {{{12'500'000, 15'000}}, {{12'500'000, 15'000}, {12'500'000, 5'000}}, {{12'500'000, 5'000}}};
    EXPECT_EQ(trunks_latency_ns(layout, 0)[0], 0);
    EXPECT_EQ(trunks_latency_ns(layout, 2)[0], 20'000);
    EXPECT_FALSE(is_far(layout, 0, 1));
    EXPECT_FALSE(is_far(layout, 1, 2));
    EXPECT_FALSE(is_far(layout, 3, 2));
    EXPECT_TRUE(is_far(layout, 0, 3));
    EXPECT_TRUE(is_far(layout, 3, 1));
    EXPECT_TRUE(is_far({{0, 1}, {{1}, {0}}}, 0, 1));  // of equal links
    layout.ports.assign(4, {12'500'000, 20'900});
    EXPECT_TRUE(is_far(layout, 0, 3));  // as links that were measured are
    layout.ports.assign(4, {12'500'000, 22'300});
    EXPECT_FALSE(is_far(layout, 0, 3));
}

TEST(Hop, KnowsTheLongestWayOverTrunks) {
    Layout layout{{0, 1, 2, 3}, {{1, 2}, {0}, {0, 3}, {2}}};  // 1 - 0 - 2 - 3
    layout.ports.assign(4, {12'500'000'000, 1'000});
    layout.trunks = {{{12'500'000'000, 1'000}, {12'500'000'000, 2'000}},
                     {{12'500'000'000, 1'000}},
                     {{12'500'000'000, 2'000}, {12'500'000'000, 4'000}},
                     {{12'500'000'000, 4'000}}};
    EXPECT_EQ(hop_of(layout, {0, 1, 2, 3}).trunks_ns, 7'000);
    EXPECT_EQ(hop_of(layout, {0, 1, 2}).trunks_ns, 3'000);
    EXPECT_EQ(hop_of(layout, {2, 3}).trunks_ns, 4'000);
    EXPECT_EQ(hop_of(layout, {3}).trunks_ns, 0);
    EXPECT_EQ(hop_of(Layout{{0, 1}, {{1}, {0}}}, {0, 1}).trunks_ns, 0);  // of equal links
}

TEST(Hop, CoversTheWayOverTrunks) {
    Hop hop{400, 2'000, 12'500'000'000, 4'000, 400, 2'000};
    EXPECT_EQ(hop.covering(32768), 2);
    EXPECT_EQ(hop.covering_alone(32768), 3);   // 4 us of 2.6 us each
    EXPECT_EQ(hop.covering_trunks(32768), 5);  // 8 us
    EXPECT_EQ(hop.covering_trunks(8192), 14);
    hop.bandwidth_Bps = 12'500'000;  // a port that is shared
    EXPECT_EQ(hop.covering_trunks(240), hop.covering(240));
    EXPECT_EQ(hop.covering_alone(240), hop.covering(240));
    hop.trunks_ns = 0;
    EXPECT_EQ(hop.covering_trunks(8192), hop.covering(8192));
}

TEST(Hop, TakesMeasuredTimesInPlaceOfTheCables) {
    Layout layout{{0, 0, 1}, {{1}, {0}}};
    layout.ports.assign(3, {12'500'000, 20'000});
    layout.trunks = {{{125'000'000, 5'000}}, {{125'000'000, 5'000}}};
    const Hop stated = hop_of(layout, {0, 1, 2});
    EXPECT_EQ(stated.overhead_ns, 5'000);
    EXPECT_EQ(stated.latency_ns, 40'000);
    EXPECT_EQ(stated.answer_ns, 80'000);
    use_send_times(layout, {1'000, 80'000, 1});
    EXPECT_EQ(layout.ports[2].latency_ns, 40'000);
    EXPECT_EQ(layout.trunks[1][0].latency_ns, 10'000);
    EXPECT_EQ(layout.trunks[1][0].bandwidth_Bps, 125'000'000);
    const Hop measured = hop_of(layout, {0, 1, 2});
    EXPECT_EQ(measured.overhead_ns, 1'000);
    EXPECT_EQ(measured.latency_ns, 80'000);
    EXPECT_EQ(measured.covering(240), 1);  // the MPI takes a send off at once
}

TEST(Hop, IsThatOfTheMachinesThatTakePart) {
    Layout layout{{0, 0, 0}, {{}}};
    layout.ports = {{12'500'000, 20'000}, {12'500'000, 20'000}, {1'250'000'000, 20'000}};
    EXPECT_EQ(hop_of(layout, {0, 1}).bandwidth_Bps, 12'500'000);
    EXPECT_EQ(hop_of(layout, {0, 1, 2}).bandwidth_Bps, 1'250'000'000);
}

}  // namespace
}  // namespace bcast
