#include "base/yaml/yaml_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/hostlist.hpp"
#include "base/names.hpp"
#include "base/parse_error.hpp"

namespace bcastgen {

std::optional<std::string> read_scalar(YamlSource& source, const YamlNode* node, std::string_view what) {
    if (node == nullptr) return std::nullopt;
    if (node->kind == YamlNode::Kind::scalar) return node->text;
    source.error(*node, fmt::format("expected {}, found {}", what, describe(*node)));
    return std::nullopt;
}

std::optional<int> read_count(YamlSource& source, const YamlNode* node, std::string_view what, int least, int most) {
    const std::optional<std::string> text = read_scalar(source, node, "a whole number");
    if (!text) return std::nullopt;
    int count = 0;
    const char* end = text->data() + text->size();
    const auto [rest, error] = std::from_chars(text->data(), end, count);
    if (error == std::errc{} && rest == end && count >= least && count <= most) return count;
    source.error(*node, fmt::format("{} is a whole number from {} to {}, not {}", what, least, most, in_quotes(*text)));
    return std::nullopt;
}

bool check_name(YamlSource& source, const YamlNode& name, std::string_view what) {
    if (is_safe_name(name.text)) return true;
    source.error(name, fmt::format("{} cannot name {}; names are letters and digits, after the first character also "
                                   ". _ and -, at most {} in all",
                                   in_quotes(name.text), what, longest_name));
    return false;
}

std::vector<NamedItem> read_hostlist(YamlSource& source, const YamlNode* node,
                                     std::vector<std::string>& refused_prefixes) {
    std::vector<const YamlNode*> texts;
    if (node != nullptr && node->kind == YamlNode::Kind::list) {
        texts = node->items;
    } else if (node != nullptr) {
        texts.push_back(node);
    }
    std::vector<NamedItem> items;
    for (const YamlNode* text : texts) {
        if (!read_scalar(source, text, "a hostlist")) {
            refused_prefixes.emplace_back();
            continue;
        }
        const WrittenText written = source.written(*text);
        for (const HostlistItem& item : hostlist_items(text->text)) {
            try {
                if (item.text.empty()) throw ParseError("a name is missing here");
                items.push_back({written.at(item.offset), source.hostlists().expand(item.text)});
            } catch (const ParseError& error) {
                const auto start = std::find_if_not(item.text.begin(), item.text.end(), is_name_character);
                refused_prefixes.emplace_back(item.text.begin(), start);
                source.error(written.at(item.offset + error.offset()), error.what());
            }
        }
    }
    return items;
}

}  // namespace bcastgen
