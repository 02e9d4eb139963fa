#include "codegen/audit/code_text.hpp"

#include <clang/Basic/IdentifierTable.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "codegen/audit/fact_reader.hpp"

namespace bcastgen {

namespace {

clang::LangOptions cpp17() {
    clang::LangOptions language;
    language.CPlusPlus = language.CPlusPlus11 = language.CPlusPlus14 = language.CPlusPlus17 = true;
    language.Bool = language.GNUKeywords = true;
    return language;
}

/// The line of the # at `at` as a token. Blanks after the # and the directive's name, and a comment at the end, do not
/// matter; all else does, between < and > even blanks.
std::string directive_at(const std::string& text, std::size_t at) {
    const std::size_t start = text.rfind('\n', at) + 1;
    std::string_view line(text.data() + start, std::min(text.find('\n', at), text.size()) - start);
    constexpr std::string_view blanks = " \t\r";
    const auto trimmed = [&](std::string_view part) {
        part.remove_prefix(std::min(part.find_first_not_of(blanks), part.size()));
        return part.substr(0, part.find_last_not_of(blanks) + 1);
    };
    if (trimmed(line.substr(0, at - start)).empty()) line = trimmed(line.substr(at - start + 1));
    const std::size_t name = std::min(line.find_first_of(" \t<\"/"), line.size());
    std::string_view rest = trimmed(line.substr(name));
    const std::size_t comment = std::min(rest.find("//"), rest.size());
    const std::size_t block = rest.find("/*");
    if (comment < block) {
        rest = trimmed(rest.substr(0, comment));
    } else if (block < rest.size() && rest.find("*/") == rest.size() - 2) {
        rest = trimmed(rest.substr(0, block));
    }
    return fmt::format("\n#{} {}", line.substr(0, name), rest);
}

}  // namespace

CodeText tokens_of(const EmittedFile& file) {
    clang::SourceManagerForFile holder(file.path, file.text);
    clang::SourceManager& sources = holder.get();
    const clang::LangOptions language = cpp17();
    const clang::FileID id = sources.getMainFileID();
    clang::Lexer lexer(id, sources.getBufferOrFake(id), sources, language);
    lexer.SetCommentRetentionState(true);
    CodeText text;
    int directive_line = 0;
    for (clang::Token token; !lexer.LexFromRawLexer(token) || token.isNot(clang::tok::eof);) {
        if (token.is(clang::tok::eof)) break;
        CodePlace place = place_of(sources, token.getLocation());
        place.file = file.path;
        std::string spelling = clang::Lexer::getSpelling(token, sources, language);
        if (token.is(clang::tok::comment)) {
            text.comments.push_back({std::move(spelling), std::move(place)});
        } else if (token.is(clang::tok::hash)) {
            directive_line = place.line;
            spelling = directive_at(file.text, sources.getFileOffset(token.getLocation()));
            text.tokens.push_back({std::move(spelling), std::move(place)});
        } else if (place.line != directive_line) {
            text.tokens.push_back({std::move(spelling), std::move(place)});
        }
    }
    return text;
}

bool is_keyword(const std::string& word) {
    static const clang::IdentifierTable known(cpp17());
    const auto at = known.find(word);
    return at != known.end() && at->second->getTokenID() != clang::tok::identifier;
}

}  // namespace bcastgen
