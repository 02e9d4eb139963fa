#include "base/source_text.hpp"

#include <optional>
#include <utility>

#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace bcastgen {

SourceText::SourceText(std::string_view text, std::string file) : errors_(std::move(file)) {
    text = without_byte_order_mark(text);
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines_.push_back(line);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
}

void SourceText::refuse_unprintable() {
    for (std::size_t number = 0; number < lines_.size(); ++number) {
        const std::string_view line = lines_[number];
        const std::optional<std::size_t> at = first_unprintable(line);
        if (!at) continue;
        error({static_cast<int>(number) + 1, static_cast<int>(*at) + 1}, describe_unprintable(line, *at));
        return;
    }
}

void SourceText::error(Place place, std::string message) {
    const auto line = static_cast<std::size_t>(place.line);
    const bool known = line >= 1 && line <= lines_.size();
    errors_.add(place.line, place.column, std::move(message), known ? lines_[line - 1] : "");
}

void SourceText::error_in_file(std::string message) {
    errors_.add(0, 0, std::move(message), "");
}

}  // namespace bcastgen
