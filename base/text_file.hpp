// Files that are written as a whole or not at all.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace bcastgen {

/// A file's bytes; nothing if it cannot be read.
[[nodiscard]] std::optional<std::string> text_of(const std::filesystem::path& file);

/// Writes a file unless it holds that text already. A reader finds the old text or the new one, never a part, even
/// while it is written or after the tool was killed: the new file takes the old one's place at the end, with its owner
/// and permissions. Of symbolic links the target is replaced. Devices and pipes are written to. Throws OutsideFailure
/// if the disk refuses.
void write_file(const std::filesystem::path& file, std::string_view text);

}  // namespace bcastgen
