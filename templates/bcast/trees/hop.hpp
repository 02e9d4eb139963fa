// What it takes to send a segment to the next machine, and how many must be on their way for the wire to be busy.
//
//   sender    |== gap ==|== gap ==|== gap ==|          gap: the sender's processor, then its port
//                 \  latency
//   receiver        `--> arrived; the sender hears of it a latency later, unless something else was measured
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bcast/trees/order.hpp"
#include "bcast/trees/speeds.hpp"

namespace bcast {

inline constexpr int widest_send_window = 64;  ///< segments under way from a rank in each tree

/// The way to a machine on the same switch.
struct Hop {
    std::int64_t overhead_ns = 0;    ///< of the sender's processor, for each send
    std::int64_t latency_ns = 0;     ///< over both machines' ports
    std::int64_t bandwidth_Bps = 0;  ///< of a port; 0: unknown
    std::int64_t answer_ns = 0;   ///< from the end of a send's gap until the sender knows that its segment has arrived
    std::int64_t receive_ns = 0;  ///< of the receiver's processor, once a segment has come
    std::int64_t trunks_ns = 0;   ///< over the trunks between the two machines that are furthest apart

    /// From the start of one send to that of the next.
    [[nodiscard]] std::int64_t gap_ns(std::size_t bytes) const {
        if (bandwidth_Bps == 0) return overhead_ns;
        constexpr double ns_per_s = 1e9;
        return overhead_ns +
               static_cast<std::int64_t>(ns_per_s * static_cast<double>(bytes) / static_cast<double>(bandwidth_Bps));
    }

    /// Whether messages that are under way from a machine together share its port evenly, as TCP's do up to Gigabit
    /// Ethernet; faster ports send one after the other.
    [[nodiscard]] bool shares_port() const {
        constexpr std::int64_t gigabit_Bps = 125'000'000;
        return bandwidth_Bps > 0 && bandwidth_Bps <= gigabit_Bps;
    }

    /// An MPI that has copied a message into the kernel's buffers calls it sent, so a window that counts such sends
    /// bounds nothing, and all that lies in a machine's buffers shares its port. A synchronous send ends once its
    /// message has come; that is a message in return, which costs both processors. Of so many segments of this many
    /// bytes one is sent so that such answers take a small part of what the port does; 0: none, where cards take
    /// messages from the sender's memory.
    [[nodiscard]] std::int64_t answered_every(std::size_t bytes) const {
        if (!shares_port()) return 0;
        constexpr std::int64_t small_part = 16;
        const std::int64_t gap = std::max<std::int64_t>(gap_ns(bytes), 1);
        return std::max<std::int64_t>(1, (small_part * 2 * overhead_ns + gap - 1) / gap);
    }

    /// From the end of a send's gap until its sender surely knows that the segment has arrived. What was measured holds
    /// for neighbours, and the way over trunks is longer; on a card a wider window than it takes costs nothing, on a
    /// port that is shared it does.
    [[nodiscard]] std::int64_t surely_known_ns() const {
        return shares_port() ? answer_ns : std::max(answer_ns, 2 * latency_ns);
    }

    /// How many sends of this many bytes keep the port busy until the first is known to have arrived. While a card
    /// sends one, the processor begins the next.
    [[nodiscard]] std::int64_t covering(std::size_t bytes) const { return 1 + surely_known_ns() / busy_ns(bytes); }

    /// The same where the port has nothing else to do: a card must not idle for a part of a send, either. Ports that
    /// are shared gain nothing by more.
    [[nodiscard]] std::int64_t covering_alone(std::size_t bytes) const {
        return covering_whole(surely_known_ns(), bytes);
    }

    /// The same on the way to a machine behind any trunks.
    [[nodiscard]] std::int64_t covering_trunks(std::size_t bytes) const {
        return covering_whole(surely_known_ns() + 2 * trunks_ns, bytes);
    }

  private:
    [[nodiscard]] std::int64_t busy_ns(std::size_t bytes) const {
        const std::int64_t gap = gap_ns(bytes);
        return std::max<std::int64_t>(1, shares_port() ? gap : std::max(overhead_ns, gap - overhead_ns));
    }
    [[nodiscard]] std::int64_t covering_whole(std::int64_t known_ns, std::size_t bytes) const {
        if (shares_port()) return covering(bytes);
        const std::int64_t busy = busy_ns(bytes);
        return 1 + (known_ns + busy - 1) / busy;
    }
};

/// Puts measured times into a layout. All latencies change by the same factor, so that two machines on the switch of
/// machine 0 are as far apart as was measured. O(machines + switches).
inline void use_send_times(Layout& layout, const SendTimes& sends) {
    layout.sends = sends;
    if (sends.latency_ns == 0 || layout.ports.empty()) return;
    const std::int64_t stated_ns = 2 * layout.ports.front().latency_ns;
    const auto change = [&](LinkSpeed& link) {
        const double changed_ns = static_cast<double>(link.latency_ns) * static_cast<double>(sends.latency_ns);
        link.latency_ns = static_cast<std::int64_t>(changed_ns / static_cast<double>(stated_ns));
    };
    for (LinkSpeed& port : layout.ports) change(port);
    for (std::vector<LinkSpeed>& trunks : layout.trunks) {
        for (LinkSpeed& trunk : trunks) change(trunk);
    }
}

/// Latency of the trunks from a switch to each other one. O(switches).
inline std::vector<std::int64_t> trunks_latency_ns(const Layout& layout, int from) {
    std::vector<std::int64_t> latency_ns(layout.neighbours.size(), -1);  // -1: not reached
    std::vector<int> walk{from};
    latency_ns[static_cast<std::size_t>(from)] = 0;
    for (std::size_t i = 0; i < walk.size(); ++i) {
        const int sw = walk[i];
        for (const int next : layout.neighbours[static_cast<std::size_t>(sw)]) {
            std::int64_t& there = latency_ns[static_cast<std::size_t>(next)];
            if (there >= 0) continue;
            there = latency_ns[static_cast<std::size_t>(sw)] + layout.trunk(sw, next).latency_ns;
            walk.push_back(next);
        }
    }
    return latency_ns;
}

/// Latency of the trunks between the two of these machines that are furthest apart. O(machines + switches).
inline std::int64_t longest_trunks_ns(const Layout& layout, const std::vector<int>& machines) {
    if (layout.trunks.empty() || machines.empty()) return 0;
    std::int64_t longest_ns = 0;
    int end = machines.front();  // on a tree of switches, the machine furthest from any is at an end of the longest way
    for (int walks = 0; walks < 2; ++walks) {
        const auto switch_of = [&layout](int machine) {
            return layout.machine_switch[static_cast<std::size_t>(machine)];
        };
        const std::vector<std::int64_t> latency_ns = trunks_latency_ns(layout, switch_of(end));
        for (const int machine : machines) {
            const std::int64_t there_ns = latency_ns[static_cast<std::size_t>(switch_of(machine))];
            if (there_ns <= longest_ns) continue;
            longest_ns = there_ns;
            end = machine;
        }
    }
    return longest_ns;
}

/// The usual hop among these machines: by their fastest port and what software costs there, with the latency of the
/// site's first. O(machines + switches).
inline Hop hop_of(const Layout& layout, const std::vector<int>& machines) {
    const auto is_slower = [&](int a, int b) { return layout.port(a).bandwidth_Bps < layout.port(b).bandwidth_Bps; };
    const auto fastest = std::max_element(machines.begin(), machines.end(), is_slower);
    const SendTimes& sends = layout.sends;
    const bool known = !layout.ports.empty();
    const std::int64_t latency_ns = 2 * (known ? layout.ports.front() : LinkSpeed{}).latency_ns;
    const std::int64_t answer_ns = sends.latency_ns == 0 ? 2 * latency_ns : sends.answer_ns;
    return {fastest == machines.end() ? sends.overhead_ns : layout.send_ns(*fastest),
            latency_ns,
            known ? fastest_port_Bps(layout, machines) : 0,
            answer_ns,
            fastest == machines.end() ? sends.receive_ns : layout.receive_ns(*fastest),
            longest_trunks_ns(layout, machines)};
}

/// Whether trunks make the way between two machines half as long again, or longer, than their ports alone are. Where
/// all links are alike they just do, so it is no matter of a tenth, which latencies that were measured may be off by.
inline constexpr std::int64_t far_tenths = 9;
inline bool is_far(const Layout& layout, int a, int b) {
    const int from = layout.machine_switch[static_cast<std::size_t>(a)];
    const int to = layout.machine_switch[static_cast<std::size_t>(b)];
    if (from == to) return false;
    const std::int64_t ports_ns = layout.port(a).latency_ns + layout.port(b).latency_ns;
    return 20 * trunks_latency_ns(layout, from)[static_cast<std::size_t>(to)] >= far_tenths * ports_ns;
}

}  // namespace bcast
