#include "planner/formats/lldp.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "imports.hpp"

namespace bcastgen {
namespace {

using testing::outcome;

/// A neighbour in lldpcli's form "json".
std::string sight(const std::string& interface, const std::string& neighbour, bool bridge, const std::string& speed) {
    return fmt::format(
        R"({{"{}": {{"via": "LLDP", "chassis": {{"{}": {{"id": {{"type": "mac"}}, "capability": [{{"type": "Bridge",
        "enabled": {}}}, {{"type": "Station", "enabled": {}}}]}}}}, "port": {{"auto-negotiation": {{"current": "{}"}}}}}}}})",
        interface, neighbour, bridge, !bridge, speed);
}

std::string file(const std::string& interface) {
    return R"({"lldp": {"interface": )" + interface + "}}";
}

std::string imported(const std::vector<ImportFile>& files) {
    return outcome([&] { return import_lldp(files, "t"); });
}

TEST(Lldp, MergesWhatSeveralHostsSee) {
    // Two cables between leaf1 and leaf2, seen from both ends; n2 on both leaves; n3 seen by its leaf alone.
    const std::vector<ImportFile> files = {
        {"x/n1.json", file(sight("eth0", "leaf1", true, "10GbaseT - full duplex"))},
        {"x/n2.json", file("[" + sight("eth0", "leaf2", true, "1000BaseTFD - full") + "," +
                           sight("eth1", "leaf1", true, "10GbaseT") + "]")},
        {"x/leaf1.json",
         file("[" + sight("p1", "n1", false, "10GbaseT") + "," + sight("p2", "n3", false, "") + "," +
              sight("p8", "leaf2", true, "40GbaseCR4") + "," + sight("p9", "leaf2", true, "40GbaseCR4") + "]")},
        {"x/leaf2.json", file(sight("p9", "leaf1", true, "40GbaseCR4"))},
    };
    EXPECT_EQ(imported(files),
              "# assumed: n2 is on switch leaf2, not also on leaf1\n"
              "# assumed: 10Gbit/s for links whose speed is not told\n"
              "# assumed: a latency of 10us on every link, which LLDP does not tell\n"
              "name: t\ndefaults:\n  link: {bandwidth: 10Gbit/s, latency: 10us}\n"
              "switches:\n  leaf1: {machines: \"n[1,3]\"}\n  leaf2: {machines: \"n2\"}\n"
              "links:\n  - {between: [leaf1, leaf2], bandwidth: 40Gbit/s, cables: 2}\n"
              "machines:\n  \"n2\": {link: {bandwidth: 1Gbit/s}}\n");
}

TEST(Lldp, ReadsTheFormThatAlwaysLists) {
    EXPECT_EQ(imported({{"n1.json0", R"({"lldp": [{"interface": [{"name": "eth0", "chassis": [{"id": [{"type": "mac"}],
        "name": [{"value": "leaf1"}], "capability": [{"type": "Bridge", "enabled": true}]}],
        "port": [{"auto-negotiation": [{"current": [{"value": "25GbaseCR"}]}]}]}]}]})"}}),
              "# assumed: a latency of 10us on every link, which LLDP does not tell\n"
              "name: t\ndefaults:\n  link: {bandwidth: 25Gbit/s, latency: 10us}\n"
              "switches:\n  leaf1: {machines: \"n1\"}\n");
}

TEST(Lldp, SaysWhereAndWhatIsWrong) {
    EXPECT_EQ(imported({{"n1.json", "{\"lldp\": {\n \"interface\": {"}, {"n2.json", "{\"a\": 1}"}}),
              "n1.json:2:16: error: no JSON: syntax error while parsing object key - unexpected end of input; expected "
              "string literal\n     \"interface\": {\n                   ^\n"
              "n2.json:1:1: error: no \"lldp\" here; this is not what `lldpcli show neighbors -f json` prints\n"
              "    {\"a\": 1}\n    ^\n");
    EXPECT_EQ(imported({{"n1.json", "{\"lldp\": {}}"}}),
              "n1.json: error: no machine on a switch is seen in these files\n");
    EXPECT_EQ(imported({{"a/n1.json", "{\"lldp\": {}}"}, {"b/n1.json", "{\"lldp\": {}}"}}),
              "b/n1.json:1:1: error: a second file of host n1\n    {\"lldp\": {}}\n    ^\n");
}

}  // namespace
}  // namespace bcastgen
