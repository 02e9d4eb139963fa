// The progress of a long job, on a terminal.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

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

/// What takes nobody knows how long, such as compiling: on a terminal a line on stderr that counts its seconds;
/// elsewhere nothing, or one line if that is asked for. Nothing under --quiet.
class Waiting {
  public:
    enum class Elsewhere { nothing, one_line };
    explicit Waiting(std::string what, Elsewhere elsewhere = Elsewhere::nothing);
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;
    ~Waiting();  ///< on a terminal: says how long it took, if that was some time

  private:
    void count(const std::stop_token& stop);
    std::string what_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::jthread counting_;  // after what it uses
};

/// A bar of `width` characters, and the time left at the speed so far: "#####.....  50%, 12 s left".
[[nodiscard]] std::string progress_text(std::size_t done, std::size_t all, double elapsed_s, int width);

}  // namespace bcastgen
