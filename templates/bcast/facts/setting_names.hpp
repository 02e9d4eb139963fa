// The names of the settings, and which of them a misspelt one was meant to be.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace bcast {

/// What the library asks for (settings.hpp).
inline constexpr const char* setting_names[] = {
    "BCASTGEN_ALGORITHM",
    "BCASTGEN_ARRIVAL",
    "BCASTGEN_CHECK",
    "BCASTGEN_DISABLE",
    "BCASTGEN_IN_FLIGHT",
    "BCASTGEN_MACHINES",
    "BCASTGEN_MULTICAST",
    "BCASTGEN_MULTICAST_GROUPS",
    "BCASTGEN_MULTICAST_INTERFACE",
    "BCASTGEN_MULTICAST_TRANSPORT",
    "BCASTGEN_MULTICAST_WAIT",
    "BCASTGEN_SEGMENT",
    "BCASTGEN_TRACE",
    "BCASTGEN_VERBOSE",
};

/// What others ask for: the modulefile, and bcastgen where it runs a job.
inline constexpr const char* foreign_setting_names[] = {
    "BCASTGEN_CLANG_RESOURCES",
    "BCASTGEN_IDLE_MS",
    "BCASTGEN_LAB",
    "BCASTGEN_MPI",
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
bool is_among(const std::string& name, const char* const (&names)[N]) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

}  // namespace detail

/// The setting that a name is nearest to.
inline const char* nearest_setting(const std::string& name) {
    return *std::min_element(std::begin(setting_names), std::end(setting_names), [&](const char* a, const char* b) {
        return detail::letters_apart(name, a) < detail::letters_apart(name, b);
    });
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
        if (detail::is_among(name, setting_names) || detail::is_among(name, foreign_setting_names)) continue;
        lines.push_back(name + " is no setting; the nearest is " + nearest_setting(name));
    }
    return lines;
}

}  // namespace bcast
