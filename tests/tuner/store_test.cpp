#include "store.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "diagnostic.hpp"
#include "outside_failure.hpp"
#include "temporary_directory.hpp"

namespace bcastgen {
namespace {

namespace fs = std::filesystem;

class Store : public ::testing::Test {
  protected:
    [[nodiscard]] fs::path file() const { return directory_.path() / "tuning.db"; }

  private:
    TemporaryDirectory directory_{fs::temp_directory_path()};
};

StoredRun some_run() {
    StoredRun run;
    run.conditions = {"fsu-1", "0123456789abcdef", "fedcba9876543210", "simulated", "mpich", "SMPI 3.32", "default", "",
                      "n0",    "n[0-15]"};
    run.topology_yaml = "name: fsu-1\n";
    run.ranks_per_machine = "1,4";
    run.settings = R"({"sizes":[1024]})";
    return run;
}

StoredSample some_sample(int repetition) {
    StoredSample stored;
    stored.key = {16, 4, "near", "balanced", "search", {"two-tree", 8192, 1 << 20}, repetition};
    stored.sample = {95000.125, 90000.5, 94000.25, 90000.75, 8192, true};
    return stored;
}

TEST_F(Store, GivesBackWhatWasPutIn) {
    TuningStore store(file());
    const auto run = store.begin_run(some_run());
    for (int repetition = 0; repetition < 3; ++repetition) store.add_sample(run, some_sample(repetition));
    const auto samples = TuningStore(file()).samples(run);
    ASSERT_EQ(samples.size(), 3U);
    const auto& [key, sample] = samples[2];
    EXPECT_EQ(key.machines, 16);
    EXPECT_EQ(key.ranks_per_machine, 4);
    EXPECT_EQ(key.placement, "near");
    EXPECT_EQ(key.arrival, "balanced");
    EXPECT_EQ(key.role, "search");
    EXPECT_TRUE((key.one == MeasureCase{"two-tree", 8192, 1 << 20}));
    EXPECT_EQ(key.repetition, 2);
    EXPECT_EQ(sample.completion_us, 95000.125);
    EXPECT_EQ(sample.per_node_mean_us, 90000.5);
    EXPECT_EQ(sample.per_node_worst_us, 94000.25);
    EXPECT_EQ(sample.osu_avg_us, 90000.75);
    EXPECT_EQ(sample.segment_bytes, 8192U);
    EXPECT_TRUE(sample.bytes_ok);
    const StoredRun stored = store.runs().at(0);
    EXPECT_EQ(stored.conditions, some_run().conditions);
    EXPECT_EQ(stored.topology_yaml, "name: fsu-1\n");
    EXPECT_EQ(stored.settings, R"({"sizes":[1024]})");
    EXPECT_EQ(stored.started.size(), 20U);
    EXPECT_EQ(stored.finished, "");
}

TEST_F(Store, LeavesOneFileAlsoWhereItIsRead) {
    { TuningStore(file()).begin_run(some_run()); }
    EXPECT_EQ(TuningStore(file(), StoreAccess::read).runs().size(), 1U);
    EXPECT_FALSE(fs::exists(file().string() + "-wal"));
    EXPECT_FALSE(fs::exists(file().string() + "-shm"));
}

TEST_F(Store, TakesNoSampleTwice) {
    TuningStore store(file());
    const auto run = store.begin_run(some_run());
    store.add_sample(run, some_sample(0));
    EXPECT_THROW(store.add_sample(run, some_sample(0)), OutsideFailure);
    EXPECT_EQ(store.samples(run).size(), 1U);
}

TEST_F(Store, LosesNothingOfAKilledWriter) {
    const pid_t writer = fork();
    if (writer == 0) {
        TuningStore store(file());
        const auto run = store.begin_run(some_run());
        for (int repetition = 0; repetition < 50; ++repetition) store.add_sample(run, some_sample(repetition));
        raise(SIGKILL);
    }
    int status = 0;
    waitpid(writer, &status, 0);
    ASSERT_TRUE(WIFSIGNALED(status));
    TuningStore store(file());
    EXPECT_EQ(store.samples(store.runs().at(0).id).size(), 50U);
}

TEST_F(Store, ResumesOnlyWhatWasMeasuredOnTheSame) {
    TuningStore store(file());
    EXPECT_FALSE(store.run_to_resume(some_run().conditions));
    const auto first = store.begin_run(some_run());
    EXPECT_EQ(store.run_to_resume(some_run().conditions), first);
    RunConditions other = some_run().conditions;
    other.plan_hash = "00000000deadbeef";
    other.mpi = "openmpi";
    try {
        (void)store.run_to_resume(other);
        FAIL() << "resumed what was measured with another MPI";
    } catch (const InputErrors& errors) {
        ASSERT_EQ(errors.diagnostics().size(), 3U);
        EXPECT_EQ(errors.diagnostics()[0].message, "plan is 00000000deadbeef now, was 0123456789abcdef");
        EXPECT_EQ(errors.diagnostics()[1].message, "MPI is openmpi now, was mpich");
    }
    StoredRun beside = some_run();
    beside.conditions = other;
    const auto second = store.begin_run(beside);
    store.add_sample(second, some_sample(0));
    EXPECT_EQ(store.run_to_resume(some_run().conditions), first);
    EXPECT_TRUE(store.samples(first).empty());
}

TEST_F(Store, KeepsTheLastConclusionOfARun) {
    TuningStore store(file());
    const auto run = store.begin_run(some_run());
    StoredRule all{9, std::nullopt, 1, std::nullopt, "balanced", std::nullopt, "linear", 8192};
    StoredValidation won{16, 1, "near", "balanced", 1 << 20, "linear", 8192, 200, 100, 2, 1.9, 2.1, true};
    store.conclude(run, {all, all}, {won});
    StoredRule some = all;
    some.up_to = 65536;
    some.machines_to = 16;
    store.conclude(run, {some, all}, {});
    const auto rules = store.rules(run);
    ASSERT_EQ(rules.size(), 2U);
    EXPECT_EQ(rules[0].up_to, 65536U);
    EXPECT_EQ(rules[0].machines_to, 16);
    EXPECT_FALSE(rules[1].up_to);
    EXPECT_FALSE(rules[1].machines_to);
    EXPECT_EQ(rules[1].algorithm, "linear");
    EXPECT_TRUE(store.validations(run).empty());
    EXPECT_EQ(store.runs().at(0).finished.size(), 20U);
}

TEST_F(Store, RefusesOtherFiles) {
    std::ofstream(file()) << "format: bcastgen-tuning/1\ntopology: fsu-1\nrules: [and enough text for a header of it]\n"
                             "a b c d e f g h i j k l m n o p q r s t u v w x y z\n";
    EXPECT_THROW(TuningStore{file()}, InputErrors);
    fs::remove(file());
    sqlite3* database = nullptr;
    sqlite3_open(file().c_str(), &database);
    sqlite3_exec(database, "CREATE TABLE photos (name TEXT)", nullptr, nullptr, nullptr);
    sqlite3_close(database);
    EXPECT_THROW(TuningStore{file()}, InputErrors);
    EXPECT_THROW(TuningStore{file() / "below" / "a.db"}, OutsideFailure);
}

TEST_F(Store, RefusesANewerVersion) {
    { TuningStore store(file()); }
    sqlite3* database = nullptr;
    sqlite3_open(file().c_str(), &database);
    sqlite3_exec(database, "PRAGMA user_version = 2", nullptr, nullptr, nullptr);
    sqlite3_close(database);
    EXPECT_THROW(TuningStore{file()}, InputErrors);
}

}  // namespace
}  // namespace bcastgen
