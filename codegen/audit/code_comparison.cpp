#include "codegen/audit/code_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/names.hpp"
#include "codegen/audit/code_text.hpp"
#include "codegen/audit/plain_text.hpp"

namespace bcastgen {

namespace {

std::string shown(std::string_view text, std::string_view end) {
    return text.empty() ? fmt::format("the end of the {}", end) : in_quotes(text);
}

/// A token for a message, which only says that it begins a line where that is the difference.
std::string shown(const CodeToken* token, const CodeToken* other) {
    if (token == nullptr) return shown("", "file");
    const bool begins = token->text.starts_with('\n');
    const std::string_view text = std::string_view(token->text).substr(begins ? 1 : 0);
    const bool only_difference = other != nullptr && begins && other->text == text;
    return in_quotes(text) + (only_difference ? " on a new line" : "");
}

void report_difference(const CodePlace& place, const std::string& expected, const std::string& found,
                       const ReportFact& report) {
    report(place, fmt::format("not what bcastgen emits: expected {}, found {}", expected, found));
}

}  // namespace

void compare_copies(const EmittedFile& expected, const EmittedFile& found, const ReportFact& report) {
    const std::vector<std::string_view> should = lines_of(expected.text);
    const std::vector<std::string_view> is = lines_of(found.text);
    const auto [line, other] = std::mismatch(should.begin(), should.end(), is.begin(), is.end());
    if (line == should.end() && other == is.end()) return;
    CodePlace place{found.path, static_cast<int>(other - is.begin()) + 1, 1};
    if (line == should.end() || other == is.end()) {
        report_difference(place, line == should.end() ? shown("", "file") : in_quotes(*line),
                          other == is.end() ? shown("", "file") : in_quotes(*other), report);
        return;
    }
    auto at = static_cast<std::size_t>(std::mismatch(line->begin(), line->end(), other->begin(), other->end()).second -
                                       other->begin());
    while (at > 0 && is_name_character((*other)[at - 1])) --at;
    place.column = static_cast<int>(at) + 1;
    // The word that differs, or what follows if none does.
    const auto word = [at](std::string_view text) {
        std::size_t end = at;
        while (end < text.size() && is_name_character(text[end])) ++end;
        return shown(text.substr(at, end == at ? std::string_view::npos : end - at), "line");
    };
    report_difference(place, word(*line), word(*other), report);
}

void compare_tokens(const std::vector<CodeToken>& expected, const std::vector<CodeToken>& found,
                    const std::string& path, const ReportFact& report) {
    const auto [should, is] = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end(),
                                            [](const CodeToken& a, const CodeToken& b) { return a.text == b.text; });
    if (should == expected.end() && is == found.end()) return;
    const CodePlace last = found.empty() ? CodePlace{path, 1, 1} : found.back().place;
    const CodeToken* const wanted = should == expected.end() ? nullptr : &*should;
    const CodeToken* const there = is == found.end() ? nullptr : &*is;
    report_difference(there == nullptr ? last : there->place, shown(wanted, there), shown(there, wanted), report);
}

std::vector<CodeToken> directives_of(const std::vector<CodeToken>& tokens) {
    std::vector<CodeToken> directives;
    std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(directives),
                 [](const CodeToken& token) { return token.text.starts_with("\n#"); });
    return directives;
}

void check_lengths(const std::vector<CodeToken>& tokens, const ReportFact& report) {
    constexpr int longest = 16;  // tokens; an empty switch_links takes 11
    int length = 0;
    for (const CodeToken& token : tokens) {
        const bool ends = token.text == "," || token.text == ";" || token.text == "{" || token.text == "}";
        length = ends || token.text.starts_with('\n') ? 0 : length + 1;
        if (length <= longest) continue;
        report(token.place,
               fmt::format("not what bcastgen emits: expected at most {} tokens between commas, found more", longest));
        return;
    }
}

void check_contents(const std::vector<CodeToken>& tokens, const ReportFact& report) {
    constexpr std::string_view of_tables[] = {"namespace", "inline",  "constexpr",  "const", "int",
                                              "unsigned",  "long",    "char",       "bool",  "true",
                                              "false",     "nullptr", "static_cast"};
    for (std::size_t at = 0; at < tokens.size(); ++at) {
        const std::string& text = tokens[at].text;
        const auto follows = [&](std::size_t by, std::string_view other) {
            return at + by < tokens.size() && tokens[at + by].text == other;
        };
        const bool has_a_size =
            text == "[" && !(at > 0 && is_name_character(tokens[at - 1].text.back()) && follows(1, "]"));
        const bool foreign = text.starts_with("__") || (text == "std" && !(follows(1, "::") && follows(2, "uint64_t")));
        const bool code =
            is_keyword(text) && std::find(std::begin(of_tables), std::end(of_tables), text) == std::end(of_tables);
        const bool strange = has_a_size || text == "<:" || foreign || code;
        if (!strange) continue;
        report(tokens[at].place,
               fmt::format("not what bcastgen emits: expected tables and their values, found {}", in_quotes(text)));
        return;
    }
}

}  // namespace bcastgen
