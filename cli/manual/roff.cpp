#include "cli/manual/roff.hpp"

#include <fmt/format.h>

#include <sstream>

#include "base/utf8.hpp"

namespace bcastgen {

namespace {

/// What a character of ASCII is written as; nothing: itself.
std::string_view escaped(char c) {
    switch (c) {
        case '\\':
            return "\\e";
        case '-':
            return "\\-";
        case '\'':
            return "\\(aq";
        case '~':
            return "\\(ti";
        case '^':
            return "\\(ha";
        case '`':
            return "\\(ga";
        case '\n':
            return " ";
        default:
            return "";
    }
}

}  // namespace

std::string roff(std::string_view text) {
    std::string result = text.starts_with('.') ? "\\&" : "";  // else it would be a request
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Character letter = decode_utf8(text, at);
        if (letter.code == U'…') {
            result += "...";  // which every terminal has
        } else if (letter.code >= 0x80) {
            result += fmt::format("\\[u{:04X}]", static_cast<unsigned>(letter.code));
        } else if (const std::string_view instead = escaped(text[at]); !instead.empty()) {
            result += instead;
        } else {
            result += text[at];
        }
        at += letter.bytes == 0 ? 1 : letter.bytes;
    }
    return result;
}

std::string roff_lines(std::string_view text) {
    constexpr std::size_t longest = 80;
    std::string lines;
    std::string line;
    std::istringstream words{std::string(text)};
    for (std::string word; words >> word;) {
        if (!line.empty() && line.size() + 1 + roff(word).size() > longest) {
            lines += line + "\n";
            line.clear();
        }
        line += (line.empty() ? "" : " ") + roff(word);
    }
    return lines + line + "\n";
}

std::string roff_example(std::string_view lines) {
    std::string result = ".EX\n";
    std::istringstream text{std::string(lines)};
    for (std::string line; std::getline(text, line);) result += roff(line) + "\n";
    return result + ".EE\n";
}

std::string roff_item(std::string_view tag, std::string_view text) {
    return fmt::format(".TP\n{}\n{}", tag, roff_lines(text));
}

std::string roff_section(std::string_view title) {
    return fmt::format(".SH {}\n", roff(title));
}

}  // namespace bcastgen
