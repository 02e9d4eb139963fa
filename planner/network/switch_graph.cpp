#include "planner/network/switch_graph.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/breadth_first_search.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <cstddef>
#include <utility>

#include "base/index.hpp"
#include "planner/network/spanning_tree.hpp"

namespace bcastgen {

namespace {

using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS, boost::no_property,
                                    boost::property<boost::edge_index_t, int>>;

/// Trunks before `end` that are in use (or all of them) as edges, with their index.
Graph graph_of(const Network& network, std::size_t end, bool in_tree_only) {
    Graph graph(network.switches.size());
    for (std::size_t trunk = 0; trunk < end; ++trunk) {
        const Trunk& t = network.trunks[trunk];
        if (t.in_tree || !in_tree_only) boost::add_edge(at(t.a), at(t.b), static_cast<int>(trunk), graph);
    }
    return graph;
}

}  // namespace

std::vector<std::vector<int>> pieces_of(const Network& network) {
    std::vector<int> component(network.switches.size());
    const Graph graph = graph_of(network, network.trunks.size(), false);
    const int count = network.switches.empty() ? 0 : boost::connected_components(graph, component.data());
    std::vector<std::vector<int>> pieces(at(count));
    for (std::size_t sw = 0; sw < component.size(); ++sw) pieces[at(component[sw])].push_back(static_cast<int>(sw));
    return pieces;
}

namespace {

/// Hangs pieces of a network from a switch each.
class Hanging {
  public:
    explicit Hanging(const Network& network)
        : graph_(graph_of(network, network.trunks.size(), true)),
          depth_(network.switches.size(), 0),
          colours_(network.switches.size(), boost::white_color) {
        tree_.parent_trunk.assign(network.switches.size(), -1);
        tree_.children.resize(network.switches.size());
    }

    void from(int root) {
        struct Hang : boost::default_bfs_visitor {
            void tree_edge(Graph::edge_descriptor edge, const Graph& in) const {
                const int parent = static_cast<int>(source(edge, in));
                const int child = static_cast<int>(target(edge, in));
                hanging->depth_[at(child)] = hanging->depth_[at(parent)] + 1;
                hanging->tree_.parent_trunk[at(child)] = get(boost::edge_index, in, edge);
                hanging->tree_.children[at(parent)].push_back(child);
            }
            Hanging* hanging;
        };
        Hang visitor;
        visitor.hanging = this;
        boost::queue<Graph::vertex_descriptor> queue;
        boost::breadth_first_visit(graph_, at(root), queue, visitor, colours_.data());
        tree_.root = root;
    }

    [[nodiscard]] SwitchTree tree() && {
        tree_.levels = *std::max_element(depth_.begin(), depth_.end()) + 1;
        return std::move(tree_);
    }

  private:
    SwitchTree tree_;
    Graph graph_;
    std::vector<int> depth_;
    std::vector<boost::default_color_type> colours_;
};

}  // namespace

SwitchTree hang_from(const Network& network, int root) {
    Hanging hanging(network);
    hanging.from(root);
    return std::move(hanging).tree();
}

int parent_of(const Network& network, const SwitchTree& tree, int sw) {
    const int trunk = tree.parent_trunk[at(sw)];
    return trunk < 0 ? -1 : across(network.trunks[at(trunk)], sw);
}

std::vector<int> switches_top_down(const SwitchTree& tree) {
    std::vector<int> switches{tree.root};
    for (std::size_t i = 0; i < switches.size(); ++i) {
        const std::vector<int>& children = tree.children[at(switches[i])];
        switches.insert(switches.end(), children.begin(), children.end());
    }
    return switches;
}

namespace {

// From the switch furthest from `sw` to `sw` itself.
std::vector<int> longest_way_to(const Network& network, int sw) {
    const SwitchTree tree = hang_from(network, sw);
    std::vector<int> way{switches_top_down(tree).back()};
    while (way.back() != sw) way.push_back(parent_of(network, tree, way.back()));
    return way;
}

}  // namespace

int central_switch(const Network& network) {
    // The middle of a longest path: the switch furthest from anywhere is one of its ends.
    const int end = longest_way_to(network, 0).front();
    const std::vector<int> path = longest_way_to(network, end);
    const std::size_t middle = (path.size() - 1) / 2;
    return path.size() % 2 == 1 ? path[middle] : std::min(path[middle], path[middle + 1]);
}

SwitchTree shown_tree(const Network& network) {
    const bool elected = network.spanning_tree == SpanningTree::stp && network.trunks.size() >= network.switches.size();
    return hang_from(network, elected ? stp_root(network) : central_switch(network));
}

namespace {

/// The trunks that join what earlier ones leave apart; marks them in_tree.
Network forest_of(const Network& network) {
    std::vector<int> rank(network.switches.size());
    std::vector<int> parent(network.switches.size());
    boost::disjoint_sets<int*, int*> joined(rank.data(), parent.data());
    for (std::size_t sw = 0; sw < network.switches.size(); ++sw) joined.make_set(static_cast<int>(sw));
    Network forest = network;
    for (Trunk& trunk : forest.trunks) {
        trunk.in_tree = joined.find_set(trunk.a) != joined.find_set(trunk.b);
        if (trunk.in_tree) joined.union_set(trunk.a, trunk.b);
    }
    return forest;
}

/// Every piece, hung from its first switch.
SwitchTree hang_pieces(const Network& network) {
    Hanging hanging(network);
    for (const std::vector<int>& piece : pieces_of(network)) hanging.from(piece.front());
    return std::move(hanging).tree();
}

// Both ways up end where they first meet; apart from that switch they have nothing in common.
std::vector<int> way_between(const Network& network, const SwitchTree& tree, int from, int to) {
    const auto way_up = [&](int sw) {
        std::vector<int> way;
        for (; sw >= 0; sw = parent_of(network, tree, sw)) way.push_back(sw);
        return way;
    };
    std::vector<int> up = way_up(from);
    std::vector<int> down = way_up(to);
    int meeting = -1;
    while (!up.empty() && !down.empty() && up.back() == down.back()) {
        meeting = up.back();
        up.pop_back();
        down.pop_back();
    }
    up.push_back(meeting);
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
}

}  // namespace

std::vector<Cycle> cycles_of(const Network& network, std::size_t most_ways) {
    const Network forest = forest_of(network);
    std::vector<Cycle> cycles;
    for (std::size_t trunk = 0; trunk < forest.trunks.size(); ++trunk) {
        if (!forest.trunks[trunk].in_tree) cycles.push_back({static_cast<int>(trunk), {}});
    }
    if (cycles.empty()) return cycles;
    const SwitchTree tree = hang_pieces(forest);
    for (std::size_t cycle = 0; cycle < std::min(cycles.size(), most_ways); ++cycle) {
        const Trunk& closing = forest.trunks[at(cycles[cycle].trunk)];
        cycles[cycle].switches = way_between(forest, tree, closing.a, closing.b);
    }
    return cycles;
}

}  // namespace bcastgen
