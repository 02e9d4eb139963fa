// The audit of an emitted library that was edited: with the compiler's front end that understands its tables, and
// without, which is a thousand times as fast.
#include <algorithm>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "base/printable.hpp"
#include "codegen/audit/audit.hpp"
#include "codegen/audit/emission_comparison.hpp"
#include "codegen/emit/emitter.hpp"
#include "planner/decision/prediction.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/fuzz/target.hpp"

namespace bcastgen::fuzz {

namespace {

struct Library {
    Network network = read_topology("name: t\nswitches:\n  s0: {machines: \"n[0-2]\"}\n", "t.yaml");
    SitePlan plan = make_site_plan(network);
    DecisionTable table = default_table(network, plan);
    FoundLibrary found;
    std::vector<std::string> headers;

    Library() {
        found.files = emit_library(network, plan, table, "bcastgen t.yaml");
        std::erase_if(found.files, [](const EmittedFile& file) { return file.path == "README.md"; });
        std::istringstream list(BCASTGEN_MPI_HEADERS);
        for (std::string directory; std::getline(list, directory, ':');) headers.push_back(directory);
    }
};

void edit(std::string& text, Choices& choices) {
    const std::size_t at = choices.below(std::min<std::size_t>(text.size(), 65535) + 1);
    const std::size_t removed = choices.below(12);
    text.replace(at, std::min(removed, text.size() - at), choices.bytes(choices.below(16)));
}

/// The library with a few edits in one of its files. `changed`: they are no edits that cancel out.
FoundLibrary edited(const FoundLibrary& library, const std::string& path, Choices& choices, bool& changed) {
    FoundLibrary found = library;
    for (EmittedFile& file : found.files) {
        if (file.path != path) continue;
        const std::string before = file.text;
        for (int edits = 0; edits < 3 && (edits == 0 || !choices.empty()); ++edits) edit(file.text, choices);
        changed = file.text != before;
    }
    return found;
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

void check_findings(const std::vector<Diagnostic>& findings) {
    if (findings.empty()) return;
    FUZZ_PROMISE(first_unprintable(InputErrors(findings).what()) == std::nullopt);
}

const Library& library_to_edit() {
    static const Library library;
    return library;
}

}  // namespace

void fuzz_audit(std::string_view bytes) {
    const Library& library = library_to_edit();
    constexpr const char* files[] = {"site_plan.hpp", "site_tuning.hpp", "mpi_bcast.cpp", "CMakeLists.txt",
                                     "modulefile"};
    Choices choices(bytes);
    bool changed = false;
    const FoundLibrary found = edited(library.found, files[choices.below(std::size(files))], choices, changed);
    const Audit audit = audit_library(found, "lib", library.network, library.plan, &library.table, library.headers);
    FUZZ_PROMISE(changed || audit.findings.empty());
    check_findings(audit.findings);
}

void fuzz_emission(std::string_view bytes) {
    const Library& library = library_to_edit();
    constexpr const char* files[] = {"site_plan.hpp",  "site_tuning.hpp", "mpi_bcast.cpp",
                                     "CMakeLists.txt", "modulefile",      "bcast/pipeline/lane.hpp"};
    Choices choices(bytes);
    const std::string path = files[choices.below(std::size(files))];
    const FoundLibrary should = one_file(library.found, path);
    bool changed = false;
    const FoundLibrary found = edited(should, path, choices, changed);
    const std::string directory = "lib";
    EmissionComparison comparison(found, directory);
    comparison.compare_files(should.files);
    if (comparison.findings().empty()) comparison.compare_code(should.files);
    FUZZ_PROMISE(changed || comparison.findings().empty());
    check_findings(comparison.findings());
    if (!comparison.findings().empty()) return;
    const Language language = path == "modulefile"       ? Language::tcl
                              : path == "CMakeLists.txt" ? Language::cmake
                                                         : Language::cpp;
    FUZZ_PROMISE(bare(found.files[0].text, language) == bare(should.files[0].text, language));
}

}  // namespace bcastgen::fuzz
