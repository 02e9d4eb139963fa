#include "base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/parse_error.hpp"
#include "base/utf8.hpp"

namespace bcastgen {

namespace {

std::string render_all(const std::vector<Diagnostic>& diagnostics) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) text += render(diagnostic);
    return text;
}

struct Excerpt {
    std::string text;
    std::size_t caret;  // byte of the text
};

// The line, or of a long one the part around byte `caret`, with an ellipsis on each side that was cut.
Excerpt excerpt_around(const std::string& line, std::size_t caret) {
    constexpr std::size_t longest = 160;
    constexpr std::size_t before = 60;
    constexpr std::string_view ellipsis = "…";
    if (line.size() <= longest) return {line, caret};
    std::size_t start = caret > before ? std::min(caret - before, line.size() - 1) : 0;
    while (start > 0 && is_utf8_continuation(line[start])) --start;
    std::size_t end = std::min(line.size(), start + longest);
    while (end < line.size() && is_utf8_continuation(line[end])) ++end;
    std::string text = start > 0 ? std::string(ellipsis) : "";
    const std::size_t shift = text.size();
    text += line.substr(start, end - start);
    if (end < line.size()) text += ellipsis;
    return {text, caret - start + shift};
}

}  // namespace

std::string render(const Diagnostic& diagnostic) {
    if (diagnostic.line == 0) return fmt::format("{}: error: {}\n", diagnostic.file, diagnostic.message);
    const auto caret = static_cast<std::size_t>(std::max(0, diagnostic.column - 1));
    const Excerpt excerpt = excerpt_around(diagnostic.source_line, caret);
    std::string pad;  // tabs are kept so that the caret stands under its column on any terminal
    for (std::size_t at = 0; at < excerpt.caret; ++at) {
        if (at >= excerpt.text.size() || !is_utf8_continuation(excerpt.text[at])) {
            pad += at < excerpt.text.size() && excerpt.text[at] == '\t' ? '\t' : ' ';
        }
    }
    return fmt::format("{}:{}:{}: error: {}\n    {}\n    {}^\n", diagnostic.file, diagnostic.line, diagnostic.column,
                       diagnostic.message, excerpt.text, pad);
}

InputErrors::InputErrors(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(render_all(diagnostics)), diagnostics_(std::move(diagnostics)) {}

void collect(std::vector<Diagnostic>& errors, const std::function<void()>& reading) {
    try {
        reading();
    } catch (const InputErrors& wrong) {
        errors.insert(errors.end(), wrong.diagnostics().begin(), wrong.diagnostics().end());
    }
}

void OptionErrors::add(const std::string& option, const std::string& message) {
    errors_.push_back({option, 0, 0, message, ""});
}

void OptionErrors::add(const std::string& option, const std::string& text, std::size_t offset,
                       const std::string& message) {
    errors_.push_back({option, 1, static_cast<int>(offset) + 1, message, text});
}

void OptionErrors::parse(const std::string& option, const std::string& text, const std::function<void()>& reading) {
    try {
        reading();
    } catch (const ParseError& error) {
        add(option, text, error.offset(), error.what());
    }
}

void OptionErrors::check() const {
    if (!errors_.empty()) throw InputErrors(errors_);
}

}  // namespace bcastgen
