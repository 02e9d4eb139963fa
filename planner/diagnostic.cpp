#include "diagnostic.hpp"

#include <fmt/format.h>

#include <utility>

namespace bcastgen {

namespace {

std::string render_all(const std::vector<Diagnostic>& diagnostics) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) text += render(diagnostic);
    return text;
}

}  // namespace

std::string render(const Diagnostic& diagnostic) {
    if (diagnostic.line == 0) return fmt::format("{}: error: {}\n", diagnostic.file, diagnostic.message);
    std::string pad;  // tabs are kept so that the caret stands under its column on any terminal
    for (int i = 0; i + 1 < diagnostic.column; ++i) {
        const auto at = static_cast<std::size_t>(i);
        pad += at < diagnostic.source_line.size() && diagnostic.source_line[at] == '\t' ? '\t' : ' ';
    }
    return fmt::format("{}:{}:{}: error: {}\n    {}\n    {}^\n", diagnostic.file, diagnostic.line, diagnostic.column,
                       diagnostic.message, diagnostic.source_line, pad);
}

InputErrors::InputErrors(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(render_all(diagnostics)), diagnostics_(std::move(diagnostics)) {}

}  // namespace bcastgen
