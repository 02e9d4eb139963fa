#include "planner/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "bcast/facts/tree_builders.hpp"
#include "bcast/trees/circulant.hpp"
#include "bcast/trees/scatter_cost.hpp"
#include "bcast/trees/scatter_tree.hpp"
#include "bcast/trees/two_tree.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/trees/best_tree.hpp"
#include "planner/trees/height_bounds.hpp"
#include "planner/trees/paper_tree.hpp"

namespace bcastgen {

namespace {

/// Of trees that depend on the message's size a plan has the one for so many bytes.
constexpr std::size_t plan_bytes = 256;

std::vector<int> members_of(const Network& network, const PlanRequest& request) {
    const int machines = static_cast<int>(network.machines.size());
    std::vector<int> members = request.machines;
    if (members.empty()) {
        members.resize(network.machines.size());
        std::iota(members.begin(), members.end(), 0);
    }
    std::sort(members.begin(), members.end());
    if (members.front() < 0 || members.back() >= machines) throw std::invalid_argument("no such machine");
    if (std::adjacent_find(members.begin(), members.end()) != members.end()) {
        throw std::invalid_argument("a machine takes part twice");
    }
    if (!std::binary_search(members.begin(), members.end(), request.root)) {
        throw std::invalid_argument("the root is not one of the machines that take part");
    }
    return members;
}

/// The scatter's phases from first to last: by distance in a binomial tree; one by switches has nobody to meet, so that
/// it is one phase.
std::vector<std::vector<PartSent>> scatter_phases(const bcast::Order& order, const bcast::Tree& scatter) {
    const bool binomial = scatter.parent == bcast::binomial_scatter(scatter.size()).parent;
    const std::vector<int> held = bcast::blocks_held(scatter);
    std::map<int, std::vector<PartSent>, std::greater<>> by_distance;
    for (int to = 1; to < scatter.size(); ++to) {
        const int from = scatter.parent[static_cast<std::size_t>(to)];
        by_distance[binomial ? to - from : 0].push_back(
            {order.machines[static_cast<std::size_t>(from)], order.machines[static_cast<std::size_t>(to)],
             static_cast<double>(held[static_cast<std::size_t>(to)]) / scatter.size()});
    }
    std::vector<std::vector<PartSent>> phases;
    for (auto& [distance, phase] : by_distance) phases.push_back(std::move(phase));
    return phases;
}

/// What a scatter-ring sends, phase after phase: the scatter, then the ring.
std::vector<std::vector<PartSent>> ring_phases(const bcast::Order& order, const bcast::Tree& scatter, bool tuned) {
    std::vector<std::vector<PartSent>> phases = scatter_phases(order, scatter);
    const std::vector<int> held = bcast::blocks_held(scatter);
    phases.emplace_back();
    for (const auto& [from, to] : ring_edges(order)) {
        const std::size_t position = (phases.back().size() + 1) % held.size();  // of the receiver
        const int blocks = bcast::ring_blocks(held[position], order.size(), tuned);
        phases.back().push_back({from, to, static_cast<double>(blocks) / order.size()});
    }
    return phases;
}

/// The rounds of a phase, one after the other; every machine sends in each, but not to the root.
std::vector<std::vector<PartSent>> shifts(const bcast::Order& order) {
    const bcast::CirculantPlace root = bcast::circulant_place(order.size(), 0);
    std::vector<std::vector<PartSent>> phases;
    for (const int skip : root.skips) {
        phases.emplace_back();
        for (int from = 0; from < order.size(); ++from) {
            const int to = (from + skip) % order.size();
            if (to == 0) continue;
            phases.back().push_back({order.machines[static_cast<std::size_t>(from)],
                                     order.machines[static_cast<std::size_t>(to)], 1.0 / root.phase()});
        }
    }
    return phases;
}

/// In rounds every tree has to reach all, and no round to have two senders on a cable.
LoadProof prove_rounds(const Network& network, const Plan& plan, const std::vector<Transmissions>& trees,
                       const Routes* routes) {
    const PlanRequest& request = plan.request;
    LoadProof proof = prove_phases(network, request.machines, request.root, shifts(plan.order), routes);
    const LoadProof of_trees = prove_load(network, request.machines, request.root, trees, routes);
    proof.covers = of_trees.covers;
    constexpr double rounding = 1e-9;
    for (std::size_t link = 0; link < proof.loads.size(); ++link) {  // they send what the rounds send, no more or less
        proof.covers = proof.covers && std::abs(proof.loads[link] - of_trees.loads[link]) < rounding;
    }
    return proof;
}

LoadProof prove(const Network& network, const Plan& plan, const Routes* routes) {
    const PlanRequest& request = plan.request;
    if (bcast::scatters(request.tree)) {
        const bool tuned = bcast::has(request.tree, bcast::trait::skips_held);
        return prove_phases(network, request.machines, request.root,
                            ring_phases(plan.order, plan.trees.front().tree, tuned), routes);
    }
    std::vector<Transmissions> transmissions;
    for (const ShareTree& tree : plan.trees)
        transmissions.push_back({tree.share, machine_edges(plan.order, tree.tree)});
    if (bcast::goes_in_rounds(request.tree)) return prove_rounds(network, plan, transmissions, routes);
    return prove_load(network, request.machines, request.root, transmissions, routes);
}

bcast::Order order_of(const Network& network, const bcast::Layout& layout, const PlanRequest& request) {
    return bcast::has(request.tree, bcast::trait::blind)
               ? bcast::rotated_order(in_natural_order(network, request.machines), request.root)
               : bcast::depth_first_order(layout, request.machines, request.root);
}

std::vector<ShareTree> build_trees(const Network& network, const bcast::Layout& layout, const bcast::Order& order,
                                   const PlanRequest& request) {
    if (request.builder == Builder::paper && is_kary(request.tree)) {
        return {{1.0, paper_tree(network, order, request.radix)}};
    }
    std::vector<bcast::Tree> built = bcast::build_trees(request.tree, {layout, order, request.radix, plan_bytes});
    std::vector<ShareTree> trees;
    for (bcast::Tree& tree : built) trees.push_back({1.0 / static_cast<double>(built.size()), std::move(tree)});
    return trees;
}

/// Machines behind ports faster than the slowest may send more than the message once for it (slow_leaves.hpp).
int two_tree_bound_of(const bcast::Layout& layout, const bcast::Order& order) {
    const std::vector<std::int64_t> ports_Bps = bcast::port_bandwidths_Bps(layout, order.machines);
    const std::int64_t slowest_Bps = *std::min_element(ports_Bps.begin(), ports_Bps.end());
    std::vector<int> most_children;
    for (const std::int64_t port_Bps : ports_Bps) {
        most_children.push_back(static_cast<int>(bcast::detail::most_half_sends(port_Bps, slowest_Bps)));
    }
    return two_tree_height_lower_bound(std::move(most_children));
}

/// Of a pair, its children are counted in both trees together.
int height_bound_of(const bcast::Layout& layout, const bcast::Order& order, const PlanRequest& request) {
    const bool by_ports = bcast::has(request.tree, bcast::trait::spare_bandwidth);
    if (bcast::row_of(request.tree).trees == 2 && by_ports) return two_tree_bound_of(layout, order);
    return height_lower_bound(request.tree, order.size(), request.radix);
}

}  // namespace

int height_lower_bound(bcast::Algorithm tree, int machines, int radix) {
    const bcast::AlgorithmRow& row = bcast::row_of(tree);
    if (row.trees == 2) return machines == 1 ? 0 : 1 + floor_log2(machines - 1);
    if (row.children == bcast::everyone) return std::min(machines - 1, 1);
    if (row.children == bcast::halving) return floor_log2(machines);
    return kary_height_lower_bound(machines, radix);
}

int radix_of(bcast::Algorithm tree, int machines, int radix) {
    const int children = bcast::row_of(tree).children;
    if (bcast::has(tree, bcast::trait::any_radix) && radix > 0) return radix;
    if (children == bcast::everyone) return std::max(machines - 1, 1);
    if (children != bcast::halving) return children;
    return std::max(floor_log2(std::max(machines - 1, 1)) + (machines > 1 ? 1 : 0), 1);
}

bool is_kary(bcast::Algorithm tree) {
    return bcast::uses_trees(tree) && bcast::row_of(tree).trees == 1 && bcast::row_of(tree).children > 1;
}

PlanRequest request_of(bcast::Algorithm algorithm) {
    if (!bcast::has_plan(algorithm)) {
        throw std::invalid_argument(fmt::format("{} has no trees of its own", bcast::name_of(algorithm)));
    }
    PlanRequest request;
    request.tree = algorithm;
    return request;
}

Plan make_plan(const Network& network, const PlanRequest& request, const Routes* routes) {
    if (request.radix < 0) throw std::invalid_argument("the radix must be at least 1");
    (void)request_of(request.tree);  // throws if there is nothing to plan
    Plan plan;
    plan.request = request;
    plan.request.machines = members_of(network, request);
    const int machines = static_cast<int>(plan.request.machines.size());
    plan.request.radix = radix_of(request.tree, machines, request.radix);
    const bcast::Layout layout = layout_of(network);
    if (request.builder == Builder::best && is_kary(request.tree)) {
        OrderedTree best = best_tree(layout, plan.request.machines, request.root, plan.request.radix);
        plan.order = std::move(best.order);
        plan.trees.push_back({1.0, std::move(best.tree)});
    } else {
        plan.order = order_of(network, layout, plan.request);
        plan.trees = build_trees(network, layout, plan.order, plan.request);
    }
    plan.height_lower_bound = height_bound_of(layout, plan.order, plan.request);
    if (bcast::scatters(request.tree)) {
        plan.ring_transfers =
            bcast::ring_transfers(plan.trees.front().tree, bcast::has(request.tree, bcast::trait::skips_held));
    }
    LoadProof proof = prove(network, plan, routes);
    const bool promised = routes == nullptr && bcast::has(request.tree, bcast::trait::contention_free);
    if (!proof.covers || (promised && !proof.contention_free)) {
        throw std::logic_error(fmt::format("internal error: the {} tree planned for {} fails its proof ({})",
                                           bcast::tree_name_of(request.tree), network.name,
                                           proof.covers ? "two senders share a link" : "a machine is missed"));
    }
    plan.routes_known = routes != nullptr;
    plan.loads = std::move(proof.loads);
    plan.contention_free = proof.contention_free;
    plan.stage = proof.stage;
    if (request.builder == Builder::best && is_kary(request.tree)) {  // which knows nothing of unequal links
        PlanRequest fast_request = request;
        fast_request.builder = Builder::fast;
        Plan fast = make_plan(network, fast_request, routes);
        const auto cost = [](const Plan& p) { return std::pair(p.stage, height_of(p.trees[0].tree)); };
        if (cost(fast) < cost(plan)) {
            fast.request.builder = Builder::best;
            return fast;
        }
    }
    return plan;
}

std::vector<std::pair<int, int>> machine_edges(const bcast::Order& order, const bcast::Tree& tree) {
    std::vector<std::pair<int, int>> edges;
    edges.reserve(tree.children.size());
    for (std::size_t position = 0; position < tree.children.size(); ++position) {
        for (int child : tree.children[position]) {
            edges.emplace_back(order.machines[position], order.machines[static_cast<std::size_t>(child)]);
        }
    }
    return edges;
}

std::vector<std::pair<int, int>> ring_edges(const bcast::Order& order) {
    std::vector<std::pair<int, int>> edges;
    for (std::size_t i = 0; order.size() > 1 && i < order.machines.size(); ++i) {
        edges.emplace_back(order.machines[i], order.machines[(i + 1) % order.machines.size()]);
    }
    return edges;
}

double root_sends(const Plan& plan) {
    const bool of_loads = bcast::scatters(plan.request.tree) || bcast::goes_in_rounds(plan.request.tree);
    if (of_loads) return plan.loads[static_cast<std::size_t>(port_out(plan.request.root))];
    double sends = 0;
    for (const ShareTree& tree : plan.trees) sends += tree.share * static_cast<double>(tree.tree.children[0].size());
    return sends;
}

Plan as_shown(const Plan& plan) {
    Plan shown = plan;
    if (bcast::goes_in_rounds(plan.request.tree)) shown.trees.resize(1);
    return shown;
}

int fanout(const bcast::Tree& tree) {
    std::size_t most = 0;
    for (const std::vector<int>& children : tree.children) most = std::max(most, children.size());
    return static_cast<int>(most);
}

std::string_view name_of(Builder builder) {
    switch (builder) {
        case Builder::fast:
            return "fast";
        case Builder::paper:
            return "paper";
        case Builder::best:
            break;
    }
    return "best";
}

}  // namespace bcastgen
