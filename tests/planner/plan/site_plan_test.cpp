// The trees that go into a site's library, held against the planner's and the load proof.
#include "planner/plan/site_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "bcast/trees/kary_tree.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/site_proof.hpp"
#include "tests/models/sites.hpp"

namespace bcastgen {
namespace {

using testing::network_of;
using testing::row_of_600;
using testing::sample_network;
using testing::Site;

/// The tree that a table states, children in sending order, as (sender, receiver) machines of the network.
std::vector<std::pair<int, int>> stated_edges(const SitePlan& site, const std::vector<int>& order,
                                              const BakedTreePlan& tree) {
    const auto machine = [&](std::size_t position) { return site.machines[static_cast<std::size_t>(order[position])]; };
    std::vector<std::pair<int, int>> edges;
    for (std::size_t sender = 0; sender < order.size(); ++sender) {
        std::map<int, int> receivers;  // by turn
        for (std::size_t position = 0; position < order.size(); ++position) {
            if (tree.parent[position] != static_cast<int>(sender)) continue;
            EXPECT_TRUE(receivers.emplace(tree.turn[position], machine(position)).second) << "a turn twice";
        }
        for (const auto& [turn, receiver] : receivers) edges.emplace_back(machine(sender), receiver);
    }
    return edges;
}

std::vector<std::pair<int, int>> planned_edges(const Network& network, const std::vector<int>& machines, int root,
                                               bcast::Algorithm algorithm) {
    PlanRequest request;
    request.tree = algorithm == bcast::Algorithm::binary ? bcast::Algorithm::binary : bcast::Algorithm::kary3;
    request.radix = 3;
    request.root = root;
    request.machines = machines;
    const Plan plan = make_plan(network, request);
    return machine_edges(plan.order, plan.trees.front().tree);
}

class EverySite : public testing::ForEverySite {};

TEST_P(EverySite, NumbersEveryMachineOnce) {
    const Network& network = sample_.network;
    const SitePlan site = make_site_plan(network);
    EXPECT_EQ(std::set<int>(site.machines.begin(), site.machines.end()).size(), network.machines.size());
    ASSERT_EQ(site.machine_switch.size(), network.machines.size());
    for (std::size_t number = 0; number < site.machines.size(); ++number) {
        EXPECT_EQ(site.machine_switch[number], network.machines[static_cast<std::size_t>(site.machines[number])].sw);
    }
    EXPECT_EQ(site.switch_links.size() + 1, network.switches.size());
}

TEST_P(EverySite, BakesWhatThePlannerPlansContentionFree) {
    const Network& network = sample_.network;
    const SitePlan site = make_site_plan(network);
    for (const BakedSetPlan& set : site.sets) {
        for (const BakedRootPlan& root : set.roots) {
            SCOPED_TRACE("set " + set.name + ", root on switch " + std::to_string(root.sw));
            std::vector<int> machines;
            for (int number : root.order) machines.push_back(site.machines[static_cast<std::size_t>(number)]);
            EXPECT_EQ(network.machines[static_cast<std::size_t>(machines.front())].sw, root.sw);
            ASSERT_EQ(root.trees.size(), 2U);
            for (const BakedTreePlan& tree : root.trees) {
                const auto edges = stated_edges(site, root.order, tree);
                EXPECT_EQ(edges, planned_edges(network, machines, machines.front(), tree.algorithm));
                const LoadProof proof = prove_load(network, machines, machines.front(), {{1, edges}});
                EXPECT_TRUE(proof.covers);
                EXPECT_TRUE(proof.contention_free);
            }
        }
    }
}

TEST_P(EverySite, BakesASetForTheSiteAndEachPartitionWithRootsOnAllTheirSwitches) {
    const Network& network = sample_.network;
    const SitePlan site = make_site_plan(network);
    if (site.sets.empty()) {
        EXPECT_GT(network.machines.size() * network.switches.size(), most_baked_entries / 8);
        return;
    }
    std::vector<int> all(network.machines.size());
    for (std::size_t machine = 0; machine < all.size(); ++machine) all[machine] = static_cast<int>(machine);
    std::map<std::string, std::vector<int>> wanted{{"", all}};
    for (const Partition& partition : network.partitions) {
        if (partition.machines.size() >= 2) wanted[partition.name] = partition.machines;
    }
    ASSERT_EQ(site.sets.size(), wanted.size());
    for (const BakedSetPlan& set : site.sets) {
        SCOPED_TRACE("set " + set.name);
        std::set<int> switches;
        for (int machine : wanted.at(set.name)) {
            switches.insert(network.machines[static_cast<std::size_t>(machine)].sw);
        }
        std::set<int> roots;
        for (const BakedRootPlan& root : set.roots) {
            roots.insert(root.sw);
            std::vector<int> machines;
            for (int number : root.order) machines.push_back(site.machines[static_cast<std::size_t>(number)]);
            EXPECT_TRUE(std::is_permutation(machines.begin(), machines.end(), wanted.at(set.name).begin(),
                                            wanted.at(set.name).end()));
        }
        EXPECT_EQ(roots, switches);
        EXPECT_EQ(set.roots.size(), switches.size());
    }
}

/// A library reads a baked tree for any root on its switch by turning that switch's machines round: position 0 is the
/// root, the switch's other machines follow. Whatever the turn, nothing may meet on a link.
TEST_P(EverySite, BakedTreesServeEveryRootOfTheirSwitch) {
    const Network& network = sample_.network;
    const SitePlan site = make_site_plan(network);
    for (const BakedSetPlan& set : site.sets) {
        for (const BakedRootPlan& root : set.roots) {
            std::vector<int> machines;
            for (int number : root.order) machines.push_back(site.machines[static_cast<std::size_t>(number)]);
            const auto on_switch = std::find_if(machines.begin(), machines.end(), [&](int machine) {
                return network.machines[static_cast<std::size_t>(machine)].sw != root.sw;
            });
            for (auto turn = machines.begin(); turn != on_switch; ++turn) {
                std::vector<int> turned = machines;
                std::rotate(turned.begin(), turned.begin() + (turn - machines.begin()),
                            turned.begin() + (on_switch - machines.begin()));
                for (const BakedTreePlan& tree : root.trees) {
                    Transmissions transmissions;
                    for (std::size_t position = 1; position < turned.size(); ++position) {
                        transmissions.edges.emplace_back(turned[static_cast<std::size_t>(tree.parent[position])],
                                                         turned[position]);
                    }
                    const LoadProof proof = prove_load(network, turned, turned.front(), {transmissions});
                    ASSERT_TRUE(proof.covers);
                    ASSERT_TRUE(proof.contention_free);
                }
            }
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Sites, EverySite, ::testing::ValuesIn(testing::sample_sites()), testing::label_of);

TEST(SitePlan, BigSitesAreNotBaked) {
    EXPECT_TRUE(make_site_plan(row_of_600()).sets.empty());
    EXPECT_TRUE(make_site_plan(sample_network("campus")).sets.empty());
    EXPECT_FALSE(make_site_plan(sample_network("fat-tree")).sets.empty());
}

TEST(SitePlan, HashTellsSitesApart) {
    const std::string site =
        "name: n\nswitches: {s0: {machines: \"a,b,c\"}, s1: {machines: \"d,e\"}}\n"
        "links: [{between: [s0, s1]}]\n";
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = site;
        text.replace(text.find(from), from.size(), to);
        return make_site_plan(network_of(text)).hash;
    };
    std::set<std::uint64_t> hashes{make_site_plan(network_of(site)).hash,
                                   changed("name: n", "name: m"),
                                   changed("a,b,c", "b,a,c"),
                                   changed("a,b,c", "a,b"),
                                   changed("a,b,c", "a,b,x"),
                                   changed("\"d,e\"", "\"d,e,f\""),
                                   make_site_plan(network_of(site + "partitions: {p: \"a,d\"}\n")).hash,
                                   make_site_plan(network_of(site + "partitions: {q: \"a,d\"}\n")).hash,
                                   make_site_plan(network_of(site + "partitions: {p: \"a,e\"}\n")).hash};
    EXPECT_EQ(hashes.size(), 9U);
    EXPECT_EQ(changed("links: [{between: [s0, s1]}]", "links: [{between: [s0, s1], bandwidth: 1Gbit/s}]"),
              make_site_plan(network_of(site)).hash)
        << "the trees are the same at any speed";
}

TEST(SiteProof, TellsHeightsAndStagesOfAllRoots) {
    const Network network = sample_network("fsu-5");
    const SiteProof proof = prove_site(network, make_site_plan(network));
    EXPECT_TRUE(proof.every_switch);
    EXPECT_EQ(proof.trees, 4 * 3);
    ASSERT_EQ(proof.by_algorithm.size(), 3U);
    for (const ProvedTrees& trees : proof.by_algorithm) {
        int least = 1000;
        int most = 0;
        for (int root : {0, 8, 16, 24}) {  // the first machine of each switch
            PlanRequest request;
            request.root = root;
            request.tree = trees.algorithm == bcast::Algorithm::linear   ? bcast::Algorithm::linear
                           : trees.algorithm == bcast::Algorithm::binary ? bcast::Algorithm::binary
                                                                         : bcast::Algorithm::kary3;
            request.radix = 3;
            const Plan plan = make_plan(network, request);
            least = std::min(least, height_of(plan.trees.front().tree));
            most = std::max(most, height_of(plan.trees.front().tree));
            EXPECT_EQ(plan.stage, trees.least_stage);
            EXPECT_EQ(plan.stage, trees.most_stage);
        }
        EXPECT_EQ(trees.least_height, least);
        EXPECT_EQ(trees.most_height, most);
    }
}

TEST(SiteProof, ProvesPartitionsToo) {
    const Network network = network_of(
        "name: t\nswitches: {s0: {machines: \"n[0-3]\"}, s1: {machines: \"n[4-7]\"}}\nlinks: [{between: [s0, s1]}]\n"
        "partitions: {p: \"n[3-4]\"}\n");
    EXPECT_EQ(prove_site(network, make_site_plan(network)).trees, 2 * (2 * 3));
}

TEST(SiteProof, ProvesOneRootOfASiteThatIsNotBaked) {
    const Network network = row_of_600();
    const SiteProof proof = prove_site(network, make_site_plan(network));
    EXPECT_FALSE(proof.every_switch);
    EXPECT_EQ(proof.trees, 3);
    EXPECT_EQ(proof.by_algorithm[0].most_height, 599);
}

/// What `prove_site` says of fsu-5 after `damage` to its plan.
template <class Damage>
std::string refusal_after(Damage damage) {
    const Network network = sample_network("fsu-5");
    SitePlan site = make_site_plan(network);
    damage(site.sets[0].roots[1]);
    try {
        (void)prove_site(network, site);
    } catch (const std::logic_error& error) {
        return error.what();
    }
    return "";
}

TEST(SiteProof, RefusesDamagedTrees) {
    EXPECT_EQ(refusal_after([](BakedRootPlan&) {}), "");
    EXPECT_EQ(refusal_after([](BakedRootPlan& root) { std::swap(root.order[3], root.order[20]); }),
              "the linear tree from s1 is not contention-free");
    EXPECT_EQ(refusal_after([](BakedRootPlan& root) { root.trees[0].parent[31] = 1; }),
              "the binary tree from s1 is not contention-free");
    EXPECT_EQ(refusal_after([](BakedRootPlan& root) { root.trees[1].parent[4] = 4; }),
              "the kary3 tree from s1 is not a tree");
    EXPECT_EQ(refusal_after([](BakedRootPlan& root) { root.trees[1].parent[4] = -1; }),
              "the kary3 tree from s1 is not a tree");
    EXPECT_EQ(refusal_after([](BakedRootPlan& root) {
                  root.trees[1].parent[4] = 5;
                  root.trees[1].parent[5] = 4;
              }),
              "the kary3 tree from s1 misses machines");
    EXPECT_EQ(refusal_after([](BakedRootPlan& root) { root.order[5] = root.order[6]; }),
              "the linear tree from s1 misses machines");
}

}  // namespace
}  // namespace bcastgen
