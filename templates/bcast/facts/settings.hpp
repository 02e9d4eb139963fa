// The BCASTGEN_* settings of a job.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "bcast/facts/code.hpp"
#include "bcast/facts/hostlist.hpp"
#include "bcast/facts/multicast_groups.hpp"
#include "bcast/facts/site.hpp"
#include "bcast/trees/hop.hpp"

namespace bcast {

enum class ArrivalSetting : std::uint8_t { balanced, imbalanced, automatic };
enum class MulticastSetting : std::uint8_t {
    automatic,  ///< where the site has groups, and the decision table says so
    off,
    attempt  ///< "try": also without the site's groups, and for small messages whatever the decision table says
};

/// What the root waits for before it sends, so that the others are there to receive ("A practically constant-time MPI
/// broadcast algorithm", section 2.1).
enum class RootWait : std::uint8_t {
    automatic,  ///< one rank, if the message is larger than what can wait in the receivers' buffers; else nothing
    none,
    one_rank,  ///< one of the others, drawn anew for each broadcast
    delay,     ///< a set time
};

enum class MulticastTransport : std::uint8_t { udp, infiniband };

/// What the environment asks for. Unset variables and values that cannot be read leave the defaults.
struct Environment {
    bool disable = false;
    std::optional<Algorithm> algorithm;        ///< BCASTGEN_ALGORITHM; none: the decision table chooses
    std::optional<std::size_t> segment_bytes;  ///< BCASTGEN_SEGMENT; 0: in one piece
    std::optional<HandOn> hand_on;             ///< BCASTGEN_HAND_ON; none: the decision table chooses
    ArrivalSetting arrival = ArrivalSetting::balanced;
    MulticastSetting multicast = MulticastSetting::automatic;
    std::string multicast_groups;                   ///< BCASTGEN_MULTICAST_GROUPS; empty: the site's
    std::string multicast_interface;                ///< BCASTGEN_MULTICAST_INTERFACE; empty: the site's
    RootWait multicast_wait = RootWait::automatic;  ///< BCASTGEN_MULTICAST_WAIT
    int multicast_delay_us = 0;
    MulticastTransport multicast_transport = MulticastTransport::udp;  ///< BCASTGEN_MULTICAST_TRANSPORT
    bool check = false;  ///< BCASTGEN_CHECK: ranks compare length and root of every call
    bool verbose = false;
    std::string trace_file;               ///< empty: no trace
    std::vector<std::string> machines;    ///< world rank r plays machines[r]; empty: the ranks' real machines
    int send_window = 0;                  ///< BCASTGEN_IN_FLIGHT: segments under way from a rank in each tree; 0: usual
    std::vector<std::string> complaints;  ///< one line for each setting that cannot be obeyed
};

/// Bytes of a size as users write it: 4096, 8K, 8KiB, 1M, 2G (powers of 1024), or max for no_limit.
inline std::optional<std::size_t> parse_size(const char* text) {
    if (std::strcmp(text, "max") == 0) return no_limit;
    if (*text < '0' || *text > '9') return std::nullopt;
    char* end = nullptr;
    const unsigned long long number = std::strtoull(text, &end, 10);
    unsigned shift = 0;
    switch (*end) {
        case 'k':
        case 'K':
            shift = 10;
            break;
        case 'm':
        case 'M':
            shift = 20;
            break;
        case 'g':
        case 'G':
            shift = 30;
            break;
        default:
            break;
    }
    if (shift != 0) ++end;
    const bool unit_ends = *end == '\0' || std::strcmp(end, "B") == 0 || (shift != 0 && std::strcmp(end, "iB") == 0);
    if (!unit_ends || number > (static_cast<unsigned long long>(no_limit) >> (shift + 1))) return std::nullopt;
    return static_cast<std::size_t>(number << shift);
}

/// The text of an environment variable, or nullptr.
using ReadVariable = const char* (*)(const char* name);

inline const char* read_variable(const char* name) {
    return std::getenv(name);
}

namespace detail {

/// The index of `text` among the choices; complains and returns 0 if it is none of them.
template <std::size_t N>
std::size_t choice(Environment& environment, const char* variable, const char* text, const char* const (&choices)[N]) {
    std::string known;
    for (std::size_t i = 0; i < N; ++i) {
        if (std::strcmp(text, choices[i]) == 0) return i;
        known += (i == 0 ? "" : ", ") + std::string(choices[i]);
    }
    environment.complaints.push_back(std::string(variable) + "=" + text + " is none of " + known + "; ignored");
    return 0;
}

/// Yes or no; empty is no.
inline bool read_switch(Environment& environment, const char* variable, const char* text) {
    if (text == nullptr) return false;
    static constexpr const char* settings[] = {"0", "1", "no", "yes", "false", "true", "off", "on"};
    return choice(environment, variable, text, settings) % 2 == 1;
}

/// BCASTGEN_MACHINES: a hostlist.
inline void read_machines(Environment& environment, const char* text) {
    std::vector<std::string> machines;
    const std::string wrong = read_hostlist(text, machines);
    if (wrong.empty()) {
        environment.machines = std::move(machines);
    } else {
        environment.complaints.push_back(std::string("BCASTGEN_MACHINES=") + text +
                                         " is no list of machines: " + wrong + "; ignored");
    }
}

/// BCASTGEN_HAND_ON: messages, window or native.
inline void read_hand_on(Environment& environment, const char* text) {
    const std::size_t complaints = environment.complaints.size();
    const std::size_t found = choice(environment, "BCASTGEN_HAND_ON", text, hand_on_names);
    if (environment.complaints.size() == complaints) environment.hand_on = static_cast<HandOn>(found);
}

/// BCASTGEN_IN_FLIGHT: 1 to 64.
inline void read_send_window(Environment& environment, const char* text) {
    char* end = nullptr;
    const long number = std::strtol(text, &end, 10);
    if (*text >= '0' && *text <= '9' && *end == '\0' && number >= 1 && number <= widest_send_window) {
        environment.send_window = static_cast<int>(number);
    } else {
        environment.complaints.push_back(std::string("BCASTGEN_IN_FLIGHT=") + text + " is not 1 to 64; ignored");
    }
}

/// BCASTGEN_MULTICAST_WAIT: auto, none, one, or a time such as 50us.
inline void read_root_wait(Environment& environment, const char* text) {
    if (*text >= '0' && *text <= '9') {
        constexpr long longest_us = 1000000;
        char* end = nullptr;
        const long number = std::strtol(text, &end, 10);
        if (std::strcmp(end, "us") == 0 && number <= longest_us) {
            environment.multicast_wait = RootWait::delay;
            environment.multicast_delay_us = static_cast<int>(number);
            return;
        }
    }
    static constexpr const char* settings[] = {"auto", "none", "one", "a time such as 50us (up to 1000000us)"};
    environment.multicast_wait =
        static_cast<RootWait>(detail::choice(environment, "BCASTGEN_MULTICAST_WAIT", text, settings));
}

/// Complains of settings that leave others nothing to say.
inline void note_idle_settings(Environment& environment) {
    if (environment.disable || !environment.algorithm) return;
    const Algorithm algorithm = *environment.algorithm;
    const auto idle = [&](bool set, const char* variable) {
        if (!set) return;
        environment.complaints.push_back(std::string(variable) + " has no effect: BCASTGEN_ALGORITHM=" +
                                         name_of(algorithm) + (is_native(algorithm) ? " leaves all to the MPI" : ""));
    };
    idle(environment.segment_bytes && is_native(algorithm), "BCASTGEN_SEGMENT");
    idle(environment.hand_on && !uses_trees(algorithm), "BCASTGEN_HAND_ON");
    idle(environment.arrival != ArrivalSetting::balanced, "BCASTGEN_ARRIVAL");
    idle(environment.multicast == MulticastSetting::attempt && !is_multicast(algorithm), "BCASTGEN_MULTICAST=try");
}

}  // namespace detail

inline Environment read_environment(ReadVariable variable = read_variable) {
    Environment environment;
    const auto setting = [variable](const char* name) {
        const char* text = variable(name);
        return text != nullptr && *text != '\0' ? text : nullptr;  // empty is unset
    };
    environment.disable = detail::read_switch(environment, "BCASTGEN_DISABLE", setting("BCASTGEN_DISABLE"));
    environment.check = detail::read_switch(environment, "BCASTGEN_CHECK", setting("BCASTGEN_CHECK"));
    environment.verbose = detail::read_switch(environment, "BCASTGEN_VERBOSE", setting("BCASTGEN_VERBOSE"));
    if (const char* text = setting("BCASTGEN_ALGORITHM")) {
        environment.algorithm = parse_algorithm(text);
        if (!environment.algorithm && std::strcmp(text, "tuned") != 0) {
            std::string known = "tuned";
            for (const AlgorithmRow& row : algorithm_rows) known += std::string(", ") + row.name;
            environment.complaints.push_back(std::string("BCASTGEN_ALGORITHM=") + text + " is none of " + known +
                                             "; ignored");
        }
    }
    if (const char* text = setting("BCASTGEN_SEGMENT")) {
        environment.segment_bytes = parse_size(text);
        if (!environment.segment_bytes) {
            environment.complaints.push_back(std::string("BCASTGEN_SEGMENT=") + text +
                                             " is not a size such as 8K, 65536 or max; ignored");
        } else if (*environment.segment_bytes == no_limit) {
            environment.segment_bytes = 0;
        }
    }
    if (const char* text = setting("BCASTGEN_HAND_ON")) detail::read_hand_on(environment, text);
    if (const char* text = setting("BCASTGEN_ARRIVAL")) {
        static constexpr const char* settings[] = {"balanced", "imbalanced", "auto"};
        environment.arrival =
            static_cast<ArrivalSetting>(detail::choice(environment, "BCASTGEN_ARRIVAL", text, settings));
    }
    if (const char* text = setting("BCASTGEN_MULTICAST")) {
        static constexpr const char* settings[] = {"auto", "off", "try"};
        environment.multicast =
            static_cast<MulticastSetting>(detail::choice(environment, "BCASTGEN_MULTICAST", text, settings));
    }
    if (const char* text = setting("BCASTGEN_MULTICAST_GROUPS")) {
        if (parse_groups(text)) {
            environment.multicast_groups = text;
        } else {
            environment.complaints.push_back(std::string("BCASTGEN_MULTICAST_GROUPS=") + text +
                                             " is not a range such as 239.192.0.0/16 or ff15:7::/32; ignored");
        }
    }
    if (const char* text = setting("BCASTGEN_MULTICAST_INTERFACE")) environment.multicast_interface = text;
    if (const char* text = setting("BCASTGEN_MULTICAST_TRANSPORT")) {
        static constexpr const char* settings[] = {"udp", "infiniband"};
        environment.multicast_transport = static_cast<MulticastTransport>(
            detail::choice(environment, "BCASTGEN_MULTICAST_TRANSPORT", text, settings));
    }
    if (const char* text = setting("BCASTGEN_MULTICAST_WAIT")) detail::read_root_wait(environment, text);
    if (const char* text = setting("BCASTGEN_IN_FLIGHT")) detail::read_send_window(environment, text);
    if (const char* text = setting("BCASTGEN_TRACE")) environment.trace_file = text;
    if (const char* text = setting("BCASTGEN_MACHINES")) detail::read_machines(environment, text);
    detail::note_idle_settings(environment);
    return environment;
}

/// The settings that say how to broadcast, as far as they are set.
inline std::string forced_settings(const Environment& environment) {
    std::string names;
    const auto add = [&](bool set, const std::string& name) {
        if (set) names += (names.empty() ? "" : ", ") + name;
    };
    const bool algorithm = environment.algorithm && !is_native(*environment.algorithm);
    add(algorithm, algorithm ? std::string("BCASTGEN_ALGORITHM=") + name_of(*environment.algorithm) : "");
    add(environment.segment_bytes.has_value(), "BCASTGEN_SEGMENT");
    add(environment.hand_on.has_value(), "BCASTGEN_HAND_ON");
    add(environment.arrival != ArrivalSetting::balanced, "BCASTGEN_ARRIVAL");
    add(environment.multicast == MulticastSetting::attempt, "BCASTGEN_MULTICAST");
    add(environment.send_window != 0, "BCASTGEN_IN_FLIGHT");
    add(!environment.machines.empty(), "BCASTGEN_MACHINES");
    return names;
}

/// FNV-1a, 64 bits: to compare what ranks hold, not to resist forgery.
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
    for (int byte = 0; byte < 8; ++byte) hash = (hash ^ ((value >> (8 * byte)) & 0xff)) * 0x100000001b3U;
    return hash;
}

/// A digest of the settings that must be the same on all ranks for them to choose the same algorithm.
inline std::uint64_t digest(const Environment& environment) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    hash = mix(hash, environment.disable ? 1 : 0);
    if (environment.check) hash = mix(hash, 2);
    hash = mix(hash, environment.algorithm ? static_cast<std::uint64_t>(*environment.algorithm) : 255);
    hash = mix(hash, environment.segment_bytes.value_or(no_limit));
    if (environment.hand_on) hash = mix(hash, static_cast<std::uint64_t>(*environment.hand_on) + 1);
    hash = mix(hash, static_cast<std::uint64_t>(environment.arrival));
    hash = mix(hash, static_cast<std::uint64_t>(environment.multicast));
    for (const char c : environment.multicast_groups) hash = mix(hash, static_cast<unsigned char>(c));
    hash = mix(hash, static_cast<std::uint64_t>(environment.multicast_wait));
    hash = mix(hash, static_cast<std::uint64_t>(environment.multicast_delay_us));
    hash = mix(hash, static_cast<std::uint64_t>(environment.multicast_transport));
    return hash;
}

/// A digest of everything that must be the same on all ranks: of the settings, the site and the code.
inline std::uint64_t digest(const Site& site, const Environment& environment) {
    std::uint64_t hash = digest(environment);
    hash = mix(hash, site.plan_hash);
    hash = mix(hash, site.tuning_hash);
    return mix(hash, code_hash);
}

}  // namespace bcast
