#pragma once

#include <cstdint>
#include <string>

namespace stage {

struct Arguments {
    std::string source;     ///< without slashes at its end
    std::string directory;  ///< on every machine
    std::string name;       ///< of the source, there
    std::uint64_t chunk_bytes = std::uint64_t{4} << 20;
    bool quiet = false;
    bool help = false;
};

/// BadInput: what is wrong with them.
Arguments read_arguments(int count, const char* const* words);

extern const char* const help_text;

}  // namespace stage
