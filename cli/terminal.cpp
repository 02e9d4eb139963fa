#include "cli/terminal.hpp"

#include <fmt/format.h>
#include <langinfo.h>
#include <locale.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "base/printable.hpp"
#include "cli/fitted.hpp"

namespace bcastgen {

namespace {

bool quiet_is_set = false;

constexpr std::string_view red = "\033[1;31m";
constexpr std::string_view plain = "\033[0m";

void paint(std::string& line, std::size_t at, std::size_t size) {
    line.insert(at + size, plain);
    line.insert(at, red);
}

/// What the C library writes to a stream, in ASCII to its file.
ssize_t write_ascii(void* file, const char* text, std::size_t size) {
    const std::string ascii = in_ascii({text, size});
    const int descriptor = static_cast<int>(reinterpret_cast<std::intptr_t>(file));
    for (std::size_t done = 0; done < ascii.size();) {
        const ssize_t count = write(descriptor, ascii.data() + done, ascii.size() - done);
        if (count < 0 && errno != EINTR) return 0;  // fopencookie's word for an error
        if (count > 0) done += static_cast<std::size_t>(count);
    }
    return static_cast<ssize_t>(size);
}

FILE* ascii_stream(int descriptor) {
    cookie_io_functions_t functions{};
    functions.write = write_ascii;
    FILE* stream = fopencookie(reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)), "w", functions);
    if (stream != nullptr && isatty(descriptor) == 1) setvbuf(stream, nullptr, _IOLBF, 0);
    return stream;
}

}  // namespace

bool wants_colour(int descriptor) {
    const char* no_colour = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    const bool refused =
        (no_colour != nullptr && *no_colour != '\0') || (terminal != nullptr && std::string_view(terminal) == "dumb");
    return !refused && isatty(descriptor) == 1;
}

std::size_t columns_of(int descriptor) {
    constexpr std::size_t usual = 80;
    constexpr std::size_t fewest = 40;
    const char* columns = std::getenv("COLUMNS");
    if (const int told = columns == nullptr ? 0 : std::atoi(columns); told > 0)
        return std::max(fewest, static_cast<std::size_t>(told));
    winsize size{};
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
    return std::max<std::size_t>(fewest, size.ws_col);
}

bool has_utf8() {
    const locale_t users = newlocale(LC_CTYPE_MASK, "", nullptr);
    if (users == nullptr)
        return true;  // a name that this host does not know: most likely of a UTF-8 terminal elsewhere
    const bool utf8 = std::string_view(nl_langinfo_l(CODESET, users)) == "UTF-8";
    freelocale(users);
    return utf8;
}

void write_as_locale_can() {
    if (has_utf8()) return;
    stdout = ascii_stream(STDOUT_FILENO);
    stderr = ascii_stream(STDERR_FILENO);
    setvbuf(stderr, nullptr, _IONBF, 0);
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
    if (quiet_is_set) return;
    const std::string text = printable(line) + '\n';
    fmt::print(stderr, "{}", isatty(STDERR_FILENO) == 1 ? fitted(text, columns_of(STDERR_FILENO)) : text);
}

void set_quiet(bool quiet) {
    quiet_is_set = quiet;
}

bool is_quiet() {
    return quiet_is_set;
}

}  // namespace bcastgen
