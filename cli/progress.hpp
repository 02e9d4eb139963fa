// The progress of a long job, on a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace bcastgen {

/// A bar on stderr with the time left, redrawn in place; nothing where stderr is not a terminal, or under --quiet.
class ProgressBar {
  public:
    explicit ProgressBar(std::string what);
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;
    ~ProgressBar();  ///< wipes the bar

    void show(std::size_t done, std::size_t all);

  private:
    using Clock = std::chrono::steady_clock;
    std::string what_;
    bool visible_;
    Clock::time_point begin_ = Clock::now();
    Clock::time_point drawn_;
};

/// A bar of `width` characters, and the time left at the speed so far: "#####.....  50%, 12 s left".
[[nodiscard]] std::string progress_text(std::size_t done, std::size_t all, double elapsed_s, int width);

}  // namespace bcastgen
