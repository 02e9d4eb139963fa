// JSON that people and line-based tools (diff, grep) can read too.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace bcastgen {

/// An object with a line for each member; in a member that is a list of objects each of those has a line.
[[nodiscard]] std::string json_lines(const nlohmann::ordered_json& object);

}  // namespace bcastgen
