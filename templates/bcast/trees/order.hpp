// The machine order of a broadcast, and the switch subtrees as intervals of it.
//
//          s0: n0 n1            order from n0:   n0 n1 | n2 n3 | n4 n5
//         /  \                  subtree of s1:         [2 .. 3]
//   s1: n2 n3  s2: n4 n5        subtree of s2:                 [4 .. 5]
//
// Walking the switches depth first and taking each switch's machines together makes every switch subtree one interval
// of positions. That is all the tree builders need to know of the network: a send from position i to position k uses
// the link down into a subtree iff the subtree holds k and not i, and the link up out of it iff it holds i and not k.
// (Pipelined broadcast on Ethernet switched clusters, Algorithm 1 and Lemmas 1 to 3.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace bcast {

/// What a cable can do, each way. The defaults stand for networks of equal links.
struct LinkSpeed {
    std::int64_t bandwidth_Bps = 1;  ///< bytes per second; of one cable where several run side by side
    std::int64_t latency_ns = 1000;  ///< one way, switch included
};

/// What sending takes beside the time on the wire.
struct SendTimes {
    std::int64_t overhead_ns = 5000;  ///< of the sender's processor, for each send
    /// From then until a machine on the same switch has the message. 0: nothing is measured, it is as the cables say.
    std::int64_t latency_ns = 0;
    std::int64_t answer_ns = 0;   ///< if measured: from the overhead until the send has ended for the sender
    std::int64_t receive_ns = 0;  ///< of the receiver's processor, for each message, where latency_ns does not hold it
};

/// Where machines hang: a tree of switches, each with machines. Indices are dense.
struct Layout {
    std::vector<int> machine_switch;  ///< machine -> its switch
    std::vector<std::vector<int>>
        neighbours;                  ///< switch -> neighbour switches, in the cyclic order the walk takes them
    std::vector<LinkSpeed> ports{};  ///< machine -> its cable; empty: equal links
    std::vector<std::vector<LinkSpeed>> trunks{};  ///< switch -> by neighbour; empty: equal links
    SendTimes sends{};
    /// machine -> what its processor takes for a send and for a receive beside what `sends` say, less if negative;
    /// empty: nothing
    std::vector<int> more_send_ns{};
    std::vector<int> more_receive_ns{};

    /// What a machine's processor takes for a message.
    [[nodiscard]] std::int64_t send_ns(int machine) const {
        return with_more(sends.overhead_ns, more_send_ns, machine);
    }
    [[nodiscard]] std::int64_t receive_ns(int machine) const {
        return with_more(sends.receive_ns, more_receive_ns, machine);
    }

    [[nodiscard]] LinkSpeed port(int machine) const {
        return ports.empty() ? LinkSpeed{} : ports[static_cast<std::size_t>(machine)];
    }
    /// Of the trunk between two neighbours. O(neighbours of a).
    [[nodiscard]] LinkSpeed trunk(int a, int b) const {
        if (trunks.empty()) return {};
        const std::vector<int>& list = neighbours[static_cast<std::size_t>(a)];
        std::size_t at = 0;
        while (list[at] != b) ++at;
        return trunks[static_cast<std::size_t>(a)][at];
    }

  private:
    /// What was measured of some machines may be less than what others are said to save.
    static std::int64_t with_more(std::int64_t usual_ns, const std::vector<int>& more_ns, int machine) {
        if (more_ns.empty()) return usual_ns;
        return std::max<std::int64_t>(0, usual_ns + more_ns[static_cast<std::size_t>(machine)]);
    }
};

/// A switch subtree as the root's switch sees it: the positions first..last of its machines (both included).
struct Subtree {
    int first;
    int last;
    int parent;  ///< index of the next larger subtree, -1 for the whole order (index 0)
    int sw;      ///< the switch whose uplink the subtree hangs on
};

/// Machines in broadcast order (position 0 is the root), with the subtrees that hold at least one of them.
/// subtrees[0] is the whole order; a parent comes before its children.
struct Order {
    std::vector<int> machines;      ///< position -> machine
    std::vector<Subtree> subtrees;  ///< preorder
    std::vector<int> innermost;     ///< position -> index of the smallest subtree holding it

    [[nodiscard]] int size() const { return static_cast<int>(machines.size()); }
};

namespace detail {

/// The machines of `slow` evenly among those of `fast`.
inline std::vector<int> spread_among(const std::vector<int>& fast, const std::vector<int>& slow) {
    std::vector<int> machines;
    const std::size_t count = fast.size() + slow.size();
    std::size_t spread = 0;  // slow machines placed
    for (std::size_t i = 0; i < count; ++i) {
        const bool take_slow = (i + 1) * slow.size() / count > spread;
        machines.push_back(take_slow ? slow[spread] : fast[i - spread]);
        if (take_slow) ++spread;
    }
    return machines;
}

/// Spreads the machines behind slower ports evenly among those behind faster ones, from number `first` on: each speed's
/// among all that are faster.
inline void spread_slow(const Layout& layout, std::vector<int>& machines, std::size_t first) {
    if (layout.ports.empty() || machines.size() <= first) return;
    std::map<std::int64_t, std::vector<int>, std::greater<>> by_Bps;
    for (const int machine : machines) by_Bps[layout.port(machine).bandwidth_Bps];  // those before `first` count, too
    if (by_Bps.size() == 1) return;
    for (std::size_t i = first; i < machines.size(); ++i)
        by_Bps[layout.port(machines[i]).bandwidth_Bps].push_back(machines[i]);
    std::vector<int> spread;
    for (const auto& [bandwidth_Bps, alike] : by_Bps) spread = spread_among(spread, alike);
    std::copy(spread.begin(), spread.end(), machines.begin() + static_cast<std::ptrdiff_t>(first));
}

}  // namespace detail

/// The order of `members` (distinct machines, any sequence, root among them) for a broadcast from `root`.
/// Depth first from the root's switch; on reaching a switch from a neighbour, its other neighbours follow in the cyclic
/// order after the one it was reached from, so that orders from different roots run round the tree the same way.
/// Machines of a switch come in increasing index, the root's switch starting at the root and wrapping round; those
/// behind slower ports are spread evenly among those behind faster ones, so that trees can have them as leaves.
/// O(machines + switches).
inline Order depth_first_order(const Layout& layout, const std::vector<int>& members, int root) {
    const std::size_t switches = layout.neighbours.size();
    std::vector<char> is_member(layout.machine_switch.size(), 0);
    for (int machine : members) is_member[static_cast<std::size_t>(machine)] = 1;
    std::vector<std::vector<int>> on_switch(switches);
    for (std::size_t machine = 0; machine < is_member.size(); ++machine) {
        if (is_member[machine] != 0) {
            on_switch[static_cast<std::size_t>(layout.machine_switch[machine])].push_back(static_cast<int>(machine));
        }
    }

    struct Visit {
        int sw;
        std::size_t arrived;  // index of the neighbour it was reached from, or neighbours.size() at the root's switch
        std::size_t done;     // neighbours already walked
        int subtree;          // index in Order::subtrees
        int enclosing;        // the subtree to go back to
    };
    Order order;
    order.machines.reserve(members.size());
    order.innermost.reserve(members.size());
    std::vector<Visit> stack;

    const auto enter = [&](int sw, std::size_t arrived, int enclosing) {
        const int subtree = static_cast<int>(order.subtrees.size());
        order.subtrees.push_back({order.size(), order.size() - 1, enclosing, sw});
        const std::vector<int>& here = on_switch[static_cast<std::size_t>(sw)];
        std::size_t start = 0;
        if (enclosing < 0) {
            while (here[start] != root) ++start;
        }
        std::vector<int> rotated = here;
        std::rotate(rotated.begin(), rotated.begin() + static_cast<std::ptrdiff_t>(start), rotated.end());
        detail::spread_slow(layout, rotated, enclosing < 0 ? 1 : 0);
        order.machines.insert(order.machines.end(), rotated.begin(), rotated.end());
        order.innermost.insert(order.innermost.end(), rotated.size(), subtree);
        stack.push_back({sw, arrived, 0, subtree, enclosing});
    };

    const int root_switch = layout.machine_switch[static_cast<std::size_t>(root)];
    enter(root_switch, layout.neighbours[static_cast<std::size_t>(root_switch)].size(), -1);
    while (!stack.empty()) {
        Visit& visit = stack.back();
        const std::vector<int>& neighbours = layout.neighbours[static_cast<std::size_t>(visit.sw)];
        const bool at_root = visit.enclosing < 0;
        const std::size_t to_walk = at_root ? neighbours.size() : neighbours.size() - 1;
        if (visit.done < to_walk) {
            const std::size_t next =
                (visit.arrived + 1 + visit.done) % (at_root ? neighbours.size() + 1 : neighbours.size());
            ++visit.done;
            const int sw = neighbours[next];
            const std::vector<int>& back = layout.neighbours[static_cast<std::size_t>(sw)];
            std::size_t arrived = 0;
            while (back[arrived] != visit.sw) ++arrived;
            enter(sw, arrived, visit.subtree);
            continue;
        }
        Subtree& subtree = order.subtrees[static_cast<std::size_t>(visit.subtree)];
        subtree.last = order.size() - 1;
        if (subtree.last < subtree.first) order.subtrees.pop_back();  // no member below: its children are gone already
        stack.pop_back();
    }
    return order;
}

/// `members` in their sequence, rotated so that `root`, one of them, comes first: for what knows nothing of switches.
/// No subtrees.
inline Order rotated_order(std::vector<int> members, int root) {
    Order order;
    std::rotate(members.begin(), std::find(members.begin(), members.end(), root), members.end());
    order.machines = std::move(members);
    return order;
}

}  // namespace bcast
