// Plans repeat themselves, and can be made smaller; what was once found stays mended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/simulator/scenario.hpp"

namespace simulator {
namespace {

using ::testing::IsEmpty;

TEST(Reduction, IsReadAsItIsWritten) {
    Reduction reduction;
    ASSERT_TRUE(reduction.read("ranks=3,bytes=17,only=4,only=9,plain=1,turns=2"));
    EXPECT_EQ(reduction.words(), "ranks=3,bytes=17,only=4,only=9,plain=1,turns=2");
    EXPECT_FALSE(reduction.read("ranks"));
    EXPECT_FALSE(reduction.read("ranks=x"));
    EXPECT_FALSE(reduction.read("feet=3"));
}

TEST(Reduction, LeavesOutWhatItSays) {
    Reduction reduction;
    reduction.most_ranks = 2;
    reduction.most_bytes = 10;
    reduction.broadcasts = {3, 5};
    const Plan plan(11, reduction);
    EXPECT_EQ(plan.ranks.size(), 2U);
    ASSERT_EQ(plan.broadcasts.size(), 2U);
    for (const BroadcastPlan& broadcast : plan.broadcasts) EXPECT_LE(broadcast.signature.bytes(), 10U);
}

TEST(Plan, RepeatsItself) {
    Counts counts[2];
    for (Counts& each : counts) EXPECT_THAT(run(Plan(5, {}), each), IsEmpty());
    EXPECT_EQ(counts[0].messages, counts[1].messages);
    EXPECT_EQ(counts[0].broadcasts, Plan(5, {}).broadcasts.size());
}

/// A job whose set-up is sound, of three ranks and more that all call MPI_Bcast, with this call failing at one of them.
std::string run_with(const Fault& fault) {
    Plan plan(3, {});
    for (std::uint64_t seed = 3;
         plan.trouble || plan.faulty || plan.ranks.size() < 3 || plan.broadcasts.front().by_choice; ++seed) {
        plan = Plan(seed, {});
    }
    plan.habits.freeing_waits = 1;
    plan.habits.faults.push_back(fault);
    for (RankPlan& rank : plan.ranks) rank.variables = {{"BCASTGEN_ALGORITHM", "linear"}};
    Counts counts;
    return run(plan, counts);
}

// The others freed the private communicator that they had, and an MPI whose MPI_Comm_free waits for all its ranks
// waited for ever.
TEST(Found, APrivateCommunicatorThatOnlySomeRanksHaveIsNotFreed) {
    for (int rank = 0; rank < 3; ++rank) {
        EXPECT_THAT(run_with({"Comm_create", rank, 0, MPI_ERR_OTHER, Fault::How::after}), IsEmpty());
    }
}

// The rank went on to the agreement on the private communicator while the others waited for it to make one.
TEST(Found, ARankThatCannotMakeAPrivateCommunicatorSaysSoBeforeTheOthersDo) {
    for (const char* call : {"Comm_get_errhandler", "Comm_group"}) {
        for (int rank = 0; rank < 3; ++rank) {
            EXPECT_THAT(run_with({call, rank, 0, MPI_ERR_OTHER, Fault::How::at_once}), IsEmpty());
        }
    }
}

// A root took what its receive had held before for the arrival that was lost, and all waited for ever. It takes an
// older broadcast in the same place, as this job has; where draws change, tests/simulate --faults finds another.
TEST(Found, AnArrivalThatIsLostEndsTheJob) {
    Reduction reduction;
    ASSERT_TRUE(reduction.read("bytes=8,only=0,only=1,only=2,only=3,only=4,only=5,plain=1"));
    Counts counts;
    EXPECT_THAT(run(Plan(41019856, reduction), counts), IsEmpty());
    EXPECT_EQ(counts.aborted, 1);
}

// Ranks that pass different lengths, and lose a receive of which MPI tells nothing: they took as many segments as their
// own length asked for, waited for ever or left some for the next broadcast.
TEST(Found, ALostSegmentDoesNotHideThatLengthsDiffer) {
    for (const std::uint64_t seed : {153U, 154U, 373U}) {
        Plan plan(seed, {});
        ASSERT_TRUE(plan.wrong_lengths);
        plan.faulty = true;
        plan.window = 0;
        plan.habits.faults = {
            {"Irecv", Fault::all_ranks, static_cast<int>(seed % 40), MPI_ERR_INTERN, Fault::How::lost}};
        Counts counts;
        EXPECT_THAT(run(plan, counts), IsEmpty()) << "job " << seed;
    }
}

}  // namespace
}  // namespace simulator
