#include "codegen/audit/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "base/utf8.hpp"

namespace bcastgen {

namespace {

/// Letters, signs and pictures that nobody takes for others. Not among them: Greek, Cyrillic and others' letters that
/// look like Latin ones, dotless i, long s, letters as mathematical signs, all that is blank or has no width.
bool is_plain(const Utf8Character& character) {
    constexpr struct {
        char32_t first, last;
    } ranges[] = {
        {'\t', '\t'},     {0x20, 0x7e},     {0xa1, 0xac},     {0xae, 0x130},    {0x132, 0x137},
        {0x139, 0x17e},   {0x2010, 0x2027}, {0x2030, 0x205e}, {0x20a0, 0x20bf},  // dashes, quotes, currencies
        {0x2190, 0x245f}, {0x2500, 0x27bf},                                      // arrows, mathematics, boxes, dingbats
        {0x3001, 0x303f}, {0x3041, 0x30ff}, {0x4e00, 0x9fff}, {0xac00, 0xd7a3}, {0x1f300, 0x1faff},
    };
    return character.bytes > 0 && std::any_of(std::begin(ranges), std::end(ranges), [&](const auto& range) {
               return character.code >= range.first && character.code <= range.last;
           });
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (lines.back().ends_with('\r')) lines.back().remove_suffix(1);
    }
    return lines;
}

void check_characters(const EmittedFile& file, const ReportFact& report) {
    const std::string& text = file.text;
    CodePlace place{file.path, 1, 1};
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '\n') {
            ++place.line;
            place.column = 1;
            ++at;
            continue;
        }
        if (text[at] >= ' ' && text[at] <= '~') {  // nearly all are
            ++place.column;
            ++at;
            continue;
        }
        const bool line_end = text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n';
        const Utf8Character character = decode_utf8(text, at);
        if (!line_end && !is_plain(character)) {
            const std::string found = character.bytes > 1
                                          ? fmt::format("U+{:04X}", static_cast<std::uint32_t>(character.code))
                                          : fmt::format("byte 0x{:02x}", static_cast<unsigned char>(text[at]));
            report(place, fmt::format("expected characters that everybody reads alike, found {}", found));
            return;
        }
        place.column += static_cast<int>(character.bytes);
        at += character.bytes;
    }
}

std::string plain(std::string_view line) {
    std::string shown(line);
    for (std::size_t at = 0; at < line.size();) {
        const Utf8Character character = decode_utf8(line, at);
        const std::size_t bytes = std::max<std::size_t>(character.bytes, 1);
        if (!is_plain(character)) shown.replace(at, bytes, bytes, '?');
        at += bytes;
    }
    return shown;
}

void check_line_ends(const EmittedFile& file, const ReportFact& report) {
    int number = 0;
    for (const std::string_view line : lines_of(file.text)) {
        ++number;
        const std::string_view shown = line.substr(0, line.find_last_not_of(" \t") + 1);
        if (!shown.ends_with('\\') && !shown.ends_with("?\?/")) continue;
        report({file.path, number, static_cast<int>(shown.size())},
               "expected a line that ends here, found one that some readers go on with in the next");
        return;
    }
}

}  // namespace bcastgen
