#include "audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <unordered_map>

#include "code_comparison.hpp"
#include "default_table.hpp"
#include "expectation.hpp"
#include "read_back.hpp"
#include "site_plan.hpp"
#include "site_proof.hpp"

namespace bcastgen {

namespace {

// The fields of bcast::Site, in its order (templates/bcast/site.hpp).
enum SiteField : std::size_t {
    name,
    plan_hash,
    tuning_hash,
    machine_names,
    machine_switch,
    switches,
    switch_links,
    baked_sets,
    rules,
    link_speeds,
    port_speed,
    site_fields
};

using Show = Expectation::Show;

Expectation expect_machine_names(const Network& network, const SitePlan& plan) {
    std::vector<std::pair<std::string, int>> names;
    for (std::size_t number = 0; number < plan.machines.size(); ++number) {
        names.emplace_back(network.machines[static_cast<std::size_t>(plan.machines[number])].name,
                           static_cast<int>(number));
    }
    std::sort(names.begin(), names.end());
    std::vector<Expectation> rows;
    for (std::size_t row = 0; row < names.size(); ++row) {
        rows.push_back(expect_list(fmt::format("[{}]", row), {expect_text(".name", names[row].first),
                                                              expect_number(".machine", names[row].second)}));
    }
    return expect_list("", std::move(rows));
}

Expectation expect_sets(const SitePlan& plan) {
    std::vector<Expectation> sets;
    for (std::size_t set = 0; set < plan.sets.size(); ++set) {
        std::vector<Expectation> roots;
        for (std::size_t at = 0; at < plan.sets[set].roots.size(); ++at) {
            const BakedRootPlan& root = plan.sets[set].roots[at];
            std::vector<Expectation> trees;
            for (std::size_t tree = 0; tree < root.trees.size(); ++tree) {
                const BakedTreePlan& baked = root.trees[tree];
                trees.push_back(
                    expect_list(fmt::format("[{}]", tree),
                                {expect_number(".algorithm", static_cast<int>(baked.algorithm), Show::algorithm),
                                 expect_numbers(".parent", baked.parent), expect_numbers(".turn", baked.turn)}));
            }
            roots.push_back(expect_list(fmt::format("[{}]", at),
                                        {expect_number(".sw", root.sw), expect_numbers(".order", root.order),
                                         expect_list(".trees", std::move(trees))}));
        }
        const std::string& called = plan.sets[set].name;
        sets.push_back(expect_list(fmt::format("[{}]", set),
                                   {expect_text(".name", called.empty() ? "all machines" : "partition " + called),
                                    expect_list(".roots", std::move(roots))}));
    }
    return expect_list("", std::move(sets));
}

Expectation expect_links(const SitePlan& plan) {
    std::vector<Expectation> links;
    for (std::size_t link = 0; link < plan.switch_links.size(); ++link) {
        const auto& [a, b] = plan.switch_links[link];
        links.push_back(expect_list(
            fmt::format("[{}]", link),
            {expect_number(".a", a), expect_number(".b", b), expect_number(".speed", plan.switch_link_speed[link])}));
    }
    return expect_list("", std::move(links));
}

Expectation expect_speeds(const SitePlan& plan) {
    std::vector<Expectation> speeds;
    for (std::size_t speed = 0; speed < plan.link_speeds.size(); ++speed) {
        speeds.push_back(expect_list(fmt::format("[{}]", speed),
                                     {expect_number(".bandwidth_Bps", plan.link_speeds[speed].bandwidth_Bps),
                                      expect_number(".latency_ns", plan.link_speeds[speed].latency_ns)}));
    }
    return expect_list("", std::move(speeds));
}

/// No table if all ports have the first speed.
Expectation expect_port_speeds(const SitePlan& plan) {
    const bool first =
        std::all_of(plan.port_speed.begin(), plan.port_speed.end(), [](int speed) { return speed == 0; });
    return expect_numbers("", first ? std::vector<int>{} : plan.port_speed);
}

std::vector<int> numbers_of(const Fact& fact) {
    std::vector<int> numbers;
    for (const Fact& item : fact.items) numbers.push_back(static_cast<int>(item.number));
    return numbers;
}

/// The plan that the code holds, for code whose facts have the right shape.
SitePlan plan_of(const Fact& site, const Network& network) {
    std::unordered_map<std::string, int> machine_index;
    for (const Machine& machine : network.machines)
        machine_index.emplace(machine.name, static_cast<int>(machine_index.size()));
    SitePlan plan;
    plan.machines.resize(site.items[machine_names].items.size());
    for (const Fact& row : site.items[machine_names].items) {
        plan.machines.at(static_cast<std::size_t>(row.items[1].number)) = machine_index.at(row.items[0].text);
    }
    plan.machine_switch = numbers_of(site.items[machine_switch]);
    for (const Fact& link : site.items[switch_links].items) {
        plan.switch_links.emplace_back(link.items[0].number, link.items[1].number);
        plan.switch_link_speed.push_back(static_cast<int>(link.items[2].number));
    }
    for (const Fact& speed : site.items[link_speeds].items) {
        plan.link_speeds.push_back({speed.items[0].number, speed.items[1].number});
    }
    plan.port_speed = numbers_of(site.items[port_speed]);
    plan.port_speed.resize(plan.machines.size(), 0);
    for (const Fact& set : site.items[baked_sets].items) {
        BakedSetPlan baked{set.items[0].text == "all machines" ? "" : set.items[0].text, {}};
        for (const Fact& root : set.items[1].items) {
            BakedRootPlan from{static_cast<int>(root.items[0].number), numbers_of(root.items[1]), {}};
            for (const Fact& tree : root.items[2].items) {
                from.trees.push_back({static_cast<bcast::Algorithm>(tree.items[0].number), numbers_of(tree.items[1]),
                                      numbers_of(tree.items[2])});
            }
            baked.roots.push_back(std::move(from));
        }
        plan.sets.push_back(std::move(baked));
    }
    return plan;
}

bool is_row(const Fact& fact, std::size_t fields) {
    return fact.kind == Fact::Kind::list && fact.items.size() == fields;
}

/// A message rule; what makes no sense is reported.
MessageRule read_message(const Fact& row, std::size_t smallest, const std::string& where, const ReportFact& report) {
    MessageRule message;
    message.up_to = static_cast<std::size_t>(row.items[0].number);
    if (message.up_to < smallest) {
        report(row.items[0].place,
               fmt::format("{}.up_to: expected at least {}, found {}: no message is left for this rule", where,
                           smallest, message.up_to));
    }
    const std::int64_t algorithm = row.items[1].number;
    if (algorithm < 0 || algorithm >= static_cast<std::int64_t>(bcast::algorithm_count)) {
        report(row.items[1].place, fmt::format("{}.algorithm: expected an algorithm, found {}", where, algorithm));
    } else {
        message.algorithm = static_cast<bcast::Algorithm>(algorithm);
    }
    message.segment_bytes = static_cast<std::size_t>(row.items[2].number);
    if (message.segment_bytes > message.up_to) {
        report(row.items[2].place, fmt::format("{}.segment_bytes: expected at most the largest message, {}, found {}",
                                               where, message.up_to, message.segment_bytes));
    }
    return message;
}

/// The decision table; what no table can be is reported.
DecisionTable read_table(const Fact& fact, const ReportFact& report) {
    DecisionTable table;
    for (std::size_t number = 0; number < fact.items.size(); ++number) {
        const Fact& row = fact.items[number];
        if (!is_row(row, 6) || row.items[5].items.empty()) {
            report(row.place, fmt::format("rules[{}]: expected a row with messages, found none", number));
            continue;
        }
        TableRule rule;
        rule.machines_from = static_cast<int>(row.items[0].number);
        rule.machines_to = static_cast<int>(row.items[1].number);
        rule.ranks_per_machine_from = static_cast<int>(row.items[2].number);
        rule.ranks_per_machine_to = static_cast<int>(row.items[3].number);
        rule.arrival = static_cast<bcast::Arrival>(row.items[4].number);
        if (rule.machines_to < rule.machines_from || rule.ranks_per_machine_to < rule.ranks_per_machine_from) {
            report(row.place,
                   fmt::format("rules[{}]: expected ranges that end after they start, found {} to {} machines "
                               "and {} to {} ranks",
                               number, rule.machines_from, rule.machines_to, rule.ranks_per_machine_from,
                               rule.ranks_per_machine_to));
        }
        std::size_t smallest = 1;
        for (std::size_t at = 0; at < row.items[5].items.size(); ++at) {
            const std::string where = fmt::format("rules[{}].messages[{}]", number, at);
            const Fact& message = row.items[5].items[at];
            if (!is_row(message, 3)) {
                report(message.place, where + ": expected a rule, found none");
                continue;
            }
            rule.messages.push_back(read_message(message, smallest, where, report));
            const std::size_t up_to = rule.messages.back().up_to;
            smallest = up_to == bcast::no_limit ? up_to : up_to + 1;
        }
        if (!rule.messages.empty() && rule.messages.back().up_to != bcast::no_limit) {
            report(row.items[5].items.back().place,
                   fmt::format("rules[{}].messages: expected a last rule for any size, found one up to {}", number,
                               rule.messages.back().up_to));
        }
        table.rules.push_back(std::move(rule));
    }
    return table;
}

std::int64_t signed_size(std::size_t bytes) {
    return static_cast<std::int64_t>(bytes);
}

Expectation expect_rules(const DecisionTable& table) {
    std::vector<Expectation> rows;
    for (std::size_t number = 0; number < table.rules.size(); ++number) {
        const TableRule& rule = table.rules[number];
        std::vector<Expectation> messages;
        for (std::size_t at = 0; at < rule.messages.size(); ++at) {
            const MessageRule& message = rule.messages[at];
            messages.push_back(
                expect_list(fmt::format("[{}]", at),
                            {expect_number(".up_to", signed_size(message.up_to)),
                             expect_number(".algorithm", static_cast<int>(message.algorithm), Show::algorithm),
                             expect_number(".segment_bytes", signed_size(message.segment_bytes))}));
        }
        rows.push_back(expect_list(
            fmt::format("[{}]", number),
            {expect_number(".machines_from", rule.machines_from), expect_number(".machines_to", rule.machines_to),
             expect_number(".ranks_per_machine_from", rule.ranks_per_machine_from),
             expect_number(".ranks_per_machine_to", rule.ranks_per_machine_to),
             expect_number(".arrival", static_cast<int>(rule.arrival)),
             expect_list(".messages", std::move(messages))}));
    }
    return expect_list("", std::move(rows));
}

class Auditor {
  public:
    Auditor(const std::vector<EmittedFile>& files, const std::string& directory, const Network& network)
        : files_(files), directory_(directory), network_(network) {}

    Audit run(const DecisionTable* table, const std::vector<std::string>& include_directories) {
        const ReadBack code = read_back(files_, include_directories);
        for (const CodeError& error : code.errors) report(error.place, "does not compile: " + error.message);
        if (code.errors.empty()) {
            check_facts(code, table);
            check_routines(code.instantiations);
        }
        // Code that says the right things may still do others.
        if (audit_.findings.empty()) {
            const std::vector<EmittedFile> expected = emit_library(network_, audit_.table, "audit");
            compare_code(expected, files_, reporter());
            const EmittedFile* should = find(expected, "mpi_bcast.cpp");
            const EmittedFile* is = find(files_, "mpi_bcast.cpp");
            if (should != nullptr && is != nullptr) compare_claims(*should, *is, reporter());
        }
        return std::move(audit_);
    }

  private:
    static const EmittedFile* find(const std::vector<EmittedFile>& files, const std::string& path) {
        const auto at =
            std::find_if(files.begin(), files.end(), [&](const EmittedFile& file) { return file.path == path; });
        return at == files.end() ? nullptr : &*at;
    }

    ReportFact reporter() {
        return [this](const CodePlace& place, std::string message) { report(place, std::move(message)); };
    }

    void report(const CodePlace& place, std::string message) {
        const bool ours = place.file.empty() || place.file.front() != '/';
        const std::string file = place.file.empty() ? directory_ : ours ? directory_ + "/" + place.file : place.file;
        audit_.findings.push_back({file, place.line, place.column, std::move(message), line_of(place)});
    }

    [[nodiscard]] std::string line_of(const CodePlace& place) const {
        const EmittedFile* file = find(files_, place.file);
        if (file == nullptr || place.line == 0) return "";
        std::size_t start = 0;
        for (int line = 1; line < place.line && start < file->text.size(); ++line) {
            start = std::min(file->text.find('\n', start), file->text.size() - 1) + 1;
        }
        return file->text.substr(start, file->text.find('\n', start) - start);
    }

    void check_facts(const ReadBack& code, const DecisionTable* table) {
        if (!is_row(code.site, site_fields)) {
            report(code.site.place, "bcast::site(): expected the facts of a site, found nothing that is a constant");
            return;
        }
        const SitePlan expected = make_site_plan(network_);
        const std::vector<Fact>& site = code.site.items;
        const auto check = [&](const Expectation& one, SiteField field, const char* called) {
            compare(one, site[field], called, reporter());
        };
        check(expect_text("", network_.name), name, "name");
        check(expect_number("", static_cast<std::int64_t>(expected.hash), Show::hash), plan_hash, "plan_hash");
        check(expect_machine_names(network_, expected), machine_names, "machine_names");
        check(expect_numbers("", expected.machine_switch), machine_switch, "machine_switch");
        check(expect_number("", static_cast<std::int64_t>(network_.switches.size())), switches, "switches");
        check(expect_links(expected), switch_links, "switch_links");
        check(expect_sets(expected), baked_sets, "baked_sets");
        check(expect_speeds(expected), link_speeds, "link_speeds");
        check(expect_port_speeds(expected), port_speed, "port_speed");
        check_table(site[rules], site[tuning_hash], table);
        if (!audit_.findings.empty()) return;
        try {
            audit_.trees = prove_site(network_, plan_of(code.site, network_)).trees;
        } catch (const std::logic_error& wrong) {
            report(site[baked_sets].place,
                   fmt::format("baked_sets: expected trees that can be proved; {}", wrong.what()));
        }
    }

    void check_table(const Fact& rows, const Fact& hash, const DecisionTable* wanted) {
        if (rows.kind != Fact::Kind::list || rows.items.empty()) {
            report(rows.place, "rules: expected a decision table, found none");
            return;
        }
        audit_.table = read_table(rows, reporter());
        const DecisionTable predicted = wanted == nullptr ? default_table(network_) : DecisionTable{};
        // Without a tuning file the table can be told from its hash alone, unless it was the predicted one.
        if (wanted == nullptr && static_cast<std::uint64_t>(hash.number) == hash_of(predicted)) wanted = &predicted;
        if (wanted != nullptr) compare(expect_rules(*wanted), rows, "rules", reporter());
        const DecisionTable& truth = wanted != nullptr ? *wanted : audit_.table;
        compare(expect_number("", static_cast<std::int64_t>(hash_of(truth)), Show::hash), hash,
                wanted != nullptr ? "tuning_hash" : "tuning_hash (of the decision table in the code)", reporter());
    }

    /// The routines are those that the table names, each with its algorithm and segment size.
    void check_routines(const Fact& found) {
        const std::vector<MessageRule> routines = routines_of(audit_.table);
        if (found.kind != Fact::Kind::list || found.items.size() != routines.size()) {
            report(found.place,
                   fmt::format("instantiations: expected {} routines, those that the decision table names, "
                               "found {}",
                               routines.size(), found.items.size()));
            return;
        }
        for (std::size_t at = 0; at < routines.size(); ++at) {
            const std::string where = fmt::format("instantiations[{}]", at);
            const Fact& row = found.items[at];
            const auto algorithm = static_cast<std::int64_t>(routines[at].algorithm);
            const std::int64_t segment = signed_size(routines[at].segment_bytes);
            if (!is_row(row, 3)) {
                report(row.place, where + ": expected a routine, found none");
                continue;
            }
            compare(expect_number("", algorithm, Show::algorithm), row.items[0], where + ".algorithm", reporter());
            compare(expect_number("", segment), row.items[1], where + ".segment_bytes", reporter());
            const Fact& routine = row.items[2];
            const bool right = routine.kind == Fact::Kind::function && routine.text == "bcast::pipelined" &&
                               routine.items.size() == 2 && routine.items[0].number == algorithm &&
                               routine.items[1].number == segment;
            if (!right)
                report(routine.place, fmt::format("{}.routine: expected {}, found {}", where, words(algorithm, segment),
                                                  words(routine)));
        }
    }

    static std::string words(std::int64_t algorithm, std::int64_t segment) {
        const bool known = algorithm >= 0 && algorithm < static_cast<std::int64_t>(bcast::algorithm_count);
        return fmt::format("pipelined<{}, {}>",
                           known ? bcast::algorithm_names[static_cast<std::size_t>(algorithm)] : "?", segment);
    }

    static std::string words(const Fact& routine) {
        if (routine.kind != Fact::Kind::function) return "no function";
        if (routine.items.size() != 2) return routine.text;
        return words(routine.items[0].number, routine.items[1].number);
    }

    const std::vector<EmittedFile>& files_;
    const std::string& directory_;
    const Network& network_;
    Audit audit_;
};

}  // namespace

Audit audit_library(const std::vector<EmittedFile>& files, const std::string& directory, const Network& network,
                    const DecisionTable* table, const std::vector<std::string>& include_directories) {
    return Auditor(files, directory, network).run(table, include_directories);
}

}  // namespace bcastgen
