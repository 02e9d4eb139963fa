#include "codegen/audit/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "codegen/audit/code_comparison.hpp"
#include "codegen/audit/read_back.hpp"
#include "codegen/audit/site_facts.hpp"
#include "planner/decision/prediction.hpp"
#include "planner/plan/site_proof.hpp"

namespace bcastgen {

namespace {

class Auditor {
  public:
    Auditor(const std::vector<EmittedFile>& files, const std::string& directory, const Network& network,
            const SitePlan& site)
        : files_(files), directory_(directory), network_(network), site_(site) {}

    Audit run(const DecisionTable* table, const std::vector<std::string>& include_directories) {
        const ReadBack code = read_back(files_, include_directories);
        for (const CodeError& error : code.errors) report(error.place, "does not compile: " + error.message);
        if (code.errors.empty()) {
            check_facts(code, table);
        }
        // Code with the right facts may still do something else.
        if (audit_.findings.empty()) {
            const std::vector<EmittedFile> expected = emit_library(network_, site_, audit_.table, "audit");
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
        if (!is_row(code.site, SiteField::count)) {
            report(code.site.place, "bcast::site(): expected the facts of a site, found nothing that is a constant");
            return;
        }
        const std::vector<Fact>& site = code.site.items;
        const auto check = [&](const Expectation& one, SiteField::Index field, const char* called) {
            compare(one, site[field], called, reporter());
        };
        check(expect_text("", network_.name), SiteField::name, "name");
        check(expect_number("", static_cast<std::int64_t>(site_.hash), Expectation::Show::hash), SiteField::plan_hash,
              "plan_hash");
        check(expect_machine_names(network_, site_), SiteField::machine_names, "machine_names");
        check(expect_numbers("", site_.machine_switch), SiteField::machine_switch, "machine_switch");
        check(expect_number("", static_cast<std::int64_t>(network_.switches.size())), SiteField::switches, "switches");
        check(expect_links(site_), SiteField::switch_links, "switch_links");
        check(expect_sets(site_), SiteField::baked_sets, "baked_sets");
        check(expect_speeds(site_), SiteField::link_speeds, "link_speeds");
        check(expect_port_speeds(site_), SiteField::port_speed, "port_speed");
        const Multicast multicast = network_.multicast.value_or(Multicast{});
        check(expect_text("", multicast.groups), SiteField::multicast_groups, "multicast_groups");
        check(expect_text("", multicast.interface), SiteField::multicast_interface, "multicast_interface");
        check_table(site, table);
        if (!audit_.findings.empty()) return;
        try {
            audit_.trees = prove_site(network_, plan_of(code.site, network_)).trees;
        } catch (const std::logic_error& wrong) {
            report(site[SiteField::baked_sets].place,
                   fmt::format("baked_sets: expected trees that can be proved; {}", wrong.what()));
        }
    }

    void check_table(const std::vector<Fact>& site, const DecisionTable* wanted) {
        const Fact& rows = site[SiteField::rules];
        const Fact& hash = site[SiteField::tuning_hash];
        const Fact& sends = site[SiteField::sends];
        if (rows.kind != Fact::Kind::list || rows.items.empty()) {
            report(rows.place, "rules: expected a decision table, found none");
            return;
        }
        audit_.table = read_table(rows, reporter());
        if (is_row(sends, 3)) {
            audit_.table.sends = {sends.items[0].number, sends.items[1].number, sends.items[2].number};
        }
        const DecisionTable predicted = wanted == nullptr ? default_table(network_, site_) : DecisionTable{};
        // Without a tuning file only the hash can identify the table, unless it is the predicted one.
        if (wanted == nullptr && static_cast<std::uint64_t>(hash.number) == hash_of(predicted)) wanted = &predicted;
        if (wanted != nullptr) compare(expect_rules(*wanted), rows, "rules", reporter());
        compare(expect_sends(wanted != nullptr ? *wanted : audit_.table), sends, "sends", reporter());
        const DecisionTable& truth = wanted != nullptr ? *wanted : audit_.table;
        compare(expect_number("", static_cast<std::int64_t>(hash_of(truth)), Expectation::Show::hash), hash,
                wanted != nullptr ? "tuning_hash" : "tuning_hash (of the decision table in the code)", reporter());
    }

    const std::vector<EmittedFile>& files_;
    const std::string& directory_;
    const Network& network_;
    const SitePlan& site_;  ///< as it should be
    Audit audit_;
};

}  // namespace

Audit audit_library(const std::vector<EmittedFile>& files, const std::string& directory, const Network& network,
                    const SitePlan& site, const DecisionTable* table,
                    const std::vector<std::string>& include_directories) {
    return Auditor(files, directory, network, site).run(table, include_directories);
}

}  // namespace bcastgen
