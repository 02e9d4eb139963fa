// Output files of the commands; "-" is stdout.
#pragma once

#include <string>
#include <string_view>

namespace bcastgen {

/// Whether a file of a command line is "-", which stands for stdin or stdout.
[[nodiscard]] bool is_standard_stream(std::string_view file);

/// Writes the whole of a file, or to stdout. Throws OutsideFailure if the disk refuses.
void write_output_file(const std::string& file, std::string_view text);

}  // namespace bcastgen
