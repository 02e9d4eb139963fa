#include "tests/codegen/audit/random_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "codegen/audit/code_text.hpp"
#include "codegen/audit/plain_text.hpp"

namespace bcastgen::testing {

namespace fs = std::filesystem;

namespace {

using Library = SampleDirectory;
using Random = std::mt19937;

template <class List>
const auto& one_of(const List& list, Random& random) {
    return list[random() % std::size(list)];
}

const std::string generated[] = {"site_plan.hpp", "site_tuning.hpp", "mpi_bcast.cpp"};
const std::string others[] = {"CMakeLists.txt", "modulefile"};

std::vector<std::string> copied_files(const Library& library) {
    std::vector<std::string> paths;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(library.path("bcast"))) {
        if (entry.is_regular_file()) paths.push_back(entry.path().lexically_relative(library.path()).generic_string());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
}

std::vector<std::string> lines_with_ends(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        lines.push_back(text.substr(at, end - at));
        at = end;
    }
    return lines;
}

std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line;
    return text;
}

std::size_t offset_of(const std::string& text, const CodePlace& place) {
    std::size_t start = 0;
    for (int line = 1; line < place.line; ++line) start = text.find('\n', start) + 1;
    return start + static_cast<std::size_t>(place.column) - 1;
}

bool is_word(const std::string& token) {
    return std::isalnum(static_cast<unsigned char>(token.front())) != 0 || token.front() == '_' || token.front() == '"';
}

/// Another token of the same kind: a number, a text, a name of the same file.
std::string another(const CodeToken& token, const std::vector<CodeToken>& tokens, Random& random) {
    const char first = token.text.front();
    if (first >= '0' && first <= '9')
        return std::to_string(std::strtoull(token.text.c_str(), nullptr, 0) + 1 + random() % 3);
    if (first == '"') return "\"x" + token.text.substr(1);
    std::vector<std::string> names;
    for (const CodeToken& other : tokens) {
        const char c = other.text.front();
        if ((std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_') && other.text != token.text)
            names.push_back(other.text);
    }
    return one_of(names, random);
}

// ---- Changes that matter ----

Change change_token(const Library& library, Random& random) {
    const std::string& path = one_of(generated, random);
    std::string text = library.text(path);
    const std::vector<CodeToken> tokens = tokens_of({path, text}).tokens;
    const std::size_t number = random() % (tokens.size() - 2);
    const CodeToken& token = tokens[number];
    const std::size_t at = offset_of(text, token.place);
    const CodeToken& next = tokens[number + 2];
    const unsigned kind = random() % 8;
    if (token.text.front() == '\n') return "";
    std::string now;
    if (kind == 0) {
        now = "";
    } else if (kind == 1) {
        now = token.text + " " + token.text;
    } else if (is_word(token.text) && kind < 5 && tokens[number + 1].text == "," && is_word(next.text) &&
               next.text != token.text) {
        const std::size_t there = offset_of(text, next.place);
        text.replace(there, next.text.size(), token.text);
        now = next.text;
    } else if (is_word(token.text)) {
        now = another(token, tokens, random);
    } else {
        now = token.text + ";";
    }
    library.write(path, text.replace(at, token.text.size(), now));
    return fmt::format("{}:{}:{}: {} -> {}", path, token.place.line, token.place.column, token.text, now);
}

Change change_directive(const Library& library, Random& random) {
    const std::string& path = one_of(generated, random);
    std::vector<std::string> lines = lines_with_ends(library.text(path));
    std::vector<std::size_t> directives;
    for (std::size_t at = 0; at < lines.size(); ++at) {
        if (lines[at].front() == '#') directives.push_back(at);
    }
    const std::size_t at = one_of(directives, random);
    const std::string was = lines[at];
    const std::string more[] = {"#define site elsewhere\n", "#undef NULL\n", "#include <cmath>\n", "#if 0\n#endif\n",
                                "#pragma pack(1)\n"};
    if (random() % 2 == 0) {
        lines[at] = "";
    } else {
        lines[at] = random() % 2 == 0 ? one_of(more, random) : was + one_of(more, random);
    }
    library.write(path, joined(lines));
    return fmt::format("{}: {} -> {}", path, was, lines[at]);
}

Change change_copied_byte(const Library& library, Random& random) {
    const std::string path = one_of(copied_files(library), random);
    std::string text = library.text(path);
    const std::size_t at = random() % text.size();
    const char now = static_cast<char>(' ' + random() % 95);
    if (text[at] == '\n' || text[at] == now) return "";
    const Change what = fmt::format("{} at {}: {} -> {}", path, at, text[at], now);
    text[at] = now;
    library.write(path, text);
    return what;
}

Change change_copied_lines(const Library& library, Random& random) {
    const std::string path = one_of(copied_files(library), random);
    std::vector<std::string> lines = lines_with_ends(library.text(path));
    const std::size_t at = random() % (lines.size() - 1);
    const std::string was = lines[at];
    if (random() % 2 == 0) {
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
        if (lines[at] == lines[at + 1]) return "";
        std::swap(lines[at], lines[at + 1]);
    }
    library.write(path, joined(lines));
    return fmt::format("{}:{}: {} gone or swapped", path, at + 1, was);
}

Change change_word(const Library& library, Random& random) {
    const std::string& path = one_of(others, random);
    const EmittedFile file{path, library.text(path)};
    const std::vector<CodeToken> words = path == "modulefile" ? words_of_modulefile(file) : words_of_build_file(file);
    const CodeToken& word = one_of(words, random);
    std::string was = word.text;
    if (was.front() == '\n') was.erase(0, 1);
    const std::string instead[] = {"", was + "x", was.substr(1), was + " " + was, was + "\n", "[x]", "\"" + was + "\""};
    const std::string& now = one_of(instead, random);
    std::string text = file.text;
    const std::size_t at = offset_of(text, word.place);
    // Among CMake's arguments a line's end is a blank like others, and two of them are like one.
    if (now == was + "\n" && (path == "CMakeLists.txt" || text[at + was.size()] == '\n')) return "";
    library.write(path, text.replace(at, was.size(), now));
    return fmt::format("{}:{}: {} -> {}", path, word.place.line, was, now);
}

Change change_command(const Library& library, Random& random) {
    const std::string& path = one_of(others, random);
    std::vector<std::string> lines = lines_with_ends(library.text(path));
    const std::size_t at = random() % lines.size();
    const std::size_t with = random() % lines.size();
    const auto is_code = [&](const std::string& line, std::size_t number) {
        const std::size_t first = line.find_first_not_of(" \t\n");
        return first != std::string::npos && (line[first] != '#' || (number == 0 && path == "modulefile"));
    };
    if (!is_code(lines[at], at)) return "";
    const std::string was = lines[at];
    if (random() % 2 == 0) {
        lines[at] = "\n";
    } else {
        if (lines[at] == lines[with] || !is_code(lines[with], with)) return "";
        std::swap(lines[at], lines[with]);
    }
    library.write(path, joined(lines));
    return fmt::format("{}:{}: {} gone or at {}", path, at + 1, was, with + 1);
}

Change change_files(const Library& library, Random& random) {
    std::vector<std::string> all = copied_files(library);
    all.insert(all.end(), std::begin(others), std::end(others));
    all.emplace_back("mpi_bcast.cpp");
    const std::string one = one_of(all, random);
    const std::string other = one_of(all, random);
    const std::string strangers[] = {"vector",
                                     "mpi.h",
                                     "sys/socket.h",
                                     "bcast/facts/cstdint",
                                     "bcast/x.hpp",
                                     "site.ipp",
                                     "CMakePresets.json",
                                     "cmake/x.cmake",
                                     "Makefile",
                                     "build/mpich/build.ninja",
                                     ".modulerc"};
    switch (random() % 4) {
        case 0:
            fs::remove(library.path(one));
            return one + " removed";
        case 1: {
            const std::string& stranger = one_of(strangers, random);
            library.write(stranger, "");
            return stranger + " added";
        }
        case 2:
            library.link(one, "/dev/null");
            return one + " a link";
        default:
            if (one == other) return "";
            library.write(one, library.text(other));
            return one + " from " + other;
    }
}

}  // namespace

Change change_meaning(const Library& library, Random& random) {
    constexpr Change (*changes[])(const Library&, Random&) = {change_token,       change_token, change_token,
                                                              change_directive,   change_word,  change_command,
                                                              change_copied_byte, change_files, change_copied_lines};
    Change change;
    while (change.empty()) change = one_of(changes, random)(library, random);
    return change;
}

int number_of_changes(int draw) {
    const char* const count = std::getenv("BCASTGEN_CHANGES");
    return count == nullptr ? draw : std::atoi(count);
}

}  // namespace bcastgen::testing
