// Files that tests read.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace bcastgen::testing {

inline std::filesystem::path source_path(const std::string& path) {
    return std::filesystem::path(BCASTGEN_SOURCE_DIR) / path;
}

inline std::string contents(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    EXPECT_TRUE(stream) << path << " cannot be read";
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace bcastgen::testing
