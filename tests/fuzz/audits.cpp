// The audit of an emitted library that was edited: as a whole, and without the compiler's front end that understands
// its tables, which is faster still.
#include <algorithm>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "codegen/audit/audit.hpp"
#include "codegen/audit/emission_comparison.hpp"
#include "codegen/audit/plain_text.hpp"
#include "codegen/emit/emitter.hpp"
#include "planner/decision/prediction.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/fuzz/code_edits.hpp"
#include "tests/fuzz/target.hpp"

namespace bcastgen::fuzz {

namespace {

struct Library {
    Network network = read_topology("name: t\nswitches:\n  s0: {machines: \"n[0-2]\"}\n", "t.yaml");
    SitePlan plan = make_site_plan(network);
    DecisionTable table = default_table(network, plan);
    FoundLibrary found;
    std::vector<std::string> include_directories;

    Library() {
        found.files = emit_library(network, plan, table, "bcastgen t.yaml");
        std::erase_if(found.files, [](const EmittedFile& file) { return file.path == "README.md"; });
        std::istringstream list(BCASTGEN_MPI_HEADERS);
        for (std::string directory; std::getline(list, directory, ':');) include_directories.push_back(directory);
    }
};

/// The file of a library, which has it.
template <class Found>
auto& file_of(Found& library, std::string_view path) {
    const auto at = std::find_if(library.files.begin(), library.files.end(),
                                 [&](const EmittedFile& file) { return file.path == path; });
    FUZZ_PROMISE(at != library.files.end());
    return *at;
}

/// Makes a few edits of a file. True unless they cancel out.
template <class Edit>
bool edit_some(std::string& text, Choices& choices, Edit one_edit) {
    const std::string before = text;
    for (int edits = 0; edits < 3 && (edits == 0 || !choices.empty()); ++edits) one_edit(text, choices);
    return text != before;
}

/// The same of one file alone, as if an emission had no others.
FoundLibrary one_file(const FoundLibrary& library, const std::string& path) {
    FoundLibrary found;
    for (const EmittedFile& file : library.files) {
        if (file.path == path) found.files.push_back(file);
    }
    return found;
}

enum class Language { cpp, cmake, tcl };

/// Whether there are only blanks before, and another line.
bool begins_line(const std::string& text, std::size_t at) {
    return at != 0 && text.find_last_not_of(" \t\r", at - 1) == text.rfind('\n', at - 1);
}

/// Without comments and blanks, by rules of its own, which suffice for what bcastgen emits.
std::string bare(const std::string& text, Language language) {
    std::string rest;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        const bool to_line_end = language == Language::cpp   ? text.compare(at, 2, "//") == 0
                                 : language == Language::tcl ? c == '#' && begins_line(text, at)
                                                             : c == '#';
        if (!quoted && language == Language::cpp && text.compare(at, 2, "/*") == 0) {
            at = std::min(text.find("*/", at + 2), text.size() - 2) + 1;
        } else if (!quoted && to_line_end) {
            at = std::min(text.find('\n', at), text.size());
        } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
            if (c == '"') quoted = !quoted;
            rest += c;
        }
    }
    return rest;
}

Language language_of(std::string_view path) {
    return path == "modulefile" ? Language::tcl : path == "CMakeLists.txt" ? Language::cmake : Language::cpp;
}

void check_findings(const std::vector<Diagnostic>& findings) {
    if (findings.empty()) return;
    FUZZ_PROMISE(first_unprintable(InputErrors(findings).what()) == std::nullopt);
}

/// A finding is a place in the library; after one with a place, clang may say that it gives up.
void check_places(const std::vector<Diagnostic>& findings, const FoundLibrary& library) {
    for (const Diagnostic& finding : findings) {
        if (finding.file == "lib" && &finding != findings.data()) continue;
        FUZZ_PROMISE(finding.file.starts_with("lib/"));
        std::vector<std::string_view> lines = lines_of(file_of(library, finding.file.substr(4)).text);
        lines.emplace_back();  // an end of the file that is missing
        FUZZ_PROMISE(finding.line >= 1 && finding.line <= static_cast<int>(lines.size()));
        const std::string_view line = lines[static_cast<std::size_t>(finding.line) - 1];
        FUZZ_PROMISE(finding.column >= 1 && finding.column <= static_cast<int>(line.size()) + 1);
    }
}

}  // namespace

void fuzz_audit(std::string_view bytes) {
    static Library library;
    // No input edits what is only copied, so clang parses it once: 8 ms for an input instead of a second.
    static const PreparedAudit prepared =
        prepare_audit(library.found, library.network, library.plan, library.table, library.include_directories);
    constexpr struct {
        const char* path;
        void (*edit)(std::string&, Choices&);
    } edits[] = {{"site_plan.hpp", edit_bytes},  {"site_tuning.hpp", edit_bytes}, {"mpi_bcast.cpp", edit_bytes},
                 {"CMakeLists.txt", edit_bytes}, {"modulefile", edit_bytes},      {"site_plan.hpp", edit_code},
                 {"site_tuning.hpp", edit_code}, {"site_plan.hpp", edit_code},    {"site_tuning.hpp", edit_code},
                 {"site_plan.hpp", edit_code},   {"site_tuning.hpp", edit_code},  {"mpi_bcast.cpp", edit_code}};
    Choices choices(bytes);
    const auto& [path, one_edit] = edits[choices.below(std::size(edits))];
    std::string& text = file_of(library.found, path).text;
    const std::string should = text;
    const bool changed = edit_some(text, choices, one_edit);
    const Audit audit = audit_library(library.found, "lib", library.network, library.plan, &library.table,
                                      library.include_directories, &prepared);
    FUZZ_PROMISE(changed || audit.findings.empty());
    check_findings(audit.findings);
    check_places(audit.findings, library.found);
    if (audit.findings.empty()) FUZZ_PROMISE(bare(text, language_of(path)) == bare(should, language_of(path)));
    text = should;
}

void fuzz_emission(std::string_view bytes) {
    static const Library library;
    constexpr const char* files[] = {"site_plan.hpp",  "site_tuning.hpp", "mpi_bcast.cpp",
                                     "CMakeLists.txt", "modulefile",      "bcast/pipeline/lane.hpp"};
    Choices choices(bytes);
    const std::string path = files[choices.below(std::size(files))];
    const FoundLibrary should = one_file(library.found, path);
    FoundLibrary found = should;
    const bool changed = edit_some(found.files[0].text, choices, edit_bytes);
    const std::string directory = "lib";
    EmissionComparison comparison(found, directory);
    comparison.compare_files(should.files);
    if (comparison.findings().empty()) comparison.compare_code(should.files);
    FUZZ_PROMISE(changed || comparison.findings().empty());
    check_findings(comparison.findings());
    if (!comparison.findings().empty()) return;
    FUZZ_PROMISE(bare(found.files[0].text, language_of(path)) == bare(should.files[0].text, language_of(path)));
}

}  // namespace bcastgen::fuzz
