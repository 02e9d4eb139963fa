// The latency tree against the best schedule there is, found by trying them all.
#include "bcast/latency_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace bcast {
namespace {

struct Network {
    Layout layout;
    Order order;
};

Network network_of(int machines, int switches, std::int64_t port_ns, std::mt19937& random) {
    const auto below = [&random](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
    Network network;
    Layout& layout = network.layout;
    layout.neighbours.resize(static_cast<std::size_t>(switches));
    layout.trunks.resize(static_cast<std::size_t>(switches));
    for (int sw = 1; sw < switches; ++sw) {
        const int above = below(sw);
        const LinkSpeed speed{1, below(2) == 0 ? 1000 : 1000 + below(50'000)};
        for (const auto& [a, b] : {std::pair(above, sw), std::pair(sw, above)}) {
            layout.neighbours[static_cast<std::size_t>(a)].push_back(b);
            layout.trunks[static_cast<std::size_t>(a)].push_back(speed);
        }
    }
    std::vector<int> all(static_cast<std::size_t>(machines));
    std::iota(all.begin(), all.end(), 0);
    for (int machine = 0; machine < machines; ++machine) {
        layout.machine_switch.push_back(below(switches));
        layout.ports.push_back({1'000'000'000, port_ns});
    }
    network.order = depth_first_order(layout, all, 0);
    return network;
}

/// The least time in which all machines can have the message.
class Exhaustive {
  public:
    explicit Exhaustive(const Network& network)
        : builder_(network.layout, network.order), gap_ns_(send_gap_ns(network.layout)) {
        machines_ = network.order.size();
        best_ns_ = timed_latency_tree(network.layout, network.order).end_ns + 1;
        go({{0, 0}}, 1, 0);
    }
    [[nodiscard]] std::int64_t best_ns() const { return best_ns_; }

  private:
    /// The sender that is ready first sends to any machine without the message, or never again.
    void go(std::vector<std::pair<std::int64_t, int>> ready, unsigned reached, std::int64_t end_ns) {
        if (end_ns >= best_ns_) return;
        if (reached == (1U << machines_) - 1) {
            best_ns_ = end_ns;
            return;
        }
        if (ready.empty()) return;
        std::sort(ready.begin(), ready.end(), std::greater<>());
        const auto [now_ns, sender] = ready.back();
        ready.pop_back();
        go(ready, reached, end_ns);
        for (int receiver = 0; receiver < machines_; ++receiver) {
            if ((reached >> receiver & 1U) != 0) continue;
            const std::int64_t arrival_ns = now_ns + builder_.latency_ns(sender, receiver);
            std::vector<std::pair<std::int64_t, int>> next = ready;
            next.emplace_back(now_ns + gap_ns_, sender);
            next.emplace_back(arrival_ns, receiver);
            go(std::move(next), reached | 1U << receiver, std::max(end_ns, arrival_ns));
        }
    }

    detail::LatencyTreeBuilder builder_;
    std::int64_t gap_ns_;
    int machines_ = 0;
    std::int64_t best_ns_ = 0;
};

/// When the last machine has the message if everybody sends by the tree, children in order.
std::int64_t end_of(const Network& network, const Tree& tree) {
    const detail::LatencyTreeBuilder builder(network.layout, network.order);
    std::vector<std::int64_t> arrival_ns(static_cast<std::size_t>(tree.size()), 0);
    std::vector<int> walk{0};
    std::int64_t end_ns = 0;
    for (std::size_t i = 0; i < walk.size(); ++i) {
        std::int64_t now_ns = arrival_ns[static_cast<std::size_t>(walk[i])];
        for (const int child : tree.children[static_cast<std::size_t>(walk[i])]) {
            arrival_ns[static_cast<std::size_t>(child)] = now_ns + builder.latency_ns(walk[i], child);
            end_ns = std::max(end_ns, arrival_ns[static_cast<std::size_t>(child)]);
            now_ns += send_gap_ns(network.layout);
            walk.push_back(child);
        }
    }
    EXPECT_EQ(walk.size(), arrival_ns.size());
    return end_ns;
}

TEST(LatencyTree, IsOptimalOnOneSwitch) {
    std::mt19937 random(1);
    for (const std::int64_t port_ns : {100, 2'000, 20'000}) {
        for (int machines = 1; machines <= 8; ++machines) {
            const Network network = network_of(machines, 1, port_ns, random);
            const TimedTree timed = timed_latency_tree(network.layout, network.order);
            EXPECT_EQ(timed.end_ns, Exhaustive(network).best_ns()) << machines << " machines, " << port_ns << " ns";
        }
    }
}

TEST(LatencyTree, IsNearlyAlwaysOptimalUpToEightMachines) {
    std::mt19937 random(2);
    const int networks = 300;
    int optimal = 0;
    for (int i = 0; i < networks; ++i) {
        const int machines = 2 + static_cast<int>(random() % 7);
        const Network network = network_of(machines, 1 + static_cast<int>(random() % 4), 1'000, random);
        const TimedTree timed = timed_latency_tree(network.layout, network.order);
        const std::int64_t best_ns = Exhaustive(network).best_ns();
        EXPECT_EQ(timed.end_ns, end_of(network, timed.tree));
        EXPECT_LE(static_cast<double>(timed.end_ns), 1.25 * static_cast<double>(best_ns));
        optimal += timed.end_ns == best_ns ? 1 : 0;
    }
    EXPECT_GE(optimal, 85 * networks / 100);
}

TEST(LatencyTree, KeepsItsTimesInLargeNetworks) {
    std::mt19937 random(3);
    for (const int machines : {500, 5'000}) {
        const Network network = network_of(machines, machines / 8, 1'000, random);
        const TimedTree timed = timed_latency_tree(network.layout, network.order);
        EXPECT_EQ(timed.end_ns, end_of(network, timed.tree));
    }
}

}  // namespace
}  // namespace bcast
