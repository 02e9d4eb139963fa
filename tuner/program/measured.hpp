// What can be measured by name: the emitted library's algorithms (facts/algorithm.hpp), and what is held against them.
//
// Shared by the tool and the measuring program, so C++17.
#pragma once

#include <optional>
#include <string>

#include "bcast/facts/algorithm.hpp"
#include "bcast/facts/decision_table.hpp"
#include "bench/programs/opponents/names.hpp"
#include "planner/mpis/broadcasts.hpp"

namespace bcastgen {

namespace measured {
inline constexpr const char* native = bcast::name_of(bcast::usual::no_rule);
inline constexpr const char* tuned = "tuned";         ///< as the decision table says
inline constexpr const char* ping_pong = "pingpong";  ///< T(m): to one machine and back, halved
inline constexpr const char* one_peer = "one-peer";   ///< the library's chain over the root and its nearest machine
inline constexpr const char* sends_at_once = "sends-at-once";        ///< the root sends to everybody
inline constexpr const char* sends_in_turn = "sends-in-turn";        ///< to one when the send before has ended
inline constexpr const char* receives_at_once = "receives-at-once";  ///< everybody sends to the root
inline constexpr const char* simgrid_prefix = "smpi:";               ///< smpi:NAME is SimGrid's broadcast of that name
}  // namespace measured

/// The library's algorithm of that name, and how it hands on within machines: linear, or linear+window.
struct MeasuredWay {
    bcast::Algorithm algorithm;
    bcast::HandOn hand_on = bcast::HandOn::messages;
};

/// None for what is measured beside them.
inline std::optional<MeasuredWay> way_called(const std::string& name) {
    const std::size_t plus = name.find('+');
    const std::optional<bcast::Algorithm> algorithm = bcast::parse_algorithm(name.substr(0, plus).c_str());
    if (!algorithm) return std::nullopt;
    if (plus == std::string::npos) return MeasuredWay{*algorithm};
    for (const bcast::HandOn way : {bcast::HandOn::window, bcast::HandOn::native}) {
        if (bcast::uses_trees(*algorithm) && name.compare(plus + 1, std::string::npos, bcast::name_of(way)) == 0)
            return MeasuredWay{*algorithm, way};
    }
    return std::nullopt;
}

/// The library's algorithm of that name, however it hands on within machines.
inline std::optional<bcast::Algorithm> algorithm_called(const std::string& name) {
    const std::optional<MeasuredWay> way = way_called(name);
    return way ? std::optional(way->algorithm) : std::nullopt;
}

inline std::string measured_name(bcast::Algorithm algorithm, bcast::HandOn hand_on) {
    const std::string name = bcast::name_of(algorithm);
    return hand_on == bcast::HandOn::messages ? name : name + '+' + bcast::name_of(hand_on);
}

/// The name of a choice of the library's.
inline std::string measured_name(const bcast::Choice& choice) {
    return measured_name(choice.algorithm, choice.hand_on);
}

/// True of the MPI's own broadcast.
inline bool is_native(const std::string& name) {
    return name == measured::native;
}

inline bool is_tuned(const std::string& name) {
    return name == measured::tuned;
}

inline bool is_ping_pong(const std::string& name) {
    return name == measured::ping_pong;
}

/// True of what only the root and one other machine take part in.
inline bool is_of_pair(const std::string& name) {
    return is_ping_pong(name) || name == measured::one_peer;
}

/// True of bare sends and receives, which tell what a small message costs.
inline bool is_of_sends(const std::string& name) {
    return name == measured::sends_at_once || name == measured::sends_in_turn || name == measured::receives_at_once;
}

inline bool is_simgrids(const std::string& name) {
    return name.rfind(measured::simgrid_prefix, 0) == 0;
}

/// True if a segment size makes a difference.
inline bool takes_segments(const std::string& name) {
    if (const MpiBroadcast* own = mpi_broadcast_called(name)) return own->takes_segments;
    const std::optional<bcast::Algorithm> algorithm = algorithm_called(name);
    return algorithm ? bcast::takes_segments(*algorithm) : name == measured::one_peer || is_opponents(name);
}

}  // namespace bcastgen
