// Fibers, the clock, and what is seen of jobs that do not end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/simulator/fake_mpi/job_of.hpp"

namespace simulator {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The sequence in which ranks had their turns.
std::vector<int> turns(std::uint64_t seed) {
    std::vector<int> order;
    const auto program = [&order](Rank& rank) {
        for (int i = 0; i < 10; ++i) {
            order.push_back(rank.number);
            PMPI_Barrier(MPI_COMM_WORLD);
        }
    };
    EXPECT_THAT(job_of(5, program, {}, seed), IsEmpty());
    return order;
}

TEST(Scheduler, RepeatsItselfUnderOneSeedAndNotUnderAnother) {
    EXPECT_EQ(turns(1), turns(1));
    EXPECT_NE(turns(1), turns(2));
}

TEST(Scheduler, SeesAtOnceThatNobodyCanRun) {
    const auto program = [](Rank& rank) {
        int number = 0;
        PMPI_Recv(&number, 1, MPI_INT, 1 - rank.number, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    EXPECT_THAT(job_of(2, program), AllOf(HasSubstr("nobody can run"), HasSubstr("rank 0 waits"),
                                          HasSubstr("receives 4 bytes from 1 tag 9")));
}

TEST(Scheduler, SeesThatAllLookInVain) {
    const auto program = [](Rank&) {
        int number = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        PMPI_Irecv(&number, 1, MPI_INT, 0, 9, MPI_COMM_WORLD, &request);
        for (int done = 0; done == 0;) PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    };
    EXPECT_THAT(job_of(2, program), AllOf(HasSubstr("nobody can go on"), HasSubstr("looks in vain")));
}

TEST(Scheduler, MovesTheClockToTheNextEvent) {
    std::vector<int> order;
    const auto program = [&order](Rank& rank) {
        rank.job.scheduler.sleep(100.0 - 10 * rank.number);
        order.push_back(rank.number);
        EXPECT_GE(PMPI_Wtime(), 100.0 - 10 * rank.number);
    };
    EXPECT_THAT(job_of(4, program), IsEmpty());
    EXPECT_EQ(order, (std::vector<int>{3, 2, 1, 0}));
}

}  // namespace
}  // namespace simulator
