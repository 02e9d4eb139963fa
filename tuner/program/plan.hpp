// What the measuring program is told to do: a small text file that the tool writes and the program reads.
//
//   root 5
//   repetitions 10
//   ...
//   case linear 8192 1048576          algorithm, segment bytes (0: one piece), message bytes
//   repeat 3                          repetitions, if they differ: one line for each case, in their sequence
//
// Shared by the tool and the measuring program, so C++17 and the standard library alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace bcastgen {

/// When the ranks enter a measured broadcast. Times are multiples of T(m), the time that the message takes to one peer.
struct ArrivalPattern {
    enum class Kind { balanced, random, late };
    Kind kind = Kind::balanced;
    double late_fraction = 0;  ///< late: each rank but the root is late with this probability
    double most_if = 0;        ///< random: all but the root enter uniformly in [0, most_if); late: this much later
};

/// One thing to measure. `algorithm`: one of the emitted library's, or native, tuned, pingpong, one-peer (the library's
/// linear tree over the root and its nearest machine), sends-at-once and sends-in-turn (the root sends to everybody; in
/// turn: to each when the send before has ended), receives-at-once (everybody sends to the root), opponent:NAME,
/// ompi:NAME, mpich:NAME or smpi:NAME.
struct MeasureCase {
    std::string algorithm;
    std::size_t segment_bytes = 0;  ///< 0: in one piece
    std::size_t message_bytes = 0;

    /// Whether the other is the same for a message of any size.
    [[nodiscard]] bool is_alike(const MeasureCase& other) const {
        return algorithm == other.algorithm && segment_bytes == other.segment_bytes;
    }
    bool operator==(const MeasureCase& other) const { return is_alike(other) && message_bytes == other.message_bytes; }
    /// The same for a message of so many bytes.
    [[nodiscard]] MeasureCase at(std::size_t bytes) const { return {algorithm, segment_bytes, bytes}; }
};

/// What the library is told about small messages (bcast::SendTimes).
struct SendTimes {
    std::int64_t overhead_ns = 0;
    std::int64_t latency_ns = 0;  ///< 0: nothing but what it was emitted with
    std::int64_t answer_ns = 0;
    std::int64_t receive_ns = 0;
};

struct MeasurePlan {
    int root = 0;            ///< rank
    int peer = 1;            ///< the other rank of a ping-pong, on another machine if there is one
    int repetitions = 1;     ///< of each case
    int warm_ups = 1;        ///< of each case, before any is measured
    std::uint64_t seed = 1;  ///< of the sequence of cases, of arrival patterns and of contents
    std::string native;      ///< simulation: whose rule `native` follows, "mpich" or "openmpi"
    ArrivalPattern arrival;
    SendTimes sends;
    std::vector<MeasureCase> cases;
    std::vector<int> repetitions_by_case;  ///< in place of `repetitions`; empty: the same for all
};

inline int repetitions_of(const MeasurePlan& plan, std::size_t at) {
    return plan.repetitions_by_case.empty() ? plan.repetitions : plan.repetitions_by_case[at];
}

inline std::string write_measure_plan(const MeasurePlan& plan) {
    std::ostringstream out;
    out.precision(17);
    out << "root " << plan.root << "\npeer " << plan.peer << "\nrepetitions " << plan.repetitions << "\nwarm_ups "
        << plan.warm_ups << "\nseed " << plan.seed << "\nnative " << plan.native << "\narrival "
        << static_cast<int>(plan.arrival.kind) << ' ' << plan.arrival.late_fraction << ' ' << plan.arrival.most_if
        << "\nsends " << plan.sends.overhead_ns << ' ' << plan.sends.latency_ns << ' ' << plan.sends.answer_ns << ' '
        << plan.sends.receive_ns << '\n';
    for (const MeasureCase& one : plan.cases) {
        out << "case " << one.algorithm << ' ' << one.segment_bytes << ' ' << one.message_bytes << '\n';
    }
    for (const int repetitions : plan.repetitions_by_case) out << "repeat " << repetitions << '\n';
    return out.str();
}

/// The inverse. False if the text is not such a plan.
inline bool read_measure_plan(const std::string& text, MeasurePlan& plan) {
    std::istringstream in(text);
    std::string word;
    int kind = 0;
    while (in >> word) {
        if (word == "root") {
            in >> plan.root;
        } else if (word == "peer") {
            in >> plan.peer;
        } else if (word == "repetitions") {
            in >> plan.repetitions;
        } else if (word == "warm_ups") {
            in >> plan.warm_ups;
        } else if (word == "seed") {
            in >> plan.seed;
        } else if (word == "native") {
            in >> plan.native;
        } else if (word == "arrival") {
            in >> kind >> plan.arrival.late_fraction >> plan.arrival.most_if;
            plan.arrival.kind = static_cast<ArrivalPattern::Kind>(kind);
        } else if (word == "sends") {
            in >> plan.sends.overhead_ns >> plan.sends.latency_ns >> plan.sends.answer_ns >> plan.sends.receive_ns;
        } else if (word == "case") {
            MeasureCase one;
            in >> one.algorithm >> one.segment_bytes >> one.message_bytes;
            plan.cases.push_back(one);
        } else if (word == "repeat") {
            plan.repetitions_by_case.push_back(0);
            in >> plan.repetitions_by_case.back();
        } else {
            return false;
        }
        if (!in) return false;
    }
    return plan.repetitions_by_case.empty() || plan.repetitions_by_case.size() == plan.cases.size();
}

}  // namespace bcastgen
