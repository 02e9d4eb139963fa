// Running ip, tc and nft in the network namespace that we are in.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bcastgen {

/// Has a tool read `text` from a file, its last argument; nothing is run for an empty text. Writes scratch.in and
/// scratch.err, and leaves them when something is wrong. Throws std::runtime_error with the tool's words.
void run_tool(std::vector<std::string> words, const std::string& text, const std::filesystem::path& scratch);

/// Makes packets cross these devices as they would a cable: no bundling of several into one of up to 64 KiB, which tbf
/// would have to cut or drop. With `checksums` they also carry their checksums, for readers other than this kernel.
/// Throws std::runtime_error naming the device that refuses.
void switch_off_offloads(const std::vector<std::string>& devices, bool checksums = false);

/// The tools of iproute2, and nft where `needs_nft`, that are neither in PATH nor in /usr/sbin or /sbin.
[[nodiscard]] std::vector<std::string> missing_tools(bool needs_nft);

}  // namespace bcastgen
