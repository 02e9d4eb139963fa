// Kinds of characters, whatever the locale.
#pragma once

namespace bcastgen {

constexpr bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

}  // namespace bcastgen
