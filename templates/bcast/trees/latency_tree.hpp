// The latency tree, for messages so small that the number of sends and their latency count. They are sent whole.
//
//   time  0     n0              A machine that holds the message keeps sending it, once every gap g; each send arrives
//         g+L   n1              a latency later, which depends on the ports and trunks between the two machines.
//        2g+L   n2              If all pairs have the same latency, it is optimal that every holder of the message
//        sends 2g+2L  n3 (by n1), …   it as soon as it can to a machine without it (the postal model of Bar-Noy and
//        Kipnis).
//
// Where latencies differ, it matters which machine is next and which one sends. The machine that the message can reach
// last goes first, and the one that reaches it soonest sends. For nearly nine of ten random networks of up to eight
// machines that is the best schedule of all (tests compare with exhaustive search). It takes P S^2 steps over S
// switches. So three other rules are tried too, and alone in large networks, as they take P log P: far switches first,
// near machines first, or the switch with most left first. Where messages share ports or meet on trunks other trees do
// better: k-nomial ones over the order, which cross few trunks, and k-ary ones without contention. The tree that ends
// first is kept (message_times.hpp), with the send window that it was timed with.
//
// The more bytes, the longer the gap, and the less one machine gains by sending many times. So there is a tree for each
// of a few message sizes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "bcast/trees/kary_tree.hpp"
#include "bcast/trees/message_times.hpp"
#include "bcast/trees/order.hpp"
#include "bcast/trees/tree.hpp"

namespace bcast {

/// Latency trees are planned for messages of up to these many bytes: the shorter a send, the more of them a machine
/// should make.
inline constexpr std::size_t latency_tree_bytes[] = {64,    256,   512,   1024,  2048,  4096,   8192,   12288,  16384,
                                                     24576, 32768, 49152, 65536, 98304, 131072, 153600, 196608, 262144};
inline constexpr std::size_t latency_tree_sizes = std::size(latency_tree_bytes);

/// Which of them a message of this many bytes takes; larger ones take the last.
inline std::size_t latency_tree_size(std::size_t bytes) {
    std::size_t size = 0;
    while (size + 1 < latency_tree_sizes && bytes > latency_tree_bytes[size]) ++size;
    return size;
}

/// A tree with the time at which its last machine has the message, counted from the root's first send.
struct TimedTree {
    Tree tree;
    std::int64_t end_ns = 0;
};

namespace detail {

/// Trees in which every holder of the message goes on sending it, which differ in who is next.
class PostalTreeBuilder {
  public:
    enum class Rule { far_first, near_first, most_left_first };
    /// Which machine of a switch is next, by how long it takes until one has a message that comes to its port.
    enum class Turn { slow_first, quick_first, one_quick_first };  ///< the last: one, and then the slow

    /// Sends under way from a machine as `send_window` says. All but that must outlive it.
    PostalTreeBuilder(const Order& order, const MessageTimes& times, int send_window)
        : order_(order), times_(times), send_window_(send_window), sites_(order.subtrees.size()) {
        for (int position = 0; position < order.size(); ++position)
            sites_[times.subtree_of(position)].members.push_back(position);
        for (Site& site : sites_) measure(site);
    }

    /// Steps that build_furthest takes.
    [[nodiscard]] std::int64_t furthest_steps() const {
        std::int64_t sites = 0;
        for (const Site& site : sites_) sites += site.members.empty() ? 0 : 1;
        return sites * sites * order_.size();
    }

    /// Whether machines of one switch differ in that.
    [[nodiscard]] bool differ() const {
        return std::any_of(sites_.begin(), sites_.end(), [&](const Site& site) {
            return std::any_of(site.members.begin(), site.members.end(), [&](int position) {
                return times_.coming_ns(position) != times_.coming_ns(site.members.front());
            });
        });
    }

    /// Next is the machine that can be reached last; the one that reaches it soonest sends.
    [[nodiscard]] Tree build_furthest(Turn turn) const {
        std::vector<std::size_t> used;          // sites with members
        std::vector<std::vector<int>> members;  // of each of them
        for (std::size_t s = 0; s < sites_.size(); ++s) {
            if (sites_[s].members.empty()) continue;
            used.push_back(s);
            members.push_back(in_turn(s, turn));
        }
        std::vector<std::int64_t> apart_ns;  // goal, sender's site -> over the trunks
        for (const std::size_t to : used) {
            for (const std::size_t from : used) apart_ns.push_back(times_.trunks_ns(from, to));
        }
        std::vector<TimedMachines> senders(used.size());
        std::vector<std::size_t> next(used.size(), 0);
        senders[0].emplace(times_.leaving_ns(0), 0);
        next[0] = 1;
        std::vector<std::vector<int>> children(static_cast<std::size_t>(order_.size()));
        for (int left = order_.size() - 1; left > 0; --left) {
            std::int64_t furthest_ns = -1;
            std::size_t sender_site = 0;
            std::size_t goal_site = 0;
            for (std::size_t goal = 0; goal < used.size(); ++goal) {
                if (next[goal] == members[goal].size()) continue;
                std::int64_t soonest_ns = std::numeric_limits<std::int64_t>::max();
                std::size_t soonest_site = 0;
                for (std::size_t from = 0; from < used.size(); ++from) {
                    if (senders[from].empty()) continue;
                    const std::int64_t arrival_ns = senders[from].top().first + apart_ns[goal * used.size() + from];
                    if (arrival_ns < soonest_ns) {
                        soonest_ns = arrival_ns;
                        soonest_site = from;
                    }
                }
                soonest_ns += times_.coming_ns(members[goal][next[goal]]);
                if (soonest_ns > furthest_ns) {
                    furthest_ns = soonest_ns;
                    sender_site = soonest_site;
                    goal_site = goal;
                }
            }
            const auto [ready_ns, sender] = senders[sender_site].top();
            const int receiver = members[goal_site][next[goal_site]++];
            senders[sender_site].pop();
            senders[sender_site].emplace(ready_ns + times_.turn_ns(sender, receiver, send_window_), sender);
            senders[goal_site].emplace(furthest_ns + times_.leaving_ns(receiver), receiver);
            children[static_cast<std::size_t>(sender)].push_back(receiver);
        }
        return tree_of_children(std::move(children));
    }

    [[nodiscard]] Tree build(Rule rule) const {
        std::vector<std::vector<int>> children(static_cast<std::size_t>(order_.size()));
        std::vector<std::size_t> next(sites_.size(), 0);  // by site: members that have the message or are sent it
        Queue unentered;                                  // what is left once entered, site
        for (std::size_t s = 1; s < sites_.size(); ++s) {
            if (sites_[s].members.empty()) continue;
            unentered.emplace(times_.from_root_ns(s) + sites_[s].alone_ns, -to_int(s));
        }
        Queue unfinished;  // members left, site
        TimedMachines ready;
        ready.emplace(0, 0);
        next[0] = 1;
        unfinished.emplace(to_int(sites_[0].members.size()) - 1, 0);
        for (int left = order_.size() - 1; left > 0; --left) {
            const auto [now_ns, sender] = ready.top();
            ready.pop();
            const std::size_t goal = choose(rule, times_.subtree_of(sender), next, unentered, unfinished);
            const int receiver = sites_[goal].members[next[goal]++];
            if (next[goal] == 1) unfinished.emplace(to_int(sites_[goal].members.size()) - 1, -to_int(goal));
            children[static_cast<std::size_t>(sender)].push_back(receiver);
            ready.emplace(now_ns + times_.turn_ns(sender, receiver, send_window_), sender);
            ready.emplace(now_ns + times_.latency_ns(sender, receiver), receiver);
        }
        return tree_of_children(std::move(children));
    }

  private:
    /// A switch and the machines on it.
    struct Site {
        std::vector<int> members;   ///< positions
        std::int64_t alone_ns = 0;  ///< what its machines need once the first has the message
    };
    using Queue = std::priority_queue<std::pair<std::int64_t, int>>;

    static int to_int(std::size_t number) { return static_cast<int>(number); }

    /// A site's members as they are to be reached.
    [[nodiscard]] std::vector<int> in_turn(std::size_t site, Turn turn) const {
        std::vector<int> members = sites_[site].members;
        const auto first = members.begin() + (site == 0 ? 1 : 0);  // the root has the message
        std::stable_sort(first, members.end(), [&](int a, int b) { return times_.coming_ns(a) < times_.coming_ns(b); });
        if (turn == Turn::quick_first || first == members.end()) return members;
        std::stable_sort(turn == Turn::one_quick_first ? first + 1 : first, members.end(),
                         [&](int a, int b) { return times_.coming_ns(a) > times_.coming_ns(b); });
        return members;
    }

    /// The postal tree's time over the machines of one switch.
    void measure(Site& site) const {
        if (site.members.size() < 2) return;
        const std::int64_t hop_ns = times_.latency_ns(site.members[0], site.members[1]);
        const std::int64_t turn_ns = times_.turn_ns(site.members[0], site.members[1], send_window_);
        std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ready;
        ready.push(0);
        for (std::size_t left = site.members.size() - 1; left > 0; --left) {
            const std::int64_t now_ns = ready.top();
            ready.pop();
            ready.push(now_ns + turn_ns);
            ready.push(now_ns + hop_ns);
            site.alone_ns = std::max(site.alone_ns, now_ns + hop_ns);
        }
    }

    /// The switch to send to: one where nobody has the message yet, the sender's own, or, when that needs no more, the
    /// one with the most machines left.
    [[nodiscard]] std::size_t choose(Rule rule, std::size_t home, const std::vector<std::size_t>& next,
                                     Queue& unentered, Queue& unfinished) const {
        const std::size_t left_at_home = sites_[home].members.size() - next[home];
        bool go_far = !unentered.empty() && (left_at_home == 0 || rule == Rule::far_first);
        if (!unentered.empty() && left_at_home > 0 && rule == Rule::most_left_first) {
            // What the home switch still needs if it goes on as fast as one machine alone.
            const auto done = static_cast<std::int64_t>(next[home] + 1);
            go_far = unentered.top().first * done > sites_[home].alone_ns * static_cast<std::int64_t>(left_at_home);
        }
        if (go_far) {
            const auto goal = static_cast<std::size_t>(-unentered.top().second);
            unentered.pop();
            return goal;
        }
        if (left_at_home > 0) return home;
        for (;;) {  // the queue's counts may be out of date: they only fall
            const auto [count, negative] = unfinished.top();
            const auto goal = static_cast<std::size_t>(-negative);
            const auto left = static_cast<std::int64_t>(sites_[goal].members.size() - next[goal]);
            if (left == count) return goal;
            unfinished.pop();
            unfinished.emplace(left, negative);
        }
    }

    const Order& order_;
    const MessageTimes& times_;
    int send_window_;
    std::vector<Site> sites_;  // by subtree
};

}  // namespace detail

/// The one of these trees that ends first, over an order as depth_first_order makes it, for messages of this many
/// bytes, with the send window that it is meant for. Optimal where all machines hang on one switch by equal ports that
/// send messages in turn. O(P x (log P + depth of the switch tree)) time, or that of the k-ary trees among up to
/// most_for_kary machines, or most_furthest_steps where those are more.
inline TimedTree timed_latency_tree(const Layout& layout, const Order& order, std::size_t bytes) {
    using Builder = detail::PostalTreeBuilder;
    constexpr std::int64_t most_furthest_steps = 20'000'000;  // some ten milliseconds
    constexpr int most_for_kary = 1024;                       // the same
    const MessageTimes times(layout, order, bytes);
    TimedTree best{{}, std::numeric_limits<std::int64_t>::max()};
    TimedTree best_in_steps = best;
    const auto consider = [&](const Tree& tree, int step) {
        std::size_t most_children = 1;
        for (const std::vector<int>& children : tree.children) most_children = std::max(most_children, children.size());
        const auto consider_together = [&](Together together) {
            TimedTree& kept = together.in_steps ? best_in_steps : best;
            const std::int64_t end_ns = times.end_ns(tree, together, kept.end_ns);
            if (end_ns >= kept.end_ns) return;
            kept = {tree, end_ns};
            kept.tree.together = together;
        };
        // Where messages share a port, all of a machine's for one step of the tree go together. Sends to far machines
        // take their places in the window for longer. Ports that send in turn lose nothing by more, but where messages
        // meet on trunks; there as few as two may do better.
        std::size_t tried = 0;  // a window wider than a machine has children is as wide as that
        for (const int window :
             {2, times.shares_ports() ? step : times.covering(), times.shares_ports() ? step : widest_send_window}) {
            const std::size_t used = std::min(static_cast<std::size_t>(window), most_children);
            if (std::exchange(tried, used) != used) consider_together({window, false});
        }
        // Messages of one step whose ways differ do not end together; the next ones would delay the last of them.
        if (step > 1 && static_cast<std::size_t>(step) < most_children) consider_together({step, true});
    };
    // These cross few trunks, the latter where switches have a power of it.
    for (const int radix : {2, 3, 4, 6, 8, 12, 16}) {
        consider(knomial_tree(order.size(), radix), radix - 1);
        consider(power_tree(order.size(), radix), radix - 1);
    }
    for (const int radix : {3, 4, 5, 6, 8, 12}) {
        if (order.size() <= most_for_kary) consider(kary_tree(layout, order, radix), radix);
    }
    const Builder builder(order, times, times.shares_ports() ? 1 : times.covering());
    for (const auto rule : {Builder::Rule::near_first, Builder::Rule::most_left_first, Builder::Rule::far_first}) {
        consider(builder.build(rule), 1);
    }
    if (builder.furthest_steps() <= most_furthest_steps) {
        consider(builder.build_furthest(Builder::Turn::slow_first), 1);
        for (const auto turn : {Builder::Turn::quick_first, Builder::Turn::one_quick_first}) {
            if (builder.differ()) consider(builder.build_furthest(turn), 1);
        }
    }
    // In steps a rank that is late holds up all that its parent sends later: not for a gain of less than a 64th.
    return best_in_steps.end_ns < best.end_ns - best.end_ns / 64 ? best_in_steps : best;
}

inline Tree latency_tree(const Layout& layout, const Order& order, std::size_t bytes) {
    return timed_latency_tree(layout, order, bytes).tree;
}

}  // namespace bcast
