// The latency tree, for messages so small that only the time of sending counts.
//
//   time  0     n0              A machine that holds the message sends it on and on, one send every gap; a send takes
//         g+L   n1              effect a latency later, which depends on the ports and trunks between the two machines.
//        2g+L   n2              With one latency for all pairs it is optimal that whoever holds the message sends it,
//        2g+2L  n3 (by n1), …   as soon as it can, to anyone who does not (the postal model of Bar-Noy and Kipnis).
//
// Where latencies differ, it matters whom to send to next, and who does. The machine that the message can reach last
// goes first, and the one that reaches it soonest sends. Among random networks of up to eight machines that is the best
// schedule there is in nearly nine of ten (tests compare with exhaustive search). It takes P S^2 steps over S switches;
// for large networks three rules of P log P steps take its place: far switches first, near machines first, or the
// switch with most left first. Whichever tree ends first is kept.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "order.hpp"
#include "tree.hpp"

namespace bcast {

/// What a send costs: the sender's processor this long, and its port the time of so many bytes, which stand for the
/// small messages that the tree is for.
inline constexpr std::int64_t send_overhead_ns = 5000;
inline constexpr std::int64_t small_message_bytes = 512;

/// The time from one send to the next.
inline std::int64_t send_gap_ns(const Layout& layout) {
    if (layout.ports.empty()) return send_overhead_ns;
    std::int64_t fastest_Bps = 1;
    for (const LinkSpeed& port : layout.ports) fastest_Bps = std::max(fastest_Bps, port.bandwidth_Bps);
    return send_overhead_ns + small_message_bytes * 1'000'000'000 / fastest_Bps;
}

/// A tree with the time at which its last machine has the message, counted from the root's first send.
struct TimedTree {
    Tree tree;
    std::int64_t end_ns = 0;
};

namespace detail {

class LatencyTreeBuilder {
  public:
    enum class Rule { far_first, near_first, most_left_first };

    LatencyTreeBuilder(const Layout& layout, const Order& order)
        : order_(order), layout_(layout), gap_ns_(send_gap_ns(layout)) {
        for (std::size_t s = 0; s < order.subtrees.size(); ++s) {
            const Subtree& subtree = order.subtrees[s];
            Site site{};
            if (s > 0) {
                site = sites_[static_cast<std::size_t>(subtree.parent)];
                const int above = order.subtrees[static_cast<std::size_t>(subtree.parent)].sw;
                site.from_root_ns += layout.trunk(subtree.sw, above).latency_ns;
                ++site.depth;
            }
            site.up = subtree.parent;
            site.members.clear();
            sites_.push_back(std::move(site));
        }
        for (int position = 0; position < order.size(); ++position) {
            sites_[static_cast<std::size_t>(order.innermost[static_cast<std::size_t>(position)])].members.push_back(
                position);
        }
        for (Site& site : sites_) measure(site);
    }

    /// Steps that build_furthest takes.
    [[nodiscard]] std::int64_t furthest_steps() const {
        std::int64_t sites = 0;
        for (const Site& site : sites_) sites += site.members.empty() ? 0 : 1;
        return sites * sites * order_.size();
    }

    /// The machine that can be reached last is sent to next, by who reaches it soonest.
    TimedTree build_furthest() const {
        std::vector<std::size_t> used;  // sites with members
        for (std::size_t s = 0; s < sites_.size(); ++s) {
            if (!sites_[s].members.empty()) used.push_back(s);
        }
        std::vector<std::int64_t> apart_ns;  // goal, sender's site -> over the trunks
        for (const std::size_t to : used) {
            for (const std::size_t from : used) apart_ns.push_back(trunks_ns(from, to));
        }
        std::vector<Senders> senders(used.size());
        std::vector<std::size_t> next(used.size(), 0);
        senders[0].emplace(port_ns(0), 0);
        next[0] = 1;
        TimedTree timed;
        std::vector<std::vector<int>> children(static_cast<std::size_t>(order_.size()));
        for (int left = order_.size() - 1; left > 0; --left) {
            std::int64_t furthest_ns = -1;
            std::size_t sender_site = 0;
            std::size_t goal_site = 0;
            for (std::size_t goal = 0; goal < used.size(); ++goal) {
                if (next[goal] == sites_[used[goal]].members.size()) continue;
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
                soonest_ns += gap_ns_ + port_ns(sites_[used[goal]].members[next[goal]]);
                if (soonest_ns > furthest_ns) {
                    furthest_ns = soonest_ns;
                    sender_site = soonest_site;
                    goal_site = goal;
                }
            }
            const auto [ready_ns, sender] = senders[sender_site].top();
            const int receiver = sites_[used[goal_site]].members[next[goal_site]++];
            senders[sender_site].pop();
            senders[sender_site].emplace(ready_ns + gap_ns_, sender);
            senders[goal_site].emplace(furthest_ns + port_ns(receiver), receiver);
            children[static_cast<std::size_t>(sender)].push_back(receiver);
            timed.end_ns = std::max(timed.end_ns, furthest_ns);
        }
        timed.tree = tree_of_children(std::move(children));
        return timed;
    }

    TimedTree build(Rule rule) const {
        TimedTree timed;
        std::vector<std::vector<int>> children(static_cast<std::size_t>(order_.size()));
        std::vector<std::size_t> next(sites_.size(), 0);  // by site: members that have the message or are sent it
        std::priority_queue<std::pair<std::int64_t, int>> unentered;  // what is left once entered, site
        for (std::size_t s = 1; s < sites_.size(); ++s) {
            if (!sites_[s].members.empty()) unentered.emplace(sites_[s].from_root_ns + sites_[s].alone_ns, -to_int(s));
        }
        std::priority_queue<std::pair<std::int64_t, int>> unfinished;  // members left, site
        Senders ready;
        ready.emplace(0, 0);
        next[0] = 1;
        unfinished.emplace(to_int(sites_[0].members.size()) - 1, 0);
        for (int left = order_.size() - 1; left > 0; --left) {
            const auto [now_ns, sender] = ready.top();
            ready.pop();
            const std::size_t home = site_of(sender);
            const std::size_t goal = choose(rule, home, next, unentered, unfinished);
            const int receiver = sites_[goal].members[next[goal]++];
            if (next[goal] == 1) unfinished.emplace(to_int(sites_[goal].members.size()) - 1, -to_int(goal));
            children[static_cast<std::size_t>(sender)].push_back(receiver);
            const std::int64_t arrival_ns = now_ns + latency_ns(sender, receiver);
            timed.end_ns = std::max(timed.end_ns, arrival_ns);
            ready.emplace(now_ns + gap_ns_, sender);
            ready.emplace(arrival_ns, receiver);
        }
        timed.tree = tree_of_children(std::move(children));
        return timed;
    }

    /// From a sender's start until the receiver can use the message.
    [[nodiscard]] std::int64_t latency_ns(int from, int to) const {
        return gap_ns_ + port_ns(from) + port_ns(to) + trunks_ns(site_of(from), site_of(to));
    }

  private:
    /// A switch and the machines on it.
    struct Site {
        std::int64_t from_root_ns = 0;  ///< over the trunks
        int depth = 0;
        int up = -1;
        std::vector<int> members;   ///< positions
        std::int64_t alone_ns = 0;  ///< what its machines need once the first has the message
    };

    /// When a machine can send, its position; the first on top.
    using Sender = std::pair<std::int64_t, int>;
    using Senders = std::priority_queue<Sender, std::vector<Sender>, std::greater<>>;
    using Queue = std::priority_queue<std::pair<std::int64_t, int>>;

    [[nodiscard]] std::int64_t trunks_ns(std::size_t a, std::size_t b) const {
        const std::int64_t apart_ns = sites_[a].from_root_ns + sites_[b].from_root_ns;
        while (a != b) {
            std::size_t& deeper = sites_[a].depth >= sites_[b].depth ? a : b;
            deeper = static_cast<std::size_t>(sites_[deeper].up);
        }
        return apart_ns - 2 * sites_[a].from_root_ns;
    }

    static int to_int(std::size_t number) { return static_cast<int>(number); }

    [[nodiscard]] std::size_t site_of(int position) const {
        return static_cast<std::size_t>(order_.innermost[static_cast<std::size_t>(position)]);
    }

    [[nodiscard]] std::int64_t port_ns(int position) const {
        return layout_.port(order_.machines[static_cast<std::size_t>(position)]).latency_ns;
    }

    /// The postal tree's time over the machines of one switch.
    void measure(Site& site) const {
        if (site.members.size() < 2) return;
        const std::int64_t hop_ns = gap_ns_ + port_ns(site.members[0]) + port_ns(site.members[1]);
        std::priority_queue<std::int64_t, std::vector<std::int64_t>, std::greater<>> ready;
        ready.push(0);
        for (std::size_t left = site.members.size() - 1; left > 0; --left) {
            const std::int64_t now_ns = ready.top();
            ready.pop();
            ready.push(now_ns + gap_ns_);
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
            // What home still needs if it goes on as fast as one machine alone would have.
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
    const Layout& layout_;
    std::int64_t gap_ns_;
    std::vector<Site> sites_;  // by subtree
};

}  // namespace detail

/// The tree of these that ends first, over an order as depth_first_order makes it. Optimal where all machines hang on
/// one switch by equal ports. O(P x (log P + depth of the switch tree)) time, or most_furthest_steps where those are
/// more.
inline TimedTree timed_latency_tree(const Layout& layout, const Order& order) {
    using Builder = detail::LatencyTreeBuilder;
    constexpr std::int64_t most_furthest_steps = 20'000'000;  // some ten milliseconds
    const Builder builder(layout, order);
    TimedTree best;
    best.end_ns = std::numeric_limits<std::int64_t>::max();
    if (builder.furthest_steps() <= most_furthest_steps) best = builder.build_furthest();
    for (const auto rule : {Builder::Rule::near_first, Builder::Rule::most_left_first, Builder::Rule::far_first}) {
        TimedTree other = builder.build(rule);
        if (other.end_ns < best.end_ns) best = std::move(other);
    }
    return best;
}

inline Tree latency_tree(const Layout& layout, const Order& order) {
    return timed_latency_tree(layout, order).tree;
}

}  // namespace bcast
