// Which NUMA domain of its machine a process runs in.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bcast/mpi/memory.hpp"

namespace bcast {

inline constexpr int no_domain = -1;
inline constexpr const char* domains_directory = "/sys/devices/system/node";

namespace detail {

/// The numbers of a list such as 0-3,8-11; none where it cannot be read.
inline std::vector<int> numbers_in(const std::string& file) {
    std::vector<int> numbers;
    char text[4096] = "";
    std::FILE* const in = std::fopen(file.c_str(), "r");
    if (in == nullptr) return numbers;
    if (std::fgets(text, sizeof text, in) == nullptr) text[0] = '\0';
    std::fclose(in);
    constexpr int most = 1 << 16;
    for (char* at = text; *at >= '0' && *at <= '9';) {
        const long first = std::strtol(at, &at, 10);
        const long last = *at == '-' ? std::strtol(at + 1, &at, 10) : first;
        for (long number = first; number <= last && number < most; ++number)
            numbers.push_back(static_cast<int>(number));
        if (*at == ',') ++at;
    }
    return numbers;
}

}  // namespace detail

/// The domain that all of these processors are in, as `directory` describes the machine; no_domain if there is no such
/// domain, or no other.
inline int domain_of(const std::vector<int>& processors, const std::string& directory = domains_directory) {
    const std::vector<int> domains = detail::numbers_in(directory + "/online");
    if (domains.size() < 2 || processors.empty()) return no_domain;
    for (const int domain : domains) {
        const std::vector<int> its = detail::numbers_in(directory + "/node" + std::to_string(domain) + "/cpulist");
        const bool all = std::all_of(processors.begin(), processors.end(), [&its](int processor) {
            return std::find(its.begin(), its.end(), processor) != its.end();
        });
        if (all) return domain;
    }
    return no_domain;
}

/// The processors that this thread may run on; empty if the system does not tell.
inline std::vector<int> own_processors() {
    cpu_set_t set;
    CPU_ZERO(&set);
    std::vector<int> processors;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return processors;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
        if (CPU_ISSET(processor, &set)) processors.push_back(processor);
    }
    return processors;
}

/// Domains as a ring counts them, from 0 up; one for all where any rank is in no_domain.
inline Row<int> numbered_domains(const Row<int>& domains) {
    Row<int> known;
    Row<int> numbered;
    for (const int domain : domains) {
        if (domain == no_domain) return Row<int>(domains.size(), 0);
        const auto found = std::find(known.begin(), known.end(), domain);
        numbered.push_back(static_cast<int>(found - known.begin()));
        if (found == known.end()) known.push_back(domain);
    }
    return numbered;
}

}  // namespace bcast
