#include "codegen/audit/audit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "codegen/audit/claims.hpp"
#include "codegen/audit/code_comparison.hpp"
#include "codegen/audit/plain_text.hpp"
#include "codegen/audit/read_back.hpp"
#include "codegen/audit/site_facts.hpp"
#include "codegen/audit/words.hpp"
#include "planner/decision/prediction.hpp"
#include "planner/plan/site_proof.hpp"

namespace bcastgen {

namespace {

class Auditor {
  public:
    Auditor(const FoundLibrary& library, const std::string& directory, const Network& network, const SitePlan& site,
            const DecisionTable* table)
        : library_(library), directory_(directory), network_(network), site_(site), table_(table) {}

    Audit run(const std::vector<std::string>& include_directories) {
        if (table_ == nullptr) predicted_ = default_table(network_, site_);
        expect(table_ != nullptr ? *table_ : predicted_);
        for (const Stranger& stranger : library_.strangers) report({stranger.path, 0, 0}, stranger.finding);
        check_files();
        // Code is understood only once nothing but tables can be strange about it.
        if (audit_.findings.empty()) {
            const ReadBack code = read_back(library_.files, include_directories);
            for (const CodeError& error : code.errors) report(error.place, "does not compile: " + error.message);
            if (code.errors.empty()) check_facts(code);
        }
        // Tables with the right facts may still hold something else.
        if (audit_.findings.empty()) {
            expect(audit_.table);
            check_code();
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
        audit_.findings.push_back({plain(file), place.line, place.column, std::move(message), line_of(place)});
    }

    [[nodiscard]] std::string line_of(const CodePlace& place) const {
        const EmittedFile* file = find(library_.files, place.file);
        if (file == nullptr || place.line == 0) return "";
        const std::vector<std::string_view> lines = lines_of(file->text);
        const auto line = static_cast<std::size_t>(place.line) - 1;
        return line < lines.size() ? plain(lines[line]) : "";
    }

    void expect(const DecisionTable& table) { expected_ = emit_library(network_, site_, table, command()); }

    /// The command in the banners: part of the comments, but no claim of anybody's.
    [[nodiscard]] std::string command() const {
        constexpr std::string_view prefix = "//     ";
        const EmittedFile* code = find(library_.files, "mpi_bcast.cpp");
        const std::vector<std::string_view> lines =
            code == nullptr ? std::vector<std::string_view>{} : lines_of(code->text);
        if (lines.size() < 2 || !lines[1].starts_with(prefix)) return "";
        return std::string(lines[1].substr(prefix.size()));
    }

    /// All that can be said without understanding C++: which files there are, and what in them is not for the audit to
    /// interpret.
    void check_files() {
        for (const EmittedFile& should : expected_) {
            if (should.path.ends_with(".md")) continue;
            const EmittedFile* is = find(library_.files, should.path);
            if (is == nullptr) {
                report({should.path, 0, 0}, "expected this file, found none");
                continue;
            }
            const std::size_t before = audit_.findings.size();
            check_characters(*is, reporter());
            const bool copied = should.path.starts_with("bcast/");
            if (!copied) check_line_ends(*is, reporter());
            if (audit_.findings.size() != before) continue;
            if (copied) {
                compare_copies(should, *is, reporter());
            } else if (should.path == "CMakeLists.txt") {
                compare_tokens(words_of_build_file(should), words_of_build_file(*is), is->path, reporter());
            } else if (should.path == "modulefile") {
                compare_tokens(words_of_modulefile(should), words_of_modulefile(*is), is->path, reporter());
            } else if (should.path == "mpi_bcast.cpp") {
                compare_tokens(tokens_of(should).tokens, tokens_of(*is).tokens, is->path, reporter());
            } else {
                const std::vector<CodeToken> tokens = tokens_of(*is).tokens;
                compare_tokens(directives_of(tokens_of(should).tokens), directives_of(tokens), is->path, reporter());
                check_lengths(tokens, reporter());
            }
        }
    }

    /// The generated C++ in full. All facts are known by now.
    void check_code() {
        for (const char* path : {"site_plan.hpp", "site_tuning.hpp", "mpi_bcast.cpp"}) {
            const CodeText should = tokens_of(*find(expected_, path));
            const CodeText is = tokens_of(*find(library_.files, path));
            compare_tokens(should.tokens, is.tokens, path, reporter());
            compare_claims(should.comments, is.comments, reporter());
        }
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
        check_table(site);
        if (!audit_.findings.empty()) return;
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
    const std::string& directory_;
    const Network& network_;
    const SitePlan& site_;        ///< as it should be
    const DecisionTable* table_;  ///< as it should be; null: any that agrees with its hash
    DecisionTable predicted_;     ///< if table_ is null
    std::vector<EmittedFile> expected_;
    Audit audit_;
};

}  // namespace

Audit audit_library(const FoundLibrary& library, const std::string& directory, const Network& network,
                    const SitePlan& site, const DecisionTable* table,
                    const std::vector<std::string>& include_directories) {
    return Auditor(library, directory, network, site, table).run(include_directories);
}

}  // namespace bcastgen
