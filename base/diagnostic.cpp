#include "base/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/parse_error.hpp"
#include "base/printable.hpp"
#include "base/utf8.hpp"
#include "base/wording.hpp"

namespace bcastgen {

namespace {

std::size_t beyond_shown(const std::vector<Diagnostic>& diagnostics) {
    return diagnostics.size() - std::min(diagnostics.size(), most_shown_errors);
}

std::string render_all(const std::vector<Diagnostic>& diagnostics, std::size_t more) {
    std::string text;
    for (std::size_t i = 0; i < diagnostics.size() - beyond_shown(diagnostics); ++i) text += render(diagnostics[i]);
    if (more > 0) {
        text += fmt::format("… and {}{}\n", counted(more, "more error", "more errors"),
                            more >= most_counted_errors ? "; reading ended there" : "");
    }
    return text;
}

constexpr std::size_t shown_before = 60;  // bytes of a long line before the caret
constexpr std::size_t shown_bytes = 160;

struct Excerpt {
    std::string text;
    std::size_t caret;  // byte of the text
};

/// The line, or of a long one the part around the caret, with an ellipsis on each side that was cut.
Excerpt excerpt_of(const Diagnostic& diagnostic) {
    constexpr std::string_view ellipsis = "…";
    const std::string& line = diagnostic.source_line;
    const auto column = static_cast<std::size_t>(std::max(0, diagnostic.column - 1));
    const std::size_t caret = column - std::min(column, diagnostic.cut_bytes);
    if (line.size() <= shown_bytes && diagnostic.cut_bytes == 0) return {line, std::min(caret, line.size())};
    std::size_t start = caret > shown_before ? std::min(caret - shown_before, line.size()) : 0;
    while (start > 0 && start < line.size() && is_utf8_continuation(line[start])) --start;
    std::size_t end = std::min(line.size(), start + shown_bytes);
    while (end < line.size() && is_utf8_continuation(line[end])) ++end;
    std::string text = start + diagnostic.cut_bytes > 0 ? std::string(ellipsis) : "";
    const std::size_t shift = text.size();
    text += line.substr(start, end - start);
    if (end < line.size()) text += ellipsis;
    return {text, std::min(caret, end) - start + shift};
}

/// Blanks as wide as the text; tabs are kept, so that what comes next stands under its column on any terminal.
std::string blanks_for(std::string_view text) {
    std::string blanks;
    for (const char c : text) {
        if (!is_utf8_continuation(c)) blanks += c == '\t' ? '\t' : ' ';
    }
    return blanks;
}

/// A message in one line, however much of the input it quotes.
std::string message_text(const std::string& message) {
    constexpr std::size_t longest = 2000;
    std::string text = printable(std::string_view(message).substr(0, longest));
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos;) text.replace(at, 1, "\\n");
    return message.size() > longest ? text + "…" : text;
}

}  // namespace

std::string render(const Diagnostic& diagnostic) {
    const std::string file = printable_columns(diagnostic.file);
    const std::string message = message_text(diagnostic.message);
    if (diagnostic.line == 0) return fmt::format("{}: error: {}\n", file, message);
    const Excerpt excerpt = excerpt_of(diagnostic);
    const std::string before = printable_columns(std::string_view(excerpt.text).substr(0, excerpt.caret));
    const std::string after = printable_columns(std::string_view(excerpt.text).substr(excerpt.caret));
    return fmt::format("{}:{}:{}: error: {}\n    {}{}\n    {}^\n", file, diagnostic.line, diagnostic.column, message,
                       before, after, blanks_for(before));
}

InputErrors::InputErrors(std::vector<Diagnostic> diagnostics, std::size_t more)
    : std::runtime_error(render_all(diagnostics, more + beyond_shown(diagnostics))),
      more_(more + beyond_shown(diagnostics)),
      diagnostics_(std::move(diagnostics)) {
    if (diagnostics_.size() > most_shown_errors) diagnostics_.resize(most_shown_errors);
}

void ErrorList::add(int line, int column, std::string message, std::string_view source_line) {
    const auto before = [](const Diagnostic& a, const Diagnostic& b) {
        return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    };
    Diagnostic error{file_, line, column, std::move(message), ""};
    if (first_.size() == most_shown_errors) {
        if (++more_ == most_counted_errors) throw_if_any();
        if (!before(error, first_.back())) return;
        first_.pop_back();
    }
    // A little more than is shown, so that an excerpt sees where the line was cut.
    const auto caret = static_cast<std::size_t>(std::max(0, column - 1));
    const std::size_t start = caret > 2 * shown_before ? std::min(caret - 2 * shown_before, source_line.size()) : 0;
    error.source_line = source_line.substr(start, 2 * shown_bytes);
    error.cut_bytes = start;
    first_.insert(std::upper_bound(first_.begin(), first_.end(), error, before), std::move(error));
}

void ErrorList::throw_if_any() const {
    if (!first_.empty()) throw InputErrors(first_, more_);
}

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
