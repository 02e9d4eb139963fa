// The facts of a site, as the generated headers state them: machines, switches, baked trees, decision table.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bcast/facts/algorithm.hpp"
#include "bcast/trees/order.hpp"

namespace bcast {

/// A view of a constant table.
template <class T>
struct Span {
    const T* items = nullptr;
    std::size_t count = 0;

    constexpr Span() = default;
    template <std::size_t N>
    constexpr Span(const T (&table)[N]) : items(table), count(N) {}

    [[nodiscard]] constexpr const T* begin() const { return items; }
    [[nodiscard]] constexpr const T* end() const { return items + count; }
    [[nodiscard]] constexpr std::size_t size() const { return count; }
    [[nodiscard]] constexpr const T& operator[](std::size_t i) const { return items[i]; }
};

/// A machine's name and its number; tables of these are sorted by name (byte by byte).
struct NamedMachine {
    const char* name;
    int machine;
};

/// Two switches joined by a link.
struct SwitchPair {
    int a;
    int b;
    int speed = 0;  ///< index of Site::link_speeds
};

/// A tree over positions: the parent of each position, -1 for position 0, the root, and each position's turn: how many
/// of its parent's other children are sent to before it.
struct BakedTree {
    Algorithm algorithm;
    Span<int> parent;
    Span<int> turn;
};

/// The order and the trees for roots on one switch. The first machines of `order` are those of that switch; a root that
/// is not the first of them trades places with them by rotation, which changes nothing for the tree.
struct BakedRoot {
    int sw;
    Span<int> order;  ///< position -> machine
    Span<BakedTree> trees;
};

/// A machine set with baked trees: the whole site or a partition.
struct BakedSet {
    const char* name;
    Span<BakedRoot> roots;
};

enum class Arrival : std::uint8_t { balanced, imbalanced };
inline constexpr const char* arrival_names[] = {"balanced", "imbalanced"};

constexpr const char* name_of(Arrival arrival) {
    return arrival_names[static_cast<std::size_t>(arrival)];
}

/// How a machine's leader hands a message on to the machine's other ranks.
enum class HandOn : std::uint8_t {
    messages,  ///< down a binary tree of messages
    window,    ///< through a ring of slots in shared memory
    native     ///< by the MPI's own broadcast over the machine's ranks, chunk by chunk
};
inline constexpr const char* hand_on_names[] = {"messages", "window", "native"};

constexpr const char* name_of(HandOn hand_on) {
    return hand_on_names[static_cast<std::size_t>(hand_on)];
}

inline constexpr std::size_t no_limit = static_cast<std::size_t>(-1);  ///< of bytes
inline constexpr int any_number = 0x7fffffff;                          ///< of machines or ranks, as an upper end

/// Messages of up to `up_to` bytes (and above the rule before) go by `algorithm` in segments of `segment_bytes`;
/// 0: in one piece. `hand_on`: within machines; for algorithms that go down trees.
struct MessageRule {
    std::size_t up_to = no_limit;
    Algorithm algorithm = usual::no_rule;
    std::size_t segment_bytes = 0;
    HandOn hand_on = HandOn::messages;

    friend constexpr bool operator==(const MessageRule& a, const MessageRule& b) {
        return a.up_to == b.up_to && a.algorithm == b.algorithm && a.segment_bytes == b.segment_bytes &&
               a.hand_on == b.hand_on;
    }
};

/// A row of the decision table: communicators of these sizes (both ends included) use these message rules, in growing
/// sizes. `MessageRules` is any list of them: a constant table where the row is emitted code, one that grows in
/// bcastgen. decision_table.hpp tells how a table is asked.
template <class MessageRules>
struct RuleWith {
    int machines_from = 2;
    int machines_to = any_number;
    int ranks_per_machine_from = 1;
    int ranks_per_machine_to = any_number;
    Arrival arrival = Arrival::balanced;
    MessageRules messages{};

    friend bool operator==(const RuleWith& a, const RuleWith& b) {
        return a.machines_from == b.machines_from && a.machines_to == b.machines_to &&
               a.ranks_per_machine_from == b.ranks_per_machine_from &&
               a.ranks_per_machine_to == b.ranks_per_machine_to && a.arrival == b.arrival && a.messages == b.messages;
    }
};
using Rule = RuleWith<Span<MessageRule>>;

/// Everything the emitted library knows of its site.
struct Site {
    const char* name;
    std::uint64_t plan_hash;    ///< of machines, switches and trees
    std::uint64_t tuning_hash;  ///< of the decision table
    Span<NamedMachine> machine_names;
    Span<int> machine_switch;
    int switches;
    Span<SwitchPair> switch_links;
    Span<BakedSet> baked_sets;
    Span<Rule> rules;
    Span<LinkSpeed> link_speeds{};         ///< the different ones; empty: all links are equal
    Span<int> port_speed{};                ///< machine -> index of link_speeds; empty: 0 for all
    const char* multicast_groups = "";     ///< range that groups are drawn from; empty: the site gives none
    const char* multicast_interface = "";  ///< network interface; empty: the system's choice
    SendTimes sends{};                     ///< as tuning measured them
    Span<int> more_send_ns{};              ///< machine -> as in Layout; empty: software costs the same everywhere
    Span<int> more_receive_ns{};           ///< the same
};

}  // namespace bcast
