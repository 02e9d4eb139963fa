// Which machine of the site a name means. Topology files have full host names or short ones, and so have hosts.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "bcast/facts/site.hpp"

namespace bcast {

inline constexpr int unknown_machine = -1;

namespace detail {

inline const NamedMachine* first_not_before(const Site& site, const std::string& name) {
    return std::lower_bound(
        site.machine_names.begin(), site.machine_names.end(), name.c_str(),
        [](const NamedMachine& entry, const char* text) { return std::strcmp(entry.name, text) < 0; });
}

inline bool starts_with(const char* text, const std::string& start) {
    return std::strncmp(text, start.c_str(), start.size()) == 0;
}

}  // namespace detail

/// The number of the machine with exactly this name.
inline int find_machine(const Site& site, const std::string& name) {
    const NamedMachine* found = detail::first_not_before(site, name);
    return found != site.machine_names.end() && name == found->name ? found->machine : unknown_machine;
}

/// The machine of which this is the name up to the first dot, if there is one such machine and no more.
inline int find_machine_of_short_name(const Site& site, const std::string& name) {
    if (name.empty() || name.find('.') != std::string::npos) return unknown_machine;
    const std::string start = name + ".";
    const NamedMachine* found = detail::first_not_before(site, start);
    if (found == site.machine_names.end() || !detail::starts_with(found->name, start)) return unknown_machine;
    const NamedMachine* next = found + 1;
    const bool alone = next == site.machine_names.end() || !detail::starts_with(next->name, start);
    return alone ? found->machine : unknown_machine;
}

/// The machine that a host of these names is. Each is tried whole, then up to its first dot, then as what comes before
/// the first dot of a machine's name; a full name is never taken for another full name.
inline int find_machine_among(const Site& site, const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        const int machine = find_machine(site, name);
        if (machine != unknown_machine) return machine;
    }
    for (const std::string& name : names) {
        const int machine = find_machine(site, name.substr(0, name.find('.')));
        if (machine != unknown_machine) return machine;
    }
    for (const std::string& name : names) {
        const int machine = find_machine_of_short_name(site, name);
        if (machine != unknown_machine) return machine;
    }
    return unknown_machine;
}

}  // namespace bcast
