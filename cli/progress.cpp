#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

#include "cli/terminal.hpp"

namespace bcastgen {

namespace {

constexpr int bar_width = 30;
constexpr std::chrono::milliseconds redraw_after{100};

}  // namespace

std::string progress_text(std::size_t done, std::size_t all, double elapsed_s, int width) {
    const double fraction = all == 0 ? 1 : static_cast<double>(done) / static_cast<double>(all);
    const int full = static_cast<int>(fraction * width);
    std::string text = fmt::format("{:#>{}}{:.>{}} {:3.0f}%", "", full, "", width - full, std::floor(100 * fraction));
    if (done == 0 || done == all) return text;
    const double left_s = elapsed_s * static_cast<double>(all - done) / static_cast<double>(done);
    return text +
           (left_s < 90 ? fmt::format(", {:.0f} s left", left_s) : fmt::format(", {:.0f} min left", left_s / 60));
}

ProgressBar::ProgressBar(std::string what)
    : what_(std::move(what)), visible_(isatty(STDERR_FILENO) == 1 && !is_quiet()) {}

ProgressBar::~ProgressBar() {
    if (visible_) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(std::size_t done, std::size_t all) {
    const Clock::time_point now = Clock::now();
    if (!visible_ || (done != all && now - drawn_ < redraw_after)) return;
    drawn_ = now;
    const double elapsed_s = std::chrono::duration<double>(now - begin_).count();
    fmt::print(stderr, "\r{} {}\033[K", what_, progress_text(done, all, elapsed_s, bar_width));
    std::fflush(stderr);
}

}  // namespace bcastgen
