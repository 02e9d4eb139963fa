#include "codegen/audit/words.hpp"

#include <algorithm>
#include <string_view>

#include "codegen/audit/plain_text.hpp"

namespace bcastgen {

namespace {

constexpr std::string_view blanks = " \t";

CodePlace place_in(const EmittedFile& file, int line, std::size_t at) {
    return {file.path, line, static_cast<int>(at) + 1};
}

/// Where the word of a Tcl command that begins at `at` ends.
std::size_t end_of_tcl_word(std::string_view line, std::size_t at) {
    for (bool quoted = false; at < line.size(); ++at) {
        if (line[at] == '"') quoted = !quoted;
        if (!quoted && blanks.find(line[at]) != std::string_view::npos) break;
    }
    return at;
}

}  // namespace

std::vector<CodeToken> words_of_build_file(const EmittedFile& file) {
    std::vector<CodeToken> words;
    int number = 0;
    int depth = 0;  // of parentheses; within them lines end anywhere
    for (const std::string_view line : lines_of(file.text)) {
        ++number;
        bool first = true;
        for (std::size_t at = line.find_first_not_of(blanks); at < line.size();
             at = line.find_first_not_of(blanks, at)) {
            const bool comment = line[at] == '#';
            if (comment && line.substr(at, 2) != "#[") break;
            std::size_t end = line.find_first_of(" \t()#", at);
            if (end == at) end = comment ? line.size() : at + 1;
            end = std::min(end, line.size());
            words.push_back({(first && depth == 0 ? "\n" : "") + std::string(line.substr(at, end - at)),
                             place_in(file, number, at)});
            if (line[at] == '(') ++depth;
            if (line[at] == ')') --depth;
            first = false;
            at = end;
        }
    }
    return words;
}

std::vector<CodeToken> words_of_modulefile(const EmittedFile& file) {
    std::vector<CodeToken> words;
    int number = 0;
    std::ptrdiff_t depth = 0;  // of braces that are still open
    for (const std::string_view line : lines_of(file.text)) {
        ++number;
        std::size_t at = line.find_first_not_of(blanks);
        if (at == std::string_view::npos) continue;
        if (number == 1) at = 0;  // it tells module systems what the file is, by its very first character
        const bool comment = line[at] == '#' && number > 1;
        if (comment && (depth == 0 || line.find_first_of("{}") == std::string_view::npos)) continue;
        depth += std::count(line.begin(), line.end(), '{') - std::count(line.begin(), line.end(), '}');
        for (bool first = true; at < line.size(); at = line.find_first_not_of(blanks, at), first = false) {
            const std::size_t end = end_of_tcl_word(line, at);
            words.push_back({(first ? "\n" : "") + std::string(line.substr(at, end - at)), place_in(file, number, at)});
            at = end;
        }
    }
    return words;
}

}  // namespace bcastgen
