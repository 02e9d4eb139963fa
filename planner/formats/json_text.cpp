#include "planner/formats/json_text.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/source_text.hpp"

namespace bcastgen {

namespace {

Place place_of(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const std::size_t line = before.rfind('\n');
    const std::size_t start = line == std::string_view::npos ? 0 : line + 1;
    return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
            static_cast<int>(before.size() - start) + 1};
}

/// Of the library's message the part "syntax error while parsing value - invalid literal; …".
std::string reason(const std::string& message) {
    const std::size_t colon = message.rfind(": ", message.find(" - "));
    return colon == std::string::npos ? message : message.substr(colon + 2);
}

}  // namespace

std::string checked_json(const ImportFile& file) {
    try {
        [[maybe_unused]] const nlohmann::json parsed = nlohmann::json::parse(file.text);
    } catch (const nlohmann::json::parse_error& error) {
        SourceText source(file.text, file.name);
        Place place = place_of(file.text, error.byte > 0 ? error.byte - 1 : 0);
        if (static_cast<std::size_t>(place.line) > source.lines().size() &&
            place.line > 1) {  // after the last line end
            place.line = static_cast<int>(source.lines().size());
            place.column = source.lines().empty() ? 1 : static_cast<int>(source.lines().back().size()) + 1;
        }
        source.error(place, "no JSON: " + reason(error.what()));
        source.throw_if_errors();
    }
    std::string text = file.text;
    std::replace(text.begin(), text.end(), '\t', ' ');  // YAML indents with spaces; JSON's strings hold no tab
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
