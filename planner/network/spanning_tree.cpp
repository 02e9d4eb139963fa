#include "planner/network/spanning_tree.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "planner/network/folded_clos.hpp"

namespace bcastgen {

namespace {

/// How a switch hangs on a growing tree: by a trunk this wide, at this depth. Wider is better, then less deep, then the
/// trunk that is earlier in the file, so that the tree depends on nothing else.
struct Reach {
    double bandwidth_Bps = 0;
    int depth = 0;
    int trunk = -1;
};

struct IsBetter {
    bool operator()(const Reach& a, const Reach& b) const {
        return std::tuple(-a.bandwidth_Bps, a.depth, a.trunk) < std::tuple(-b.bandwidth_Bps, b.depth, b.trunk);
    }
};

template <class Weight>
using WeightedGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                            boost::property<boost::edge_weight_t, Weight>>;

double total_bandwidth_Bps(const Trunk& trunk) {
    return trunk.speed.bandwidth_Bps * trunk.cables;
}

WeightedGraph<Reach> reach_graph(const Network& network) {
    WeightedGraph<Reach> graph(network.switches.size());
    for (std::size_t trunk = 0; trunk < network.trunks.size(); ++trunk) {
        const Trunk& t = network.trunks[trunk];
        boost::add_edge(at(t.a), at(t.b), Reach{total_bandwidth_Bps(t), 0, static_cast<int>(trunk)}, graph);
    }
    return graph;
}

// Prim's algorithm from `root`: Dijkstra's with the way in which a switch hangs on the tree as its distance. However
// ties are broken, the tree is a widest one; this one grows level by level among equal trunks.
std::vector<Reach> widest_tree_from(const WeightedGraph<Reach>& graph, std::size_t root) {
    const Reach nearest{std::numeric_limits<double>::infinity(), 0, -1};
    const Reach unreached{-1, 0, std::numeric_limits<int>::max()};
    std::vector<Reach> reach(boost::num_vertices(graph));
    const auto extend = [](const Reach& parent, const Reach& edge) {
        return Reach{edge.bandwidth_Bps, parent.depth + 1, edge.trunk};
    };
    boost::dijkstra_shortest_paths(graph, root,
                                   boost::distance_map(reach.data())
                                       .distance_compare(IsBetter{})
                                       .distance_combine(extend)
                                       .distance_inf(unreached)
                                       .distance_zero(nearest));
    return reach;
}

int depth_of(const std::vector<Reach>& reach) {
    const auto less_deep = [](const Reach& a, const Reach& b) { return a.depth < b.depth; };
    return std::max_element(reach.begin(), reach.end(), less_deep)->depth;
}

// The switches to try as the middle of the tree: all, or the best connected ones where trying all would take long.
std::vector<int> possible_roots(const Network& network) {
    constexpr std::size_t most_steps = 10'000'000;  // trunks looked at, about half a second
    std::vector<int> roots(network.switches.size());
    std::iota(roots.begin(), roots.end(), 0);
    std::vector<double> bandwidth_Bps(network.switches.size(), 0);
    for (const Trunk& trunk : network.trunks) {
        bandwidth_Bps[at(trunk.a)] += total_bandwidth_Bps(trunk);
        bandwidth_Bps[at(trunk.b)] += total_bandwidth_Bps(trunk);
    }
    std::stable_sort(roots.begin(), roots.end(),
                     [&](int a, int b) { return bandwidth_Bps[at(a)] > bandwidth_Bps[at(b)]; });
    roots.resize(std::min(roots.size(), std::max<std::size_t>(1, most_steps / (network.trunks.size() + 1))));
    return roots;
}

std::vector<int> widest_tree(const Network& network) {
    const WeightedGraph<Reach> graph = reach_graph(network);
    std::vector<Reach> best;
    for (const int root : possible_roots(network)) {
        std::vector<Reach> reach = widest_tree_from(graph, at(root));
        if (best.empty() || depth_of(reach) < depth_of(best)) best = std::move(reach);
    }
    std::vector<int> trunks;
    for (const Reach& reach : best) {
        if (reach.trunk >= 0) trunks.push_back(reach.trunk);
    }
    return trunks;
}

std::pair<int, const std::string&> bridge_id(const Network& network, int sw) {
    return {network.switches[at(sw)].priority, network.switches[at(sw)].name};
}

// Every bridge but the root keeps the trunk of least cost to the root; on ties, the one to the lower bridge.
std::vector<int> stp_tree(const Network& network) {
    WeightedGraph<std::uint64_t> graph(network.switches.size());
    for (const Trunk& trunk : network.trunks) {
        boost::add_edge(at(trunk.a), at(trunk.b), stp_path_cost(trunk), graph);
    }
    std::vector<std::uint64_t> cost(network.switches.size());
    const int root = stp_root(network);
    boost::dijkstra_shortest_paths(graph, at(root), boost::distance_map(cost.data()));
    std::vector<int> root_port(network.switches.size(), -1);
    for (std::size_t index = 0; index < network.trunks.size(); ++index) {
        const auto trunk = static_cast<int>(index);
        for (const int sw : {network.trunks[index].a, network.trunks[index].b}) {
            const int towards = across(network.trunks[index], sw);
            if (sw == root || cost[at(towards)] + stp_path_cost(network.trunks[index]) != cost[at(sw)]) continue;
            const int kept = root_port[at(sw)];
            if (kept < 0 || bridge_id(network, towards) < bridge_id(network, across(network.trunks[at(kept)], sw))) {
                root_port[at(sw)] = trunk;
            }
        }
    }
    std::erase(root_port, -1);
    return root_port;
}

}  // namespace

std::uint64_t stp_path_cost(const Trunk& trunk) {
    constexpr double reference_bit_per_s = 20e12;
    constexpr double most = 200e6;
    const double cost = std::floor(reference_bit_per_s / (total_bandwidth_Bps(trunk) * 8));
    return static_cast<std::uint64_t>(std::clamp(cost, 1.0, most));
}

int stp_root(const Network& network) {
    int root = 0;
    for (int sw = 1; at(sw) < network.switches.size(); ++sw) {
        if (bridge_id(network, sw) < bridge_id(network, root)) root = sw;
    }
    return root;
}

void choose_spanning_tree(Network& network) {
    if (network.trunks.size() + 1 == network.switches.size()) return;  // a tree already
    if (network.spanning_tree == SpanningTree::automatic && collapse_folded_clos(network)) return;
    for (Trunk& trunk : network.trunks) trunk.in_tree = false;
    const std::vector<int> kept = network.spanning_tree == SpanningTree::stp ? stp_tree(network) : widest_tree(network);
    for (const int trunk : kept) network.trunks[at(trunk)].in_tree = true;
}

}  // namespace bcastgen
