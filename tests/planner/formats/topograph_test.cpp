#include "planner/formats/topograph.hpp"

#include <gtest/gtest.h>

#include <string>

#include "imports.hpp"
#include "tests/base/files.hpp"

namespace bcastgen {
namespace {

using testing::contents;
using testing::outcome;
using testing::source_path;

std::string imported_topograph(const std::string& text) {
    return outcome([&] { return import_topograph({"t.json", text}, "t"); });
}

constexpr const char* expected =
    "# assumed: 1Gbit/s and 20us on every link; a Topograph model tells no speeds, so set them here\nname: t\n"
    "defaults:\n  link: {bandwidth: 1Gbit/s, latency: 20us}\nswitches:\n  S1:\n  S2: {machines: \"I[21-22,25]\"}\n"
    "  S3: {machines: \"I34\"}\nlinks:\n  - {between: [S1, S2]}\n  - {between: [S1, S3]}\n";

TEST(Topograph, ReadsJsonAndYaml) {
    EXPECT_EQ(imported_topograph(
                  "{\n\t\"switches\": {\"S1\": {\"switches\": [\"S2\", \"S3\"]},\n"
                  "\t\"S2\": {\"nodes\": [{\"node_id\": \"I21\"}, {\"node_id\": \"I22\"}, {\"node_id\": \"I25\"}]},\n"
                  "\t\"S3\": {\"nodes\": [{\"node_id\": \"I34\", \"accelerated_network_id\": \"x\"}]}}\n}\n"),
              expected);
    EXPECT_EQ(imported_topograph("switches:\n  S1: {switches: [S2, S3], labels: {zone: a}}\n"
                                 "blocks:\n- {switch: S2, nodes: [\"I[21-22]\", I25]}\n- {switch: S3, nodes: I34}\n"),
              expected);
}

TEST(Topograph, SaysWhereAndWhatIsWrong) {
    EXPECT_EQ(
        imported_topograph("{\"switches\": {\"S1\": "),
        "t.json:1:21: error: no JSON: syntax error while parsing value - unexpected end of input; expected '[', '{', "
        "or a literal\n    {\"switches\": {\"S1\": \n                        ^\n");
    EXPECT_EQ(imported_topograph("{\"nodes\": []}"),
              "t.json:1:1: error: a Topograph model has \"switches\" or \"blocks\"\n    {\"nodes\": []}\n    ^\n");
    EXPECT_EQ(
        imported_topograph("{\"switches\": {\"S1\": {\"switches\": [\"S2\"]}},\n \"blocks\": [{\"nodes\": [\"n1\"]}]}"),
        "t.json:2:13: error: a block without \"switch\" does not tell where its nodes are\n"
        "     \"blocks\": [{\"nodes\": [\"n1\"]}]}\n                ^\n");
    EXPECT_EQ(imported_topograph("{\"switches\": {\"S1\": {\"switches\": [\"S2\"]}}}"),
              "t.json: error: names no machine: no switch has \"nodes\", and there is no block\n");
    EXPECT_EQ(imported_topograph("switches:\n  S1: {switches: [rakc1]}\n  rack1: {nodes: [n1]}\n"),
              "t.json:2:19: error: switch rakc1 is described nowhere; did you mean rack1?\n"
              "      S1: {switches: [rakc1]}\n                      ^\n");
    EXPECT_EQ(imported_topograph("switches:\n  S1: {switches: [rack11]}\n  rack1: {nodes: [n1]}\n"),
              "t.json:2:19: error: switch rack11 is described nowhere\n"
              "      S1: {switches: [rack11]}\n                      ^\n");
}

TEST(Topograph, TakesRacksWithoutMachines) {
    const std::string assumed =
        "# assumed: 1Gbit/s and 20us on every link; a Topograph model tells no speeds, so set them here\nname: t\n"
        "defaults:\n  link: {bandwidth: 1Gbit/s, latency: 20us}\nswitches:\n  S1:\n  S2: {machines: \"n1\"}\n";
    const std::string links = "links:\n  - {between: [S1, S2]}\n  - {between: [S1, S3]}\n  - {between: [S1, S4]}\n";
    EXPECT_EQ(
        imported_topograph("switches: {S1: {switches: [S2, S3, S4]}, S2: {nodes: n1}, S3: {}, S4: {nodes: []}}"),
        "# assumed: S[3-4] have no machines, as the model names none there\n" + assumed + "  S3:\n  S4:\n" + links);
    EXPECT_EQ(
        imported_topograph("switches: {S1: {switches: [S2, S3, S4]}, S2: {nodes: n1}, S4: }"),
        "# assumed: S[3-4] have no machines, as the model names none there\n" + assumed + "  S4:\n  S3:\n" + links);
}

TEST(Topograph, ImportsRealModels) {
    for (const char* name : {"topograph-model-medium.yaml", "topograph-model-small-tree.yaml"}) {
        const std::string text = contents(source_path(std::string("tests/planner/formats/real/") + name));
        EXPECT_TRUE(testing::can_be_planned(import_topograph({name, text}, name))) << name;
    }
}

}  // namespace
}  // namespace bcastgen
