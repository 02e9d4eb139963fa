// explain as a user runs it, with the simulated cluster beside.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "tests/cli/run_tool.hpp"

namespace bcastgen {
namespace {

using Json = nlohmann::json;

std::vector<std::string> explaining(std::vector<std::string> more) {
    std::vector<std::string> words{"explain", "topologies/fsu-1.yaml", "--size", "64K", "--machines", "n[0-3]"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST(Explain, SaysTheSameAsJson) {
    const testing::Outcome outcome = testing::run_tool(explaining({"--format", "json"}));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Json found = Json::parse(outcome.out);
    EXPECT_EQ(found["format"], "bcastgen-explanation/1");
    EXPECT_EQ(found["machines"], 4);
    EXPECT_EQ(found["message_bytes"], 65536);
    EXPECT_EQ(found.count("network"), 0U);
    for (const Json& price : found["others"]) {
        EXPECT_EQ(price.count("simulated_us"), 0U);
        EXPECT_NEAR(price["fill_us"].get<double>() + price["steady_us"].get<double>() +
                        price["latency_us"].get<double>() + price["software_us"].get<double>(),
                    price["price_us"].get<double>(), 1e-6);
    }
}

TEST(Explain, IsCheckedOnTheSimulatedCluster) {
    if (find_program("smpirun").empty()) GTEST_SKIP() << "skipped: there is no smpirun";
    const testing::Outcome outcome = testing::run_tool(explaining({"--check", "--format", "json"}));
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const Json found = Json::parse(outcome.out);
    EXPECT_EQ(found["network"], "default");
    for (std::size_t i = 0; i < 3; ++i) {
        const Json& price = found["others"][i];
        ASSERT_EQ(price.count("simulated_us"), 1U) << price.dump();
        EXPECT_NEAR(price["price_over_simulated"].get<double>(), 1, 0.1) << price.dump();
    }
    EXPECT_EQ(found["others"][3].count("simulated_us"), 0U);
    const testing::Outcome text = testing::run_tool(explaining({"--check"}));
    EXPECT_NE(text.out.find("the price is 1.0"), std::string::npos) << text.out;
    EXPECT_NE(text.out.find("  check      on the simulated cluster, network default\n"), std::string::npos);
}

}  // namespace
}  // namespace bcastgen
