// The man pages, of the same command line that --help shows.
#pragma once

#include <filesystem>
#include <string>

namespace bcastgen {

/// Writes bcastgen.1, a page for each command, bcastgen-stage.1 and bcastgen-environment.7, in the macros of man(7).
/// `date`, as in 2026-11-23, and `version` stand in each page's margins. Throws OutsideFailure if the disk refuses.
void write_manual(const std::string& version, const std::string& date, const std::filesystem::path& directory);

/// The page on the variables that jobs and the tool ask for, without its head.
[[nodiscard]] std::string environment_page();

/// The page on bcastgen-stage (examples/stage), of what its --help says, without its head.
[[nodiscard]] std::string stage_page();

/// That page as a whole, for `bcastgen install`, which lays the program out.
[[nodiscard]] std::string stage_manual(const std::string& version, const std::string& date);

}  // namespace bcastgen
