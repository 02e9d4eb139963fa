// BCASTGEN_TRACE=FILE: what happened to each broadcast, one line each, in FILE.<rank in MPI_COMM_WORLD>.
#pragma once

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>

#include "bcast/facts/decision.hpp"
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
        if (out_ != nullptr) return;
        out_ = std::fopen(file.c_str(), file == file_ ? "ae" : "we");
        file_ = file;
        if (out_ == nullptr) {
            std::fprintf(stderr, "bcastgen: cannot write the trace %s\n", file.c_str());
            return;
        }
        std::setvbuf(out_, nullptr, _IOLBF, 1 << 16);
    }

    [[nodiscard]] bool on() const { return out_ != nullptr; }

    /// One broadcast, for a line of the trace.
    struct Line {
        std::size_t bytes;
        int machines;  ///< 0: not known
        int ranks;
        std::string rule;
        Choice choice;
        double entered_s;               ///< when this rank entered it, in seconds since 1970
        double took_s;                  ///< how long this rank was in it
        double imbalance;               ///< imbalance factor last seen on the communicator; negative: not known here
        const MulticastCounts* counts;  ///< where it went by multicast, else null
    };

    void line(const Line& of) {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::fprintf(out_, "bytes=%zu machines=%d ranks=%d rule=%s algorithm=%s segment=%zu entered=%.6f took_us=%.1f",
                     of.bytes, of.machines, of.ranks, of.rule.c_str(), name_of(of.choice.algorithm),
                     of.choice.segment_bytes, of.entered_s, 1e6 * of.took_s);
        if (of.imbalance >= 0) {
            std::fprintf(out_, " imbalance=%.2f", of.imbalance);
        } else {
            std::fputs(" imbalance=-", out_);
        }
        if (of.counts != nullptr) {
            const auto number = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
            std::fprintf(out_,
                         " fragments=%llu received=%llu dropped=%llu duplicate=%llu stale=%llu damaged=%llu "
                         "foreign=%llu penalty_rounds=%u",
                         number(of.counts->fragments), number(of.counts->taken), number(of.counts->dropped()),
                         number(of.counts->duplicate), number(of.counts->stale), number(of.counts->damaged),
                         number(of.counts->foreign), of.counts->rounds);
        }
        std::fputc('\n', out_);
    }

    void close() {
        if (out_ != nullptr) std::fclose(out_);
        out_ = nullptr;
    }

  private:
    std::FILE* out_ = nullptr;
    std::string file_;
    std::mutex mutex_;
};

}  // namespace bcast
