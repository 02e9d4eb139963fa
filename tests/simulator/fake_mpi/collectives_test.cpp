// Collective calls, communicators, attributes and error handlers of the simulated MPI.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/simulator/fake_mpi/job_of.hpp"

namespace simulator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Collectives, GatherReduceAndBroadcast) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
        const auto program = [](Rank& rank) {
            int all[3] = {};
            PMPI_Allgather(&rank.number, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
            EXPECT_THAT(all, ElementsAre(0, 1, 2));
            int most = 0;
            PMPI_Allreduce(&rank.number, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            EXPECT_EQ(most, 2);
            const double mine = rank.number;
            double sum = -1;
            MPI_Request request = MPI_REQUEST_NULL;
            PMPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
            int number = rank.number;
            PMPI_Bcast(&number, 1, MPI_INT, 1, MPI_COMM_WORLD);
            EXPECT_EQ(number, 1);
            PMPI_Wait(&request, MPI_STATUS_IGNORE);
            EXPECT_EQ(sum, 3);
        };
        ASSERT_THAT(job_of(3, program, {}, seed), IsEmpty());
    }
}

TEST(Collectives, ThatDifferAreReported) {
    const auto kinds = [](Rank& rank) {
        int number = 0;
        if (rank.number == 0) PMPI_Barrier(MPI_COMM_WORLD);
        if (rank.number == 1) PMPI_Bcast(&number, 1, MPI_INT, 1, MPI_COMM_WORLD);
    };
    EXPECT_THAT(job_of(2, kinds), HasSubstr("where another rank calls"));
    const auto sizes = [](Rank& rank) {
        int numbers[2] = {};
        PMPI_Bcast(numbers, 1 + rank.number, MPI_INT, 0, MPI_COMM_WORLD);
    };
    EXPECT_THAT(job_of(2, sizes), HasSubstr("where another rank calls"));
}

TEST(Communicators, SplitByColourAndSortByKey) {
    const auto program = [](Rank& rank) {
        MPI_Comm comm = MPI_COMM_NULL;
        PMPI_Comm_split(MPI_COMM_WORLD, rank.number == 3 ? MPI_UNDEFINED : rank.number % 2, -rank.number, &comm);
        if (rank.number == 3) {
            EXPECT_EQ(comm, MPI_COMM_NULL);
            return;
        }
        int size = 0;
        int mine = -1;
        PMPI_Comm_size(comm, &size);
        PMPI_Comm_rank(comm, &mine);
        EXPECT_EQ(size, rank.number == 1 ? 1 : 2);
        EXPECT_EQ(mine, rank.number == 0 ? 1 : 0);
        PMPI_Comm_free(&comm);
    };
    EXPECT_THAT(job_of(4, program), IsEmpty());
}

TEST(Communicators, AreReportedIfUsedAfterTheirEndOrLeft) {
    const auto used = [](Rank&) {
        MPI_Comm comm = MPI_COMM_NULL;
        PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
        const MPI_Comm same = comm;
        PMPI_Comm_free(&comm);
        PMPI_Barrier(same);
    };
    EXPECT_THAT(job_of(2, used), HasSubstr("a communicator that is no more"));
    const auto left = [](Rank&) {
        MPI_Comm comm = MPI_COMM_NULL;
        PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
    };
    EXPECT_THAT(job_of(2, left), HasSubstr("left a communicator"));
}

TEST(Communicators, RunOut) {
    Habits habits;
    habits.most_contexts = 1;
    const auto program = [](Rank&) {
        MPI_Comm comms[2] = {};
        EXPECT_EQ(PMPI_Comm_dup(MPI_COMM_WORLD, &comms[0]), MPI_SUCCESS);
        EXPECT_NE(PMPI_Comm_dup(MPI_COMM_WORLD, &comms[1]), MPI_SUCCESS);
        PMPI_Comm_free(&comms[0]);
    };
    EXPECT_THAT(job_of(3, program, habits), IsEmpty());
}

std::vector<int> removed;  // values of attributes, as their delete callback was called

int note_removal(MPI_Comm, int, void* value, void* extra) {
    removed.push_back(*static_cast<int*>(value) + *static_cast<int*>(extra));
    return MPI_SUCCESS;
}

int copy_twice(MPI_Comm, int, void* /*extra*/, void* value, void* copy, int* flag) {
    static int twice = 0;
    twice = 2 * *static_cast<int*>(value);
    *static_cast<void**>(copy) = &twice;
    *flag = 1;
    return MPI_SUCCESS;
}

TEST(Attributes, AreCopiedKeptAndRemoved) {
    removed.clear();
    const auto program = [](Rank&) {
        static int value = 5;
        static int extra = 100;
        int keyval = MPI_KEYVAL_INVALID;
        PMPI_Comm_create_keyval(copy_twice, note_removal, &keyval, &extra);
        PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, &value);
        MPI_Comm copy = MPI_COMM_NULL;
        PMPI_Comm_dup(MPI_COMM_SELF, &copy);
        int* found = nullptr;
        int flag = 0;
        PMPI_Comm_get_attr(copy, keyval, static_cast<void*>(&found), &flag);
        EXPECT_EQ(flag, 1);
        EXPECT_EQ(*found, 10);
        PMPI_Comm_get_attr(MPI_COMM_WORLD, keyval, static_cast<void*>(&found), &flag);
        EXPECT_EQ(flag, 0);
        PMPI_Comm_free_keyval(&keyval);  // lives on in its attributes
        PMPI_Comm_free(&copy);
        EXPECT_THAT(removed, ElementsAre(110));
    };
    EXPECT_THAT(job_of(1, program), IsEmpty());
    EXPECT_THAT(removed, ElementsAre(110, 105));  // that of MPI_COMM_SELF when MPI ended
}

int handled = 0;

void note_error(MPI_Comm* /*comm*/, int* error, ...) {
    handled = *error;
}

TEST(Errors, GoThroughTheirHandler) {
    const auto own = [](Rank&) {
        MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
        PMPI_Comm_create_errhandler(note_error, &handler);
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
        PMPI_Errhandler_free(&handler);
        int number = 0;
        EXPECT_EQ(PMPI_Bcast(&number, 1, MPI_INT, 7, MPI_COMM_WORLD), MPI_ERR_ROOT);
        EXPECT_EQ(handled, MPI_ERR_ROOT);
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    };
    EXPECT_THAT(job_of(2, own), IsEmpty());
    const auto fatal = [](Rank&) {
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
        PMPI_Bcast(nullptr, -1, MPI_INT, 0, MPI_COMM_WORLD);
    };
    EXPECT_THAT(job_of(2, fatal), HasSubstr("an error ends the program"));
}

TEST(Faults, HitTheCallThatTheyAreMeantFor) {
    for (const auto how : {Fault::How::at_once, Fault::How::after}) {
        Habits habits;
        habits.faults.push_back({"Barrier", 1, 1, MPI_ERR_INTERN, how});
        const auto program = [how](Rank& rank) {
            const Within library(rank.in_library);  // only its calls fail
            EXPECT_EQ(PMPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
            if (rank.number == 1) {
                EXPECT_EQ(PMPI_Barrier(MPI_COMM_WORLD), MPI_ERR_INTERN);
            }
            if (rank.number == 0 && how == Fault::How::after) {
                EXPECT_EQ(PMPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
            }
        };
        EXPECT_THAT(job_of(2, program, habits), IsEmpty());
    }
}

TEST(Faults, RanksThatStopAreSeen) {
    Habits habits;
    habits.stops.emplace_back(1, 0.5);
    const auto program = [](Rank& rank) {
        rank.job.scheduler.sleep(1);
        PMPI_Barrier(MPI_COMM_WORLD);
    };
    EXPECT_THAT(job_of(2, program, habits), HasSubstr("rank 1 answers no more"));
}

}  // namespace
}  // namespace simulator
