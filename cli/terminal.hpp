// Messages on stderr, with colours on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace bcastgen {

/// Whether stdout or stderr (1, 2) is a terminal that wants colours: NO_COLOR is unset and TERM is not "dumb".
[[nodiscard]] bool wants_colour(int descriptor);

/// Columns of the terminal that stdout or stderr is, or what COLUMNS says; 80 where neither is known.
[[nodiscard]] std::size_t columns_of(int descriptor);

/// Whether the user's locale can show what is not ASCII.
[[nodiscard]] bool has_utf8();

/// Where the locale has no UTF-8: what is written to stdout and stderr from now on comes in ASCII.
void write_as_locale_can();

/// Writes rendered diagnostics to stderr; "error:" and carets in red where colours are wanted.
void print_diagnostics(std::string_view rendered);

/// "bcastgen: error: MESSAGE" on stderr.
void print_error(std::string_view message);

/// A line of information on stderr, unless --quiet.
void say(std::string_view line);

void set_quiet(bool quiet);
[[nodiscard]] bool is_quiet();

}  // namespace bcastgen
