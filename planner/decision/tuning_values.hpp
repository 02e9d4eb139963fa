// The values of a tuning file, read with what does not fit reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/yaml/yaml_source.hpp"
#include "planner/decision/decision_table.hpp"

namespace bcastgen {

/// The text of a required scalar; reported when absent or no scalar.
std::optional<std::string> required(YamlSource& source, const YamlNode& map, const YamlFields& fields,
                                    std::string_view key);

/// A value that says what the file is for; `advice` is what to do if it is for something else.
void require_value(YamlSource& source, const YamlNode& map, const YamlFields& fields, std::string_view key,
                   const std::string& wanted, const std::string& advice);

/// "8", "2-8" or "9-". False, and reported, for anything else.
bool read_range(YamlSource& source, const YamlNode& map, const YamlFields& fields, std::string_view key, int& from,
                int& to);

std::optional<std::size_t> read_size(YamlSource& source, const YamlNode& node);

/// The algorithm called so; reported if there is none.
std::optional<TableAlgorithm> read_algorithm(YamlSource& source, const YamlNode& map, const YamlFields& fields);

/// 0 if there is none.
std::size_t read_segment(YamlSource& source, const YamlFields& fields, std::optional<TableAlgorithm> algorithm);

/// Messages if there is none: tables from before there was a choice say nothing of it.
bcast::HandOn read_hand_on(YamlSource& source, const YamlFields& fields, std::optional<TableAlgorithm> algorithm);

/// Nothing, and reported, if there is none.
std::optional<bcast::Arrival> read_arrival(YamlSource& source, const YamlNode& map, const YamlFields& fields);

/// What stands under "validated"; nothing for no node.
TableValidation read_validation(YamlSource& source, const YamlNode* node);

}  // namespace bcastgen
