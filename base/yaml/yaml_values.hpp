// Single values of a YAML file: scalars, counts, names, hostlists. Each reader reports what it refuses and returns
// nothing for it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/yaml_source.hpp"

namespace bcastgen {

/// A name or number as written; `what` is "a bandwidth".
std::optional<std::string> read_scalar(YamlSource& source, const YamlNode* node, std::string_view what);
std::optional<int> read_count(YamlSource& source, const YamlNode* node, std::string_view what, int least, int most);
/// False, and reported, unless the text of `name` is a safe name (names.hpp).
bool check_name(YamlSource& source, const YamlNode& name, std::string_view what);

/// The names that one item of a hostlist stands for.
struct NamedItem {
    Place place;
    std::vector<std::string> names;
};
/// A hostlist, or a list of them. Items that cannot be expanded are reported and left out; the beginnings of their
/// names, as far as they are known, are added to `refused_prefixes`.
std::vector<NamedItem> read_hostlist(YamlSource& source, const YamlNode* node,
                                     std::vector<std::string>& refused_prefixes);

}  // namespace bcastgen
