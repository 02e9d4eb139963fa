#include "cli/fitted.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/utf8.hpp"

namespace bcastgen {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return lines;
}

std::size_t indent_of(std::string_view line) {
    return std::min(line.find_first_not_of(' '), line.size());
}

/// Words after `first`, which stands on the first line already; further lines are indented.
std::string wrapped(std::string first, std::string_view words, std::size_t indent, std::size_t columns) {
    std::string text;
    std::string line = std::move(first);
    bool is_begun = false;
    while (!words.empty()) {
        const std::size_t end = std::min(words.find(' '), words.size());
        const std::string_view word = words.substr(0, end);
        words.remove_prefix(std::min(words.size(), end + 1));
        if (is_begun && utf8_columns(line) + 1 + utf8_columns(word) > columns) {
            text += line + '\n';
            line = std::string(indent, ' ');
            is_begun = false;
        }
        if (is_begun) line += ' ';
        line += word;
        is_begun = true;
    }
    return text + line + '\n';
}

/// Where the second of two columns begins, after two blanks or more; none if there is no second.
std::optional<std::size_t> second_column(std::string_view line) {
    const std::size_t gap = line.find("  ", indent_of(line));
    if (gap == std::string_view::npos) return std::nullopt;
    const std::size_t begin = line.find_first_not_of(' ', gap);
    return begin == std::string_view::npos ? std::nullopt : std::optional(begin);
}

std::string fitted_line(std::string_view line, std::size_t columns) {
    constexpr std::size_t below_first = 6;
    if (utf8_columns(line) <= columns) return std::string(line) + '\n';
    const std::size_t indent = indent_of(line);
    const std::optional<std::size_t> second = second_column(line);
    if (!second) {
        const bool is_command = indent == 2;  // an example, to be copied; descriptions stand further in
        if (is_command) return std::string(line) + '\n';
        return wrapped(std::string(indent, ' '), line.substr(indent), indent, columns);
    }
    if (*second <= columns / 2)
        return wrapped(std::string(line.substr(0, *second)), line.substr(*second), *second, columns);
    const std::string_view first = line.substr(0, line.find_last_not_of(' ', *second - 1) + 1);
    return std::string(first) + '\n' +
           wrapped(std::string(below_first, ' '), line.substr(*second), below_first, columns);
}

struct Replacement {
    std::string_view utf8;
    std::string_view ascii;
};

constexpr std::array replacements = {
    Replacement{"├", "|"},  Replacement{"└", "`"},  Replacement{"│", "|"},  Replacement{"─", "-"},
    Replacement{"→", ">"},  Replacement{"←", "<"},  Replacement{"↔", "-"},  Replacement{"…", "..."},
    Replacement{"–", "-"},  Replacement{"−", "-"},  Replacement{"×", "x"},  Replacement{"·", "."},
    Replacement{"’", "'"},  Replacement{"“", "\""}, Replacement{"”", "\""}, Replacement{"µ", "u"},
    Replacement{"≤", "<="}, Replacement{"≥", ">="}, Replacement{"█", "#"},  Replacement{"░", "."},
};

}  // namespace

std::string fitted(std::string_view text, std::size_t columns) {
    std::string result;
    std::string paragraph;
    const auto end_paragraph = [&] {
        if (!paragraph.empty()) result += wrapped("", paragraph, 0, columns);
        paragraph.clear();
    };
    for (const std::string_view line : lines_of(text)) {
        const bool is_text = !line.empty() && indent_of(line) == 0 && !line.starts_with("Usage: ");
        if (!is_text) {
            end_paragraph();
            result += fitted_line(line, columns);
        } else {
            if (!paragraph.empty()) paragraph += ' ';
            paragraph += line;
            if (line.ends_with(':')) end_paragraph();  // a heading
        }
    }
    end_paragraph();
    return result;
}

std::string in_ascii(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const auto at = std::find_if(replacements.begin(), replacements.end(),
                                     [&](const Replacement& one) { return text.starts_with(one.utf8); });
        if (at != replacements.end()) {
            result += at->ascii;
            text.remove_prefix(at->utf8.size());
            continue;
        }
        const Utf8Character character = decode_utf8(text, 0);
        const std::size_t bytes = std::max<std::size_t>(1, character.bytes);
        result += bytes == 1 && character.bytes == 1 ? text[0] : '?';
        text.remove_prefix(bytes);
    }
    return result;
}

}  // namespace bcastgen
