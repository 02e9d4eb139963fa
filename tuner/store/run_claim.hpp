// Who tunes into which run of a store: one process at a time, and none once it is gone, however it ended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace bcastgen {

/// Claims on runs of a store. Each is a record lock on a byte of the store's file far behind its end, where neither
/// data nor SQLite's own locks are: the kernel drops it with the process, on network file systems too, and children of
/// the process do not inherit it. Closing any descriptor of the file drops the process's locks on it, SQLite's
/// included: must outlive the process's connections to the store.
class RunClaim {
  public:
    RunClaim() = default;
    RunClaim(const RunClaim&) = delete;
    RunClaim& operator=(const RunClaim&) = delete;
    ~RunClaim();

    /// Claims a run until the object's or the process's end. Throws OutsideFailure, naming the process, where another
    /// one has it.
    void claim(const std::filesystem::path& store, std::int64_t run);

  private:
    int descriptor_ = -1;
};

}  // namespace bcastgen
