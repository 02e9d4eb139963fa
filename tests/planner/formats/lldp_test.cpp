#include "planner/formats/lldp.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <sstream>
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

/// A neighbour that says whether it bridges and routes.
std::string seen(const std::string& interface, const std::string& neighbour, bool bridges, bool routes) {
    return fmt::format(
        R"({{"{}": {{"chassis": {{"{}": {{"capability": [{{"type": "Bridge", "enabled": {}}},
        {{"type": "Router", "enabled": {}}}]}}}}}}}})",
        interface, neighbour, bridges, routes);
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

/// The part of an outcome that says what hangs where, and what is noted of routers.
std::string wiring_of(const std::string& outcome) {
    std::string text;
    std::istringstream lines(outcome);
    for (std::string line; std::getline(lines, line);) {
        const bool told = line.find("rout") != std::string::npos || line.find("machines: ") != std::string::npos ||
                          line.find("between") != std::string::npos || line.starts_with("  spine") ||
                          line.find("error") != std::string::npos;
        if (told) text += line + "\n";
    }
    return text;
}

TEST(Lldp, RoutersThatConnectMachinesAreSwitches) {
    // Files of machines that nobody describes, on leaves that route and do not bridge.
    const auto on = [](const std::string& leaf) { return file(seen("eth0", leaf, false, true)); };
    EXPECT_EQ(wiring_of(imported({{"n1.json", on("leaf1")}, {"n2.json", on("leaf1")}, {"n3.json", on("leaf2")}})),
              "# assumed: leaf[1-2] are switches, as they route\n"
              "  leaf1: {machines: \"n[1-2]\"}\n  leaf2: {machines: \"n3\"}\n"
              "  - {between: [top, leaf1]}\n  - {between: [top, leaf2]}\n");
    // Every file there is: leaves and a spine that route, machines that do not, and one that does.
    const auto leaf = [](const std::string& a, const std::string& b, bool forwards) {
        return file("[" + seen("p1", a, false, false) + "," + seen("p2", b, false, forwards) + "," +
                    seen("p9", "spine1", false, true) + "]");
    };
    EXPECT_EQ(wiring_of(imported({{"leaf1.json", leaf("n1", "n2", true)},
                                  {"leaf2.json", leaf("n3", "n4", false)},
                                  {"n1.json", on("leaf1")},
                                  {"n2.json", on("leaf1")},
                                  {"n3.json", on("leaf2")}})),
              "# assumed: leaf[1-2],spine1 are switches, as they route\n"
              "# assumed: n2 is a machine on one switch, although it routes\n"
              "  leaf1: {machines: \"n[1-2]\"}\n  leaf2: {machines: \"n[3-4]\"}\n  spine1:\n"
              "  - {between: [leaf1, spine1]}\n  - {between: [leaf2, spine1]}\n");
    // Leaves alone.
    EXPECT_EQ(wiring_of(imported({{"leaf1.json", leaf("n1", "n2", false)}, {"leaf2.json", leaf("n3", "n4", false)}})),
              "# assumed: spine1 is a switch, as it routes\n"
              "  leaf1: {machines: \"n[1-2]\"}\n  leaf2: {machines: \"n[3-4]\"}\n  spine1:\n"
              "  - {between: [leaf1, spine1]}\n  - {between: [leaf2, spine1]}\n");
}

TEST(Lldp, RefusesRoutersThatMayBeMachinesToo) {
    // A leaf whose machines all forward looks like a machine on several leaves.
    const std::string several = file("[" + seen("e0", "a", false, true) + "," + seen("e1", "b", false, true) + "]");
    EXPECT_EQ(wiring_of(imported({{"x.json", several}})),
              "x.json:1:32: error: a routes, as a switch or a machine may, and nothing tells which of x and its "
              "neighbours are switches; add the files of more machines, or that of a\n");
    // Two that route, and nothing else.
    EXPECT_EQ(wiring_of(imported(
                  {{"x.json", file(seen("e0", "y", false, true))}, {"y.json", file(seen("e0", "x", false, true))}})),
              "x.json:1:31: error: y routes, as a switch or a machine may, and nothing tells which of x and its "
              "neighbours are switches; add the files of more machines, or that of y\n"
              "y.json:1:31: error: x routes, as a switch or a machine may, and nothing tells which of y and its "
              "neighbours are switches; add the files of more machines, or that of x\n");
    // Nothing but routers, each beside several.
    const auto pair = [](const std::string& one, const std::string& two) {
        return file("[" + seen("e0", one, false, true) + "," + seen("e1", two, false, true) + "]");
    };
    EXPECT_EQ(
        imported({{"a.json", pair("c", "d")}, {"b.json", pair("c", "d")}, {"c.json", pair("a", "b")}}),
        "a.json: error: no machine on a switch is seen in these files: all devices bridge, route or see no other; "
        "add the files of machines only, or write the topology file by hand\n");
}

TEST(Lldp, RefusesSpeedsThatNoLinkHas) {
    EXPECT_EQ(wiring_of(imported({{"n1.json", file(sight("eth0", "leaf1", true, "99999999GbaseT"))}})).substr(0, 73),
              "n1.json:2:110: error: no link has the speed that \"99999999GbaseT\" names\n");
}

TEST(Lldp, RefusesNamesThatATerminalWouldObey) {
    const std::string said = imported({{"n1.json", file(seen("eth0", "leaf\\u001b[31m", true, false))}});
    EXPECT_NE(said.find("error: \"leaf\\x1b[31m\" cannot name a machine or switch"), std::string::npos) << said;
    EXPECT_EQ(said.find('\x1b'), std::string::npos);
    EXPECT_NE(imported({{"n1.json", file(seen("eth0", "leaf\\ud83d\\ude00", true, false))}}).find("cannot name a"),
              std::string::npos);
}

}  // namespace
}  // namespace bcastgen
