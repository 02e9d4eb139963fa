#include "tests/codegen/audit/sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "planner/topology/topology_yaml.hpp"
#include "tests/base/files.hpp"

namespace bcastgen::testing {

namespace fs = std::filesystem;

namespace {

std::string told(const Audit& audit) {
    return audit.findings.empty() ? fmt::format("{} trees\n", audit.trees) : InputErrors(audit.findings).what();
}

/// Two rows, the second with native, in one piece, and two segment sizes.
DecisionTable table_of_four(const Network& network) {
    using bcast::Algorithm;
    DecisionTable table{"made up for a test", {}};
    Rule two;
    two.machines_from = two.machines_to = 2;
    two.messages = {MessageRule{}};
    Rule more;
    more.machines_from = 3;
    more.messages = {{512, Algorithm::native, 0},
                     {4096, Algorithm::binomial, 0},
                     {std::size_t{1} << 20, Algorithm::linear, 32768},
                     {bcast::no_limit, Algorithm::linear, 65536}};
    table.rules = {two, more};
    table.sends = usual_sends(network);
    return table;
}

}  // namespace

std::vector<std::string> directories_of(const std::string& list) {
    std::vector<std::string> directories;
    std::istringstream parts(list);
    for (std::string directory; std::getline(parts, directory, ':');) directories.push_back(directory);
    return directories;
}

std::vector<std::string> mpi_headers() {
    return directories_of(BCASTGEN_MPICH_HEADERS);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << "there is no " << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

Sample::Sample(Network given)
    : network(std::move(given)),
      plan(make_site_plan(network)),
      table(table_of_four(network)),
      files(emit_library(network, plan, table, "bcastgen sample.yaml")) {}

std::string& Sample::text(const std::string& path) {
    return std::find_if(files.begin(), files.end(), [&](const EmittedFile& file) { return file.path == path; })->text;
}

void Sample::edit(const std::string& path, const std::string& from, const std::string& to) {
    text(path) = replaced(text(path), from, to);
}

std::string Sample::audited() const {
    return told(audit_library({files, {}}, "lib", network, plan, nullptr, mpi_headers()));
}

Sample small_sample() {
    return Sample(
        read_topology("name: small\nswitches: {s0: {machines: \"a[0-2]\"}, s1: {machines: \"b[0-2]\"}}\n"
                      "links: [{between: [s0, s1]}]\npartitions: {half: \"a[1-2],b0\"}\n",
                      "small.yaml"));
}

SampleDirectory::SampleDirectory(const Sample& sample) : sample_(sample), directory_(scratch_.path() / "lib") {
    for (const EmittedFile& file : sample.files) write(file.path, file.text);
}

fs::path SampleDirectory::path(const std::string& file) const {
    return file.empty() ? directory_ : directory_ / file;
}

std::string SampleDirectory::text(const std::string& file) const {
    return contents(path(file));
}

void SampleDirectory::write(const std::string& file, const std::string& text) const {
    fs::create_directories(path(file).parent_path());
    std::ofstream(path(file), std::ios::binary) << text;
}

void SampleDirectory::edit(const std::string& file, const std::string& from, const std::string& to) const {
    write(file, replaced(text(file), from, to));
}

void SampleDirectory::link(const std::string& file, const fs::path& to) const {
    fs::remove_all(path(file));
    fs::create_symlink(to, path(file));
}

std::string SampleDirectory::audited() const {
    const FoundLibrary found = read_found_library(directory_, sample_.network.name);
    return told(audit_library(found, "lib", sample_.network, sample_.plan, nullptr, mpi_headers()));
}

}  // namespace bcastgen::testing
