// BCASTGEN_TRACE=FILE: what happened to each broadcast, one line each, in FILE.<rank in MPI_COMM_WORLD>.
//
// A trace never holds up the program, and never ends it: a disk that is full or a pipe that nobody reads ends the
// trace, with one line on stderr.
#pragma once

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <vector>

#include "bcast/facts/decision.hpp"
#include "bcast/library/say.hpp"
#include "bcast/multicast/terms.hpp"

namespace bcast {

class Trace {
  public:
    Trace() = default;
    Trace(const Trace&) = delete;
    Trace& operator=(const Trace&) = delete;
    ~Trace() { close(); }

    /// Starts to trace into `file`, or goes on with it if this process has traced into it before. A file that cannot be
    /// opened is said so on stderr, and nothing is traced.
    void open(const std::string& file) {
        if (on()) return;
        const bool again = file == file_;
        file_ = file;
        out_ = opened(again ? O_APPEND : O_TRUNC);
        if (!on()) complain("cannot write the trace " + file_ + ": " + why_not(errno));
    }

    [[nodiscard]] bool on() const { return out_ >= 0; }

    /// How one tree's part of a message came to this rank.
    struct Hop {
        const char* from;  ///< the machine of the rank that sent it
        double first_s;    ///< from the rank's entry to its first segment
        double last_s;     ///< and to its last
        std::size_t rest;  ///< bytes of all segments after the first
    };

    /// One broadcast, for a line of the trace.
    struct Line {
        std::size_t bytes;
        int machines;  ///< 0: not known
        int ranks;
        int root;  ///< its rank in the communicator
        std::string rule;
        Choice choice;
        double entered_s;               ///< when this rank entered it, in seconds since 1970
        double took_s;                  ///< how long this rank was in it
        double imbalance;               ///< imbalance factor last seen on the communicator; negative: not known here
        const MulticastCounts* counts;  ///< where it went by multicast, else null
        const char* machine;            ///< that this rank is on
        std::vector<Hop> hops;          ///< by tree; none at the root, and of what is not sent down planned trees
    };

    void line(const Line& of) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!on()) return;
        text_.clear();
        add("bytes=%zu machines=%d ranks=%d rule=", of.bytes, of.machines, of.ranks);
        text_ += of.rule;
        add(" algorithm=%s segment=%zu entered=%.6f took_us=%.1f", name_of(of.choice.algorithm),
            of.choice.segment_bytes, of.entered_s, 1e6 * of.took_s);
        if (of.imbalance >= 0) {
            add(" imbalance=%.2f", of.imbalance);
        } else {
            text_ += " imbalance=-";
        }
        add(" root=%d hand_on=%s", of.root, name_of(of.choice.hand_on));
        if (of.counts != nullptr) {
            const auto number = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
            add(" fragments=%llu received=%llu dropped=%llu duplicate=%llu stale=%llu damaged=%llu foreign=%llu "
                "penalty_rounds=%u",
                number(of.counts->fragments), number(of.counts->taken), number(of.counts->dropped()),
                number(of.counts->duplicate), number(of.counts->stale), number(of.counts->damaged),
                number(of.counts->foreign), of.counts->rounds);
        }
        add_hops(of);
        text_ += '\n';
        write_text();
    }

    void close() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!on()) return;
        if (::close(out_) != 0) complain("the end of the trace " + file_ + " may be lost: " + std::strerror(errno));
        out_ = -1;
    }

  private:
    /// Ranks on one machine usually fail together.
    static void complain(const std::string& line) { say_for_this_machine("trace", line); }

    /// The file, for its owner to write and all to read; negative, and errno: it cannot be had.
    int opened(int mode) {
        constexpr mode_t rights = S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH;
        // Where others can write to the directory, a link may lead to a file that is not to be overwritten.
        constexpr int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
        const int file = ::open(file_.c_str(), flags | mode, rights);
        struct stat status {};
        pipe_ = file >= 0 && fstat(file, &status) == 0 && S_ISFIFO(status.st_mode);
        return file;
    }

    static std::string why_not(int error) {
        switch (error) {
            case ENXIO:
                return "nobody reads from this pipe";
            case ELOOP:
                return "it is a symbolic link";
            default:
                return std::strerror(error);
        }
    }

    template <class... Values>
    void add(const char* format, Values... values) {
        char text[256];
        const int length = std::snprintf(text, sizeof text, format, values...);
        if (length > 0) text_.append(text, std::min(static_cast<std::size_t>(length), sizeof text - 1));
    }

    void add_hops(const Line& of) {
        if (of.hops.empty()) return;
        text_ += " machine=";
        text_ += of.machine;
        const auto add_each = [&](const char* name, auto add_one) {
            char before = '=';
            text_ += name;
            for (const Hop& hop : of.hops) {
                text_ += before;
                add_one(hop);
                before = ',';
            }
        };
        add_each(" from", [&](const Hop& hop) { text_ += hop.from; });
        add_each(" first_us", [&](const Hop& hop) { add("%.1f", 1e6 * hop.first_s); });
        add_each(" last_us", [&](const Hop& hop) { add("%.1f", 1e6 * hop.last_s); });
        add_each(" rest", [&](const Hop& hop) { add("%zu", hop.rest); });
    }

    /// The line in one call. What does not take it whole takes no more.
    void write_text() {
        const char* from = text_.data();
        std::size_t left = text_.size();
        while (left > 0) {
            const ssize_t written = pipe_ ? written_to_pipe(from, left) : ::write(out_, from, left);
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) return end(errno);
            from += written;
            left -= static_cast<std::size_t>(written);
        }
    }

    /// write() without the signal that ends a program whose reader has left.
    [[nodiscard]] ssize_t written_to_pipe(const char* from, std::size_t left) const {
        sigset_t signal;
        sigset_t before;
        sigset_t pending;
        sigemptyset(&signal);
        sigaddset(&signal, SIGPIPE);
        sigpending(&pending);
        pthread_sigmask(SIG_BLOCK, &signal, &before);
        const ssize_t written = ::write(out_, from, left);
        const int error = errno;
        if (written < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
            const timespec at_once{};
            sigtimedwait(&signal, nullptr, &at_once);
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        errno = error;
        return written;
    }

    void end(int error) {
        const std::string why = error == EAGAIN  ? "nobody reads from it fast enough"
                                : error == EPIPE ? "nobody reads from it any more"
                                                 : std::strerror(error);
        complain("the trace " + file_ + " ends here: " + why);
        ::close(out_);
        out_ = -1;
    }

    std::atomic<int> out_{-1};
    bool pipe_ = false;
    std::string file_;
    std::string text_;  // of one line, kept from call to call
    std::mutex mutex_;
};

}  // namespace bcast
