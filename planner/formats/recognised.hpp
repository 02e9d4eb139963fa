// What a file looks like that was given where another kind was expected.
#pragma once

#include <string>
#include <string_view>

namespace bcastgen {

/// The format, as import names it, that a text seems to have; "lstopo" for hwloc's XML; empty: none that is known.
/// Looks at the beginning only.
[[nodiscard]] std::string recognised_format(std::string_view text);

/// Why lstopo's XML is of no use, and what is.
[[nodiscard]] std::string lstopo_advice();

}  // namespace bcastgen
