// Which code this is, so that ranks with libraries of different versions can tell that they differ.
#pragma once

#include <cstdint>

namespace bcast {

/// A hash of the files of this library that are the same for every site, and of bcastgen's version. bcastgen writes it
/// in; 0: compiled from bcastgen's own sources.
inline constexpr std::uint64_t code_hash = 0;

}  // namespace bcast
