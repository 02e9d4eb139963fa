// Plans as the tool writes them, held against the files in golden/. A file's name is its request:
// TOPOLOGY.TREE[RADIX].ROOT.FORMAT. To renew them all: tests/update-golden
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "planner/plan/plan_options.hpp"
#include "planner/print/plan_formats.hpp"
#include "planner/topology/topology_yaml.hpp"

namespace bcastgen {
namespace {

const std::filesystem::path source_dir = BCASTGEN_SOURCE_DIR;

std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

std::vector<std::filesystem::path> golden_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(source_dir / "tests/planner/print/golden")) {
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<std::string> parts_of(const std::string& name) {
    std::vector<std::string> parts;
    std::istringstream stream(name);
    for (std::string part; std::getline(stream, part, '.');) parts.push_back(part);
    return parts;
}

PlanOptions options_of(const std::string& tree, const std::string& root) {
    PlanOptions options;
    options.root = root;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (!bcast::has_plan(row.algorithm) || !tree.starts_with(row.tree)) continue;
        options.tree = row.algorithm;
        if (bcast::has(row.algorithm, bcast::trait::any_radix)) {
            options.radix = std::stoi(tree.substr(std::strlen(row.tree)));
            break;
        }
    }
    return options;
}

class Golden : public ::testing::TestWithParam<std::filesystem::path> {};

TEST_P(Golden, PlanIsWrittenAsBefore) {
    const std::vector<std::string> parts = parts_of(GetParam().filename());
    ASSERT_EQ(parts.size(), 4U);
    const std::filesystem::path topology = source_dir / "topologies" / (parts[0] + ".yaml");
    const Network network = read_topology(read(topology), topology);
    const Plan plan = make_plan(network, plan_request(network, options_of(parts[1], parts[2])));
    const auto format = parts[3] == "txt" ? plan_text : parts[3] == "json" ? plan_json : plan_dot;
    const std::string now = format(network, plan);
    if (std::getenv("BCASTGEN_RENEW_GOLDEN") != nullptr) std::ofstream(GetParam(), std::ios::binary) << now;
    EXPECT_EQ(now, read(GetParam()));
}

std::string test_name(const ::testing::TestParamInfo<std::filesystem::path>& file) {
    std::string name = file.param.filename();
    const auto is_odd = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; };
    std::replace_if(name.begin(), name.end(), is_odd, '_');
    return name;
}

INSTANTIATE_TEST_SUITE_P(Plans, Golden, ::testing::ValuesIn(golden_files()), test_name);

}  // namespace
}  // namespace bcastgen
