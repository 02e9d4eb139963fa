// Numbers of machines, switches and links are int; what they index wants std::size_t.
#pragma once

#include <cstddef>

namespace bcastgen {

constexpr std::size_t at(int index) {
    return static_cast<std::size_t>(index);
}

}  // namespace bcastgen
