#include "tuner/measure/measurement.hpp"

#include <gtest/gtest.h>

#include "base/outside_failure.hpp"
#include "base/temporary_directory.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

TEST(MpiVersion, IsTheMpisOwnWordsInShort) {
    EXPECT_EQ(version_in("Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4"), "Open MPI v4.1.4");
    EXPECT_EQ(version_in("MPICH Version:\t4.0.2 MPICH Device:\tch4:ucx MPICH configure:\t--prefix=/usr CFLAGS= --x,y "),
              "MPICH Version: 4.0.2 MPICH Device: ch4:ucx");
}

/// Says what it is told to, in place of ranks.
class SpokenCluster : public Cluster {
  public:
    [[nodiscard]] std::string name() const override { return "spoken"; }
    [[nodiscard]] std::string mpi() const override { return "mpich"; }
    void prepare() override {}
    std::filesystem::path compile(const ProgramSources& program) override { return program.name; }
    JobOutcome run(const Job& job) override {
        limit = job.silence_limit;
        for (const std::string& line : lines) job.on_line(line);
        return outcome;
    }
    void clean_up() override {}

    std::vector<std::string> lines;
    JobOutcome outcome;
    std::chrono::seconds limit{};
};

class MeasurementTest : public ::testing::Test {
  protected:
    MeasurementTest() {
        request_.machines = {0, 1, 2};
        request_.repetitions = 2;
        request_.cases = {{"linear", 8192, 1 << 20}};
        cluster_.lines = {"warm-up", "clock 0.000", "sample 0 4 3 2 1 8192 1", "sample 0 5 3 2 1 8192 1"};
    }

    std::vector<std::vector<Sample>> measured() {
        return measure(cluster_, network_, "program", directory_.path(), request_, {});
    }

    std::string complaint() {
        try {
            measured();
        } catch (const OutsideFailure& failure) {
            return failure.what();
        }
        return "";
    }

    Network network_ = testing::make_network(1, {}, {0, 0, 0});
    MeasureRequest request_;
    SpokenCluster cluster_;
    TemporaryDirectory directory_{std::filesystem::temp_directory_path()};
};

TEST_F(MeasurementTest, ReadsSamplesAndNothingElse) {
    const auto samples = measured();
    ASSERT_EQ(samples.size(), 1U);
    ASSERT_EQ(samples[0].size(), 2U);
    EXPECT_EQ(samples[0][1].completion_us, 5);
    EXPECT_TRUE(samples[0][1].bytes_ok);
}

TEST_F(MeasurementTest, KeepsWhatWasMeasuredBeforeAHangAtTheEnd) {
    cluster_.outcome.timed_out = true;
    cluster_.outcome.exit_code = 143;
    EXPECT_EQ(measured()[0].size(), 2U);
}

TEST_F(MeasurementTest, SaysWhenAJobHangsOrFails) {
    cluster_.outcome.exit_code = 9;
    cluster_.outcome.errors = "rank 2 fell over";
    EXPECT_EQ(complaint(), "the measuring program failed on the spoken cluster (result 9). rank 2 fell over");
    cluster_.lines.pop_back();
    cluster_.outcome.exit_code = 0;
    EXPECT_EQ(complaint(), "the measuring program failed on the spoken cluster (result 0). rank 2 fell over");
    cluster_.outcome.timed_out = true;
    EXPECT_EQ(complaint().find("the measuring program said nothing for"), 0U) << complaint();
    request_.time_limit = std::chrono::seconds(50);
    EXPECT_EQ(complaint().find("the measuring program did not end within 50 s, or said nothing for"), 0U)
        << complaint();
}

TEST_F(MeasurementTest, WaitsLongerForSlowerMachines) {
    measured();
    const std::chrono::seconds before = cluster_.limit;
    network_.machines[1].port.bandwidth_Bps /= 1000;
    measured();
    EXPECT_GT(cluster_.limit, before + std::chrono::seconds(60));
}

}  // namespace
}  // namespace bcastgen
