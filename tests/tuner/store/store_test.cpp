#include "tuner/store/store.hpp"

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "base/diagnostic.hpp"
#include "base/outside_failure.hpp"
#include "base/temporary_directory.hpp"

namespace bcastgen {
namespace {

namespace fs = std::filesystem;

Rule linear_from(int machines) {
    Rule row;
    row.machines_from = machines;
    row.messages = {{bcast::no_limit, bcast::Algorithm::linear, 8192}};
    return row;
}

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

TEST_F(Store, TellsLossAndHostsApart) {
    TuningStore store(file());
    StoredRun run = some_run();
    run.conditions.cluster = "emulated";
    run.conditions.loss = "0";
    const auto without = store.begin_run(run);
    EXPECT_EQ(store.run_to_resume(run.conditions), without);
    RunConditions lossy = run.conditions;
    lossy.loss = "0.1";
    RunConditions real = run.conditions;
    real.hosts = "real hosts";
    for (const auto& [other, message] :
         {std::pair(lossy, "loss is 0.1 now, was 0"), std::pair(real, "where ranks run is real hosts now, was -")}) {
        try {
            (void)store.run_to_resume(other);
            ADD_FAILURE() << "resumed where " << message;
        } catch (const InputErrors& errors) {
            EXPECT_EQ(errors.diagnostics().front().message, message);
        }
    }
    RunConditions version_unknown = run.conditions;
    version_unknown.mpi_version.clear();
    EXPECT_EQ(store.run_to_resume(version_unknown), without);
}

TEST_F(Store, ReadsAndWritesStoresThatKnowNeither) {
    {
        TuningStore store(file());
        store.begin_run(some_run());
    }
    sqlite3* database = nullptr;
    sqlite3_open(file().c_str(), &database);
    for (const char* column : {"loss", "hosts"}) {
        const std::string sql = std::string("ALTER TABLE runs DROP COLUMN ") + column;
        ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    }
    sqlite3_close(database);
    EXPECT_EQ(TuningStore(file(), StoreAccess::read).runs().at(0).conditions, some_run().conditions);
    TuningStore store(file());
    StoredRun lossy = some_run();
    lossy.conditions.loss = "0.25";
    store.begin_run(lossy);
    EXPECT_EQ(store.runs().at(0).conditions, some_run().conditions);
    EXPECT_EQ(store.runs().at(1).conditions.loss, "0.25");
}

TEST_F(Store, ReadsAndWritesStoresThatDoNotSayWhatRulesRestOn) {
    Rule rule = linear_from(2);
    rule.messages.back().grounds = Grounds::predicted;
    std::int64_t run = 0;
    {
        TuningStore store(file());
        run = store.begin_run(some_run());
        store.conclude(run, {rule}, {});
        EXPECT_EQ(store.rules(run).at(0).messages.back().grounds, Grounds::predicted);
    }
    sqlite3* database = nullptr;
    sqlite3_open(file().c_str(), &database);
    ASSERT_EQ(sqlite3_exec(database, "ALTER TABLE rules DROP COLUMN grounds", nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    EXPECT_EQ(TuningStore(file(), StoreAccess::read).rules(run).at(0).messages.back().grounds, Grounds::unknown);
    TuningStore store(file());
    store.conclude(run, {rule}, {});
    EXPECT_EQ(store.rules(run).at(0).messages.back().grounds, Grounds::predicted);
}

TEST_F(Store, ARunThatGoesOnHasNoResultYet) {
    TuningStore store(file());
    const auto run = store.begin_run(some_run());
    store.add_sample(run, some_sample(0));
    store.conclude(run, {linear_from(2)},
                   {{16, 1, "near", "balanced", 1 << 20, "linear", 8192, 200, 100, 2, 1.9, 2.1, true}});
    StoredRun other = some_run();
    other.settings = R"({"sizes":[2048]})";
    other.ranks_per_machine = "2";
    store.resume_run(run, other);
    const StoredRun stored = store.runs().at(0);
    EXPECT_EQ(stored.settings, other.settings);
    EXPECT_EQ(stored.ranks_per_machine, "2");
    EXPECT_EQ(stored.finished, "");
    EXPECT_TRUE(store.rules(run).empty());
    EXPECT_TRUE(store.validations(run).empty());
    EXPECT_EQ(store.samples(run).size(), 1U);
}

TEST_F(Store, OneProcessAtATimeAddsToARun) {
    int ready[2];
    int test_ends[2];
    ASSERT_EQ(pipe(ready), 0);
    ASSERT_EQ(pipe(test_ends), 0);
    const pid_t other = fork();
    if (other == 0) {
        TuningStore store(file());
        store.claim(store.begin_run(some_run()));
        store.add_sample(1, some_sample(0));
        close(test_ends[1]);
        char none = 0;
        const bool keeper = fork() == 0;  // as that of a lab, which outlives the tool for a while: it has no claim
        if (!keeper && write(ready[1], "!", 1) != 1) _exit(1);
        (void)!read(test_ends[0], &none, 1);
        _exit(0);
    }
    char byte = 0;
    ASSERT_EQ(read(ready[0], &byte, 1), 1);
    TuningStore store(file());
    try {
        store.claim(1);
        ADD_FAILURE() << "claimed what another process has";
    } catch (const OutsideFailure& failure) {
        EXPECT_EQ(failure.what(), file().string() + ": another bcastgen tune (process " + std::to_string(other) +
                                      ") is at work on run 1; wait for its end, or take another --db");
    }
    store.claim(store.begin_run(some_run()));  // beside it
    kill(other, SIGKILL);
    waitpid(other, nullptr, 0);
    store.claim(1);
    EXPECT_EQ(store.samples(1).size(), 1U);
    for (const int end : {ready[0], ready[1], test_ends[0], test_ends[1]}) close(end);
}

TEST_F(Store, KeepsTheLastConclusionOfARun) {
    TuningStore store(file());
    const auto run = store.begin_run(some_run());
    const Rule all = linear_from(9);
    StoredValidation won{16, 1, "near", "balanced", 1 << 20, "linear", 8192, 200, 100, 2, 1.9, 2.1, true};
    store.conclude(run, {all, all}, {won});
    Rule some = all;
    some.machines_to = 16;
    some.arrival = bcast::Arrival::imbalanced;
    some.messages.insert(some.messages.begin(), {65536, bcast::Algorithm::native, 0});
    store.conclude(run, {some, all, all}, {});
    EXPECT_EQ(store.rules(run), (std::vector<Rule>{some, all, all}));
    EXPECT_TRUE(store.validations(run).empty());
    EXPECT_EQ(store.runs().at(0).finished.size(), 20U);
}

TEST_F(Store, RefusesRulesThatItDoesNotKnow) {
    const auto refused = [&](const char* change, const std::string& what) {
        TuningStore store(file());
        const auto run = store.begin_run(some_run());
        store.conclude(run, {linear_from(2)}, {});
        sqlite3* database = nullptr;
        sqlite3_open(file().c_str(), &database);
        EXPECT_EQ(sqlite3_exec(database, change, nullptr, nullptr, nullptr), SQLITE_OK);
        sqlite3_close(database);
        try {
            (void)store.rules(run);
            ADD_FAILURE() << change;
        } catch (const InputErrors& errors) {
            EXPECT_EQ(errors.diagnostics().at(0).message, "run " + std::to_string(run) + " has a rule for \"" + what +
                                                              "\", which this bcastgen does not know");
        }
    };
    refused("UPDATE rules SET algorithm = 'quantum'", "quantum");
    refused("UPDATE rules SET arrival = 'never'", "never");
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
