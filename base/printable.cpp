#include "base/printable.hpp"

#include <fmt/format.h>

#include "base/utf8.hpp"

namespace bcastgen {

namespace {

bool is_control(char32_t code) {
    return code < 0x20 || (code >= 0x7F && code < 0xA0);
}

/// Marks, embeddings, overrides and isolates of the Unicode bidirectional algorithm, and the line and paragraph
/// separators: a name that has them can look like another one. Then what XML may not hold.
bool is_format(char32_t code) {
    return code == 0x61C || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
           (code >= 0x2066 && code <= 0x2069) || code == 0xFFFE || code == 0xFFFF;
}

bool is_fit(std::string_view text, std::size_t at, const Utf8Character& character) {
    if (character.bytes == 0) return false;
    if (character.code == '\t' || character.code == '\n') return true;
    if (character.code == '\r') return text.substr(at, 2) == "\r\n";
    return !is_control(character.code) && !is_format(character.code);
}

}  // namespace

std::optional<std::size_t> first_unprintable(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Character character = decode_utf8(text, at);
        if (!is_fit(text, at, character)) return at;
        at += character.bytes;
    }
    return std::nullopt;
}

std::string describe_unprintable(std::string_view text, std::size_t at) {
    const Utf8Character character = decode_utf8(text, at);
    if (character.bytes == 0) {
        return fmt::format("byte 0x{:02x} is no UTF-8 text", static_cast<unsigned char>(text[at]));
    }
    return fmt::format("{} U+{:04X}; the file is to be plain text",
                       is_control(character.code) ? "control character" : "invisible character",
                       static_cast<unsigned>(character.code));
}

std::string printable(std::string_view text) {
    std::string shown;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Character character = decode_utf8(text, at);
        const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
        if (is_fit(text, at, character)) {
            shown += text.substr(at, bytes);
        } else if (bytes == 1) {
            shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[at]));
        } else {
            shown += fmt::format("\\u{:04x}", static_cast<unsigned>(character.code));
        }
        at += bytes;
    }
    return shown;
}

std::string printable_columns(std::string_view line) {
    std::string shown;
    for (std::size_t at = 0; at < line.size();) {
        const Utf8Character character = decode_utf8(line, at);
        const std::size_t bytes = character.bytes == 0 ? 1 : character.bytes;
        if (is_fit(line, at, character) && character.code != '\n' && character.code != '\r') {
            shown += line.substr(at, bytes);
        } else {
            shown += '?';
        }
        at += bytes;
    }
    return shown;
}

}  // namespace bcastgen
