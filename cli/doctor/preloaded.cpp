#include "cli/doctor/preloaded.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <regex>

#include "base/diagnostic.hpp"
#include "base/outside_failure.hpp"
#include "base/text_file.hpp"
#include "base/wording.hpp"
#include "codegen/audit/audit.hpp"
#include "codegen/build/library_build.hpp"
#include "planner/plan/site_plan.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> preloaded_files() {
    const char* value = std::getenv("LD_PRELOAD");
    const std::string all = value == nullptr ? "" : value;
    std::vector<fs::path> files;
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t end = std::min(all.find_first_of(" :", begin), all.size());
        if (end > begin) files.emplace_back(all.substr(begin, end - begin));
        begin = end + 1;
    }
    return files;
}

/// The emission that a library lies in, as `bcastgen build` puts it there: DIRECTORY/build/MPI/LIBRARY.
fs::path emission_of(const fs::path& library) {
    const fs::path directory = fs::absolute(library).parent_path().parent_path().parent_path();
    return fs::exists(directory / "mpi_bcast.cpp") ? directory : fs::path();
}

Symptom audited(const Network& network, const SitePlan& site, const fs::path& directory) {
    const std::string again = fmt::format("bcastgen audit {} TOPOLOGY says what differs", directory.string());
    try {
        const std::vector<MpiCompiler> compilers = choose_compilers({});
        const Audit audit = audit_library(read_found_library(directory.string(), network.name), directory.string(),
                                          network, site, nullptr, include_directories_of(compilers.front()));
        if (audit.findings.empty()) {
            const std::string trees = counted(audit.trees, "tree", "trees");
            return {Health::well, "audit", fmt::format("{}: {} proved", directory.string(), trees), ""};
        }
        return {Health::ill, "audit", fmt::format("{} is not what bcastgen emits", directory.string()), again};
    } catch (const InputErrors&) {
        return {Health::ill, "audit", fmt::format("{} cannot be read as an emission", directory.string()), again};
    } catch (const OutsideFailure& failure) {
        return {Health::note, "audit", failure.what(), ""};
    }
}

void look_at(const Network& network, const SitePlan& site, const fs::path& file, std::vector<Symptom>& symptoms) {
    const std::optional<std::string> bytes = text_of(file);
    const std::string name = file.string();
    if (!bytes) {
        symptoms.push_back(
            {Health::ill, "LD_PRELOAD", name + " cannot be read", "correct the path: the loader goes on without it"});
        return;
    }
    const std::optional<LibraryIdentity> identity = identity_in(*bytes);
    if (!identity) {
        symptoms.push_back({Health::note, "LD_PRELOAD", name + " is none of bcastgen's, or of an old version", ""});
        return;
    }
    const std::string again = "emit and build the library anew";
    if (identity->site != network.name) {
        symptoms.push_back({Health::ill, "LD_PRELOAD",
                            fmt::format("{} is for {}, and the file is {}", name, identity->site, network.name),
                            "load the library of this site"});
        return;
    }
    if (identity->plan_hash != fmt::format("{:016x}", site.hash)) {
        symptoms.push_back({Health::ill, "LD_PRELOAD", name + " was planned for another state of the file", again});
    } else if (identity->version != BCASTGEN_VERSION) {
        symptoms.push_back({Health::note, "LD_PRELOAD",
                            fmt::format("{} is of bcastgen {}, and this is " BCASTGEN_VERSION, name, identity->version),
                            again});
    } else {
        symptoms.push_back({Health::well, "LD_PRELOAD", fmt::format("{} is of this file and version", name), ""});
    }
    const fs::path emission = emission_of(file);
    if (emission.empty()) {
        symptoms.push_back({Health::note, "audit", "the sources of " + name + " are not beside it",
                            "audit them where they are, then build and install"});
    } else {
        symptoms.push_back(audited(network, site, emission));
    }
}

}  // namespace

std::optional<LibraryIdentity> identity_in(std::string_view shared_object) {
    constexpr std::string_view marks = "bcastgen-library:";
    constexpr std::size_t longest = 512;
    static const std::regex identity(R"(^bcastgen-library:([^:]+):([^:]+):([0-9a-f]{16}))");
    for (std::size_t at = shared_object.find(marks); at != std::string_view::npos;
         at = shared_object.find(marks, at + 1)) {
        std::string text(shared_object.substr(at, longest));
        text.resize(text.find('\0') == std::string::npos ? text.size() : text.find('\0'));
        if (std::smatch found; std::regex_search(text, found, identity))
            return LibraryIdentity{found[1], found[2], found[3]};
    }
    return std::nullopt;
}

std::vector<Symptom> look_at_preloaded(const Network& network) {
    const SitePlan site = make_site_plan(network);
    std::vector<Symptom> symptoms;
    for (const fs::path& file : preloaded_files()) look_at(network, site, file, symptoms);
    if (symptoms.empty())
        symptoms.push_back(
            {Health::note, "LD_PRELOAD", "names no library: jobs started from here broadcast as the MPI does", ""});
    return symptoms;
}

}  // namespace bcastgen
