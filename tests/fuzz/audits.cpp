// The audit's reading of an emitted library whose facts were edited.
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "base/printable.hpp"
#include "codegen/audit/audit.hpp"
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

}  // namespace

void fuzz_audit(std::string_view bytes) {
    static const Library library;
    constexpr const char* edited[] = {"site_plan.hpp", "site_tuning.hpp", "mpi_bcast.cpp", "CMakeLists.txt",
                                      "modulefile"};
    Choices choices(bytes);
    FoundLibrary found = library.found;
    const std::string path = edited[choices.below(std::size(edited))];
    bool changed = false;
    for (EmittedFile& file : found.files) {
        if (file.path != path) continue;
        const std::string before = file.text;
        for (int edits = 0; edits < 3 && (edits == 0 || !choices.empty()); ++edits) edit(file.text, choices);
        changed = file.text != before;
    }
    const Audit audit = audit_library(found, "lib", library.network, library.plan, &library.table, library.headers);
    FUZZ_PROMISE(changed || audit.findings.empty());
    if (audit.findings.empty()) return;
    FUZZ_PROMISE(first_unprintable(InputErrors(audit.findings).what()) == std::nullopt);
}

}  // namespace bcastgen::fuzz
