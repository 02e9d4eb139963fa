#include "codegen/audit/code_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/names.hpp"
#include "codegen/audit/read_back.hpp"

namespace bcastgen {

namespace {

bool is_code(std::string_view path) {
    return path.ends_with(".hpp") || path.ends_with(".cpp");
}

/// Words and their lines; a comment runs from # to the line's end, except the first line of a modulefile.
std::vector<CodeToken> words_of(const EmittedFile& file) {
    std::vector<CodeToken> words;
    int number = 0;
    for (std::size_t start = 0; start < file.text.size();) {
        const std::size_t end = std::min(file.text.find('\n', start), file.text.size());
        std::string_view line(file.text.data() + start, end - start);
        start = end + 1;
        ++number;
        if (!line.starts_with("#%")) line = line.substr(0, line.find('#'));
        bool first = true;
        for (std::size_t at = line.find_first_not_of(" \t"); at < line.size(); at = line.find_first_not_of(" \t", at)) {
            const std::size_t stop = std::min(line.find_first_of(" \t", at), line.size());
            // In these files it matters where a line begins.
            words.push_back({(first ? "\n" : "") + std::string(line.substr(at, stop - at)),
                             {file.path, number, static_cast<int>(at) + 1}});
            first = false;
            at = stop;
        }
    }
    return words;
}

std::string shown(const std::vector<CodeToken>& tokens, std::size_t at) {
    if (at >= tokens.size()) return "the end of the file";
    const std::string& text = tokens[at].text;
    return in_quotes(text.starts_with('\n') ? text.substr(1) : text);
}

void compare_file(const EmittedFile& expected, const EmittedFile& found, const ReportFact& report) {
    const bool code = is_code(expected.path);
    const std::vector<CodeToken> should = code ? tokens_of(expected) : words_of(expected);
    const std::vector<CodeToken> is = code ? tokens_of(found) : words_of(found);
    std::size_t at = 0;
    while (at < should.size() && at < is.size() && should[at].text == is[at].text) ++at;
    if (at == should.size() && at == is.size()) return;
    const CodePlace last = is.empty() ? CodePlace{expected.path, 1, 1} : is.back().place;
    report(at < is.size() ? is[at].place : last,
           fmt::format("not what bcastgen emits: expected {}, found {}", shown(should, at), shown(is, at)));
}

/// The comment lines that state a tree's height and stage, with their places.
std::vector<CodeToken> claims_of(const EmittedFile& file) {
    std::vector<CodeToken> claims;
    int number = 0;
    for (std::size_t start = 0; start < file.text.size();) {
        const std::size_t end = std::min(file.text.find('\n', start), file.text.size());
        const std::string line = file.text.substr(start, end - start);
        start = end + 1;
        ++number;
        if (line.starts_with("// ") && line.find("height") != std::string::npos &&
            line.find(", stage ") != std::string::npos) {
            claims.push_back({line, {file.path, number, 4}});
        }
    }
    return claims;
}

}  // namespace

void compare_code(const std::vector<EmittedFile>& expected, const std::vector<EmittedFile>& found,
                  const ReportFact& report) {
    const auto same_path = [](const std::vector<EmittedFile>& files, const std::string& path) {
        return std::find_if(files.begin(), files.end(), [&](const EmittedFile& file) { return file.path == path; });
    };
    for (const EmittedFile& file : expected) {
        if (file.path.ends_with(".md")) continue;
        const auto at = same_path(found, file.path);
        if (at == found.end()) {
            report({file.path, 0, 0}, "expected this file, found none");
        } else {
            compare_file(file, *at, report);
        }
    }
    for (const EmittedFile& file : found) {
        if (same_path(expected, file.path) == expected.end()) {
            report({file.path, 0, 0}, "expected no such file: the compiler would look into it for a header");
        }
    }
}

void compare_claims(const EmittedFile& expected, const EmittedFile& found, const ReportFact& report) {
    const std::vector<CodeToken> should = claims_of(expected);
    const std::vector<CodeToken> is = claims_of(found);
    for (std::size_t at = 0; at < is.size(); ++at) {
        const bool known = std::any_of(should.begin(), should.end(),
                                       [&](const CodeToken& claim) { return claim.text == is[at].text; });
        if (known) continue;
        const std::string truth = is.size() == should.size() ? in_quotes(should[at].text) : "one that was proved";
        report(is[at].place,
               fmt::format("a comment claims what is not so: expected {}, found {}", truth, in_quotes(is[at].text)));
    }
}

}  // namespace bcastgen
