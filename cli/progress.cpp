#include "cli/progress.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <mutex>
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

Waiting::Waiting(std::string what, Elsewhere elsewhere) : what_(std::move(what)) {
    if (isatty(STDERR_FILENO) != 1) {
        if (elsewhere == Elsewhere::one_line) say(what_);
        return;
    }
    if (is_quiet()) return;
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);  // signals are for the thread that runs commands
    counting_ = std::jthread([this](const std::stop_token& stop) { count(stop); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Waiting::~Waiting() {
    if (!counting_.joinable()) return;
    counting_.request_stop();
    counting_.join();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin_;
    fmt::print(stderr, "\r\033[K{}{}\n", what_, took.count() < 1 ? "" : fmt::format(": {:.0f} s", took.count()));
}

void Waiting::count(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock<std::mutex> lock(mutex);
    for (int seconds = 0; !stop.stop_requested(); ++seconds) {
        fmt::print(stderr, "\r{} … {} s\033[K", what_, seconds);
        std::fflush(stderr);
        stopped.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
    }
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
