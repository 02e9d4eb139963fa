// Files that took long to make, kept from run to run in the user's cache directory.
#pragma once

#include <filesystem>
#include <string>

namespace bcastgen {

/// Files by name below XDG_CACHE_HOME/bcastgen/NAME (~/.cache if that is not set). Where no directory can be had that
/// nobody else writes into, nothing is kept and nothing found: what is taken from there is run.
class FileCache {
  public:
    explicit FileCache(const std::string& name);

    /// Whether files are kept at all. If not, a key need not be worked out.
    [[nodiscard]] bool keeps() const { return !directory_.empty(); }

    /// Copies the file of that name to `to`. False if there is none.
    [[nodiscard]] bool take(const std::string& name, const std::filesystem::path& to) const;

    /// Keeps a copy, whole or not at all, and drops the files that were not taken for longest beyond the most that are
    /// kept.
    void keep(const std::filesystem::path& made, const std::string& name) const;

  private:
    std::filesystem::path directory_;  // empty: none
};

}  // namespace bcastgen
