// The idle shim (idle_shim.c), compiled: part of the tool itself, which then needs no files beside it.
#pragma once

#include <string_view>

namespace bcastgen {

/// The bytes of the shared object.
[[nodiscard]] std::string_view idle_shim_library();

}  // namespace bcastgen
