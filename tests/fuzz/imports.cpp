// Files of other programs. What an importer accepts gives a topology file that can be read and planned.
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/printable.hpp"
#include "planner/formats/ibnetdiscover.hpp"
#include "planner/formats/lldp.hpp"
#include "planner/formats/netloc.hpp"
#include "planner/formats/slurm/slurm.hpp"
#include "planner/formats/topograph.hpp"
#include "planner/network/forwarding_tables.hpp"
#include "planner/plan/plan.hpp"
#include "planner/topology/topology_writer.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/fuzz/networks.hpp"
#include "tests/fuzz/target.hpp"

namespace bcastgen::fuzz {

namespace {

void check_imported(const Imported& imported) {
    constexpr std::size_t most_planned = 48;
    for (const std::string& note : imported.notes) FUZZ_PROMISE(!note.empty());
    const std::string text = write_topology(imported.network, imported.notes);
    FUZZ_PROMISE(first_unprintable(text) == std::nullopt);
    const Network network = read_topology(text, "written.yaml");
    check_network(network);
    FUZZ_PROMISE(network.machines.size() == imported.network.machines.size());
    FUZZ_PROMISE(network.switches.size() == imported.network.switches.size());
    if (network.machines.size() > most_planned || network.switches.size() > most_planned) return;
    FUZZ_PROMISE(make_plan(network, PlanRequest{}).contention_free);
}

void fuzz_import(std::string_view bytes, Imported (*import)(const ImportFile&, const std::string&)) {
    if (stands_for_much(bytes)) return;
    Imported imported;
    const ImportFile file{"in", std::string(bytes)};
    if (accepts("in", bytes, [&] { imported = import(file, "in"); })) check_imported(imported);
}

/// The bytes as files of these names, split at lines of ===.
std::vector<ImportFile> split_files(std::string_view bytes, std::initializer_list<const char*> names) {
    constexpr std::string_view between = "\n===\n";
    std::vector<ImportFile> files;
    for (const char* name : names) {
        const std::size_t end = bytes.find(between);
        files.push_back({name, std::string(bytes.substr(0, end))});
        if (end == std::string_view::npos) break;
        bytes.remove_prefix(end + between.size());
    }
    return files;
}

std::string located(const std::string& includer, const std::string& path) {
    return (std::filesystem::path(includer).parent_path() / path).lexically_normal().string();
}

void check_import_of_files(const std::function<Imported()>& import) {
    Imported imported;
    try {
        imported = import();
    } catch (const InputErrors& errors) {
        FUZZ_PROMISE(!errors.diagnostics().empty());
        FUZZ_PROMISE(first_unprintable(errors.what()) == std::nullopt);
        return;
    }
    check_imported(imported);
}

}  // namespace

void fuzz_slurm(std::string_view bytes) {
    const std::vector<ImportFile> files = split_files(bytes, {"t.conf", "a.conf", "d/b.conf", "d/c.conf"});
    if (files.size() == 1) return fuzz_import(bytes, import_slurm);
    if (stands_for_much(bytes)) return;
    check_import_of_files([&files] {
        return import_slurm({files.front()}, "in", {located, [&files](const std::string& path) {
                                                        for (const ImportFile& file : files) {
                                                            if (file.name == path) return file.text;
                                                        }
                                                        throw InputErrors({{path, 0, 0, "cannot be read", ""}});
                                                    }});
    });
}

void fuzz_ibnetdiscover(std::string_view bytes) {
    fuzz_import(bytes, import_ibnetdiscover);
}

void fuzz_netloc(std::string_view bytes) {
    fuzz_import(bytes, import_netloc);
}

void fuzz_topograph(std::string_view bytes) {
    fuzz_import(bytes, import_topograph);
}

void fuzz_lldp(std::string_view bytes) {
    const std::vector<ImportFile> files =
        split_files(bytes, {"n1.json", "leaf1.json", "n2.json", "leaf2.json", "n3.json", "spine1.json"});
    check_import_of_files([&files] { return import_lldp(files, "in"); });
}

void fuzz_routes(std::string_view bytes) {
    static const Network network = read_topology(R"(name: t
switches:
  S-a1: {machines: "n[0-2]"}
  S-a2: {machines: "n[3-4]"}
  S-b1:
  S-b2:
links:
  - {between: [S-a1, S-b1], cables: 2}
  - {between: [S-a1, S-b2]}
  - {between: [S-a2, S-b1]}
  - {between: [S-a2, S-b2], cables: 2}
)",
                                                 "t.yaml");
    const std::string text(bytes);
    (void)accepts("routes", bytes, [&] {
        const ForwardingTables routes(text, "routes", network);
        (void)make_plan(network, PlanRequest{}, &routes);
    });
}

}  // namespace bcastgen::fuzz
