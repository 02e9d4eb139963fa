// Reading the values of a YamlSource; what does not fit is reported.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "base/names.hpp"
#include "base/yaml/yaml_source.hpp"

namespace bcastgen {

std::string describe(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::nothing:
            return "nothing";
        case YamlNode::Kind::list:
            return "a list";
        case YamlNode::Kind::map:
            return "a map";
        case YamlNode::Kind::scalar:
            break;
    }
    return in_quotes(node.text);
}

std::vector<YamlPair> map_entries(YamlSource& source, const YamlNode* node, std::string_view what) {
    std::vector<YamlPair> entries;
    if (node == nullptr || node->kind == YamlNode::Kind::nothing) return entries;
    if (node->kind != YamlNode::Kind::map) {
        source.error(*node, fmt::format("{} is a map of \"key: value\" entries, not {}", what, describe(*node)));
        return entries;
    }
    std::unordered_map<std::string_view, int> first_lines;
    for (const YamlPair& pair : node->pairs) {
        if (pair.key->kind != YamlNode::Kind::scalar) {
            source.error(*pair.key, fmt::format("a key of {} is a word, not {}", what, describe(*pair.key)));
            continue;
        }
        const auto [first, is_new] = first_lines.emplace(pair.key->text, pair.key->place.line);
        if (is_new) {
            entries.push_back(pair);
        } else {
            source.error(*pair.key, fmt::format("key {} is repeated; it stands on line {} already",
                                                in_quotes(pair.key->text), first->second));
        }
    }
    return entries;
}

std::vector<const YamlNode*> list_items(YamlSource& source, const YamlNode* node, std::string_view what) {
    if (node == nullptr || node->kind == YamlNode::Kind::nothing) return {};
    if (node->kind == YamlNode::Kind::list) return node->items;
    source.error(*node, fmt::format("{} is a list, not {}", what, describe(*node)));
    return {};
}

YamlFields::YamlFields(YamlSource& source, const YamlNode* node, std::string_view what,
                       std::initializer_list<std::string_view> allowed)
    : entries_(map_entries(source, node, what)) {
    const std::vector<std::string> keys(allowed.begin(), allowed.end());
    for (const YamlPair& entry : entries_) {
        if (std::find(keys.begin(), keys.end(), entry.key->text) != keys.end()) continue;
        std::string advice;
        if (const auto meant = closest_name(entry.key->text, keys)) {
            advice = fmt::format("; did you mean {}?", *meant);
            misspelt_.push_back(*meant);
        } else {
            for (const std::string& key : keys) advice += (advice.empty() ? "; there may be: " : ", ") + key;
        }
        source.error(*entry.key, fmt::format("unknown key {} in {}{}", in_quotes(entry.key->text), what, advice));
    }
}

bool YamlFields::lacks(std::string_view key) const {
    return (*this)[key] == nullptr && std::find(misspelt_.begin(), misspelt_.end(), key) == misspelt_.end();
}

const YamlNode* YamlFields::operator[](std::string_view key) const {
    for (const YamlPair& entry : entries_) {
        if (entry.key->text == key) return entry.value;
    }
    return nullptr;
}

}  // namespace bcastgen
