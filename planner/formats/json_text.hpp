// JSON as a tree of values with their places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/yaml_source.hpp"
#include "planner/formats/imported.hpp"

namespace bcastgen {

/// JSON is YAML, whose reader knows the place of each value; but what is not JSON is refused first, in JSON's terms.
/// Throws InputErrors. `text` is what to build a YamlSource from.
[[nodiscard]] std::string checked_json(const ImportFile& file);

/// The value of a map's key; null for other nodes and absent keys.
[[nodiscard]] const YamlNode* value_of(const YamlNode* node, std::string_view key);

/// A list's items, or the node itself as the only one; nothing for null.
[[nodiscard]] std::vector<const YamlNode*> one_or_more(const YamlNode* node);

/// Text of a scalar; empty for anything else.
[[nodiscard]] std::string text_of(const YamlNode* node);

}  // namespace bcastgen
