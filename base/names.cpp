#include "base/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>

#include "base/characters.hpp"
#include "base/utf8.hpp"

namespace bcastgen {

namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string digits_of(std::string_view name) {
    std::string digits;
    std::copy_if(name.begin(), name.end(), std::back_inserter(digits), is_digit);
    return digits;
}

/// "n017" as "n17".
std::string without_padding(const std::string& name) {
    std::string plain;
    for (std::size_t at = 0; at < name.size(); ++at) {
        const bool begins_number = plain.empty() || !is_digit(plain.back());
        const bool goes_on = at + 1 < name.size() && is_digit(name[at + 1]);
        if (name[at] != '0' || !begins_number || !goes_on) plain += name[at];
    }
    return plain;
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return lower;
}

// How many insertions, deletions, replacements and swapped neighbours turn a into b; case does not matter.
std::size_t edit_distance(const std::string& a, const std::string& b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            const std::size_t replaced = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
            }
        }
    }
    return cost[a.size()][b.size()];
}

}  // namespace

bool is_name_character(char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
}

bool is_safe_name(std::string_view name) {
    return !name.empty() && name.size() <= longest_name && (is_letter(name.front()) || is_digit(name.front())) &&
           std::all_of(name.begin(), name.end(), is_name_character);
}

bool is_library_name(std::string_view name) {
    constexpr std::size_t longest_library_name = 64;
    return is_safe_name(name) && name.size() <= longest_library_name && is_letter(name.front()) &&
           name.find('.') == std::string_view::npos;
}

std::string in_quotes(std::string_view text) {
    constexpr std::size_t most = 60;
    std::string shown;
    std::size_t taken = 0;
    for (; taken < text.size() && (taken < most || is_utf8_continuation(text[taken])); ++taken) {
        const char c = text[taken];
        if (c == '\n') {
            shown += "\\n";
        } else if (c == '\t') {
            shown += "\\t";
        } else if (c == '\\' || c == '"') {
            shown += {'\\', c};
        } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
            shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
            shown += c;
        }
    }
    return fmt::format("\"{}{}\"", shown, taken < text.size() ? "…" : "");
}

std::string shell_word(std::string_view word) {
    const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
        return is_name_character(c) || std::string_view("/,:=+").find(c) != std::string_view::npos;
    });
    if (plain) return std::string(word);
    std::string quoted = "'";
    for (const char c : word) quoted += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
    return quoted + "'";
}

std::optional<std::string> closest_name(std::string_view name, const std::vector<std::string>& candidates) {
    const std::string wanted = without_padding(lower_case(name));
    const std::string digits = digits_of(wanted);
    std::optional<std::string> closest;
    std::size_t least = std::max<std::size_t>(1, wanted.size() / 3) + 1;
    for (const std::string& candidate : candidates) {
        const std::string plain = without_padding(lower_case(candidate));
        const std::size_t longer = std::max(plain.size(), wanted.size());
        if (longer - std::min(plain.size(), wanted.size()) >= least || digits_of(plain) != digits) continue;
        const std::size_t distance = edit_distance(wanted, plain);
        if (distance < least && distance < longer - digits.size()) {
            least = distance;
            closest = candidate;
        }
    }
    return closest;
}

bool name_before(const std::string& a, const std::string& b) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (!is_digit(a[i]) || !is_digit(b[j])) {
            if (a[i] != b[j]) return a[i] < b[j];
            ++i, ++j;
            continue;
        }
        const auto number = [](const std::string& text, std::size_t& at) {  // digits without leading zeros
            while (at + 1 < text.size() && text[at] == '0' && is_digit(text[at + 1])) ++at;
            const std::size_t start = at;
            while (at < text.size() && is_digit(text[at])) ++at;
            return text.substr(start, at - start);
        };
        const std::string m = number(a, i);
        const std::string n = number(b, j);
        if (m != n) return m.size() != n.size() ? m.size() < n.size() : m < n;
    }
    const std::size_t left_a = a.size() - i;
    const std::size_t left_b = b.size() - j;
    return left_a != left_b ? left_a < left_b : a < b;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
    const std::optional<std::string> closest = closest_name(name, candidates);
    return closest ? fmt::format("; did you mean {}?", *closest) : "";
}

}  // namespace bcastgen
