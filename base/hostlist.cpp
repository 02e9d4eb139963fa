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

std::string_view take_digits(std::string_view text, std::size_t& at) {
    const std::size_t start = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at == start) throw ParseError("a number is missing here", start);
    if (at - start > most_digits) throw ParseError(fmt::format("a number of more than {} digits", most_digits), start);
    return text.substr(start, at - start);
}

// "0-3" or "7" at `at`: the numbers as text, padded to the width of the first.
void take_range(std::string_view text, std::size_t& at, std::vector<std::string>& numbers) {
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
    if (to_number(high) - to_number(low) >= most_hostlist_names - numbers.size()) refuse_count(start);
    for (std::uint64_t number = to_number(low); number <= to_number(high); ++number) {
        numbers.push_back(fmt::format("{:0{}}", number, low.size()));
    }
}

// "[…]" at `at`: the texts that it stands for.
std::vector<std::string> take_brackets(std::string_view text, std::size_t& at) {
    const std::size_t open = at++;
    std::vector<std::string> numbers;
    while (true) {
        take_range(text, at, numbers);
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

std::vector<std::string> append_each(const std::vector<std::string>& heads, const std::vector<std::string>& tails,
                                     std::size_t offset) {
    if (heads.size() * tails.size() > most_hostlist_names) refuse_count(offset);
    std::vector<std::string> names;
    names.reserve(heads.size() * tails.size());
    for (const std::string& head : heads) {
        for (const std::string& tail : tails) names.push_back(head + tail);
    }
    return names;
}

std::string character_at(std::string_view text, std::size_t at) {
    std::size_t end = at + 1;
    while (end < text.size() && is_utf8_continuation(text[end])) ++end;  // the rest of a UTF-8 character
    return in_quotes(text.substr(at, end - at));
}

// Offsets of errors are those of the item's text.
std::vector<std::string> expand_item(std::string_view text) {
    if (text.empty()) throw ParseError("a name is missing here");
    std::vector<std::string> names{""};
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '[') {
            const std::size_t open = at;
            names = append_each(names, take_brackets(text, at), open);
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
        for (std::string& name : names) name += text.substr(start, at - start);
    }
    const auto too_long = [](const std::string& name) { return name.size() > longest_name; };
    if (std::any_of(names.begin(), names.end(), too_long)) {
        throw ParseError(fmt::format("a name of more than {} characters", longest_name));
    }
    return names;
}

// "n007" as "n", 7, width 3; nothing when it ends in no number that can be counted on.
struct NumberedName {
    std::string_view prefix;
    std::string_view digits;
};

std::optional<NumberedName> split_number(std::string_view name) {
    std::size_t start = name.size();
    while (start > 0 && is_digit(name[start - 1])) --start;
    if (start == name.size() || name.size() - start > most_digits) return std::nullopt;
    return NumberedName{name.substr(0, start), name.substr(start)};
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
            const std::vector<std::string> more = expand_item(item.text);
            if (names.size() + more.size() > most_hostlist_names) refuse_count(0);
            names.insert(names.end(), more.begin(), more.end());
        } catch (const ParseError& error) {
            throw ParseError(error.what(), item.offset + error.offset());
        }
    }
    return names;
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
            if (!next || next->prefix != head->prefix) break;
            digits.push_back(next->digits);
        }
        const bool alone = digits.size() == 1;
        folded += alone ? fmt::format("{}{}", head->prefix, digits.front())
                        : fmt::format("{}[{}]", head->prefix, fold_numbers(digits));
    }
    return folded;
}

}  // namespace bcastgen
