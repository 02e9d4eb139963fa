#include "tuner/clusters/slurm_script.hpp"

#include <gtest/gtest.h>

#include "base/process.hpp"
#include "base/temporary_directory.hpp"
#include "base/text_file.hpp"
#include "tuner/clusters/slurm.hpp"

namespace bcastgen {
namespace {

TEST(SlurmScript, AsksForItsHostsAndRunsTheCommandOnThem) {
    BatchJob job;
    job.hosts = {"n0", "n1", "n2", "n7"};
    job.ranks_per_host = 2;
    job.time_limit = std::chrono::seconds(61);
    job.environment = {{"A", "it's"}, {"B", ""}};
    job.words = {"srun", "pro gram", "$x"};
    job.directory = "/home/me/dir";
    EXPECT_EQ(batch_script(job), R"(#!/bin/sh
#SBATCH --job-name=bcastgen
#SBATCH --nodes=4
#SBATCH --nodelist=n[0-2,7]
#SBATCH --ntasks-per-node=2
#SBATCH --exclusive
#SBATCH --no-requeue
#SBATCH --output=/dev/null
#SBATCH --time=2
cd /home/me/dir || exit
exec >slurm.out 2>slurm.err
export A='it'\''s'
unset B
srun 'pro gram' '$x'
echo $? >slurm.result.new
mv slurm.result.new slurm.result
)");
    job.time_limit = {};
    EXPECT_EQ(batch_script(job).find("--time"), std::string::npos);
}

TEST(SlurmScript, HandsWordsAndEnvironmentOnAsTheyAre) {
    const TemporaryDirectory directory{std::filesystem::temp_directory_path()};
    BatchJob job;
    job.hosts = {"n0"};
    job.directory = directory.path() / "a 'b'";
    std::filesystem::create_directory(job.directory);
    job.environment = {{"A", "x\"$HOME'\ny"}};
    job.words = {"sh", "-c", "printf %s \"$A|$1\"; exit 7", "sh", "`false`"};
    write_file(directory.path() / "job", batch_script(job));
    EXPECT_EQ(run_command({{"sh", (directory.path() / "job").string()}, {}, {}, {}, {}}).exit_code, 0);
    const auto text = [&](const char* file) {
        return run_command({{"cat", (job.directory / file).string()}, {}, {}, {}, {}}).output;
    };
    EXPECT_EQ(text(batch_output_file), "x\"$HOME'\ny|`false`");
    EXPECT_EQ(text(batch_result_file), "7\n");
}

TEST(SlurmTime, IsReadAsSqueueWritesIt) {
    const auto seconds = [](const char* text) {
        const auto time = parse_slurm_time(text);
        return time ? time->count() : -1;
    };
    EXPECT_EQ(seconds("0:05"), 5);
    EXPECT_EQ(seconds("59:59"), 3599);
    EXPECT_EQ(seconds("2:00:01"), 7201);
    EXPECT_EQ(seconds("3-01:00:00"), 3 * 86400 + 3600);
    for (const char* other : {"", "UNLIMITED", "INVALID", "12", "1:2:3:4", "-1:00", "a:b", "1:", "-", "1-"}) {
        EXPECT_EQ(seconds(other), -1) << other;
    }
}

}  // namespace
}  // namespace bcastgen
