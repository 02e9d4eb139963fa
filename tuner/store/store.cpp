#include "tuner/store/store.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <ctime>
#include <optional>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/names.hpp"
#include "base/outside_failure.hpp"
#include "bcast/facts/settings.hpp"
#include "tuner/measure/named_rules.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/store/database.hpp"

namespace bcastgen {

namespace {

// In a file's header, for file(1) and for us: that it is a store of ours, and of which version.
constexpr int application_id = 0x62636767;
constexpr int schema_version = 1;
constexpr int patience_ms = 10000;  // with a reader that holds the file

// docs/formats.md tells readers what the columns mean.
constexpr const char* schema = R"(
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    topology TEXT NOT NULL, plan_hash TEXT NOT NULL, library_hash TEXT NOT NULL,
    cluster TEXT NOT NULL, mpi TEXT NOT NULL, mpi_version TEXT NOT NULL,
    network TEXT NOT NULL, rate TEXT NOT NULL, root TEXT NOT NULL, machine_list TEXT NOT NULL,
    topology_yaml TEXT NOT NULL, ranks_per_machine TEXT NOT NULL, settings TEXT NOT NULL,
    started TEXT NOT NULL, finished TEXT NOT NULL DEFAULT '',
    loss TEXT NOT NULL DEFAULT '', hosts TEXT NOT NULL DEFAULT '');
CREATE TABLE placements (
    run_id INTEGER NOT NULL REFERENCES runs(id), machines INTEGER NOT NULL, placement TEXT NOT NULL,
    machine_list TEXT NOT NULL, PRIMARY KEY (run_id, machines, placement));
CREATE TABLE samples (
    id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES runs(id),
    machines INTEGER NOT NULL, ranks_per_machine INTEGER NOT NULL, placement TEXT NOT NULL, arrival TEXT NOT NULL,
    role TEXT NOT NULL, algorithm TEXT NOT NULL, segment_bytes INTEGER NOT NULL, message_bytes INTEGER NOT NULL,
    repetition INTEGER NOT NULL,
    completion_us REAL NOT NULL, per_node_us_mean REAL NOT NULL, per_node_us_worst REAL NOT NULL,
    osu_avg_us REAL NOT NULL, bytes_ok INTEGER NOT NULL, taken TEXT NOT NULL,
    UNIQUE (run_id, machines, ranks_per_machine, placement, arrival, role, algorithm, segment_bytes, message_bytes,
            repetition));
CREATE TABLE rules (
    id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES runs(id),
    machines_from INTEGER NOT NULL, machines_to INTEGER, ranks_per_machine_from INTEGER NOT NULL,
    ranks_per_machine_to INTEGER, arrival TEXT NOT NULL, up_to INTEGER, algorithm TEXT NOT NULL,
    segment_bytes INTEGER NOT NULL, grounds TEXT NOT NULL DEFAULT '');
CREATE TABLE validations (
    id INTEGER PRIMARY KEY, run_id INTEGER NOT NULL REFERENCES runs(id),
    machines INTEGER NOT NULL, ranks_per_machine INTEGER NOT NULL, placement TEXT NOT NULL, arrival TEXT NOT NULL,
    message_bytes INTEGER NOT NULL, algorithm TEXT NOT NULL, segment_bytes INTEGER NOT NULL,
    native_us REAL NOT NULL, chosen_us REAL NOT NULL,
    speed_up REAL NOT NULL, speed_up_low REAL NOT NULL, speed_up_high REAL NOT NULL, kept INTEGER NOT NULL);
)";

constexpr const char* run_columns =
    "topology, plan_hash, library_hash, cluster, mpi, mpi_version, network, rate, root, machine_list";
// These came when there were stores already. One that is written gets them; where one that is read lacks them they are
// not known, and empty.
constexpr std::array<const char*, 2> later_columns = {"loss", "hosts"};
constexpr const char* later_in_rules = "grounds";

std::string now_utc() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    gmtime_r(&now, &parts);
    char text[32];
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}

void execute(sqlite3* database, const std::string& sql) {
    if (sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) throw_database_error(database);
}

int number_of(sqlite3* database, const char* sql) {
    Statement statement(database, sql);
    int number = 0;
    if (statement.step()) statement.read(number);
    return number;
}

bool has_column(sqlite3* database, const char* table, const char* column) {
    Statement statement(database, fmt::format("SELECT 1 FROM pragma_table_info('{}') WHERE name = ?", table));
    return statement.bind(std::string(column)).step();
}

void add_column(sqlite3* database, const char* table, const char* column) {
    if (has_column(database, table, column)) return;
    execute(database, fmt::format("ALTER TABLE {} ADD COLUMN {} TEXT NOT NULL DEFAULT ''", table, column));
}

/// All or nothing, unless commit() is called.
class Transaction {
  public:
    explicit Transaction(sqlite3* database) : database_(database) { execute(database, "BEGIN IMMEDIATE"); }
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    ~Transaction() {
        if (open_) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
    }
    void commit() {
        execute(database_, "COMMIT");
        open_ = false;
    }

  private:
    sqlite3* database_;
    bool open_ = true;
};

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
    throw InputErrors({{file.string(), 0, 0, why, ""}});
}

/// Makes the tables of a new file that may be written; refuses one that is not a store of ours.
void expect_store(sqlite3* database, const std::filesystem::path& file, StoreAccess access) {
    if (number_of(database, "SELECT count(*) FROM sqlite_master") == 0 && access == StoreAccess::write) {
        execute(database, schema);
        execute(database, fmt::format("PRAGMA application_id = {}", application_id));
        execute(database, fmt::format("PRAGMA user_version = {}", schema_version));
    } else if (number_of(database, "PRAGMA application_id") != application_id) {
        refuse(file, "is an SQLite file, but not a store of bcastgen's; choose another file");
    } else if (const int version = number_of(database, "PRAGMA user_version"); version != schema_version) {
        refuse(file, fmt::format("is a store of version {}, and this bcastgen knows version {}; choose another file",
                                 version, schema_version));
    }
    if (access == StoreAccess::read) return;
    for (const char* column : later_columns) add_column(database, "runs", column);
    add_column(database, "rules", later_in_rules);
}

/// "the plan is 0123…, there it was 4567…" for each condition that differs.
std::vector<std::string> differences(const RunConditions& now, const RunConditions& then) {
    std::vector<std::string> found;
    const auto compare = [&](const char* what, const std::string& a, const std::string& b) {
        if (a != b)
            found.push_back(fmt::format("{} is {} now, was {}", what, a.empty() ? "-" : a, b.empty() ? "-" : b));
    };
    compare("topology", now.topology, then.topology);
    compare("plan", now.plan_hash, then.plan_hash);
    compare("library", now.library_hash, then.library_hash);
    compare("cluster", now.cluster, then.cluster);
    compare("MPI", now.mpi, then.mpi);
    if (!now.mpi_version.empty()) compare("MPI version", now.mpi_version, then.mpi_version);
    compare("network", now.network, then.network);
    compare("rate", now.rate, then.rate);
    compare("root", now.root, then.root);
    compare("machines", now.machine_list, then.machine_list);
    compare("loss", now.loss, then.loss);
    compare("where ranks run", now.hosts, then.hosts);
    return found;
}

/// A column's value; NULL for the number that stands for no end.
template <class Number>
std::optional<Number> unless(Number number, Number no_end) {
    return number == no_end ? std::nullopt : std::optional(number);
}

/// A line of the table `rules` is a message rule with its row; lines of one row follow each other.
void add_message(std::vector<Rule>& rules, Rule row, const MessageRule& message) {
    if (!rules.empty()) {
        row.messages = rules.back().messages;
        const bool is_open = row.messages.back().up_to < message.up_to;
        if (is_open && rules.back() == row) return rules.back().messages.push_back(message);
        row.messages.clear();
    }
    row.messages.push_back(message);
    rules.push_back(std::move(row));
}

void clear_result(sqlite3* database, std::int64_t run) {
    for (const char* table : {"rules", "validations"}) {
        Statement(database, fmt::format("DELETE FROM {} WHERE run_id = ?", table)).bind(run).step();
    }
}

}  // namespace

TuningStore::TuningStore(const std::filesystem::path& file, StoreAccess access) : file_(file) {
    const bool reading = access == StoreAccess::read;
    if (reading && !std::filesystem::is_regular_file(file))
        refuse(file, "is not a file; bcastgen tune --db writes one");
    const int mode = reading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    const int opened = sqlite3_open_v2(file.c_str(), &database_, mode, nullptr);
    try {
        if (opened != SQLITE_OK) {
            throw OutsideFailure(fmt::format("{}: {}", file.string(),
                                             database_ != nullptr ? sqlite3_errmsg(database_) : "not enough memory"));
        }
        sqlite3_busy_timeout(database_, patience_ms);
        if (sqlite3_exec(database_, "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr) == SQLITE_NOTADB) {
            refuse(file, "is not a store of bcastgen's; choose another file");
        }
        if (reading) {
            expect_store(database_, file, access);
            return;
        }
        // Readers may look while samples come, and a sample costs no wait for the disk.
        execute(database_, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
        Transaction transaction(database_);
        expect_store(database_, file, access);
        transaction.commit();
        writes_ = true;
    } catch (...) {
        sqlite3_close(database_);
        throw;
    }
}

TuningStore::~TuningStore() {
    // Else whoever reads the file later leaves two others beside it, or cannot read it where that is not allowed. While
    // somebody reads it this fails, and the next writer does it.
    sqlite3_busy_timeout(database_, 0);
    if (writes_) sqlite3_exec(database_, "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr);
    sqlite3_close(database_);
}

std::int64_t TuningStore::begin_run(const StoredRun& run) {
    const RunConditions& on = run.conditions;
    Statement insert(database_,
                     fmt::format("INSERT INTO runs ({}, {}, topology_yaml, ranks_per_machine, settings, started) "
                                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                 run_columns, fmt::join(later_columns, ", ")));
    insert.bind(on.topology, on.plan_hash, on.library_hash, on.cluster, on.mpi, on.mpi_version, on.network, on.rate,
                on.root, on.machine_list, on.loss, on.hosts, run.topology_yaml, run.ranks_per_machine, run.settings,
                now_utc());
    insert.step();
    return sqlite3_last_insert_rowid(database_);
}

std::vector<StoredRun> TuningStore::runs() {
    std::string later;
    for (const char* column : later_columns)
        later += (has_column(database_, "runs", column) ? column : "''") + std::string(", ");
    Statement select(database_, fmt::format("SELECT id, {}, {} topology_yaml, ranks_per_machine, settings, started, "
                                            "finished FROM runs ORDER BY id",
                                            run_columns, later));
    std::vector<StoredRun> found;
    while (select.step()) {
        StoredRun run;
        RunConditions& on = run.conditions;
        select.read(run.id, on.topology, on.plan_hash, on.library_hash, on.cluster, on.mpi, on.mpi_version, on.network,
                    on.rate, on.root, on.machine_list, on.loss, on.hosts, run.topology_yaml, run.ranks_per_machine,
                    run.settings, run.started, run.finished);
        found.push_back(run);
    }
    return found;
}

std::optional<std::int64_t> TuningStore::run_to_resume(const RunConditions& conditions) {
    const std::vector<StoredRun> all = runs();
    if (all.empty()) return std::nullopt;
    std::vector<std::string> least;
    for (auto run = all.rbegin(); run != all.rend(); ++run) {
        const std::vector<std::string> found = differences(conditions, run->conditions);
        if (found.empty()) return run->id;
        if (least.empty() || found.size() < least.size()) least = found;
    }
    std::vector<Diagnostic> errors;
    for (const std::string& difference : least) errors.push_back({file_.string(), 0, 0, difference, ""});
    errors.push_back({file_.string(), 0, 0,
                      "its samples were taken on something else and are not mixed with others: without --resume a new "
                      "run begins beside them, or choose another --db",
                      ""});
    throw InputErrors(errors);
}

void TuningStore::resume_run(std::int64_t id, const StoredRun& run) {
    Transaction transaction(database_);
    clear_result(database_, id);
    Statement(database_,
              "UPDATE runs SET topology_yaml = ?, ranks_per_machine = ?, settings = ?, finished = '' WHERE id = ?")
        .bind(run.topology_yaml, run.ranks_per_machine, run.settings, id)
        .step();
    transaction.commit();
}

void TuningStore::add_sample(std::int64_t run, const StoredSample& stored) {
    const SampleKey& key = stored.key;
    const Sample& sample = stored.sample;
    Statement insert(
        database_,
        "INSERT INTO samples (run_id, machines, ranks_per_machine, placement, arrival, role, algorithm, segment_bytes, "
        "message_bytes, repetition, completion_us, per_node_us_mean, per_node_us_worst, osu_avg_us, bytes_ok, taken) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    insert.bind(run, key.machines, key.ranks_per_machine, key.placement, key.arrival, key.role, key.one.algorithm,
                key.one.segment_bytes, key.one.message_bytes, key.repetition, sample.completion_us,
                sample.per_node_mean_us, sample.per_node_worst_us, sample.osu_avg_us, sample.bytes_ok ? 1 : 0,
                now_utc());
    insert.step();
}

std::vector<StoredSample> TuningStore::samples(std::int64_t run) {
    Statement select(
        database_,
        "SELECT machines, ranks_per_machine, placement, arrival, role, algorithm, segment_bytes, message_bytes, "
        "repetition, completion_us, per_node_us_mean, per_node_us_worst, osu_avg_us, bytes_ok FROM samples "
        "WHERE run_id = ? ORDER BY id");
    select.bind(run);
    std::vector<StoredSample> found;
    while (select.step()) {
        StoredSample stored;
        SampleKey& key = stored.key;
        Sample& sample = stored.sample;
        int ok = 0;
        select.read(key.machines, key.ranks_per_machine, key.placement, key.arrival, key.role, key.one.algorithm,
                    key.one.segment_bytes, key.one.message_bytes, key.repetition, sample.completion_us,
                    sample.per_node_mean_us, sample.per_node_worst_us, sample.osu_avg_us, ok);
        sample.segment_bytes = key.one.segment_bytes;
        sample.bytes_ok = ok == 1;
        found.push_back(stored);
    }
    return found;
}

void TuningStore::set_placement(std::int64_t run, int machines, const std::string& placement,
                                const std::string& machine_list) {
    Statement(database_, "INSERT OR REPLACE INTO placements VALUES (?, ?, ?, ?)")
        .bind(run, machines, placement, machine_list)
        .step();
}

std::vector<StoredPlacement> TuningStore::placements(std::int64_t run) {
    Statement select(database_,
                     "SELECT machines, placement, machine_list FROM placements WHERE run_id = ? ORDER BY machines, "
                     "placement");
    select.bind(run);
    std::vector<StoredPlacement> found;
    while (select.step()) {
        StoredPlacement one;
        select.read(one.machines, one.placement, one.machine_list);
        found.push_back(one);
    }
    return found;
}

void TuningStore::conclude(std::int64_t run, const std::vector<Rule>& rules,
                           const std::vector<StoredValidation>& validations) {
    Transaction transaction(database_);
    clear_result(database_, run);
    for (const Rule& rule : rules) {
        for (const MessageRule& message : rule.messages) {
            Statement(database_, "INSERT INTO rules VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
                .bind(run, rule.machines_from, unless(rule.machines_to, bcast::any_number), rule.ranks_per_machine_from,
                      unless(rule.ranks_per_machine_to, bcast::any_number), std::string(bcast::name_of(rule.arrival)),
                      unless<std::uint64_t>(message.up_to, bcast::no_limit), measured_name(message),
                      message.segment_bytes, std::string(name_of(message.grounds)))
                .step();
        }
    }
    for (const StoredValidation& one : validations) {
        Statement(database_, "INSERT INTO validations VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(run, one.machines, one.ranks_per_machine, one.placement, one.arrival, one.message_bytes,
                  one.algorithm, one.segment_bytes, one.native_us, one.chosen_us, one.speed_up, one.speed_up_low,
                  one.speed_up_high, one.kept ? 1 : 0)
            .step();
    }
    Statement(database_, "UPDATE runs SET finished = ? WHERE id = ?").bind(now_utc(), run).step();
    transaction.commit();
}

std::vector<Rule> TuningStore::rules(std::int64_t run) {
    Statement select(database_,
                     fmt::format("SELECT machines_from, machines_to, ranks_per_machine_from, ranks_per_machine_to, "
                                 "arrival, up_to, algorithm, segment_bytes, {} FROM rules WHERE run_id = ? ORDER BY id",
                                 has_column(database_, "rules", later_in_rules) ? later_in_rules : "''"));
    select.bind(run);
    std::vector<Rule> found;
    while (select.step()) {
        Rule row;
        std::optional<int> machines_to;
        std::optional<int> ranks_per_machine_to;
        std::optional<std::uint64_t> up_to;
        std::string arrival;
        std::string algorithm;
        std::string grounds;
        std::uint64_t segment_bytes = 0;
        select.read(row.machines_from, machines_to, row.ranks_per_machine_from, ranks_per_machine_to, arrival, up_to,
                    algorithm, segment_bytes, grounds);
        row.machines_to = machines_to.value_or(bcast::any_number);
        row.ranks_per_machine_to = ranks_per_machine_to.value_or(bcast::any_number);
        const std::optional<bcast::Arrival> regime = parse_arrival(arrival);
        std::optional<MessageRule> known = named_rule(algorithm);
        if (!regime || !known) {
            refuse(file_, fmt::format("run {} has a rule for {}, which this bcastgen does not know", run,
                                      in_quotes(regime ? algorithm : arrival)));
        }
        row.arrival = *regime;
        known->up_to = up_to.value_or(bcast::no_limit);
        known->segment_bytes = segment_bytes;
        known->grounds = parse_grounds(grounds).value_or(Grounds::unknown);
        add_message(found, std::move(row), *known);
    }
    return found;
}

std::vector<StoredValidation> TuningStore::validations(std::int64_t run) {
    Statement select(database_,
                     "SELECT machines, ranks_per_machine, placement, arrival, message_bytes, algorithm, segment_bytes, "
                     "native_us, chosen_us, speed_up, speed_up_low, speed_up_high, kept FROM validations "
                     "WHERE run_id = ? ORDER BY id");
    select.bind(run);
    std::vector<StoredValidation> found;
    while (select.step()) {
        StoredValidation one;
        int kept = 0;
        select.read(one.machines, one.ranks_per_machine, one.placement, one.arrival, one.message_bytes, one.algorithm,
                    one.segment_bytes, one.native_us, one.chosen_us, one.speed_up, one.speed_up_low, one.speed_up_high,
                    kept);
        one.kept = kept == 1;
        found.push_back(one);
    }
    return found;
}

}  // namespace bcastgen
