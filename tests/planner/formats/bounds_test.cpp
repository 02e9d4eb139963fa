// Files that no program writes: too large, or with what a terminal would obey. Each ends at once in an error with its
// place, or in a topology file that can be read.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "imports.hpp"
#include "planner/formats/ibnetdiscover.hpp"
#include "planner/formats/lldp.hpp"
#include "planner/formats/slurm/slurm.hpp"
#include "planner/formats/topograph.hpp"

namespace bcastgen {
namespace {

using testing::outcome;

std::string repeated(std::string_view text, std::size_t bytes) {
    std::string all;
    while (all.size() < bytes) all += text;
    return all;
}

std::string numbered(std::size_t count, const std::function<std::string(std::size_t)>& line) {
    std::string all;
    for (std::size_t i = 0; i < count; ++i) all += line(i);
    return all;
}

using Import = Imported (*)(const ImportFile&, const std::string&);

/// The first line of what is said, and the last one if errors are left out.
std::string ends_of(Import import, const std::string& text) {
    const std::string said = outcome([&] { return import({"f", text}, "t"); });
    EXPECT_EQ(first_unprintable(said), std::nullopt);
    const std::string first = said.substr(0, said.find('\n'));
    const std::size_t rest = said.rfind("\n… and");
    return rest == std::string::npos ? first : first + said.substr(rest, said.size() - rest - 1);
}

TEST(ImportBounds, SlurmCountsNamesAndErrors) {
    EXPECT_EQ(ends_of(import_slurm, repeated("SwitchName=s[0-999999] Switches=s[0-999] Nodes=n[0-999999]\n", 20'000)),
              "f:1:12: error: up to here the hostlists of this file stand for more names than 128 MiB hold\n"
              "… and 995 more errors");
    EXPECT_EQ(ends_of(import_slurm, "SwitchName=s[0-999] Nodes=n[0-9999]\n"),
              "f:1:12: error: up to here the hostlists of this file stand for more names than 128 MiB hold");
    EXPECT_EQ(ends_of(import_slurm, "SwitchName=s0 Nodes=" + repeated("$,", 400'000)),
              "f:1:21: error: a name cannot start with \"$\"; names are letters and digits, after the first character "
              "also . _ and -\n… and 100000 more errors; reading ended there");
    const auto missing = [](std::size_t i) { return fmt::format("SwitchName=s{} Switches=q{}\n", i, i); };
    EXPECT_EQ(ends_of(import_slurm, numbered(20'000, missing)),
              "f:1:24: error: switch q0 is described nowhere\n… and 19980 more errors");
}

TEST(ImportBounds, SlurmHintsAreLookedUp) {
    constexpr std::size_t many = 8000;
    const auto leaf = [](std::size_t i) { return fmt::format("SwitchName=s{} Nodes=n{}\n", i, i); };
    const auto link = [](std::size_t i) {
        return fmt::format("# bcastgen links=s{}:t bandwidth={}Mbit/s\n", i, i + 1);
    };
    const auto part = [](std::size_t i) { return fmt::format("# bcastgen part=s{} of=t\n", 2 * i); };
    const auto port = [](std::size_t i) { return fmt::format("# bcastgen ports=n{} cores={}\n", i, i + 1); };
    const std::string text = numbered(many, leaf) + fmt::format("SwitchName=t Switches=s[0-{}]\n", many - 1) +
                             numbered(many, link) + numbered(many / 2, part) + numbered(many, port);
    const Imported imported = import_slurm({"f", text}, "t");
    EXPECT_EQ(imported.network.switches.size(), many / 2 + 1);
    EXPECT_EQ(imported.network.machines.size(), many);
    EXPECT_EQ(imported.network.trunks.size(), many / 2);
}

TEST(ImportBounds, SlurmHintsAreChecked) {
    const auto hint = [](const std::string& text) {
        return ends_of(import_slurm, "# bcastgen " + text + "\nSwitchName=s0 Nodes=n[0-1]\nSwitchName=t Switches=s0\n");
    };
    EXPECT_EQ(hint("ports=n0 cores=0"), "f:1:27: error: \"0\" is not a number from 1 to 65536");
    EXPECT_EQ(hint("ports=n0 cores=1180591620717411303424"),
              "f:1:27: error: \"1180591620717411303424\" is not a number from 1 to 65536");
    EXPECT_EQ(hint("priority=-1 switches=t"), "f:1:21: error: \"-1\" is not a number from 0 to 65535");
    EXPECT_EQ(hint("links=s0:t cables=1025"), "f:1:30: error: \"1025\" is not a number from 1 to 1024");
    EXPECT_EQ(hint("multicast=10.0.0.0/8").substr(0, 67),
              "f:1:22: error: \"10.0.0.0/8\" is not a range of multicast groups that");
    EXPECT_EQ(hint("multicast=239.0.0.0/8 interface=a$b"),
              "f:1:44: error: \"a$b\" is not the name of a network interface, like eth0");
    EXPECT_EQ(hint("idle=i0"), "f:1:17: error: no more_links join some of these switches to the others");
    for (const char* one : {"idle=s0", "part=s0 of=s0", "part=t of=s0", "partition=p machines=x", "name=1x", "idle=n0",
                            "partition=p machines=n0,n0", "more_links=s0:t,t:s0"}) {
        EXPECT_EQ(hint(one).substr(0, 4), "name") << one;
    }
}

TEST(ImportBounds, IbnetdiscoverCountsErrorsAndCables) {
    EXPECT_EQ(ends_of(import_ibnetdiscover, repeated("x\n", 40'000)),
              "f:1:1: error: \"x\" is nothing that ibnetdiscover prints here; is the file cut or mixed?\n"
              "… and 19980 more errors");
    const std::string head = "Switch 36 \"S-1\" # \"a\"\n[1] \"H-1\"[1] # \"n0\" 4xEDR\n";
    const auto cable = [](std::size_t i) { return fmt::format("[{}] \"S-2\"[{}]\n", i + 2, i); };
    EXPECT_EQ(ends_of(import_ibnetdiscover, head + numbered(1025, cable) +
                                                "Switch 36 \"S-2\" # \"b\"\nCa 1 \"H-1\" # \"n0\"\n[1] \"S-1\"[1]\n"),
              "f:1027:1: error: more than 1024 cables between a and b");
}

TEST(ImportBounds, IbnetdiscoverKnowsItsWidths) {
    const auto cable = [](const std::string& rate) {
        return ends_of(import_ibnetdiscover, "Switch 36 \"S-1\" # \"a\"\n[1] \"H-1\"[1] # \"n0\" " + rate +
                                                 "\nCa 1 \"H-1\" # \"n0\"\n[1] \"S-1\"[1]\n");
    };
    for (const char* rate : {"3.7xEDR", "-1xEDR", "0xEDR", "99xEDR", "1e999xEDR", "1180591620717411303424xEDR"}) {
        EXPECT_EQ(
            cable(rate),
            fmt::format("f:2:21: error: \"{}\" is not a width and rate of InfiniBand; they look like 4xEDR", rate));
    }
    EXPECT_EQ(cable("12xEDR").substr(0, 1), "#");
}

TEST(ImportBounds, TopographKnowsNumbersFromNames) {
    const auto nodes = [](const std::string& list) {
        return ends_of(import_topograph, "{\"switches\": {\"s0\": {\"nodes\": [" + list + "]}}}");
    };
    EXPECT_EQ(nodes("1e999"), "f:1:36: error: no JSON: number overflow parsing '1e999'");
    for (const char* number : {"1180591620717411303424", "-1", "3.7", "true"}) {
        EXPECT_EQ(nodes(number),
                  fmt::format("f:1:32: error: \"{}\" is not a text in quotes, so it cannot be a name", number));
    }
    EXPECT_EQ(nodes("\"a\\u001b[2J\"").substr(0, 40), "f:1:32: error: a name cannot hold \"\\x1b\"");
    EXPECT_EQ(nodes(repeated("1,", 60'000) + "1"),
              "f:1:32: error: \"1\" is not a text in quotes, so it cannot be a name\n… and 29981 more errors");
}

TEST(ImportBounds, TopographFindsItsSwitches) {
    const auto block = [](std::size_t i) { return fmt::format(",{{\"switch\":\"b{}\",\"nodes\":[\"n{}\"]}}", i, i); };
    const std::string text = "{\"blocks\": [{\"switch\":\"s\",\"nodes\":[\"m\"]}" + numbered(10'000, block) + "]}";
    EXPECT_EQ(import_topograph({"f", text}, "t").network.machines.size(), 10'001U);
    EXPECT_EQ(ends_of(import_topograph, "{\"switches\": {\"s[0-9999]\": {\"nodes\": [\"n[0-9999]\"]}}}"),
              "f:1:15: error: up to here the hostlists of this file stand for more names than 128 MiB hold");
}

TEST(ImportBounds, LldpLooksAtEachNeighbourOnce) {
    const auto neighbour = [](std::size_t i) {
        return fmt::format(
            R"({}{{"e{}": {{"chassis": {{"n{}": {{"capability": [{{"type": "Router", "enabled": true}}]}}}}}}}})",
            i == 0 ? "" : ",", i, i);
    };
    const std::string text = "{\"lldp\": {\"interface\": [" + numbered(5000, neighbour) + "]}}";
    const std::string said = outcome([&] { return import_lldp({{"x.json", text}}, "t"); });
    EXPECT_TRUE(said.starts_with("x.json:1:32: error: n0 routes, as a switch or a machine may")) << said.substr(0, 200);
}

TEST(ImportBounds, NothingUnprintableIsTaken) {
    const std::string said = "f:1:18: error: control character U+001B; the file is to be plain text";
    EXPECT_EQ(ends_of(import_slurm, "SwitchName=s0 # a\x1b[2J Nodes=n0\n"), said);
    EXPECT_EQ(ends_of(import_ibnetdiscover, "Switch 36 \"S-1\" #\x1b \"a\"\n"), said);
    EXPECT_EQ(ends_of(import_topograph, "{\"switches\": { \"s\x1b\": {}}}").substr(0, 18), "f:1:18: error: no ");
    EXPECT_EQ(ends_of(import_topograph, "switches: {\"s\xC2\x9B\": {}}"),
              "f:1:14: error: control character U+009B; the file is to be plain text");
    EXPECT_EQ(ends_of(import_slurm, "SwitchName=s0 # \xE2\x80\xAE\n"),
              "f:1:17: error: invisible character U+202E; the file is to be plain text");
    EXPECT_EQ(ends_of(import_topograph, "switches: {\"s\\e[31m\": {nodes: n0}}").substr(0, 40),
              "f:1:12: error: a name cannot hold \"\\x1b\"");
}

TEST(ImportBounds, ByteOrderMarksAreNoPartOfTheText) {
    const std::string mark = "\xEF\xBB\xBF";
    EXPECT_EQ(import_slurm({"f", mark + "SwitchName=s0 Nodes=n0\n"}, "t").network.machines.size(), 1U);
    EXPECT_EQ(
        import_topograph({"f", mark + "{\"switches\": {\"s0\": {\"nodes\": [\"n0\"]}}}"}, "t").network.switches.size(),
        1U);
    EXPECT_EQ(ends_of(import_slurm, mark + "Switch=s0 Nodes=n0\n").substr(0, 13), "f:1:1: error:");
    const std::string wrong = "{\"switches\": nul}";
    EXPECT_EQ(ends_of(import_topograph, mark + wrong), ends_of(import_topograph, wrong));
}

TEST(ImportBounds, NotesThatAreAlikeAreCounted) {
    const auto twice = [](std::size_t i) { return fmt::format("SwitchName=s{} Nodes=n0\n", i); };
    const Imported imported = import_slurm({"f", numbered(100, twice)}, "t");
    EXPECT_LT(imported.notes.size(), 20U);
    EXPECT_NE(outcome([&] { return imported; }).find("# … and 89 more of this kind\n"), std::string::npos);
}

}  // namespace
}  // namespace bcastgen
