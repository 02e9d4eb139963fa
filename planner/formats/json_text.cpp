#include "planner/formats/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/source_text.hpp"
#include "base/utf8.hpp"

namespace bcastgen {

namespace {

Place place_of(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const std::size_t line = before.rfind('\n');
    const std::size_t start = line == std::string_view::npos ? 0 : line + 1;
    return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
            static_cast<int>(before.size() - start) + 1};
}

/// What the library's reader says, without its own number: "syntax error while parsing value - invalid literal; …".
std::string reason(const std::string& message) {
    const std::size_t number = message.find("] ");
    const std::string said = number == std::string::npos ? message : message.substr(number + 2);
    const std::size_t colon = said.rfind(": ", said.find(" - "));
    return said.find(" - ") == std::string::npos || colon == std::string::npos ? said : said.substr(colon + 2);
}

/// Looks for what is wrong, and makes nothing of the text.
struct JsonCheck : nlohmann::json_sax<nlohmann::json> {
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception& error) override {
        byte = position > 0 ? position - 1 : 0;
        problem = reason(error.what());
        return false;
    }

    std::size_t byte = 0;
    std::string problem;
};

/// Replaces characters beyond U+FFFF that are written as two escapes, which YAML does not know, by ones that it does
/// and that no name may have. The text stays as long as it is.
void replace_surrogates(std::string& text) {
    constexpr std::size_t escape = 6;  // \ud83d
    for (std::size_t at = 0; (at = text.find('\\', at)) != std::string::npos; at += 2) {
        if (at + escape > text.size() || text[at + 1] != 'u' || (text[at + 2] | 0x20) != 'd') continue;
        if (text[at + 3] >= '8') text.replace(at, escape, "\\uFFFD");
    }
}

}  // namespace

std::string checked_json(const ImportFile& file) {
    std::string text(without_byte_order_mark(file.text));
    JsonCheck check;
    if (!nlohmann::json::sax_parse(text, &check)) {
        SourceText source(text, file.name);
        Place place = place_of(text, check.byte);
        if (static_cast<std::size_t>(place.line) > source.lines().size() &&
            place.line > 1) {  // after the last line end
            place.line = static_cast<int>(source.lines().size());
            place.column = source.lines().empty() ? 1 : static_cast<int>(source.lines().back().size()) + 1;
        }
        source.error(place, "no JSON: " + check.problem);
        source.throw_if_errors();
    }
    std::replace(text.begin(), text.end(), '\t', ' ');  // YAML indents with spaces; JSON's strings hold no tab
    replace_surrogates(text);
    return text;
}

const YamlNode* value_of(const YamlNode* node, std::string_view key) {
    if (node == nullptr || node->kind != YamlNode::Kind::map) return nullptr;
    for (const YamlPair& pair : node->pairs) {
        if (pair.key->text == key) return pair.value;
    }
    return nullptr;
}

std::vector<const YamlNode*> one_or_more(const YamlNode* node) {
    if (node == nullptr || node->kind == YamlNode::Kind::nothing) return {};
    if (node->kind == YamlNode::Kind::list) return node->items;
    return {node};
}

std::string text_of(const YamlNode* node) {
    return node != nullptr && node->kind == YamlNode::Kind::scalar ? node->text : "";
}

}  // namespace bcastgen
