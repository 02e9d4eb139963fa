#include "progress.hpp"

#include <unistd.h>

#include <cstdio>

#include "size_text.hpp"

namespace stage {

namespace {

std::string time_text(double seconds) {
    const auto whole = static_cast<long>(seconds + 0.5);
    char text[64];
    if (whole < 60) {
        std::snprintf(text, sizeof text, "%ld s", whole);
    } else if (whole < 3600) {
        std::snprintf(text, sizeof text, "%ld min %02ld s", whole / 60, whole % 60);
    } else {
        std::snprintf(text, sizeof text, "%ld h %02ld min", whole / 3600, whole / 60 % 60);
    }
    return text;
}

}  // namespace

Progress::Progress(std::string name, std::uint64_t bytes, std::uint64_t there_bytes, bool quiet)
    : name_(std::move(name)),
      bytes_(bytes),
      there_bytes_(there_bytes),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      next_(started_ + std::chrono::milliseconds(terminal_ ? 200 : 5000)) {}

Progress::~Progress() {
    if (terminal_ && shown_) std::fputs("\r\033[K", stderr);
}

double Progress::seconds() const {
    return std::chrono::duration<double>(Clock::now() - started_).count();
}

void Progress::show(std::uint64_t done_bytes) {
    const Clock::time_point now = Clock::now();
    if (quiet_ || now < next_ || done_bytes <= there_bytes_) return;
    next_ = now + std::chrono::milliseconds(terminal_ ? 200 : 5000);
    const double rate = static_cast<double>(done_bytes - there_bytes_) / seconds();
    const double left = static_cast<double>(bytes_ - done_bytes) / rate;
    std::fprintf(stderr, "%sbcastgen-stage: %s: %.0f %%, %s of %s, %s/s, %s left%s", terminal_ ? "\r" : "",
                 name_.c_str(), 100.0 * static_cast<double>(done_bytes) / static_cast<double>(bytes_),
                 size_text(done_bytes).c_str(), size_text(bytes_).c_str(),
                 size_text(static_cast<std::uint64_t>(rate)).c_str(), time_text(left).c_str(),
                 terminal_ ? "\033[K" : "\n");
    shown_ = true;
}

}  // namespace stage
