#include "cli/options/output_file.hpp"

#include <fmt/format.h>

#include "base/text_file.hpp"

namespace bcastgen {

bool is_standard_stream(std::string_view file) {
    return file == "-";
}

void write_output_file(const std::string& file, std::string_view text) {
    if (is_standard_stream(file)) {
        fmt::print("{}", text);
    } else {
        write_file(file, text);
    }
}

}  // namespace bcastgen
