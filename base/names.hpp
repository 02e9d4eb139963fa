// Names from a file: which are safe, how an error message shows one, and what a misspelt one was meant to be.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bcastgen {

constexpr std::size_t longest_name = 255;  ///< characters

/// A name of a machine, switch or partition that needs no quoting in a C++ string, a shell word or a path:
/// [A-Za-z0-9][A-Za-z0-9._-]*, at most longest_name characters.
[[nodiscard]] bool is_safe_name(std::string_view name);

/// A topology's name, which becomes part of a library's: [A-Za-z][A-Za-z0-9_-]*, at most 64 characters.
[[nodiscard]] bool is_library_name(std::string_view name);

[[nodiscard]] bool is_name_character(char c);  ///< one of [A-Za-z0-9._-]

/// The text in double quotes for a message: control characters escaped, clipped when long.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// A word of a command line as a shell takes it: quoted where it must be.
[[nodiscard]] std::string shell_word(std::string_view word);

/// The candidate of which `name` is probably a misspelling: at most one edit (or swapped pair) per three letters, and
/// the same numbers (n33 is not n3 misspelt, but n3 may be n003). Nothing when none comes close.
[[nodiscard]] std::optional<std::string> closest_name(std::string_view name,
                                                      const std::vector<std::string>& candidates);

/// Whether a comes before b when numbers in names count by value, as batch systems number ranks: n2 before n10.
[[nodiscard]] bool name_before(const std::string& a, const std::string& b);

/// "; did you mean NAME?", or nothing.
[[nodiscard]] std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace bcastgen
