#include "base/hostlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/characters.hpp"
#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "base/utf8.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_digits = 18;  // fits an std::uint64_t with room to count further

std::uint64_t to_number(std::string_view digits) {
    std::uint64_t number = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return number;
}

[[noreturn]] void refuse_count(std::size_t offset) {
    throw ParseError(fmt::format("more than {} names", most_hostlist_names), offset);
}

/// The numbers from `low` to `high`, padded to `width`.
struct NumberRange {
    std::uint64_t low;
    std::uint64_t high;
    std::size_t width;
};

/// A part of an item: a text, or numbers one of which takes its place.
struct HostlistPart {
    std::string_view text;
    std::vector<NumberRange> numbers;
};

std::string_view take_digits(std::string_view text, std::size_t& at) {
    const std::size_t start = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at == start) throw ParseError("a number is missing here", start);
    if (at - start > most_digits) throw ParseError(fmt::format("a number of more than {} digits", most_digits), start);
    return text.substr(start, at - start);
}

/// "0-3" or "7" at `at`.
NumberRange take_range(std::string_view text, std::size_t& at) {
    const std::size_t start = at;
    const std::string_view low = take_digits(text, at);
    std::string_view high = low;
    if (at < text.size() && text[at] == '-') {
        ++at;
        high = take_digits(text, at);
        if (high.size() > 1 && high.front() == '0' && high.size() != low.size()) {
            throw ParseError(fmt::format("{}-{}: both ends of a zero-padded range have the same width", low, high),
                             start);
        }
    }
    if (to_number(high) < to_number(low)) throw ParseError(fmt::format("{}-{} runs backwards", low, high), start);
    if (to_number(high) - to_number(low) >= most_hostlist_names) refuse_count(start);
    return {to_number(low), to_number(high), low.size()};
}

/// "[…]" at `at`.
std::vector<NumberRange> take_brackets(std::string_view text, std::size_t& at) {
    const std::size_t open = at++;
    std::vector<NumberRange> numbers;
    while (true) {
        numbers.push_back(take_range(text, at));
        if (at >= text.size()) throw ParseError("this [ is never closed", open);
        const char c = text[at++];
        if (c == ']') return numbers;
        if (c != ',') {
            throw ParseError(fmt::format("{} between brackets; only numbers, - and , stand there",
                                         in_quotes(text.substr(at - 1, 1))),
                             at - 1);
        }
    }
}

std::string character_at(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    while (end < text.size() && is_utf8_continuation(text[end])) ++end;  // the rest of a UTF-8 character
    return in_quotes(text.substr(at, end - at));
}

/// An item's parts, and how much they stand for.
struct HostlistParts {
    std::vector<HostlistPart> parts;
    std::size_t names = 1;
    std::size_t longest_name = 0;  ///< bytes
};

void add_numbers(HostlistParts& item, std::vector<NumberRange> numbers, std::size_t offset) {
    std::uint64_t count = 0;
    std::size_t widest = 0;
    for (const NumberRange& range : numbers) {
        count += range.high - range.low + 1;
        if (count > most_hostlist_names / item.names) refuse_count(offset);
        widest = std::max(widest, fmt::formatted_size("{:0{}}", range.high, range.width));
    }
    item.names *= count;
    item.longest_name += widest;
    item.parts.push_back({"", std::move(numbers)});
}

/// Nothing is expanded yet, so a mistake costs no more than its text is long. Offsets of errors are those of the text.
HostlistParts parts_of(std::string_view text) {
    if (text.empty()) throw ParseError("a name is missing here");
    HostlistParts item;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '[') {
            const std::size_t open = at;
            add_numbers(item, take_brackets(text, at), open);
            continue;
        }
        if (c == ']') throw ParseError("this ] closes nothing", at);
        if (c == ' ' || c == '\t') throw ParseError("a name holds no space; commas separate names", at);
        if (!is_name_character(c) || (at == 0 && !is_safe_name(text.substr(0, 1)))) {
            throw ParseError(fmt::format("a name cannot {} {}; names are letters and digits, after the first character "
                                         "also . _ and -",
                                         at == 0 ? "start with" : "hold", character_at(text, at)),
                             at);
        }
        const std::size_t start = at;
        while (at < text.size() && is_name_character(text[at])) ++at;
        item.longest_name += at - start;
        item.parts.push_back({text.substr(start, at - start), {}});
    }
    if (item.longest_name > longest_name) {
        throw ParseError(fmt::format("a name of more than {} characters", longest_name));
    }
    return item;
}

std::vector<std::string> expand_parts(const HostlistParts& item) {
    std::vector<std::string> names{""};
    for (const HostlistPart& part : item.parts) {
        if (part.numbers.empty()) {
            for (std::string& name : names) name += part.text;
            continue;
        }
        std::vector<std::string> longer;
        for (const std::string& name : names) {
            for (const NumberRange& range : part.numbers) {
                for (std::uint64_t number = range.low; number <= range.high; ++number) {
                    longer.push_back(fmt::format("{}{:0{}}", name, number, range.width));
                }
            }
        }
        names = std::move(longer);
    }
    return names;
}

// "n007" as "n", 7, width 3; nothing when it ends in no number that can be counted on.
struct NumberedName {
    std::string_view prefix;
    std::string_view digits;
    std::string_view suffix;  // a domain
};

// The number at a name's end, or else before its domain.
std::optional<NumberedName> split_number(std::string_view name) {
    const bool at_end = !name.empty() && is_digit(name.back());
    const std::size_t end = at_end ? name.size() : std::min(name.find('.'), name.size());
    std::size_t start = end;
    while (start > 0 && is_digit(name[start - 1])) --start;
    if (start == end || end - start > most_digits) return std::nullopt;
    return NumberedName{name.substr(0, start), name.substr(start, end - start), name.substr(end)};
}

// Numbers that share a prefix, as "0-3,7": a run goes on while the next number is the padded successor.
std::string fold_numbers(const std::vector<std::string_view>& digits) {
    std::string folded;
    for (std::size_t first = 0; first < digits.size();) {
        const std::uint64_t low = to_number(digits[first]);
        std::size_t last = first;
        while (last + 1 < digits.size() &&
               digits[last + 1] == fmt::format("{:0{}}", low + (last + 1 - first), digits[first].size())) {
            ++last;
        }
        if (!folded.empty()) folded += ',';
        folded += digits[first];
        if (last > first) folded += fmt::format("-{}", digits[last]);
        first = last + 1;
    }
    return folded;
}

}  // namespace

std::vector<HostlistItem> hostlist_items(std::string_view hostlist) {
    std::vector<HostlistItem> items;
    if (hostlist.find_first_not_of(" \t") == std::string_view::npos) return items;
    bool in_brackets = false;
    std::size_t start = 0;
    for (std::size_t at = 0; at <= hostlist.size(); ++at) {
        if (at < hostlist.size()) {
            if (hostlist[at] == '[') in_brackets = true;
            if (hostlist[at] == ']') in_brackets = false;
            if (hostlist[at] != ',' || in_brackets) continue;
        }
        std::size_t end = at;
        while (start < end && (hostlist[start] == ' ' || hostlist[start] == '\t')) ++start;
        while (end > start && (hostlist[end - 1] == ' ' || hostlist[end - 1] == '\t')) --end;
        items.push_back({hostlist.substr(start, end - start), start});
        start = at + 1;
    }
    return items;
}

std::vector<std::string> expand_hostlist(std::string_view hostlist) {
    std::vector<std::string> names;
    for (const HostlistItem& item : hostlist_items(hostlist)) {
        try {
            const HostlistParts parts = parts_of(item.text);
            if (parts.names > most_hostlist_names - names.size()) refuse_count(0);
            const std::vector<std::string> more = expand_parts(parts);
            names.insert(names.end(), more.begin(), more.end());
        } catch (const ParseError& error) {
            throw ParseError(error.what(), item.offset + error.offset());
        }
    }
    return names;
}

std::vector<std::string> HostlistExpander::expand(std::string_view item) {
    const HostlistParts parts = parts_of(item);
    spend(parts.names, parts.longest_name);
    return expand_parts(parts);
}

void HostlistExpander::spend(std::size_t names, std::size_t bytes_each) {
    constexpr std::size_t other_bytes = 32;  // that a name takes, whatever its length
    const std::size_t each = bytes_each + other_bytes;
    if (names > bytes_left_ / each) {
        bytes_left_ = 0;
        throw ParseError(fmt::format("up to here the hostlists of this file stand for more names than {} MiB hold",
                                     most_expanded_bytes >> 20));
    }
    bytes_left_ -= names * each;
}

std::string fold_hostlist(const std::vector<std::string>& names) {
    std::string folded;
    for (std::size_t first = 0; first < names.size();) {
        if (first > 0) folded += ',';
        const std::optional<NumberedName> head = split_number(names[first]);
        if (!head) {
            folded += names[first++];
            continue;
        }
        std::vector<std::string_view> digits;
        for (; first < names.size(); ++first) {
            const std::optional<NumberedName> next = split_number(names[first]);
            if (!next || next->prefix != head->prefix || next->suffix != head->suffix) break;
            digits.push_back(next->digits);
        }
        const bool alone = digits.size() == 1;
        folded += alone ? fmt::format("{}{}{}", head->prefix, digits.front(), head->suffix)
                        : fmt::format("{}[{}]{}", head->prefix, fold_numbers(digits), head->suffix);
    }
    return folded;
}

}  // namespace bcastgen
