// A directory for the files of one run.
#pragma once

#include <filesystem>

namespace bcastgen {

/// Made new, and removed with everything in it at the end. After a program was killed, the next one removes what it
/// left.
class TemporaryDirectory {
  public:
    /// Below `parent`; throws OutsideFailure if nothing can be made there.
    explicit TemporaryDirectory(const std::filesystem::path& parent);
    TemporaryDirectory(const TemporaryDirectory&) = delete;
    TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
    ~TemporaryDirectory();

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    void hold();
    std::filesystem::path path_;
    int lock_ = -1;
};

}  // namespace bcastgen
