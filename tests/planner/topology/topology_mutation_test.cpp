// Whatever happens to a topology file, reading it gives a sound network or located errors.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/names.hpp"
#include "planner/network/switch_graph.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/base/files.hpp"

namespace bcastgen {
namespace {

constexpr const char* good_file = R"(name: good
defaults:
  link: {bandwidth: 100Mbit/s, latency: 20us}
  machine: {cores: 1}
switches:
  s0: {machines: "n[0-3],m[01-02]", priority: 4096}
  s1: {machines: [a, "b[1-2]"]}
  s2:
links:
  - {between: [s0, s1]}
  - between: [s1, s2]
    cables: 2   # a comment
  - {between: [s0, s2], bandwidth: 1Gbit/s, latency: 5us}
machines:
  n2: {link: {bandwidth: 10Mbit/s}, cores: 8}
partitions:
  batch: "n[0-3]"
multicast: {groups: 239.192.0.0/16, interface: eth0}
spanning_tree: auto
)";

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines{""};
    for (const char c : text) {
        if (c == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += c;
        }
    }
    return lines;
}

class Mutator {
  public:
    explicit Mutator(std::mt19937::result_type seed) : random_(seed) {}

    void mutate(std::string& text) {
        const std::size_t at = below(text.size() + 1);
        const std::size_t length = std::min(below(8), text.size() - at);
        switch (below(7)) {
            case 0:
                text.erase(at, length);
                break;
            case 1:
                text.insert(at, fragment());
                break;
            case 2:
                text.replace(at, length, fragment());
                break;
            case 3:
                text.insert(at, text.substr(below(text.size() + 1), below(60)));
                break;
            case 4:
                text.resize(at);
                break;
            case 5:
                swap_lines(text);
                break;
            default:
                text.insert(at, 1, static_cast<char>(below(256)));
        }
    }

  private:
    std::size_t below(std::size_t end) { return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_); }

    std::string fragment() {
        static const std::vector<std::string> fragments{"{",
                                                        "}",
                                                        "[",
                                                        "]",
                                                        ":",
                                                        ": ",
                                                        "- ",
                                                        "\n",
                                                        "  ",
                                                        "\t",
                                                        "\"",
                                                        "'",
                                                        "#",
                                                        "&x ",
                                                        "*x",
                                                        "!t ",
                                                        "|\n",
                                                        ">\n",
                                                        "---\n",
                                                        "...\n",
                                                        "? ",
                                                        "<<: ",
                                                        "%YAML 9\n",
                                                        "null",
                                                        "~",
                                                        "s0",
                                                        "s9",
                                                        "n[0-3]",
                                                        "[0-999999999]",
                                                        "-1",
                                                        "0",
                                                        "99999999999999999999",
                                                        "1e9",
                                                        "$(x)",
                                                        "../",
                                                        "\\",
                                                        "\\n",
                                                        "name: x\n",
                                                        "switches:\n",
                                                        "links:\n",
                                                        "é",
                                                        "\r\n",
                                                        "\r",
                                                        std::string(1, '\0'),
                                                        "\x1b[2J",
                                                        "\xFF",
                                                        "{a: {a: {a: {a: ",
                                                        "[[[[[[[["};
        return fragments[below(fragments.size())];
    }

    void swap_lines(std::string& text) {
        std::vector<std::string> lines = lines_of(text);
        std::swap(lines[below(lines.size())], lines[below(lines.size())]);
        text.clear();
        for (const std::string& line : lines) text += line + "\n";
    }

    std::mt19937 random_;
};

void expect_sound(const Network& network) {
    RC_ASSERT(is_library_name(network.name));
    RC_ASSERT(!network.machines.empty());
    std::size_t in_tree = 0;
    for (const Trunk& trunk : network.trunks) in_tree += trunk.in_tree ? 1 : 0;
    RC_ASSERT(in_tree + 1 == network.switches.size());
    RC_ASSERT(switches_top_down(hang_from(network, 0)).size() == network.switches.size());
    for (const Machine& machine : network.machines) {
        RC_ASSERT(is_safe_name(machine.name));
        RC_ASSERT(machine.sw >= 0 && machine.sw < static_cast<int>(network.switches.size()));
        RC_ASSERT(machine.port.bandwidth_Bps > 0 && machine.port.latency_s > 0 && machine.cores > 0);
    }
}

void expect_located(const InputErrors& errors, std::string text) {
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    const std::vector<std::string> lines = lines_of(text);
    RC_ASSERT(!errors.diagnostics().empty());
    for (const Diagnostic& diagnostic : errors.diagnostics()) {
        RC_ASSERT(diagnostic.file == "t.yaml");
        RC_ASSERT(!diagnostic.message.empty());
        const bool empty_file = diagnostic.line == 0 && errors.diagnostics().size() == 1;
        if (empty_file) continue;
        RC_ASSERT(diagnostic.line >= 1 && diagnostic.line <= static_cast<int>(lines.size()));
        const std::string& line = lines[static_cast<std::size_t>(diagnostic.line) - 1];
        RC_ASSERT(diagnostic.column >= 1 && diagnostic.column <= static_cast<int>(line.size()) + 1);
        RC_ASSERT(line.substr(diagnostic.cut_bytes).starts_with(diagnostic.source_line));
    }
    for (const char c : std::string_view(errors.what())) {
        RC_ASSERT(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
    }
}

void expect_network_or_errors(const std::string& text) {
    try {
        expect_sound(read_topology(text, "t.yaml"));
    } catch (const InputErrors& errors) {
        expect_located(errors, text);
    }
}

TEST(TopologyMutation, StartsFromAGoodFile) {
    EXPECT_EQ(read_topology(good_file, "t.yaml").machines.size(), 9U);
}

RC_GTEST_PROP(TopologyMutation, GivesANetworkOrLocatedErrors, (std::mt19937::result_type seed)) {
    Mutator mutator(seed);
    for (int file = 0; file < 5; ++file) {
        std::string text = good_file;
        for (int mutations = 1 + file; mutations > 0; --mutations) mutator.mutate(text);
        expect_network_or_errors(text);
    }
}

RC_GTEST_PROP(TopologyMutation, AnyBytesGiveANetworkOrLocatedErrors, (const std::string& bytes)) {
    expect_network_or_errors(bytes);
}

TEST(TopologyMutation, EveryPrefixGivesANetworkOrLocatedErrors) {
    const std::string text = good_file;
    for (std::size_t size = 0; size <= text.size(); ++size) expect_network_or_errors(text.substr(0, size));
}

}  // namespace
}  // namespace bcastgen
