// What small messages were measured to take, as a tuning file says it under "measured":
//
//   overhead: 1.7us, latency: 80us, answer: 1ns, receive: 1.2us, between: {overhead: 1.6us to 1.8us, latency: …}
#pragma once

#include <string>

#include "base/yaml/yaml_source.hpp"
#include "planner/decision/decision_table.hpp"

namespace bcastgen {

/// ", overhead: …": what comes after the other entries; nothing if nothing was measured.
[[nodiscard]] std::string measured_sends_text(const DecisionTable& table);

/// Takes over what the fields of `map` say of sends: all of overhead, latency and answer, or none. What is wrong is
/// reported.
void read_measured_sends(YamlSource& source, const YamlNode& map, const YamlFields& fields, DecisionTable& table);

}  // namespace bcastgen
