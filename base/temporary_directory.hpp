// A directory for the files of one run.
#pragma once

#include <filesystem>

namespace bcastgen {

/// Where TMPDIR (or TMP, TEMP, TEMPDIR) says that temporary files go; /tmp if none does. Throws OutsideFailure if that
/// is no directory.
[[nodiscard]] std::filesystem::path place_for_temporary_files();

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
