// What the golden plans do not show: big plans, odd names, and that the JSON says enough to be checked by others.
#include "planner/print/plan_formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "base/diagnostic.hpp"
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
    EXPECT_NE(plan_dot(network, plan).find(R"("m0" -> "a\"b\\c -> d; }" [color)"), std::string::npos);
    EXPECT_NE(plan_svg(network, plan).find("a&quot;b"), std::string::npos);
}

TEST(PlanSvg, ShowsEveryMachineAndIsTheSameEachTime) {
    const Network network = big(60, 8);
    const Plan plan = planned(network, bcast::Algorithm::binary);
    const std::string svg = plan_svg(network, plan);
    EXPECT_NE(svg.find("<svg"), std::string::npos);
    for (const Machine& machine : network.machines) {
        EXPECT_NE(svg.find(">" + machine.name + "</text>"), std::string::npos) << machine.name;
    }
    EXPECT_EQ(plan_svg(network, plan), svg);
}

TEST(PlanSvg, RefusesNetworksThatTakeMinutesToLayOut) {
    const Network network = big(10, 2001);
    const Plan plan = planned(network, bcast::Algorithm::linear);
    try {
        (void)plan_svg(network, plan);
        FAIL() << "2001 switches were drawn";
    } catch (const InputErrors& errors) {
        EXPECT_STREQ(
            errors.what(),
            "--format: error: svg: test has 2001 switches, and laying out more than 2000 takes minutes; --format "
            "dot gives the graph for a faster layout, such as sfdp\n");
    }
}

TEST(PlanSvg, ShowsSwitchesOnlyWhenThereAreTooManyMachines) {
    const Network network = big(1000, 30);
    const std::string svg = plan_svg(network, planned(network, bcast::Algorithm::binary));
    for (const Switch& sw : network.switches) EXPECT_NE(svg.find(">" + sw.name + ": "), std::string::npos) << sw.name;
    EXPECT_EQ(svg.find(">m1</text>"), std::string::npos);
}

}  // namespace
}  // namespace bcastgen
