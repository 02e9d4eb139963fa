// What the golden plans do not show: big plans, odd names, and that the JSON says enough to be checked by others.
#include "planner/print/plan_formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <regex>
#include <sstream>

#include "planner/network/spanning_tree.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

using testing::make_network;
using testing::random_network;
using testing::Shape;

Plan planned(const Network& network, bcast::Algorithm tree) {
    PlanRequest request;
    request.tree = tree;
    return make_plan(network, request);
}

Network big(int machines, int switches) {
    std::mt19937 random(2);
    return random_network(machines, switches, Shape::random_links, false, random);
}

std::vector<std::string> lines(const std::string& text) {
    std::vector<std::string> result;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) result.push_back(line);
    return result;
}

TEST(PlanText, SaysOnWhatLoadsRestWhereTrunksAreIdle) {
    const std::string says = "--routes computes them";
    const Network row = make_network(4, {{0, 1}, {1, 2}, {2, 3}}, {0, 1, 2, 3});
    EXPECT_EQ(plan_text(row, planned(row, bcast::Algorithm::linear)).find(says), std::string::npos);
    EXPECT_EQ(plan_json(row, planned(row, bcast::Algorithm::linear)).find("\"routes\""), std::string::npos);
    Network ring = make_network(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {0, 1, 2, 3});
    choose_spanning_tree(ring);
    const Plan plan = planned(ring, bcast::Algorithm::linear);
    EXPECT_NE(plan_text(ring, plan).find(says), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(plan_json(ring, plan))["routes"], "spanning tree");
    Network clos = make_network(4, {{0, 2}, {0, 3}, {1, 2}, {1, 3}}, {0, 1});
    choose_spanning_tree(clos);
    EXPECT_EQ(plan_text(clos, planned(clos, bcast::Algorithm::linear)).find(says), std::string::npos);
    EXPECT_EQ(nlohmann::json::parse(plan_json(clos, planned(clos, bcast::Algorithm::linear)))["routes"], "any up/down");
}

TEST(PlanText, OfAThousandMachinesFitsTwoScreens) {
    const Network network = big(1000, 60);
    for (bcast::Algorithm tree : {bcast::Algorithm::linear, bcast::Algorithm::binary, bcast::Algorithm::kary3,
                                  bcast::Algorithm::latency, bcast::Algorithm::flat, bcast::Algorithm::binomial}) {
        const std::string text = plan_text(network, planned(network, tree));
        EXPECT_LT(lines(text).size(), 150U) << bcast::tree_name_of(tree);
        EXPECT_GT(lines(text).size(), 20U) << bcast::tree_name_of(tree);
    }
}

/// Machines drawn plus machines summed up in "… n machines" are all machines.
TEST(PlanText, AbridgedTreesAccountForEveryMachine) {
    const Network network = big(1000, 60);
    for (bcast::Algorithm tree : {bcast::Algorithm::binary, bcast::Algorithm::flat, bcast::Algorithm::binomial}) {
        const std::string text = plan_text(network, planned(network, tree));
        int machines = 0;
        for (const std::string& line : lines(text.substr(text.find("\n\n", text.find("trunk")) + 2))) {
            const std::size_t summary = line.find(", height");
            if (summary != std::string::npos) {
                const std::size_t number = line.rfind(", ", summary - 1) + 2;
                machines += std::stoi(line.substr(number));
                continue;
            }
            machines += static_cast<int>(std::count(line.begin(), line.end(), 'm'));
            const std::size_t skipped = line.find("→ … ");
            if (skipped != std::string::npos && line.find('m', skipped) != std::string::npos) {
                machines += std::stoi(line.substr(skipped + std::string("→ … ").size()));
            }
        }
        EXPECT_EQ(machines, 1000) << bcast::tree_name_of(tree);
    }
}

TEST(PlanText, SaysWhenSendersShareALink) {
    const Network network = make_network(2, {{0, 1}}, {0, 1, 0, 1, 0, 1, 0, 1});
    EXPECT_NE(plan_text(network, planned(network, bcast::Algorithm::binary)).find("proof    contention-free"),
              std::string::npos);
    Plan plan = planned(network, bcast::Algorithm::binomial);
    plan.contention_free = false;
    EXPECT_NE(plan_text(network, plan).find("proof    NOT contention-free"), std::string::npos);
}

TEST(PlanText, OfOneMachine) {
    const Network network = make_network(1, {}, {0});
    EXPECT_EQ(plan_text(network, planned(network, bcast::Algorithm::binary)),
              "test: binary tree from m0 to 1 machine on 1 switch (algorithm: fast)\n"
              "  height   0 (lower bound 0)\n"
              "  fan-out  0\n"
              "  stage    0: one large message takes about 0 x T(m)\n"
              "  root     sends 0 x the message\n"
              "  proof    contention-free: no two senders share a directed link\n"
              "\n"
              "m0   s0\n");
}

TEST(PlanJson, HoldsAllThatAProofNeeds) {
    const Network network = big(200, 20);
    const Plan plan = planned(network, bcast::Algorithm::binary);
    const auto json = nlohmann::json::parse(plan_json(network, plan));
    EXPECT_EQ(json.at("format"), "bcastgen-plan/1");
    EXPECT_EQ(json.at("machines"), 200);
    EXPECT_EQ(json.at("order").size(), 200U);
    EXPECT_EQ(json.at("order").front(), json.at("root"));
    EXPECT_EQ(json.at("trees").at(0).at("edges").size(), 199U);
    EXPECT_EQ(json.at("links").size(), static_cast<std::size_t>(link_count(network)));

    std::map<std::string, double> out_of;
    std::map<std::string, double> into;
    for (const auto& edge : json.at("trees").at(0).at("edges")) {
        out_of[edge.at(0)] += 1;
        into[edge.at(1)] += 1;
    }
    double heaviest = 0;
    for (const auto& link : json.at("links")) {
        const std::string from = link.at("from");
        const std::string to = link.at("to");
        const double load = link.at("load");
        EXPECT_TRUE(from[0] != 'm' || load == out_of[from]) << from;
        EXPECT_TRUE(to[0] != 'm' || load == into[to]) << to;
        heaviest = std::max(heaviest, load);
    }
    EXPECT_EQ(json.at("stage"), heaviest);
    EXPECT_TRUE(json.at("contention_free").get<bool>());
}

TEST(PlanDot, QuotesWhateverANameHolds) {
    Network network = make_network(1, {}, {0, 0});
    network.machines[1].name = "a\"b\\c -> d; }";
    network.name = "\"";
    const Plan plan = planned(network, bcast::Algorithm::linear);
    EXPECT_NE(plan_dot(network, plan).find(R"("root m0" -> "a\"b\\c -> d; } on s0" [class)"), std::string::npos);
    EXPECT_NE(plan_svg(network, plan).find("a&quot;b"), std::string::npos);
}

TEST(PlanText, TellsDepthByIndentationAndNamesTheHalves) {
    const Network network = make_network(3, {{0, 1}, {1, 2}}, {0, 0, 1, 1, 2});
    const std::string chain = plan_text(network, planned(network, bcast::Algorithm::linear));
    EXPECT_EQ(chain.substr(chain.find("\nm0 ") + 1),
              "m0               s0\n"
              "└─ m1            s0\n"
              "   └─ m2         s0 → s1\n"
              "      └─ m3      s1\n"
              "         └─ m4   s1 → s2\n");
    const std::string pair = plan_text(network, planned(network, bcast::Algorithm::two_tree));
    EXPECT_NE(pair.find("\nthe first half\nm0 "), std::string::npos);
    EXPECT_NE(pair.find("\nthe second half\nm0 "), std::string::npos);
}

TEST(PlanText, CountsWhatIsTooDeepToIndent) {
    std::vector<std::pair<int, int>> row;
    std::vector<int> on;
    for (int s = 0; s < 40; ++s) {
        if (s > 0) row.emplace_back(s - 1, s);
        on.push_back(s);
    }
    const Network network = make_network(40, row, on);
    const std::string text = plan_text(network, planned(network, bcast::Algorithm::linear));
    EXPECT_NE(text.find("└─ … 1 child, 23 machines, height 23\n"), std::string::npos) << text;
}

TEST(PlanSvg, NamesEveryMachineAndIsTheSameEachTime) {
    const Network network = big(24, 4);
    const Plan plan = planned(network, bcast::Algorithm::binary);
    const std::string svg = plan_svg(network, plan);
    EXPECT_NE(svg.find("<svg"), std::string::npos);
    for (const Machine& machine : network.machines) {
        EXPECT_TRUE(std::regex_search(svg, std::regex("[> ]" + machine.name + "[<, ]"))) << machine.name;
    }
    EXPECT_EQ(plan_svg(network, plan), svg);
}

double width_pt(const std::string& svg) {
    const std::string before = "<svg width=\"";
    return std::stod(svg.substr(svg.find(before) + before.size()));
}

/// How far down the first text of each part of a class is, by the part's name.
std::map<std::string, double> heights_of(const std::string& svg, const std::string& css_class) {
    static const std::regex part(
        "<g id=\"node[0-9]+\" class=\"node ([a-z]+)\">\n<title>([^<]*)</title>[^]*?<text[^>]* y=\"([-0-9.]+)\"");
    std::map<std::string, double> heights;
    for (auto found = std::sregex_iterator(svg.begin(), svg.end(), part); found != std::sregex_iterator(); ++found) {
        if ((*found)[1] == css_class) heights[(*found)[2]] = std::stod((*found)[3]);
    }
    return heights;
}

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t times = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++times;
    return times;
}

TEST(PlanSvg, OfATwoTreeHasTwoColoursAndTheRootOnTop) {
    const Network network = make_network(4, {{1, 0}, {2, 0}, {3, 0}}, {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3});
    PlanRequest request;
    request.tree = bcast::Algorithm::two_tree;
    for (request.root = 0; request.root < 12; ++request.root) {
        const std::string svg = plan_svg(network, make_plan(network, request));
        EXPECT_GE(count(svg, "class=\"edge first\""), 4U);
        EXPECT_GE(count(svg, "class=\"edge second\""), 4U);
        EXPECT_EQ(count(svg, "stroke=\"#0072b2\""), 2 * count(svg, "class=\"edge first\""));  // the arrow and its head
        EXPECT_EQ(count(svg, "stroke=\"#d55e00\""), 2 * count(svg, "class=\"edge second\""));
        const std::map<std::string, double> machines = heights_of(svg, "machine");
        const std::string root = "root m" + std::to_string(request.root);
        ASSERT_TRUE(machines.contains(root)) << svg;
        for (const auto& [name, height] : machines) EXPECT_TRUE(name == root || height > machines.at(root)) << name;
        const std::map<std::string, double> switches = heights_of(svg, "switch");
        ASSERT_EQ(switches.size(), 4U);
        const std::string on = "switch " + network.switches[static_cast<std::size_t>(request.root % 4)].name;
        for (const auto& [name, height] : switches) EXPECT_TRUE(name == on || height > switches.at(on)) << name;
    }
}

TEST(PlanSvg, OfAThousandMachinesIsAsWideAsAScreen) {
    constexpr double widest = 2000;  // points
    std::mt19937 random(7);
    for (const auto& [machines, switches] :
         {std::pair(128, 8), {128, 128}, {721, 37}, {1000, 1}, {1000, 60}, {5000, 700}}) {
        for (const Shape shape : {Shape::random_links, Shape::star, Shape::chain}) {
            const Network network = random_network(machines, switches, shape, true, random);
            for (const bcast::Algorithm tree :
                 {bcast::Algorithm::linear, bcast::Algorithm::binary, bcast::Algorithm::flat,
                  bcast::Algorithm::binomial, bcast::Algorithm::two_tree}) {
                const std::string svg = plan_svg(network, planned(network, tree));
                EXPECT_LT(width_pt(svg), widest) << machines << " " << switches << " " << bcast::name_of(tree);
                EXPECT_LT(svg.size(), 100'000U);
            }
        }
    }
}

}  // namespace
}  // namespace bcastgen
