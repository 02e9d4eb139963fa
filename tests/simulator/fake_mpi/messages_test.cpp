// The simulated MPI does what MPI promises, and reports what MPI forbids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "tests/simulator/fake_mpi/job_of.hpp"

namespace simulator {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Messages, KeepTheirOrderUnderOneTagAndFindTheirTag) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Habits habits = all_by_rendezvous(0.5);
        habits.jitter = 30;
        const auto program = [](Rank& rank) {
            int numbers[2][20];
            MPI_Request requests[40];
            for (int tag = 0; tag < 2; ++tag) {
                for (int i = 0; i < 20; ++i) {
                    int* number = &numbers[tag][i];
                    *number = rank.number == 0 ? 100 * tag + i : -1;
                    if (rank.number == 0)
                        PMPI_Isend(number, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, &requests[20 * tag + i]);
                    // The other tag first: what is not asked for waits.
                    if (rank.number == 1)
                        PMPI_Irecv(number, 1, MPI_INT, 0, 1 - tag, MPI_COMM_WORLD, &requests[20 * tag + i]);
                }
            }
            for (int i = 0; i < 40; ++i) {
                int index = MPI_UNDEFINED;
                PMPI_Waitany(40, requests, &index, MPI_STATUS_IGNORE);
                EXPECT_EQ(requests[index], MPI_REQUEST_NULL);
            }
            for (int tag = 0; tag < 2 && rank.number == 1; ++tag) {
                for (int i = 0; i < 20; ++i) EXPECT_EQ(numbers[tag][i], 100 * (1 - tag) + i);
            }
        };
        ASSERT_THAT(job_of(2, program, habits, seed), IsEmpty()) << "seed " << seed;
    }
}

TEST(Messages, ByRendezvousWaitForTheirReceiver) {
    double sent_s = 0;
    const auto program = [&sent_s](Rank& rank) {
        int number = 7;
        if (rank.number == 0) {
            PMPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            sent_s = PMPI_Wtime();
        } else {
            rank.job.scheduler.sleep(5);
            PMPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    };
    ASSERT_THAT(job_of(2, program, all_by_rendezvous(1)), IsEmpty());
    EXPECT_GE(sent_s, 5);
    ASSERT_THAT(job_of(2, program, all_by_rendezvous(0)), IsEmpty());
    EXPECT_LT(sent_s, 1);
}

TEST(Messages, SynchronousOnesWaitEvenIfSmallOnesDoNot) {
    const auto program = [](Rank& rank) {
        char byte = 1;
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank.number == 0) {
            PMPI_Issend(&byte, 1, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request);
            PMPI_Wait(&request, MPI_STATUS_IGNORE);
            EXPECT_GE(PMPI_Wtime(), 2);
        } else {
            rank.job.scheduler.sleep(2);
            PMPI_Recv(&byte, 1, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    };
    EXPECT_THAT(job_of(2, program, all_by_rendezvous(0)), IsEmpty());
}

TEST(Messages, LongerThanTheirReceiveAreCutWithAnError) {
    for (const double share : {0.0, 1.0}) {
        const auto program = [](Rank& rank) {
            char bytes[8] = "1234567";
            if (rank.number == 0) {
                EXPECT_EQ(PMPI_Send(bytes, 8, MPI_BYTE, 1, 0, MPI_COMM_WORLD), MPI_SUCCESS);
            }
            char room[8] = "-------";
            if (rank.number == 1) {
                EXPECT_EQ(PMPI_Recv(room, 4, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
                EXPECT_STREQ(room, "1234---");
            }
        };
        EXPECT_THAT(job_of(2, program, all_by_rendezvous(share)), IsEmpty());
    }
}

TEST(Messages, AreReportedIfTheirBytesChangeUnderWay) {
    const auto program = [](Rank& rank) {
        int number = 1;
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank.number == 0) {
            PMPI_Isend(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
            number = 2;
            PMPI_Wait(&request, MPI_STATUS_IGNORE);
        } else {
            PMPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    };
    for (const double share : {0.0, 1.0})
        EXPECT_THAT(job_of(2, program, all_by_rendezvous(share)), HasSubstr("changed"));
}

TEST(Messages, AreReportedIfNobodyReceivesThem) {
    const auto program = [](Rank& rank) {
        const int number = 1;
        if (rank.number == 0) PMPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    };
    EXPECT_THAT(job_of(2, program, all_by_rendezvous(0)), HasSubstr("never received"));
}

TEST(Requests, AreReportedIfTheyOverlapOrAreLeft) {
    const auto overlapping = [](Rank&) {
        int numbers[2] = {};
        MPI_Request requests[2];
        PMPI_Irecv(&numbers[0], 2, MPI_INT, 0, 0, MPI_COMM_WORLD, &requests[0]);
        PMPI_Irecv(&numbers[1], 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &requests[1]);
    };
    EXPECT_THAT(job_of(1, overlapping), HasSubstr("receive of tag 0 has under way"));
    const auto left = [](Rank&) {
        static int number = 0;
        MPI_Request request = MPI_REQUEST_NULL;
        PMPI_Irecv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    };
    EXPECT_THAT(job_of(1, left), HasSubstr("left a request"));
    const auto twice = [](Rank&) {
        MPI_Request request = MPI_REQUEST_NULL;
        const int number = 0;
        int copy = 0;
        PMPI_Isend(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        PMPI_Recv(&copy, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Request same = request;
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
        PMPI_Wait(&same, MPI_STATUS_IGNORE);
    };
    EXPECT_THAT(job_of(1, twice), HasSubstr("no more"));
}

TEST(Requests, CanBePolledForWhileTimePasses) {
    const auto program = [](Rank& rank) {
        int number = rank.number;
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank.number == 0) {
            rank.job.scheduler.sleep(1);
            PMPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            return;
        }
        PMPI_Irecv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        for (int done = 0; done == 0;) PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
        EXPECT_GE(PMPI_Wtime(), 1);
        EXPECT_EQ(number, 0);
    };
    EXPECT_THAT(job_of(2, program), IsEmpty());
}

/// What a type names, as text: "01-3" are its bytes 0, 1, 3 at those places.
std::vector<char> packed(MPI_Datatype type, int count) {
    std::vector<char> memory(64);
    std::iota(memory.begin(), memory.end(), 'A');
    std::vector<char> out(64);
    int position = 0;
    PMPI_Type_commit(&type);
    PMPI_Pack(memory.data(), count, type, out.data(), 64, &position, MPI_COMM_WORLD);
    out.resize(static_cast<std::size_t>(position));
    std::vector<char> back(64, '.');
    position = 0;
    PMPI_Unpack(out.data(), static_cast<int>(out.size()), &position, back.data(), count, type, MPI_COMM_WORLD);
    for (std::size_t i = 0; i < back.size(); ++i) EXPECT_TRUE(back[i] == '.' || back[i] == memory[i]);
    PMPI_Type_free(&type);
    return out;
}

TEST(Datatypes, NameBytesInTheOrderOfTheirTypeMap) {
    const auto program = [](Rank&) {
        const auto text = [](const std::vector<char>& bytes) { return std::string(bytes.begin(), bytes.end()); };
        MPI_Datatype type = MPI_DATATYPE_NULL;
        PMPI_Type_vector(2, 1, 3, MPI_BYTE, &type);
        EXPECT_EQ(text(packed(type, 2)), "ADEH");  // the extent is 4
        const int lengths[] = {1, 2};
        const MPI_Aint places[] = {5, 1};
        PMPI_Type_create_hindexed(2, lengths, places, MPI_BYTE, &type);
        EXPECT_EQ(text(packed(type, 2)), "FBCKGH");  // from 1 to 6: the extent is 5
        PMPI_Type_create_resized(MPI_BYTE, 0, 3, &type);
        EXPECT_EQ(text(packed(type, 3)), "ADG");
        const MPI_Datatype types[] = {MPI_BYTE, MPI_INT};
        PMPI_Type_create_struct(2, lengths, places, types, &type);
        EXPECT_EQ(text(packed(type, 1)), "FBCDEFGHI");
    };
    EXPECT_THAT(job_of(1, program), IsEmpty());
}

TEST(Datatypes, TellHowTheyWereMade) {
    const auto program = [](Rank&) {
        MPI_Datatype inner = MPI_DATATYPE_NULL;
        MPI_Datatype outer = MPI_DATATYPE_NULL;
        PMPI_Type_contiguous(3, MPI_INT, &inner);
        PMPI_Type_vector(2, 4, 5, inner, &outer);
        PMPI_Type_free(&inner);
        int counts[3] = {};
        int combiner = 0;
        PMPI_Type_get_envelope(outer, &counts[0], &counts[1], &counts[2], &combiner);
        EXPECT_EQ(combiner, MPI_COMBINER_VECTOR);
        int integers[3] = {};
        PMPI_Type_get_contents(outer, 3, 0, 1, integers, nullptr, &inner);
        EXPECT_EQ(integers[1], 4);
        int bytes = 0;
        PMPI_Type_size(inner, &bytes);
        EXPECT_EQ(bytes, 12);
        PMPI_Type_free(&inner);  // what was asked for is the caller's
        PMPI_Type_free(&outer);
    };
    EXPECT_THAT(job_of(1, program), IsEmpty());
    EXPECT_THAT(job_of(1,
                       [](Rank&) {
                           MPI_Datatype type = MPI_INT;
                           PMPI_Type_free(&type);
                       }),
                HasSubstr("predefined"));
}

/// Rank 0 sends 20 bytes, and rank 1 has room for so many of them in the middle of its memory.
std::string send_twenty(int room, const Habits& habits, std::vector<char>& memory, int& error) {
    memory.assign(60, 'x');
    const auto program = [&](Rank& rank) {
        const Within library(rank.in_library);
        PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        const std::vector<char> sent(20, 's');
        MPI_Request request = MPI_REQUEST_NULL;
        if (rank.number == 0) PMPI_Isend(sent.data(), 20, MPI_BYTE, 1, 0, MPI_COMM_WORLD, &request);
        if (rank.number == 1) PMPI_Irecv(memory.data() + 20, room, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &request);
        const int ended = PMPI_Wait(&request, MPI_STATUS_IGNORE);
        EXPECT_EQ(request, MPI_REQUEST_NULL);
        if (rank.number == 1) error = ended;
    };
    return job_of(2, program, habits);
}

TEST(Messages, ThatAreTooLongAreCutRunOverOrEndTheJob) {
    Habits habits;
    std::vector<char> memory;
    int error = MPI_SUCCESS;
    EXPECT_THAT(send_twenty(15, habits, memory, error), IsEmpty());
    EXPECT_EQ(error, MPI_ERR_TRUNCATE);
    EXPECT_EQ(std::string(memory.begin(), memory.end()),
              std::string(20, 'x') + std::string(15, 's') + std::string(25, 'x'));
    habits.overlong = Overlong::run_over;
    EXPECT_THAT(send_twenty(15, habits, memory, error), IsEmpty());
    EXPECT_EQ(error, MPI_ERR_TRUNCATE);
    EXPECT_EQ(std::count(memory.begin(), memory.end(), 's'), 20);
    habits.overlong = Overlong::fatal;
    EXPECT_THAT(send_twenty(15, habits, memory, error),
                HasSubstr("rank 1: the MPI ends the job, for 20 bytes have come from rank 0 to a receive of 15"));
    EXPECT_THAT(send_twenty(20, habits, memory, error), IsEmpty());
}

TEST(Messages, ThatAreLostLeaveMemoryAsItIs) {
    Habits habits;
    habits.faults = {{"Irecv", 1, 0, MPI_ERR_OTHER, Fault::How::lost}};
    std::vector<char> memory;
    int error = MPI_SUCCESS;
    EXPECT_THAT(send_twenty(20, habits, memory, error), IsEmpty());
    EXPECT_EQ(error, MPI_ERR_OTHER);
    EXPECT_EQ(std::count(memory.begin(), memory.end(), 's'), 0);
}

}  // namespace
}  // namespace simulator
