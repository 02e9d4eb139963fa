#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/printable.hpp"

namespace bcastgen {

namespace {

bool quiet_is_set = false;

constexpr std::string_view red = "\033[1;31m";
constexpr std::string_view plain = "\033[0m";

void paint(std::string& line, std::size_t at, std::size_t size) {
    line.insert(at + size, plain);
    line.insert(at, red);
}

}  // namespace

bool wants_colour(int descriptor) {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool refused =
        (no_colour != nullptr && *no_colour != '\0') || (terminal != nullptr && std::string_view(terminal) == "dumb");
    return !refused && isatty(descriptor) == 1;
}

void print_diagnostics(std::string_view rendered) {
    constexpr std::string_view word = "error:";
    const bool colour = wants_colour(STDERR_FILENO);
    while (!rendered.empty()) {
        std::string line(rendered.substr(0, rendered.find('\n')));
        rendered.remove_prefix(std::min(rendered.size(), line.size() + 1));
        const bool indented = line.starts_with("    ");
        if (const std::size_t at = line.find(word); colour && !indented && at != std::string::npos) {
            paint(line, at, word.size());
        } else if (colour && indented && line.find_first_not_of(" \t") == line.size() - 1 && line.back() == '^') {
            paint(line, line.size() - 1, 1);
        }
        fmt::print(stderr, "{}\n", line);
    }
}

void print_error(std::string_view message) {
    print_diagnostics(fmt::format("bcastgen: error: {}\n", printable(message)));
}

void say(std::string_view line) {
    if (!quiet_is_set) fmt::print(stderr, "{}\n", printable(line));
}

void set_quiet(bool quiet) {
    quiet_is_set = quiet;
}

bool is_quiet() {
    return quiet_is_set;
}

}  // namespace bcastgen
