// Sites for tests: the sample topologies, and the shapes that are easily forgotten.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "codegen/emit/emitter.hpp"
#include "planner/decision/prediction.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/topology/topology_yaml.hpp"

namespace bcastgen::testing {

inline std::string file_text(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    EXPECT_TRUE(stream) << path << " cannot be read";
    return {std::istreambuf_iterator<char>(stream), {}};
}

inline Network sample_network(const std::string& name) {
    const std::filesystem::path path = std::filesystem::path(BCASTGEN_SOURCE_DIR) / "topologies" / (name + ".yaml");
    return read_topology(file_text(path), path.string());
}

inline Network network_of(const std::string& yaml) {
    return read_topology(yaml, "test.yaml");
}

/// What a run does that plans its site, predicts a table and emits a library, in one.
inline DecisionTable predicted_table(const Network& network) {
    return default_table(network, make_site_plan(network));
}
inline std::vector<EmittedFile> emitted_library(const Network& network, const DecisionTable& table,
                                                const std::string& command) {
    return emit_library(network, make_site_plan(network), table, command);
}

/// Thirty switches of twenty machines in a row: too many trees to bake.
inline Network row_of_600() {
    std::string switches;
    std::string links;
    for (int s = 0; s < 30; ++s) {
        const std::string name = "s" + std::to_string(s);
        switches += "  " + name + ": {machines: \"r" + std::to_string(s) + "n[01-20]\"}\n";
        if (s > 0) links += "  - {between: [s" + std::to_string(s - 1) + ", " + name + "]}\n";
    }
    return network_of("name: row-of-600\nswitches:\n" + switches + "links:\n" + links);
}

/// A site with its decision table, under a name that can stand in a test's.
struct Site {
    std::string label;
    Network network;
    DecisionTable table;
    bool own_network = true;  ///< else another site has the same with another table
};

/// A table that uses every algorithm, in one piece and in segments of odd sizes, in rows of every kind.
inline DecisionTable table_of_everything() {
    using bcast::Algorithm;
    const MessageRule last{bcast::no_limit, Algorithm::kary3, 8192};
    DecisionTable table{"made up for a test", {}};
    table.rules.push_back({2,
                           8,
                           1,
                           1,
                           bcast::Arrival::balanced,
                           {{1, Algorithm::flat, 0},
                            {1000, Algorithm::binomial, 0},
                            {4096, Algorithm::native, 0},
                            {65536, Algorithm::binary, 1000},
                            {std::size_t{3} << 30, Algorithm::linear, 1},
                            last}});
    const MessageRule shared{8192, Algorithm::linear, 0, Grounds::unknown, bcast::HandOn::window};
    table.rules.push_back({9, 9, 2, 4, bcast::Arrival::imbalanced, {shared, last}});
    Rule all;
    for (std::size_t i = 0; i < bcast::algorithm_count; ++i) {
        const auto algorithm = static_cast<Algorithm>(i);
        all.messages.push_back({1024 * (i + 1), algorithm, takes_segments(algorithm) ? 512U : 0U});
    }
    all.messages.push_back(last);
    table.rules.push_back(all);
    return table;
}

inline DecisionTable all_native_table() {
    return {"made up for a test", {Rule{.messages = {MessageRule{}}}}};
}

/// A table like those that are predicted, which takes a test no time.
inline DecisionTable usual_table() {
    using bcast::Algorithm;
    DecisionTable table{"made up for a test", {}};
    table.rules.push_back({2,
                           8,
                           1,
                           bcast::any_number,
                           bcast::Arrival::balanced,
                           {{1024, Algorithm::native, 0},
                            {16384, Algorithm::latency, 0},
                            {65536, Algorithm::binary, 8192},
                            {bcast::no_limit, Algorithm::linear, 8192}}});
    table.rules.push_back({9,
                           bcast::any_number,
                           1,
                           bcast::any_number,
                           bcast::Arrival::balanced,
                           {{1024, Algorithm::binomial, 0},
                            {65536, Algorithm::two_tree, 4096},
                            {std::size_t{1} << 20, Algorithm::two_tree, 8192},
                            {bcast::no_limit, Algorithm::linear, 8192}}});
    return table;
}

/// How a site is made: only the test that needs it plans it.
struct SiteMaker {
    std::string label;
    std::function<Site()> make;
};

inline SiteMaker by_default(const std::string& label, const std::function<Network()>& network) {
    return {label, [label, network] { return Site{label, network(), usual_table()}; }};
}

inline std::vector<SiteMaker> sample_sites() {
    std::vector<SiteMaker> sites;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(BCASTGEN_SOURCE_DIR) / "topologies")) {
        if (entry.path().extension() != ".yaml") continue;
        const std::string name = entry.path().stem();
        std::string label = name;
        std::replace_if(
            label.begin(), label.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
        sites.push_back(by_default(label, [name] { return sample_network(name); }));
    }
    std::sort(sites.begin(), sites.end(), [](const SiteMaker& a, const SiteMaker& b) { return a.label < b.label; });
    const auto add = [&sites](const std::string& label, const std::string& yaml) {
        sites.push_back(by_default(label, [yaml] { return network_of(yaml); }));
    };
    add("one_machine", "name: one\nswitches: {s0: {machines: n0}}\n");
    add("two_machines", "name: two\nswitches: {s0: {machines: \"n[0-1]\"}}\n");
    add("overlapping_partitions",
        "name: overlap\n"
        "switches:\n  s0: {machines: \"n[0-5]\"}\n  s1: {machines: \"n[6-9]\"}\n  s2:\n"
        "links: [{between: [s0, s2]}, {between: [s2, s1], bandwidth: 10Gbit/s}]\n"
        "partitions: {low: \"n[0-6]\", high: \"n[5-9]\", single: n3, all: \"n[0-9]\"}\n");
    add("odd_names",
        "name: A-1_b\n"
        "switches: {0x1F.sw-: {machines: \"7,0,rack-1.node_[09-11],int,a--b..c\"}, class: }\n"
        "links: [{between: [class, 0x1F.sw-]}]\n"
        "partitions: {p.1-_: \"7,int\"}\n");
    const std::string long_name(250, 'x');
    add("longest_names", "name: " + std::string(64, 'N') + "\nswitches: {" + long_name + "S: {machines: \"" +
                             long_name + "[1-9]\"}}\npartitions: {" + long_name + "P: \"" + long_name + "[1-3]\"}\n");
    sites.push_back(by_default("row_of_600", row_of_600));
    sites.push_back({"all_native", [] {
                         return Site{"all_native", sample_network("fsu-2"), all_native_table(), false};
                     }});
    sites.push_back({"every_algorithm", [] {
                         return Site{"every_algorithm", sample_network("fsu-3"), table_of_everything(), false};
                     }});
    return sites;
}

/// A test for each of sample_sites().
class ForEverySite : public ::testing::TestWithParam<SiteMaker> {
  protected:
    const Site sample_ = GetParam().make();
};

inline std::string label_of(const ::testing::TestParamInfo<SiteMaker>& site) {
    return site.param.label;
}

inline void PrintTo(const SiteMaker& site, std::ostream* out) {
    *out << site.label;
}

}  // namespace bcastgen::testing
