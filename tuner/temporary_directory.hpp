// A directory for the files of one run.
#pragma once

#include <filesystem>

namespace bcastgen {

/// Made new, and removed with everything in it at the end.
class TemporaryDirectory {
  public:
    /// Below `parent`; throws OutsideFailure if nothing can be made there.
    explicit TemporaryDirectory(const std::filesystem::path& parent);
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace bcastgen
