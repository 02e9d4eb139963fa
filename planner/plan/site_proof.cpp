#include "planner/plan/site_proof.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "bcast/trees/tree.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/plan/plan.hpp"

namespace bcastgen {

namespace {

/// Of the tree in which each position but the first has this parent.
int height_of(const std::vector<int>& parent) {
    std::vector<std::vector<int>> children(parent.size());
    for (std::size_t position = 1; position < parent.size(); ++position) {
        children[static_cast<std::size_t>(parent[position])].push_back(static_cast<int>(position));
    }
    return bcast::height_of(bcast::tree_of_children(std::move(children)));
}

void note(std::vector<ProvedTrees>& all, bcast::Algorithm algorithm, int height, double stage) {
    auto trees = std::find_if(all.begin(), all.end(), [&](const ProvedTrees& t) { return t.algorithm == algorithm; });
    if (trees == all.end()) trees = all.insert(all.end(), {algorithm, height, height, stage, stage});
    trees->least_height = std::min(trees->least_height, height);
    trees->most_height = std::max(trees->most_height, height);
    trees->least_stage = std::min(trees->least_stage, stage);
    trees->most_stage = std::max(trees->most_stage, stage);
}

struct Prover {
    const Network& network;
    const SitePlan& site;
    SiteProof proof;

    [[nodiscard]] int machine(int number) const { return site.machines[static_cast<std::size_t>(number)]; }

    /// A tree over `order` (site numbers) as the library reads it: the parent of each position.
    void prove(bcast::Algorithm algorithm, const std::vector<int>& order, const std::vector<int>& parent,
               const std::string& where, bool all_machines) {
        const auto demand = [&](bool good, const char* wrong) {
            if (!good) throw std::logic_error(fmt::format("the {} tree {} {}", name_of(algorithm), where, wrong));
        };
        std::vector<int> machines;
        for (const int number : order) machines.push_back(machine(number));
        Transmissions transmissions{1, {}};
        for (std::size_t position = 1; position < order.size(); ++position) {
            const auto above = static_cast<std::size_t>(parent[position]);  // of a negative one: beyond all
            demand(above < order.size() && above != position, "is not a tree");
            transmissions.edges.emplace_back(machines[above], machines[position]);
        }
        const LoadProof load = prove_load(network, machines, machines.front(), {transmissions});
        demand(load.covers, "misses machines");
        demand(load.contention_free, "is not contention-free");
        ++proof.trees;
        if (all_machines) note(proof.by_algorithm, algorithm, height_of(parent), load.stage);
    }
};

/// A set's linear tree and those of `root`'s tables.
void prove_root(Prover& prover, const BakedRootPlan& root, const std::string& set) {
    const std::string where = fmt::format("from {}{}", prover.network.switches[static_cast<std::size_t>(root.sw)].name,
                                          set.empty() ? "" : " in partition " + set);
    const bcast::Tree linear = bcast::linear_tree(static_cast<int>(root.order.size()));
    prover.prove(bcast::usual::chain, root.order, linear.parent, where, set.empty());
    for (const BakedTreePlan& tree : root.trees) {
        prover.prove(tree.algorithm, root.order, tree.parent, where, set.empty());
    }
}

}  // namespace

SiteProof prove_site(const Network& network, const SitePlan& site) {
    Prover prover{network, site, {}};
    for (const BakedSetPlan& set : site.sets) {
        for (const BakedRootPlan& root : set.roots) prove_root(prover, root, set.name);
    }
    prover.proof.every_switch = !site.sets.empty();
    if (site.sets.empty()) {
        prove_root(prover, plan_root(site, 0), "");
    }
    return std::move(prover.proof);
}

}  // namespace bcastgen
