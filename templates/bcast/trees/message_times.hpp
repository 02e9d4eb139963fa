// When machines have a message that is sent whole down a tree.
//
//   in turn   sender  |= send =|= send =|= send =|      a port sends messages one after the other: the first child has
//                          \=wire=\=wire=\=wire=\       it early and the last late; a send ends when it has arrived,
//                                                       so several must be under way (the send window)
//   shared    sender  |= send =|= send =|               connections of TCP share a port evenly, up to Gigabit Ethernet:
//                          \====== wires ======\        those that are under way together all arrive at the end
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "bcast/trees/distances.hpp"
#include "bcast/trees/hop.hpp"
#include "bcast/trees/order.hpp"
#include "bcast/trees/queued_wires.hpp"
#include "bcast/trees/sends_under_way.hpp"
#include "bcast/trees/shared_wires.hpp"
#include "bcast/trees/tcp_messages.hpp"
#include "bcast/trees/tree.hpp"

namespace bcast {

/// Machines with a time each, the earliest on top.
using TimedMachines =
    std::priority_queue<std::pair<std::int64_t, int>, std::vector<std::pair<std::int64_t, int>>, std::greater<>>;

/// Times of messages of one length among the machines of an order (as depth_first_order makes it). Both arguments must
/// outlive it.
class MessageTimes {
  public:
    MessageTimes(const Layout& layout, const Order& order, std::size_t bytes) : distances_(layout, order) {
        const Hop hop = hop_of(layout, order.machines);
        shares_ports_ = hop.shares_port();
        const bool by_factors = shares_ports_ && layout.sends.latency_ns == 0;
        const Carried carried = by_factors ? carried_by_tcp(bytes) : Carried{static_cast<double>(bytes), 1};
        const std::int64_t in_factors_ns = by_factors ? layout.sends.overhead_ns : 0;
        latency_factor_ = carried.latencies;
        for (const int machine : order.machines) {
            const LinkSpeed port = layout.port(machine);
            send_ns_.push_back(std::max<std::int64_t>(0, layout.send_ns(machine) - in_factors_ns));
            receive_ns_.push_back(layout.receive_ns(machine));
            wire_ns_.push_back(hop.bandwidth_Bps == 0 ? 0 : over(port, carried.bytes));
        }
        const std::int64_t wire_ns = hop.bandwidth_Bps == 0 ? 0 : over({hop.bandwidth_Bps, 0}, carried.bytes);
        const std::int64_t overhead_ns = by_factors ? 0 : hop.overhead_ns;
        const std::int64_t busy_ns = std::max<std::int64_t>({1, overhead_ns, wire_ns});
        const std::int64_t until_ended_ns = overhead_ns + wire_ns + hop.surely_known_ns() + hop.receive_ns;
        covering_ =
            static_cast<int>(std::clamp<std::int64_t>((until_ended_ns + busy_ns - 1) / busy_ns, 1, widest_send_window));
        answer_ns_ = std::min(hop.answer_ns, scaled(hop.latency_ns));
        busy_below_ns_.resize(order.subtrees.size(), 0);
        for (std::size_t s = 1; s < order.subtrees.size() && !layout.trunks.empty(); ++s) {
            const int above = order.subtrees[distances_.above(s)].sw;
            busy_below_ns_[s] = over(layout.trunk(order.subtrees[s].sw, above), carried.bytes);
        }
    }

    /// Whether messages that are under way from a machine together all arrive at the end.
    [[nodiscard]] bool shares_ports() const { return shares_ports_; }

    /// How many sends keep a port busy that sends messages in turn.
    [[nodiscard]] int covering() const { return covering_; }

    /// From a machine's send to its next one, where no more than `send_window` are under way.
    [[nodiscard]] std::int64_t turn_ns(int from, int to, int send_window) const {
        const std::int64_t wire_ns = wire_between_ns(from, to);
        const std::int64_t alone_ns = send_ns(from) + wire_ns + answer_ns_;
        return std::max({send_ns(from), wire_ns, alone_ns / send_window});
    }

    /// From a sender's start until the receiver can use the message.
    [[nodiscard]] std::int64_t latency_ns(int from, int to) const {
        return send_ns(from) + receive_ns(to) + wire_between_ns(from, to) + scaled(distances_.between_ns(from, to));
    }

    /// The parts of it: at the sender, at the receiver, and between the switches.
    [[nodiscard]] std::int64_t leaving_ns(int position) const { return send_ns(position) + port_ns(position); }
    [[nodiscard]] std::int64_t coming_ns(int position) const { return port_ns(position) + receive_ns(position); }
    [[nodiscard]] std::int64_t trunks_ns(std::size_t a, std::size_t b) const {
        return scaled(distances_.trunks_ns(a, b));
    }
    [[nodiscard]] std::int64_t from_root_ns(std::size_t subtree) const {
        return scaled(distances_.from_root_ns(subtree));
    }

    /// Indices of the order's subtrees.
    [[nodiscard]] std::size_t subtree_of(int position) const { return distances_.subtree_of(position); }

    /// When the last machine has the message if all send by the tree, so many together. Of a tree that cannot end
    /// before `limit_ns`, no more is found than that.
    [[nodiscard]] std::int64_t end_ns(const Tree& tree, Together together, std::int64_t limit_ns) const {
        constexpr int most_for_near = 512;  // some milliseconds
        if (tree.size() > most_for_near) return rough_end_ns(tree, together);
        const std::int64_t least_ns = least_end_ns(tree);
        if (least_ns >= limit_ns) return least_ns;
        return shares_ports_ ? near_end_ns(SharedWires(times_alone()), tree, together)
                             : near_end_ns(QueuedWires(times_alone()), tree, together);
    }

  private:
    /// end_ns, roughly: messages that meet on a trunk go one after the other, in the sequence in which they were sent,
    /// and those that share a port all arrive together. O(P x (log P + depth of the switch tree)).
    [[nodiscard]] std::int64_t rough_end_ns(const Tree& tree, Together together) const {
        std::vector<std::array<Use, 2>> uses(busy_below_ns_.size());  // of each trunk, up and down
        std::vector<std::size_t> next(tree.children.size(), 0);
        TimedMachines ready;
        ready.emplace(0, 0);
        std::int64_t end_ns = 0;
        while (!ready.empty()) {
            const auto [now_ns, sender] = ready.top();
            ready.pop();
            const std::vector<int>& children = tree.children[static_cast<std::size_t>(sender)];
            std::size_t& child = next[static_cast<std::size_t>(sender)];
            if (child == children.size()) continue;
            const std::size_t end = child + step_of(children.size() - child, together);
            std::int64_t sharing_ns = 0;  // until all that go together have crossed the port
            for (std::size_t i = child; i < end; ++i) sharing_ns += wire_between_ns(sender, children[i]);
            std::int64_t turn_ns = 0;
            for (; child < end; ++child) {
                const int receiver = children[child];
                const std::int64_t behind_ns = sharing_ns - wire_between_ns(sender, receiver);  // the others
                const std::int64_t arrival_ns =
                    now_ns + behind_ns + latency_ns(sender, receiver) + wait_ns(now_ns, sender, receiver, uses);
                end_ns = std::max(end_ns, arrival_ns);
                ready.emplace(arrival_ns, receiver);
                turn_ns =
                    std::max(turn_ns, behind_ns + this->turn_ns(sender, receiver, shares_ports_ ? 1 : together.sends));
            }
            ready.emplace(now_ns + turn_ns, sender);
        }
        return end_ns;
    }

    /// How many begin at once, of so many that are left.
    [[nodiscard]] std::size_t step_of(std::size_t left, Together together) const {
        if (!shares_ports_) return 1;
        const auto most = static_cast<std::size_t>(together.sends);
        if (!together.in_steps) return std::min(left, most);
        return static_cast<std::size_t>(next_step(static_cast<std::int64_t>(left), together.sends));
    }

    /// When it ends if no message waits for another: no later than it can. (With a port they would not always come
    /// later: one to a near machine may overtake an earlier one to a far machine.) O(P).
    [[nodiscard]] std::int64_t least_end_ns(const Tree& tree) const {
        std::int64_t end_ns = 0;
        std::vector<std::int64_t> ready_ns(tree.children.size(), 0);
        std::vector<int> walk{0};
        for (std::size_t i = 0; i < walk.size(); ++i) {
            const int sender = walk[i];
            std::int64_t now_ns = ready_ns[static_cast<std::size_t>(sender)];
            for (const int child : tree.children[static_cast<std::size_t>(sender)]) {
                const std::int64_t there_ns = now_ns + latency_ns(sender, child);
                ready_ns[static_cast<std::size_t>(child)] = there_ns;
                end_ns = std::max(end_ns, there_ns);
                now_ns += send_ns(sender);
                walk.push_back(child);
            }
        }
        return end_ns;
    }

    /// end_ns, with messages that meet on a link sharing it (shared_wires.hpp) or waiting there (queued_wires.hpp).
    template <typename Wires>
    [[nodiscard]] std::int64_t near_end_ns(Wires wires, const Tree& tree, Together together) const {
        struct Sender {
            std::size_t next = 0;  // child
            SendsUnderWay sends;
            std::int64_t free_ns = 0;
        };
        std::vector<Sender> senders;
        for (const std::vector<int>& children : tree.children) {
            senders.push_back({0, SendsUnderWay(together, static_cast<std::int64_t>(children.size())), 0});
        }
        std::vector<std::pair<int, int>> ends;  // sender and receiver, by message
        const auto send_on = [&](int position, std::int64_t now_ns) {
            Sender& sender = senders[static_cast<std::size_t>(position)];
            const std::vector<int>& children = tree.children[static_cast<std::size_t>(position)];
            while (sender.next < children.size() && !sender.sends.full()) {
                const int child = children[sender.next++];
                sender.sends.begin();
                sender.free_ns = std::max(sender.free_ns, now_ns) + send_ns(position);
                wires.add(links_between(position, child),
                          sender.free_ns + scaled(distances_.between_ns(position, child)));
                ends.emplace_back(position, child);
            }
        };
        send_on(0, 0);
        std::size_t message = 0;
        std::int64_t now_ns = 0;
        std::int64_t end_ns = 0;
        while (wires.next(message, now_ns)) {
            const auto [from, to] = ends[message];
            end_ns = std::max(end_ns, now_ns + receive_ns(to));
            send_on(to, now_ns + receive_ns(to));
            senders[static_cast<std::size_t>(from)].sends.end();
            send_on(from, now_ns);
        }
        return end_ns;
    }

    [[nodiscard]] std::int64_t send_ns(int position) const { return send_ns_[static_cast<std::size_t>(position)]; }
    [[nodiscard]] std::int64_t receive_ns(int position) const {
        return receive_ns_[static_cast<std::size_t>(position)];
    }
    [[nodiscard]] std::int64_t port_ns(int position) const {
        return wire_ns_[static_cast<std::size_t>(position)] / 2 + scaled(distances_.port_ns(position));
    }

    /// By link: ports out, ports in, trunks up, trunks down.
    [[nodiscard]] std::vector<std::int64_t> times_alone() const {
        std::vector<std::int64_t> alone_ns = wire_ns_;
        alone_ns.insert(alone_ns.end(), wire_ns_.begin(), wire_ns_.end());
        for (int direction = 0; direction < 2; ++direction) {
            alone_ns.insert(alone_ns.end(), busy_below_ns_.begin(), busy_below_ns_.end());
        }
        return alone_ns;
    }

    /// The numbers of the links from one machine to another in times_alone(), as they come.
    [[nodiscard]] std::vector<std::size_t> links_between(int from, int to) const {
        const std::size_t machines = wire_ns_.size();
        std::vector<std::size_t> links{static_cast<std::size_t>(from)};
        for (const auto& [subtree, direction] : trunks_between(from, to)) {
            links.push_back(2 * machines + direction * busy_below_ns_.size() + subtree);
        }
        links.push_back(machines + static_cast<std::size_t>(to));
        return links;
    }

    /// The trunks from one machine to another, as they come: the subtree below each, and 0 for up, 1 for down.
    [[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> trunks_between(int sender, int receiver) const {
        std::vector<std::pair<std::size_t, std::size_t>> up;
        std::vector<std::pair<std::size_t, std::size_t>> down;
        std::size_t from = subtree_of(sender);
        std::size_t to = subtree_of(receiver);
        while (from != to) {
            const bool is_up = !distances_.is_deeper(to, from);
            std::size_t& below = is_up ? from : to;
            (is_up ? up : down).emplace_back(below, is_up ? 0 : 1);
            below = distances_.above(below);
        }
        up.insert(up.end(), down.rbegin(), down.rend());
        return up;
    }

    /// What links see of a message: bytes, and how many times their latency it takes.
    struct Carried {
        double bytes;
        double latencies;
    };

    static Carried carried_by_tcp(std::size_t bytes) {
        const double all = static_cast<double>(bytes) + envelope_bytes;
        const TcpFactor& factor = tcp_factor(all);
        return {all / factor.bandwidth, factor.latency};
    }

    static std::int64_t over(const LinkSpeed& link, double bytes) {
        constexpr double ns_per_s = 1e9;
        return static_cast<std::int64_t>(ns_per_s * bytes / static_cast<double>(link.bandwidth_Bps));
    }

    [[nodiscard]] std::int64_t scaled(std::int64_t latency_ns) const {
        return static_cast<std::int64_t>(latency_factor_ * static_cast<double>(latency_ns));
    }

    /// The slower port is what counts.
    [[nodiscard]] std::int64_t wire_between_ns(int from, int to) const {
        return std::max(wire_ns_[static_cast<std::size_t>(from)], wire_ns_[static_cast<std::size_t>(to)]);
    }

    /// Of a trunk, in one direction.
    struct Use {
        std::int64_t until_ns = 0;  ///< when it is free again
        std::int64_t since_ns = -1;
        int sender = -1;  ///< the last one, and when it began
    };

    /// How long a message that leaves now waits for others on its way over the trunks. Each trunk serves messages in
    /// the sequence in which they were sent. Those that share a port come slower than a trunk could take them.
    [[nodiscard]] std::int64_t wait_ns(std::int64_t now_ns, int sender, int receiver,
                                       std::vector<std::array<Use, 2>>& uses) const {
        const std::vector<std::pair<std::size_t, std::size_t>> way = trunks_between(sender, receiver);
        std::int64_t wait_ns = 0;
        for (const auto& [subtree, direction] : way) {
            const Use& use = uses[subtree][direction];
            const bool together = shares_ports_ && use.sender == sender && use.since_ns == now_ns;
            if (!together) wait_ns = std::max(wait_ns, use.until_ns - now_ns);
        }
        for (const auto& [subtree, direction] : way) {
            Use& use = uses[subtree][direction];
            use = {std::max(use.until_ns, now_ns + wait_ns) + busy_below_ns_[subtree], now_ns, sender};
        }
        return wait_ns;
    }

    Distances distances_;
    std::int64_t answer_ns_ = 0;  // from the end of a send alone until the next one
    double latency_factor_ = 1;
    int covering_ = 1;
    bool shares_ports_ = false;
    std::vector<std::int64_t> send_ns_;        // by position: of its processor, for each message
    std::vector<std::int64_t> receive_ns_;     // the same
    std::vector<std::int64_t> wire_ns_;        // by position: what the message takes over its port
    std::vector<std::int64_t> busy_below_ns_;  // by subtree: how long it keeps the trunk above from others
};

}  // namespace bcast
