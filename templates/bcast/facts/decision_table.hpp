// How a decision table is asked: which algorithm and which segment size a broadcast takes, and why.
//
//     the communicator's row   the first from the top that is for its machines, its ranks per machine and its arrivals;
//                              where arrivals are imbalanced and there is none, the first that is for balanced ones
//     the message's rule       the first of the row that the message is not larger than
//
// Where that leads nowhere:
//
//     nothing to send, no row, or a message above every rule of its row   native, the MPI's own broadcast
//     a large message, imbalanced arrivals, a row for balanced ones       arrival-live
//     multicast, where there are no groups or the message is too large    a tree
//
// This is the only place that says so: the library asks here for every broadcast, and bcastgen where it explains a
// broadcast, tunes, or reports on a tuning. It knows nothing of the BCASTGEN_ settings: decision.hpp does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bcast/facts/site.hpp"

namespace bcast {

struct Choice {
    Algorithm algorithm = usual::no_rule;
    std::size_t segment_bytes = 0;  ///< 0: in one piece
    HandOn hand_on = HandOn::messages;
    std::size_t above_bytes = 0;  ///< all ranks' messages are longer, or they take another choice

    friend constexpr bool operator==(const Choice& a, const Choice& b) {
        return a.algorithm == b.algorithm && a.segment_bytes == b.segment_bytes && a.hand_on == b.hand_on;
    }
};

/// A broadcast, as a decision table is asked about it.
struct Question {
    int machines = 0;
    int ranks_per_machine = 1;  ///< the most on any machine
    Arrival arrival = Arrival::balanced;
    std::size_t bytes = 0;
    bool multicast = false;  ///< there are groups that it may go to
};

enum class Reason : std::uint8_t {
    rule,              ///< the message's rule says so
    no_bytes,          ///< there is nothing to send
    no_row,            ///< no row is for the communicator
    above_every_rule,  ///< of the row
    untuned_arrivals,  ///< arrivals are imbalanced, and the row is for balanced ones
    no_multicast       ///< the message's rule says multicast, which cannot be
};

/// `Row` is a RuleWith.
template <class Row>
struct Answer {
    Choice choice;
    Reason reason = Reason::rule;
    const Row* row = nullptr;              ///< the communicator's; nullptr: it has none
    const MessageRule* message = nullptr;  ///< the message's rule in it, followed or not; nullptr: it has none
};

/// Larger messages never go by multicast: their fragments would be too many to keep account of.
inline constexpr std::size_t most_multicast_bytes = std::size_t{1} << 30;

/// With imbalanced arrivals, where a table says nothing of them: what takes longer than to tell the root.
inline constexpr std::size_t least_live_bytes = 65536;

/// What takes multicast's place where it cannot be.
constexpr Choice without_multicast(std::size_t bytes) {
    constexpr std::size_t small_bytes = 16384;
    return bytes <= small_bytes ? Choice{usual::small_messages, 0} : Choice{usual::large_messages, 8192};
}

template <class Row>
constexpr bool is_for(const Row& row, int machines, int ranks_per_machine) {
    return machines >= row.machines_from && machines <= row.machines_to &&
           ranks_per_machine >= row.ranks_per_machine_from && ranks_per_machine <= row.ranks_per_machine_to;
}

/// The row of a communicator; nullptr if none is for it. `rows`: any list of them.
template <class Rows>
constexpr auto row_for(const Rows& rows, int machines, int ranks_per_machine, Arrival arrival)
    -> decltype(&*rows.begin()) {
    decltype(&*rows.begin()) balanced = nullptr;
    for (const auto& row : rows) {
        if (!is_for(row, machines, ranks_per_machine)) continue;
        if (row.arrival == arrival) return &row;
        if (row.arrival == Arrival::balanced && balanced == nullptr) balanced = &row;
    }
    return balanced;
}

/// A rule, and up to how many bytes messages have another one of its row.
struct FoundRule {
    const MessageRule* rule = nullptr;  ///< nullptr: none
    std::size_t above_bytes = 0;
};

/// The rule of a row for a message; none if it is above all of them.
template <class Row>
constexpr FoundRule message_for(const Row& row, std::size_t bytes) {
    FoundRule found;
    for (const MessageRule& message : row.messages) {
        if (bytes <= message.up_to) return {&message, found.above_bytes};
        found.above_bytes = message.up_to;
    }
    return found;
}

/// True if the row says nothing of such arrivals, and the message is one that gains by arrival-live. Between two
/// machines there is no chain that one could join late.
template <class Row>
constexpr bool goes_live(const Row& row, int machines, Arrival arrival, std::size_t bytes) {
    return arrival == Arrival::imbalanced && row.arrival == Arrival::balanced && machines > 2 &&
           bytes >= least_live_bytes;
}

/// What a communicator with this row (nullptr: none) does.
template <class Row>
constexpr Answer<Row> answer_in(const Row* row, const Question& asked) {
    Answer<Row> answer;
    answer.row = row;
    const FoundRule found = row != nullptr ? message_for(*row, asked.bytes) : FoundRule{};
    answer.message = found.rule;
    if (asked.bytes == 0) {
        answer.reason = Reason::no_bytes;
    } else if (row == nullptr) {
        answer.reason = Reason::no_row;
    } else if (goes_live(*row, asked.machines, asked.arrival, asked.bytes)) {
        answer.choice = {usual::late_ranks, usual_segment_bytes(usual::late_ranks)};
        answer.reason = Reason::untuned_arrivals;
    } else if (answer.message == nullptr) {
        answer.reason = Reason::above_every_rule;
    } else {
        answer.choice = {answer.message->algorithm, answer.message->segment_bytes,
                         asked.ranks_per_machine > 1 ? answer.message->hand_on : HandOn::messages, found.above_bytes};
    }
    const bool multicast = asked.multicast && asked.machines > 1 && asked.bytes <= most_multicast_bytes;
    if (is_multicast(answer.choice.algorithm) && !multicast) {
        answer.choice = without_multicast(asked.bytes);
        answer.reason = Reason::no_multicast;
    }
    return answer;
}

/// What the table says.
template <class Rows>
constexpr auto look_up(const Rows& rows, const Question& asked) {
    return answer_in(row_for(rows, asked.machines, asked.ranks_per_machine, asked.arrival), asked);
}

/// Messages of up to so many bytes are native on a communicator with this row (nullptr: none).
template <class Row>
constexpr std::size_t native_up_to(const Row* row, int machines, Arrival arrival) {
    if (row == nullptr) return no_limit;
    std::size_t bytes = 0;
    for (const MessageRule& message : row->messages) {
        if (!is_native(message.algorithm)) break;
        bytes = message.up_to;
    }
    return goes_live(*row, machines, arrival, bytes) ? least_live_bytes - 1 : bytes;
}

}  // namespace bcast
