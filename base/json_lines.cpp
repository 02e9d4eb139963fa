#include "base/json_lines.hpp"

#include <nlohmann/json.hpp>

namespace bcastgen {

namespace {

using Json = nlohmann::ordered_json;

std::string member(const std::string& key, const Json& value) {
    std::string text = "  " + Json(key).dump() + ": ";
    if (!value.is_array() || value.empty() || !value.front().is_object()) return text + value.dump();
    text += "[\n";
    for (std::size_t i = 0; i < value.size(); ++i) {
        text += "    " + value[i].dump() + (i + 1 < value.size() ? ",\n" : "\n");
    }
    return text + "  ]";
}

}  // namespace

std::string json_lines(const nlohmann::ordered_json& object) {
    std::string text = "{\n";
    std::size_t left = object.size();
    for (const auto& [key, value] : object.items()) text += member(key, value) + (--left > 0 ? ",\n" : "\n");
    return text + "}\n";
}

}  // namespace bcastgen
