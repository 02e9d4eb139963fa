// The small parts of a Slurm topology: Key=value, hostlists, block sizes.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>

#include "base/hostlist.hpp"
#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "planner/formats/slurm/slurm_reader.hpp"

namespace bcastgen {

namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t';
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

}  // namespace

std::vector<SlurmSetting> slurm_settings(std::string_view line, Place start_place, const Report& report) {
    std::vector<SlurmSetting> settings;
    const auto place = [start_place](std::size_t byte) {
        return Place{start_place.line, start_place.column + static_cast<int>(byte)};
    };
    for (std::size_t at = 0; at < line.size();) {
        if (is_space(line[at])) {
            ++at;
            continue;
        }
        const std::size_t start = at;
        while (at < line.size() && line[at] != '=' && !is_space(line[at])) ++at;
        const std::string_view key = line.substr(start, at - start);
        if (at == line.size() || line[at] != '=' || key.empty()) {
            report(place(start), fmt::format("{} is not a setting; settings are Key=value, without spaces around the =",
                                             in_quotes(key.empty() ? line.substr(start, 1) : key)));
            return settings;
        }
        ++at;
        const bool quoted = at < line.size() && line[at] == '"';
        if (quoted) ++at;
        const std::size_t value = at;
        while (at < line.size() && (quoted ? line[at] != '"' : !is_space(line[at]))) ++at;
        if (quoted && at == line.size()) {
            report(place(value - 1), "this \" is never closed");
            return settings;
        }
        settings.push_back({lower_case(key), std::string(line.substr(value, at - value)), place(start), place(value)});
        if (quoted) ++at;
    }
    return settings;
}

std::vector<SlurmName> slurm_names(std::string_view hostlist, const WrittenText& written, HostlistExpander& expander,
                                   const Report& report) {
    std::vector<SlurmName> names;
    const std::vector<HostlistItem> items = hostlist_items(hostlist);
    if (items.empty()) report(written.at(0), "a name is missing here");
    for (const HostlistItem& item : items) {
        const Place here = written.at(item.offset);
        if (item.text.empty()) {
            report(here, "a name is missing here");
            continue;
        }
        try {
            for (std::string& name : expander.expand(item.text)) names.push_back({std::move(name), here});
        } catch (const ParseError& error) {
            report(written.at(item.offset + error.offset()), error.what());
        }
    }
    return names;
}

bool may_repeat(const SlurmSwitch& sw, std::size_t copies, HostlistExpander& expander, Place place,
                const Report& report) {
    std::size_t bytes = 0;
    for (const std::vector<SlurmName>* names : {&sw.nodes, &sw.children}) {
        for (const SlurmName& name : *names) bytes = std::max(bytes, name.name.size());
    }
    try {
        for (std::size_t copy = 0; copy < copies; ++copy) expander.spend(sw.nodes.size() + sw.children.size(), bytes);
        return true;
    } catch (const ParseError& error) {
        report(place, error.what());
        return false;
    }
}

void check_slurm_block_sizes(const std::vector<SlurmName>& sizes, const Report& report) {
    std::uint64_t base = 0;
    for (const SlurmName& written : sizes) {
        constexpr std::size_t most_digits = 9;
        const bool number =
            !written.name.empty() && written.name.size() <= most_digits &&
            std::all_of(written.name.begin(), written.name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
        const std::uint64_t size = number ? std::stoull(written.name) : 0;
        if (size == 0) {
            report(written.place, fmt::format("{} is not a block size", in_quotes(written.name)));
            return;
        }
        if (base == 0) base = size;
        const std::uint64_t times = size / base;
        if (size % base != 0 || (times & (times - 1)) != 0) {
            report(written.place,
                   fmt::format("a block size of {} is not the first one, {}, times a power of two", size, base));
        }
    }
}

}  // namespace bcastgen
