#include "base/source_text.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace bcastgen {

SourceText::SourceText(std::string_view text, std::string file) : file_(std::move(file)) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines_.push_back(line);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

void SourceText::error(Place place, std::string message) {
    const auto line = static_cast<std::size_t>(place.line);
    errors_.push_back({file_, place.line, place.column, std::move(message),
                       line >= 1 && line <= lines_.size() ? std::string(lines_[line - 1]) : ""});
}

void SourceText::error_in_file(std::string message) {
    errors_.push_back({file_, 0, 0, std::move(message), ""});
}

void SourceText::throw_if_errors() {
    if (errors_.empty()) return;
    std::stable_sort(errors_.begin(), errors_.end(), [](const Diagnostic& a, const Diagnostic& b) {
        return std::tie(a.line, a.column) < std::tie(b.line, b.column);
    });
    throw InputErrors(errors_);
}

}  // namespace bcastgen
