// Where the machines of a broadcast stand in its trees, and how far their streams of segments have come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "planner/price/tree_schedule.hpp"

namespace bcastgen {

/// All segments from a machine to one of its children in a tree. They are received in the sequence in which they are
/// sent, but may be there in another.
struct alignas(64) Edge {  // of a line of the cache
    int sender = 0;
    int receiver = 0;
    std::uint32_t first_link = 0;  // in StreamPlaces::paths
    std::uint32_t child = 0;       // which of the sender's
    std::int32_t started = 0;      // segments handed over by the sender
    std::int32_t posted = 0;       // receives that the receiver has posted; a segment that has both is on its way
    std::int32_t sent = 0;         // segments that have arrived as far as the sender has seen
    std::int32_t arrived = 0;      // and the receiver, whose processor has taken them
    std::uint64_t seen = 0;        // bit i: the sender has seen that of segment sent + i
    std::uint64_t taken = 0;       // bit i: the receiver's processor has taken segment arrived + i
    double latency_s = 0;          // of all links
    std::uint32_t links = 0;
    std::uint8_t tree = 0;
    std::uint8_t uncounted = 0;  // leading segments that are not counted
    std::uint8_t more = 0;       // segments on their way, than to others, since the way is far
    bool waits = false;          // until none to the sender's other children may go
};

/// A machine in one tree.
struct Node {
    static constexpr std::uint32_t none = UINT32_MAX;  // no edge

    std::uint32_t parent = none;   // the edge from it
    std::uint32_t first_edge = 0;  // to its children
    std::uint32_t edges = 0;
    std::uint32_t next = 0;          // child whose turn it is
    std::uint32_t next_waiting = 0;  // of those that wait for the others, whose turn it is
    bool some_wait = false;
    bcast::SendsUnderWay under_way;  // those that count
    std::int32_t waiting_first = 0;  // children that are not known to have all segments that do not count
    std::int32_t receives = 0;       // that are posted at once
    std::int32_t sure = 1;           // segments that are known to come before the first has
    std::int32_t slots = 0;          // for sends to each child
    // Where its requests are among the machine's: all trees' sends, by child, before all receives (bcast::lay_out).
    std::uint32_t first_send = 0;
    std::uint32_t first_receive = 0;
};

/// What streams are laid out in before they begin.
struct StreamPlaces {
    /// O(machines x (trees + path)).
    StreamPlaces(const Wires& wires, const std::vector<TreeStream>& streams);

    [[nodiscard]] Node& node(std::uint32_t tree, int position) {
        return nodes[tree * positions + static_cast<std::size_t>(position)];
    }
    [[nodiscard]] std::span<const LinkId> path(const Edge& edge) const {
        return {paths.data() + edge.first_link, edge.links};
    }

    std::size_t positions = 0;
    std::vector<Node> nodes;        // by tree, by position
    std::vector<Edge> edges;        // those of one sender side by side, in sending order
    std::vector<LinkId> paths;      // all edges' ways
    std::size_t widest_window = 0;  // segments that are handed over, or waited for, at most

  private:
    void lay_out_requests(int position);
};

}  // namespace bcastgen
