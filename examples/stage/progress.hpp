#pragma once

#include <chrono>
#include <cstdint>
#include <string>

/// How far it is, on stderr: one line that is rewritten on a terminal, a line every few seconds elsewhere.
namespace stage {

class Progress {
  public:
    Progress(std::string name, std::uint64_t bytes, std::uint64_t there_bytes, bool quiet);
    ~Progress();

    void show(std::uint64_t done_bytes);
    double seconds() const;

  private:
    using Clock = std::chrono::steady_clock;

    const std::string name_;
    const std::uint64_t bytes_;
    const std::uint64_t there_bytes_;  ///< from an earlier staging
    const bool quiet_;
    const bool terminal_;
    bool shown_ = false;
    const Clock::time_point started_ = Clock::now();
    Clock::time_point next_;
};

}  // namespace stage
