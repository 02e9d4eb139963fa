// Pictures of graphs, by Graphviz.
#pragma once

#include <string>
#include <string_view>

namespace bcastgen {

/// The SVG picture of a graph in the dot language, in ranks from top to bottom. The same graph always gives the same
/// picture. Throws std::runtime_error if Graphviz cannot draw it. One thread at a time: Graphviz is not safe for more.
[[nodiscard]] std::string graph_svg(const std::string& dot);

/// The text as a string of the dot language, whatever it holds.
[[nodiscard]] std::string dot_string(std::string_view text);

}  // namespace bcastgen
