#include "planner/print/check_formats.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "planner/topology/topology_yaml.hpp"
#include "tests/base/files.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::contents;
using testing::source_path;

Network sample_called(const std::string& name) {
    return read_topology(contents(source_path("topologies/" + name + ".yaml")), name);
}

// check/NAME.txt and check/NAME.json are what topologies/NAME.yaml is shown as.
TEST(CheckFormats, ShowTheSamples) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(source_path("tests/planner/print/check"))) {
        ++files;
        const Network network = sample_called(entry.path().stem());
        const bool json = entry.path().extension() == ".json";
        EXPECT_EQ(json ? check_json(network) : check_text(network), contents(entry.path())) << entry.path();
    }
    EXPECT_GE(files, 9);
}

TEST(CheckFormats, JsonHasEveryMachineAndTrunk) {
    const Network network = sample_called("fat-tree");
    const auto json = nlohmann::json::parse(check_json(network));
    EXPECT_EQ(json["format"], "bcastgen-check/1");
    EXPECT_EQ(json["machines"], 64);
    EXPECT_EQ(json["ports"].size(), 64U);
    EXPECT_EQ(json["trunks"].size(), 32U);
    EXPECT_EQ(json["spanning_tree"]["folded_clos"], true);
    EXPECT_EQ(json["spanning_tree"]["idle"].size(), 0U);
    EXPECT_FALSE(json.contains("multicast"));
}

TEST(CheckFormats, LongListsAreCut) {
    std::vector<std::pair<int, int>> trunks;
    for (int sw = 1; sw < 300; ++sw) trunks.emplace_back(0, sw);
    for (int sw = 2; sw < 300; ++sw) trunks.emplace_back(sw - 1, sw);
    Network network = testing::make_network(300, trunks, std::vector<int>(50, 7));
    for (std::size_t t = 299; t < network.trunks.size(); ++t) network.trunks[t].in_tree = false;
    for (std::size_t m = 0; m < network.machines.size(); ++m) network.machines[m].name = "m" + std::to_string(3 * m);
    const std::string text = check_text(network);
    EXPECT_NE(text.find("  … 100 more switches (all with --format json)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  … 274 more lines (all with --format json)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("  50 machines  m[0,3,6,9,12,15,18,21,24,27,30,33,36,39,42,45,48,51,54,57,…\n"),
              std::string::npos)
        << text;
}

}  // namespace
}  // namespace bcastgen
