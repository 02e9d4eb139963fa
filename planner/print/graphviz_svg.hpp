// Pictures of graphs, by Graphviz.
#pragma once

#include <string>
#include <string_view>

namespace bcastgen {

/// The picture, SVG, of a graph in the dot language. `layout`: which of Graphviz's lays it out ("dot" in ranks from top
/// to bottom, "neato" by springs). The same graph always gives the same picture. Throws std::runtime_error if Graphviz
/// cannot. One thread at a time, since Graphviz is so made.
[[nodiscard]] std::string graph_svg(const std::string& dot, const std::string& layout);

/// A string of the dot language, safe whatever it holds.
[[nodiscard]] std::string dot_string(std::string_view text);

}  // namespace bcastgen
