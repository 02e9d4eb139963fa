// Texts that the tool carries inside itself, so that it needs no files beside it (carry_files in cmake/rooms.cmake).
#pragma once

#include <string_view>
#include <vector>

namespace bcastgen {

struct EmbeddedFile {
    std::string_view name;  ///< path below the folder that the files were taken from
    std::string_view text;
};

}  // namespace bcastgen
