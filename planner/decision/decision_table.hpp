// The decision table: which algorithm and segment size for how many machines and which message size. How one is asked
// stands in templates/bcast/facts/decision_table.hpp, for the emitted library and for all of bcastgen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bcast/facts/decision_table.hpp"
#include "bcast/facts/site.hpp"
#include "planner/mpis/broadcasts.hpp"

namespace bcastgen {

/// What a message rule rests on.
enum class Grounds : std::uint8_t {
    unknown,    ///< nobody said
    measured,   ///< it was measured, beside native: what is quicker
    predicted,  ///< prices say so, which have not been so far off here that it could be wrong, or a search's few
                ///< samples
    no_time     ///< native, since there was no time to measure what may be quicker
};

/// The word for it in files; "" for unknown.
[[nodiscard]] const char* name_of(Grounds grounds);

/// The grounds called so; none if there are no such.
[[nodiscard]] std::optional<Grounds> parse_grounds(std::string_view name);

/// What a table takes by name: an algorithm of the library's, or what an MPI has of its own. To the library that is
/// native.
struct TableAlgorithm {
    bcast::Algorithm algorithm = bcast::usual::no_rule;
    const MpiBroadcast* own = nullptr;  ///< the MPI's; nullptr: the library's algorithm

    bool operator==(const TableAlgorithm&) const = default;
};

/// Nothing if there is none of that name.
[[nodiscard]] std::optional<TableAlgorithm> table_algorithm(const std::string& name);

[[nodiscard]] const char* name_of(const TableAlgorithm& algorithm);
[[nodiscard]] bool takes_segments(const TableAlgorithm& algorithm);

/// A message rule as the emitted library has it, and why.
struct MessageRule : bcast::MessageRule {
    MessageRule() = default;
    MessageRule(std::size_t up_to_bytes, bcast::Algorithm by, std::size_t in_segments_of,
                Grounds because = Grounds::unknown, bcast::HandOn within = bcast::HandOn::messages)
        : bcast::MessageRule{up_to_bytes, by, in_segments_of, within}, grounds(because) {}

    [[nodiscard]] bcast::Choice choice() const { return {algorithm, segment_bytes, hand_on}; }

    Grounds grounds = Grounds::unknown;
    const MpiBroadcast* own = nullptr;  ///< as in TableAlgorithm; segment_bytes is its segment size then

    friend bool operator==(const MessageRule& a, const MessageRule& b) {
        return static_cast<const bcast::MessageRule&>(a) == b && a.own == b.own;
    }
};

/// The name of what the rule takes.
[[nodiscard]] const char* name_of(const MessageRule& rule);

/// A row of the table. Two are equal if they choose alike, whatever their grounds.
using Rule = bcast::RuleWith<std::vector<MessageRule>>;

/// A message size at which a table was compared with native, in one job.
struct TableTrial {
    int machines = 0;
    int ranks_per_machine = 1;
    bcast::Arrival arrival = bcast::Arrival::balanced;
    std::string placement;  ///< which machines: near or spread
    std::size_t message_bytes = 0;
    bcast::Algorithm algorithm = bcast::usual::no_rule;  ///< what was tried
    std::size_t segment_bytes = 0;
    bcast::HandOn hand_on = bcast::HandOn::messages;
    double speed_up = 0;  ///< native over that, of medians
    double speed_up_low = 0;
    double speed_up_high = 0;
    bool kept = false;                  ///< false: native took its place
    const MpiBroadcast* own = nullptr;  ///< what was tried, as in TableAlgorithm

    bool operator==(const TableTrial&) const = default;
};

/// What a measured table was found to win by.
struct TableValidation {
    double margin = 0;  ///< what a rule had to win by
    std::vector<TableTrial> trials;

    bool operator==(const TableValidation&) const = default;
};

/// Between what each time lies, at 95 % confidence.
struct SendBounds {
    bcast::SendTimes least;
    bcast::SendTimes most;
};

struct DecisionTable {
    std::string origin;  ///< where the choices come from, in words
    std::vector<Rule> rules;
    TableValidation validation{};             ///< of a measured table
    bcast::SendTimes sends{};                 ///< what the latency trees rest on
    std::optional<SendBounds> send_bounds{};  ///< where they were measured and scatter
};

/// A size as the topology and tuning files write it: 8K, 1M, 1000, max.
[[nodiscard]] std::string size_text(std::size_t bytes);

/// "2-8", "9-" or "16".
[[nodiscard]] std::string range_text(int from, int to);

/// "2-8", "16", "9 and more" or "any number".
[[nodiscard]] std::string range_words(int from, int to);

/// The regime called so; none if there is no such.
[[nodiscard]] std::optional<bcast::Arrival> parse_arrival(std::string_view name);

/// The way to hand on called so; none if there is no such.
[[nodiscard]] std::optional<bcast::HandOn> parse_hand_on(std::string_view name);

/// Whether a rule for messages above `own_above` bytes may become one with the rule before it, which makes the same
/// choice for those above `above`.
using MayJoin = std::function<bool(const MessageRule& rule, std::size_t own_above, std::size_t above)>;

/// Joins neighbouring message rules that make the same choice and may (none: all may), or of which the lower one's
/// largest message is shorter than a segment. What was measured anywhere in the range is its grounds.
[[nodiscard]] std::vector<MessageRule> merged(const std::vector<MessageRule>& messages, const MayJoin& may_join = {});

/// The table as the emitted library has it: what an MPI is told to take of its own is native there.
[[nodiscard]] DecisionTable for_library(DecisionTable table);

/// Whether a rule names what an MPI has of its own.
[[nodiscard]] bool names_own(const DecisionTable& table);

/// What tables are told apart by.
[[nodiscard]] std::uint64_t hash_of(const DecisionTable& table);

/// The (algorithm, segment size) pairs that the table names, without native, sorted; up_to is 0.
[[nodiscard]] std::vector<MessageRule> choices_of(const DecisionTable& table);

}  // namespace bcastgen
