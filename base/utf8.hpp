// UTF-8, as far as checking a file's text and placing a caret need it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace bcastgen {

/// An inner byte of a character: takes no column of its own.
[[nodiscard]] inline bool is_utf8_continuation(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Columns that the text takes on a terminal (wide characters aside).
[[nodiscard]] inline std::size_t utf8_columns(std::string_view text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char byte) { return !is_utf8_continuation(byte); }));
}

/// The text after a byte order mark, which some editors write.
[[nodiscard]] inline std::string_view without_byte_order_mark(std::string_view text) {
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

struct Utf8Character {
    char32_t code = 0;
    std::size_t bytes = 0;  ///< 0: no well-formed character stands there
};

/// The character at byte `at` (< text.size()). Overlong forms, surrogates and codes above U+10FFFF are not well formed.
[[nodiscard]] inline Utf8Character decode_utf8(std::string_view text, std::size_t at) {
    const auto first = static_cast<unsigned char>(text[at]);
    if (first < 0x80) return {first, 1};
    const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || at + bytes > text.size()) return {};
    char32_t code = first & (0x7FU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        const auto next = static_cast<unsigned char>(text[at + i]);
        if ((next & 0xC0U) != 0x80) return {};
        code = (code << 6) | (next & 0x3FU);
    }
    const bool overlong = code < (bytes == 2 ? 0x80U : bytes == 3 ? 0x800U : 0x10000U);
    if (overlong || (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF) return {};
    return {code, bytes};
}

}  // namespace bcastgen
