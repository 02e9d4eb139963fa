// Times as people read them.
#pragma once

#include <string>

namespace bcastgen {

/// Three digits that mean something: 0.81 us, 35.1 us, 1.07 ms, 106 ms, 2.41 s.
[[nodiscard]] std::string time_text(double microseconds);

}  // namespace bcastgen
