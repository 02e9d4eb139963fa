// The latency tree against the best schedule there is, found by trying them all.
#include "bcast/trees/latency_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "bcast/trees/queued_wires.hpp"
#include "bcast/trees/scatter_tree.hpp"
#include "bcast/trees/shared_wires.hpp"

namespace bcast {
namespace {

constexpr std::size_t bytes = 256;

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
        const LinkSpeed speed{1'000'000'000'000, below(2) == 0 ? 1000 : 1000 + below(50'000)};
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

/// Machines on one switch, as far from each other as `port` says.
Network one_switch(int machines, const LinkSpeed& port) {
    std::mt19937 random(6);
    Network network = network_of(machines, 1, port.latency_ns, random);
    network.layout.ports.assign(static_cast<std::size_t>(machines), port);
    return network;
}

/// The least time in which all machines can have the message.
class Exhaustive {
  public:
    explicit Exhaustive(const Network& network) : times_(network.layout, network.order, bytes) {
        machines_ = network.order.size();
        best_ns_ = timed_latency_tree(network.layout, network.order, bytes).end_ns + 1;
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
            const std::int64_t arrival_ns = now_ns + times_.latency_ns(sender, receiver);
            std::vector<std::pair<std::int64_t, int>> next = ready;
            next.emplace_back(now_ns + times_.turn_ns(sender, receiver, times_.covering()), sender);
            next.emplace_back(arrival_ns, receiver);
            go(std::move(next), reached | 1U << receiver, std::max(end_ns, arrival_ns));
        }
    }

    MessageTimes times_;
    int machines_ = 0;
    std::int64_t best_ns_ = 0;
};

/// When the last machine has the message if everybody sends by the tree, children in order, and none meet on a trunk.
std::int64_t end_of(const Network& network, const Tree& tree) {
    const MessageTimes times(network.layout, network.order, bytes);
    std::vector<std::int64_t> arrival_ns(static_cast<std::size_t>(tree.size()), 0);
    std::vector<int> walk{0};
    std::int64_t end_ns = 0;
    for (std::size_t i = 0; i < walk.size(); ++i) {
        std::int64_t now_ns = arrival_ns[static_cast<std::size_t>(walk[i])];
        for (const int child : tree.children[static_cast<std::size_t>(walk[i])]) {
            arrival_ns[static_cast<std::size_t>(child)] = now_ns + times.latency_ns(walk[i], child);
            end_ns = std::max(end_ns, arrival_ns[static_cast<std::size_t>(child)]);
            now_ns += times.turn_ns(walk[i], child, tree.together.sends);
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
            const TimedTree timed = timed_latency_tree(network.layout, network.order, bytes);
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
        Network network = network_of(machines, 1 + static_cast<int>(random() % 4), 1'000, random);
        // Every other time nothing waits for a wire, as the best schedules here know no meeting on one.
        const bool bare = i % 2 == 0;
        if (bare) network.layout.ports.assign(static_cast<std::size_t>(machines), {1'000'000'000'000, 1'000});
        const TimedTree timed = timed_latency_tree(network.layout, network.order, bytes);
        const std::int64_t best_ns = Exhaustive(network).best_ns();
        EXPECT_LE(static_cast<double>(timed.end_ns), 1.25 * static_cast<double>(best_ns));
        if (!bare) continue;
        EXPECT_EQ(timed.end_ns, end_of(network, timed.tree));
        optimal += timed.end_ns == best_ns ? 1 : 0;
    }
    EXPECT_GE(optimal, 85 * networks / 200);
}

TEST(LatencyTree, IsNearlyOptimalWhereSoftwareDiffers) {
    std::mt19937 random(7);
    int optimal = 0;
    constexpr int networks = 100;
    for (int i = 0; i < networks; ++i) {
        const int machines = 2 + static_cast<int>(random() % 7);
        Network network = network_of(machines, 1 + static_cast<int>(random() % 3), 100, random);
        network.layout.ports.assign(static_cast<std::size_t>(machines), {1'000'000'000'000, 100});
        network.layout.sends = {400, 0, 0, 400};
        for (int machine = 0; machine < machines; ++machine) {
            const int more_ns = random() % 3 == 0 ? 4'600 : 0;
            network.layout.more_send_ns.push_back(more_ns);
            network.layout.more_receive_ns.push_back(more_ns);
        }
        const TimedTree timed = timed_latency_tree(network.layout, network.order, bytes);
        const std::int64_t best_ns = Exhaustive(network).best_ns();
        EXPECT_EQ(timed.end_ns, end_of(network, timed.tree));
        EXPECT_LE(static_cast<double>(timed.end_ns), 1.25 * static_cast<double>(best_ns)) << i;
        optimal += timed.end_ns == best_ns ? 1 : 0;
    }
    EXPECT_GE(optimal, 70);
}

TEST(LatencyTree, DoesNotSendOnFromSlowProcessors) {
    Network network = one_switch(31, {12'500'000'000, 1'000});
    network.layout.sends = {400, 0, 0, 400};
    network.layout.more_send_ns.assign(31, 0);
    network.layout.more_receive_ns.assign(31, 0);
    network.layout.more_send_ns[7] = network.layout.more_receive_ns[7] = 4'600;
    const TimedTree timed = timed_latency_tree(network.layout, network.order, 64);
    const auto& machines = network.order.machines;
    const auto position = static_cast<std::size_t>(std::find(machines.begin(), machines.end(), 7) - machines.begin());
    EXPECT_TRUE(timed.tree.children[position].empty());
    EXPECT_EQ(timed.tree.parent[position], 0);  // its receive takes longest, so it comes first
    EXPECT_LT(timed.end_ns, 11'000);
}

std::size_t most_children(const Tree& tree) {
    std::size_t most = 0;
    for (const std::vector<int>& children : tree.children) most = std::max(most, children.size());
    return most;
}

TEST(LatencyTree, IsTheLowerTheSmallerTheMessage) {
    std::mt19937 random(4);
    const Network network = network_of(64, 1, 20'000, random);
    std::vector<std::size_t> most;  // children, by size
    for (const std::size_t size : latency_tree_bytes) {
        most.push_back(most_children(latency_tree(network.layout, network.order, size)));
    }
    EXPECT_TRUE(std::is_sorted(most.rbegin(), most.rend())) << ::testing::PrintToString(most);
    EXPECT_GT(most.front(), 10U);
    EXPECT_LE(most.back(), 7U);  // nearly a binomial tree: every send waits for the one before
    EXPECT_EQ(latency_tree_size(1), 0U);
    EXPECT_EQ(latency_tree_size(64), 0U);
    EXPECT_EQ(latency_tree_size(65), 1U);
    EXPECT_EQ(latency_tree_size(1 << 20), latency_tree_sizes - 1);
}

TEST(LatencyTree, SendsTogetherWhatSharesAPort) {
    // Gigabit Ethernet: 1 KiB takes 24 us of a port and 78 us of latency, so three children a step are best: two steps
    // of 78 + 3 * 24. In turn the first children would have it earlier, yet they do not.
    const TimedTree timed = timed_latency_tree(one_switch(16, {125'000'000, 20'000}).layout,
                                               one_switch(16, {125'000'000, 20'000}).order, 1024);
    EXPECT_EQ(timed.tree.together.sends, 3);
    EXPECT_EQ(timed.tree.children, knomial_tree(16, 4).children);
    EXPECT_NEAR(static_cast<double>(timed.end_ns), 302'000, 1'000);  // as the simulator has it
}

TEST(LatencyTree, CountsWhatReceivingTakes) {
    Network network = one_switch(16, {1'250'000'000, 1'000});
    network.layout.sends = {5'000, 0, 0, 0};
    const std::size_t without = most_children(latency_tree(network.layout, network.order, 1024));
    network.layout.sends.receive_ns = 4'000;
    const TimedTree timed = timed_latency_tree(network.layout, network.order, 1024);
    EXPECT_GT(most_children(timed.tree), without);  // a receiver begins later, so senders go on for longer
    EXPECT_GE(timed.tree.together.sends, 2);
    EXPECT_NEAR(static_cast<double>(timed.end_ns), 39'400,
                1'000);  // as the simulator has it, but for what each byte takes
}

TEST(MessageTimes, GoByTheSlowerPortAndItsTurn) {
    Network network = one_switch(3, {1'250'000'000, 1'000});
    network.layout.ports[2].bandwidth_Bps = 250'000'000;
    network.layout.sends = {400, 0, 0, 300};
    const MessageTimes times(network.layout, network.order, 5'000);
    EXPECT_FALSE(times.shares_ports());
    EXPECT_EQ(times.latency_ns(0, 1), 400 + 4'000 + 2'000 + 300);
    EXPECT_EQ(times.latency_ns(0, 2), 400 + 20'000 + 2'000 + 300);
    EXPECT_EQ(times.turn_ns(0, 1, 3), 4'000);  // its port is busy for so long
    EXPECT_EQ(times.turn_ns(0, 2, 3), 20'000);
    EXPECT_EQ(times.turn_ns(0, 1, 1), 400 + 4'000 + 2'000);    // alone: until it has arrived
    EXPECT_EQ(times.covering(), 3);                            // 4.4 us, and 4.3 until that is known
    use_send_times(network.layout, {400, 2'000, 2'000, 300});  // between neighbours; others may be further away
    EXPECT_EQ(MessageTimes(network.layout, network.order, 5'000).covering(), 3);
    EXPECT_EQ(MessageTimes(network.layout, network.order, 1'000).covering(), 7);
}

TEST(MessageTimes, OfTcpAreThoseThatWereMeasured) {
    Network network = one_switch(3, {125'000'000, 20'000});
    const MessageTimes times(network.layout, network.order, 1'008);  // 1 KiB with its envelope
    EXPECT_TRUE(times.shares_ports());
    EXPECT_NEAR(static_cast<double>(times.latency_ns(0, 1)), 1024 / 0.125 / 0.341987 + 1.9503 * 40'000, 2);
    use_send_times(network.layout, {3'000, 50'000, 1, 0});  // by a tuning: then those hold
    EXPECT_EQ(MessageTimes(network.layout, network.order, 1'000).latency_ns(0, 1), 3'000 + 8'000 + 50'000);
}

TEST(KnomialTree, DividesEvenly) {
    EXPECT_EQ(knomial_tree(9, 3).children,
              (std::vector<std::vector<int>>{{6, 3, 2, 1}, {}, {}, {5, 4}, {}, {}, {8, 7}, {}, {}}));
    for (int machines = 1; machines <= 80; ++machines) {
        for (int radix = 2; radix <= 9; ++radix) {
            const Tree tree = knomial_tree(machines, radix);
            int steps = 0;
            for (int reached = 1; reached < machines; reached *= radix) ++steps;
            EXPECT_LE(height_of(tree), steps);
            EXPECT_LE(most_children(tree), static_cast<std::size_t>(steps * (radix - 1)));
            for (int position = 1; position < machines; ++position) {
                EXPECT_LT(tree.parent[static_cast<std::size_t>(position)], position);
            }
        }
    }
}

TEST(PowerTree, HasPartsOfPowers) {
    EXPECT_EQ(power_tree(11, 3).children,
              (std::vector<std::vector<int>>{{9, 3, 6, 1, 2}, {}, {}, {4, 5}, {}, {}, {7, 8}, {}, {}, {10}, {}}));
    for (int machines = 1; machines <= 80; ++machines) {
        EXPECT_EQ(power_tree(machines, 2).children, binomial_scatter(machines).children) << machines;
        for (int radix = 2; radix <= 17; ++radix) {
            const Tree tree = power_tree(machines, radix);
            int steps = 0;
            for (int reached = 1; reached < machines; reached *= radix) ++steps;
            EXPECT_LE(height_of(tree), steps);
            EXPECT_LE(most_children(tree), static_cast<std::size_t>(steps * (radix - 1)));
        }
    }
}

/// When messages end, in the sequence in which they do.
template <typename Wires>
std::vector<std::pair<std::size_t, std::int64_t>> ends_of(Wires& wires) {
    std::vector<std::pair<std::size_t, std::int64_t>> ends;
    std::size_t message = 0;
    std::int64_t time_ns = 0;
    while (wires.next(message, time_ns)) ends.emplace_back(message, time_ns);
    return ends;
}

using Ends = std::vector<std::pair<std::size_t, std::int64_t>>;

TEST(SharedWires, GivesEachAnEvenPart) {
    SharedWires wires({100, 100, 300});
    wires.add({0}, 0);
    wires.add({0}, 50);        // half of each until 150, then alone
    wires.add({1, 2}, 1'000);  // as slow as the slower link
    EXPECT_EQ(ends_of(wires), (Ends{{0, 150}, {1, 200}, {2, 1'300}}));
}

TEST(QueuedWires, ServeOneAfterTheOther) {
    QueuedWires wires({100, 100, 300});
    wires.add({0, 2}, 0);
    wires.add({0}, 10);     // waits for the first port, but not for what the first message meets behind it
    wires.add({1, 2}, 20);  // comes to the other link after the first message
    EXPECT_EQ(ends_of(wires), (Ends{{1, 200}, {0, 300}, {2, 600}}));
}

TEST(LatencyTree, KnowsWhatMeetsOnTrunks) {
    // 32 machines on a row of four switches, 1 Gbit/s, 1 KiB. Eight children at a time, no two senders on a trunk: the
    // simulator takes 423.6 us, 563.0 for the six even parts that would be quicker if messages met nowhere.
    Network network;
    network.layout.neighbours = {{1}, {0, 2}, {1, 3}, {2}};
    for (int machine = 0; machine < 32; ++machine) network.layout.machine_switch.push_back(machine / 8);
    network.layout.ports.assign(32, {125'000'000, 20'000});
    for (const std::vector<int>& neighbours : network.layout.neighbours) {
        network.layout.trunks.emplace_back(neighbours.size(), LinkSpeed{125'000'000, 20'000});
    }
    std::vector<int> machines(32);
    std::iota(machines.begin(), machines.end(), 0);
    network.order = depth_first_order(network.layout, machines, 0);
    const TimedTree timed = timed_latency_tree(network.layout, network.order, 1024);
    EXPECT_NEAR(static_cast<double>(timed.end_ns), 423'600, 100);
    EXPECT_EQ(timed.tree.children, kary_tree(network.layout, network.order, 8).children);
}

// A message to a near machine overtakes an earlier one to a far machine. So a tree may end sooner than if ports served
// sends one after the other, and none of those that are tried is passed over for that.
TEST(LatencyTree, IsNoLaterThanAnyThatIsTried) {
    Layout layout;  // six switches of eight machines under two that hang together
    layout.neighbours = {{1, 2}, {0, 3, 4, 5}, {0, 6, 7, 8}, {1}, {1}, {1}, {2}, {2}, {2}};
    const LinkSpeed link{1'250'000'000, 1000};
    for (const std::vector<int>& neighbours : layout.neighbours) {
        layout.trunks.emplace_back(neighbours.size(), link);
    }
    for (int machine = 0; machine < 48; ++machine) {
        layout.machine_switch.push_back(3 + machine / 8);
        layout.ports.push_back(link);
    }
    layout.sends = {5000, 0, 0, 4000};
    std::vector<int> all(48);
    std::iota(all.begin(), all.end(), 0);
    const Order order = depth_first_order(layout, all, 0);
    for (const std::size_t message : {1024U, 8192U, 65536U}) {
        const MessageTimes times(layout, order, message);
        const std::int64_t best_ns = timed_latency_tree(layout, order, message).end_ns;
        for (const int radix : {2, 3, 4, 6, 8}) {
            for (const Tree& tree : {power_tree(48, radix), knomial_tree(48, radix)}) {
                for (const int window : {2, times.covering(), widest_send_window}) {
                    const std::int64_t end_ns =
                        times.end_ns(tree, {window, false}, std::numeric_limits<std::int64_t>::max());
                    EXPECT_LE(best_ns, end_ns) << message << ' ' << radix << ' ' << window;
                }
            }
        }
    }
}

TEST(LatencyTree, DoesNotCrowdATrunk) {
    std::mt19937 random(5);
    Network network = network_of(16, 2, 20'000, random);
    for (std::vector<LinkSpeed>& trunks : network.layout.trunks) {
        for (LinkSpeed& trunk : trunks) trunk = {1'250'000, 1'000};  // 4 KiB take 3.3 ms to cross
    }
    for (LinkSpeed& port : network.layout.ports) port.bandwidth_Bps = 12'500'000;
    const Tree tree = latency_tree(network.layout, network.order, 4096);
    int crossings = 0;
    for (int position = 1; position < tree.size(); ++position) {
        const int parent = tree.parent[static_cast<std::size_t>(position)];
        crossings += network.order.innermost[static_cast<std::size_t>(position)] !=
                             network.order.innermost[static_cast<std::size_t>(parent)]
                         ? 1
                         : 0;
    }
    EXPECT_LE(crossings, 2);
}

TEST(LatencyTree, KeepsItsTimesInLargeNetworks) {
    std::mt19937 random(3);
    for (const int machines : {500, 5'000}) {
        const Network network = network_of(machines, machines / 8, 1'000, random);
        const TimedTree timed = timed_latency_tree(network.layout, network.order, bytes);
        EXPECT_EQ(timed.end_ns, end_of(network, timed.tree));
    }
}

}  // namespace
}  // namespace bcast
