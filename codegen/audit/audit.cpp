#include "codegen/audit/audit.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "codegen/audit/emission_comparison.hpp"
#include "codegen/audit/plain_text.hpp"
#include "codegen/audit/read_back.hpp"
#include "codegen/audit/site_facts.hpp"
#include "planner/decision/prediction.hpp"
#include "planner/plan/site_proof.hpp"

namespace bcastgen {

namespace {

/// The command in the banners: part of the comments, but no claim of anybody's.
std::string command_of(const FoundLibrary& library) {
    constexpr std::string_view prefix = "//     ";
    const EmittedFile* code = find_file(library.files, "mpi_bcast.cpp");
    const std::vector<std::string_view> lines =
        code == nullptr ? std::vector<std::string_view>{} : lines_of(code->text);
    if (lines.size() < 2 || !lines[1].starts_with(prefix)) return "";
    return std::string(lines[1].substr(prefix.size()));
}

class Auditor {
  public:
    Auditor(const FoundLibrary& library, const std::string& directory, const Network& network, const SitePlan& site,
            const DecisionTable* table)
        : library_(library), network_(network), site_(site), table_(table), comparison_(library, directory) {}

    Audit run(const std::vector<std::string>& include_directories, const PreparedAudit* prepared) {
        if (table_ == nullptr) predicted_ = default_table(network_, site_);
        if (prepared != nullptr && prepared->command == command_of(library_)) {
            comparison_.compare_files(prepared->emission);
        } else {
            comparison_.compare_files(emission(table_ != nullptr ? *table_ : predicted_));
        }
        // Code is understood only once nothing but tables can be strange about it.
        if (!any_findings()) {
            const ReadBack code =
                read_back(library_.files, include_directories, prepared == nullptr ? nullptr : prepared->headers.get());
            for (const CodeError& error : code.errors) report(error.place, "does not compile: " + error.message);
            if (code.errors.empty()) check_facts(code);
        }
        // Tables with the right facts may still hold something else.
        if (!any_findings()) comparison_.compare_code(emission(audit_.table));
        audit_.findings = comparison_.findings();
        return std::move(audit_);
    }

  private:
    [[nodiscard]] bool any_findings() const { return !comparison_.findings().empty(); }
    void report(const CodePlace& place, std::string message) { comparison_.report(place, std::move(message)); }
    ReportFact reporter() { return comparison_.reporter(); }

    [[nodiscard]] std::vector<EmittedFile> emission(const DecisionTable& table) const {
        return emit_library(network_, site_, table, command_of(library_));
    }

    void check_facts(const ReadBack& code) {
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
        check(expect_numbers("", site_.more_send_ns), SiteField::more_send_ns, "more_send_ns");
        check(expect_numbers("", site_.more_receive_ns), SiteField::more_receive_ns, "more_receive_ns");
        check_table(site);
        if (any_findings()) return;
        try {
            audit_.trees = prove_site(network_, plan_of(code.site, network_)).trees;
        } catch (const std::logic_error& wrong) {
            report(site[SiteField::baked_sets].place,
                   fmt::format("baked_sets: expected trees that can be proved; {}", wrong.what()));
        }
    }

    void check_table(const std::vector<Fact>& site) {
        const Fact& rows = site[SiteField::rules];
        const Fact& hash = site[SiteField::tuning_hash];
        const Fact& sends = site[SiteField::sends];
        if (rows.kind != Fact::Kind::list || rows.items.empty()) {
            report(rows.place, "rules: expected a decision table, found none");
            return;
        }
        audit_.table = read_table(rows, reporter());
        // The hash covers what was measured; what was not is what the tool assumes.
        audit_.table.sends = usual_sends(network_);
        if (is_row(sends, 4) && sends.items[1].number != 0) {
            audit_.table.sends = {sends.items[0].number, sends.items[1].number, sends.items[2].number,
                                  sends.items[3].number};
        }
        // Without a tuning file only the hash can identify the table, unless it is the predicted one.
        const DecisionTable* wanted = table_;
        if (wanted == nullptr && static_cast<std::uint64_t>(hash.number) == hash_of(predicted_)) wanted = &predicted_;
        if (wanted != nullptr) compare(expect_rules(*wanted), rows, "rules", reporter());
        compare(expect_sends(wanted != nullptr ? *wanted : audit_.table), sends, "sends", reporter());
        const DecisionTable& truth = wanted != nullptr ? *wanted : audit_.table;
        compare(expect_number("", static_cast<std::int64_t>(hash_of(truth)), Expectation::Show::hash), hash,
                wanted != nullptr ? "tuning_hash" : "tuning_hash (of the decision table in the code)", reporter());
    }

    const FoundLibrary& library_;
    const Network& network_;
    const SitePlan& site_;        ///< as it should be
    const DecisionTable* table_;  ///< as it should be; null: any that agrees with its hash
    DecisionTable predicted_;     ///< if table_ is null
    EmissionComparison comparison_;
    Audit audit_;
};

}  // namespace

PreparedAudit prepare_audit(const FoundLibrary& library, const Network& network, const SitePlan& site,
                            const DecisionTable& table, const std::vector<std::string>& include_directories) {
    const std::string command = command_of(library);
    return {prepare_headers(library.files, include_directories), command, emit_library(network, site, table, command)};
}

Audit audit_library(const FoundLibrary& library, const std::string& directory, const Network& network,
                    const SitePlan& site, const DecisionTable* table,
                    const std::vector<std::string>& include_directories, const PreparedAudit* prepared) {
    return Auditor(library, directory, network, site, table).run(include_directories, prepared);
}

}  // namespace bcastgen
