// The settings' names and what they are for, and which of them a misspelt one was meant to be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace bcast {

/// A variable of a job's environment.
struct Setting {
    const char* name;
    const char* values;  ///< as a manual shows them
    const char* effect;
};

/// What the library asks for (settings.hpp), and what bcastgen-environment(7) says of it.
inline constexpr Setting setting_rows[] = {
    {"BCASTGEN_ALGORITHM", "NAME",
     "This algorithm for every message size; tuned, the default: what the decision table says."},
    {"BCASTGEN_ARRIVAL", "balanced|imbalanced|auto",
     "Which rules of the decision table to use; auto: for each communicator as its ranks arrive. Default: balanced."},
    {"BCASTGEN_CHECK", "1",
     "Before each broadcast the ranks compare the length and the root that they pass. Where these differ, all ranks "
     "get "
     "an error, and a line on stderr says who passed what. For jobs that hang; it costs a collective call each time."},
    {"BCASTGEN_DISABLE", "1", "The library steps aside: the MPI's own broadcast."},
    {"BCASTGEN_HAND_ON", "messages|window|native",
     "How a machine's leader hands messages on to the machine's other ranks: as messages, through a window of shared "
     "memory, or by the MPI's own broadcast. Default: what the decision table says."},
    {"BCASTGEN_IN_FLIGHT", "1 to 64",
     "Send window: the most segments on their way from a rank to its children in each tree. By default it depends on "
     "the number of segments. For experiments."},
    {"BCASTGEN_MACHINES", "HOSTLIST",
     "Rank r of MPI_COMM_WORLD plays the r-th machine of the list, as in n[0-3],n7: to try a plan on one host."},
    {"BCASTGEN_MULTICAST", "off|try|auto",
     "off: no multicast. try: multicast of messages up to 64K on 16 machines and more, whatever the decision table "
     "says. auto, the default: what the decision table says, if the topology file has a multicast section."},
    {"BCASTGEN_MULTICAST_GROUPS", "RANGE",
     "Another range of multicast groups than the topology file's, as 239.192.0.0/16 (inside 239.0.0.0/8) or "
     "ff15:7::/32 (inside ff00::/8)."},
    {"BCASTGEN_MULTICAST_INTERFACE", "NAME", "This rank's network interface for multicast, as eth0."},
    {"BCASTGEN_MULTICAST_TRANSPORT", "udp|infiniband", "What carries the datagrams of multicast. Default: udp."},
    {"BCASTGEN_MULTICAST_WAIT", "auto|none|one|TIME",
     "What the root waits for before it sends by multicast: none; one: another leader, drawn at random; a time such as "
     "50us; auto, the default: as one if the message may not fit into the receivers' buffers."},
    {"BCASTGEN_SEGMENT", "SIZE",
     "This segment size for every pipelined broadcast, as 8K or 65536; max: messages in one piece, as far as tags can "
     "tell lengths apart."},
    {"BCASTGEN_TRACE", "FILE", "One line for each broadcast, in FILE.RANK."},
    {"BCASTGEN_VERBOSE", "1",
     "Says on stderr, once for each communicator, how long set-up took or why it is left to the MPI."},
};

/// What others ask for: the modulefile, and bcastgen where it runs a job.
inline constexpr Setting foreign_setting_rows[] = {
    {"BCASTGEN_IDLE_MS", "MILLISECONDS",
     "In a lab: for how long a rank that only polls its sockets sleeps at a time. Default: 1."},
    {"BCASTGEN_LAB", "DIRECTORY", "Set by bcastgen lab inside a lab; not for users."},
    {"BCASTGEN_MPI", "mpich|openmpi",
     "For the modulefile bcast/NAME: the MPI whose library it loads, where no module of an MPI is loaded."},
};

namespace detail {

/// How many characters have to be put in, taken out or changed to make one of the other, whatever their case.
inline std::size_t letters_apart(const std::string& one, const std::string& other) {
    const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
    std::vector<std::size_t> row(other.size() + 1);
    for (std::size_t j = 0; j <= other.size(); ++j) row[j] = j;
    for (std::size_t i = 1; i <= one.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= other.size(); ++j) {
            const std::size_t changed = diagonal + (upper(one[i - 1]) == upper(other[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row.back();
}

template <std::size_t N>
bool is_among(const std::string& name, const Setting (&rows)[N]) {
    return std::any_of(std::begin(rows), std::end(rows), [&](const Setting& row) { return name == row.name; });
}

}  // namespace detail

/// The setting that a name is nearest to.
inline const char* nearest_setting(const std::string& name) {
    const auto nearer = [&](const Setting& a, const Setting& b) {
        return detail::letters_apart(name, a.name) < detail::letters_apart(name, b.name);
    };
    return std::min_element(std::begin(setting_rows), std::end(setting_rows), nearer)->name;
}

/// One line for each variable of `environment` (NAME=VALUE, with a null pointer at the end) that looks like a setting
/// and is none.
inline std::vector<std::string> unknown_settings(const char* const* environment) {
    constexpr const char prefix[] = "BCASTGEN";
    std::vector<std::string> lines;
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        const std::string name(*environment, std::strcspn(*environment, "="));
        if (name.size() < sizeof prefix - 1) continue;
        if (detail::letters_apart(name.substr(0, sizeof prefix - 1), prefix) != 0) continue;
        if (detail::is_among(name, setting_rows) || detail::is_among(name, foreign_setting_rows)) continue;
        lines.push_back(name + " is no setting; the nearest is " + nearest_setting(name));
    }
    return lines;
}

}  // namespace bcast
