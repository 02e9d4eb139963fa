// BCASTGEN_TRACE=FILE: what happened to each broadcast, one line each, in FILE.<rank in MPI_COMM_WORLD>.
#pragma once

#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>

#include "decision.hpp"
#include "multicast_terms.hpp"

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

    /// One broadcast. machines is 0 where it is not known; `counts` where it went by multicast, else null.
    void line(std::size_t bytes, int machines, int ranks, const std::string& rule, const Choice& choice,
              const MulticastCounts* counts) {
        const std::lock_guard<std::mutex> lock(mutex_);
        std::fprintf(out_, "bytes=%zu machines=%d ranks=%d rule=%s algorithm=%s segment=%zu", bytes, machines, ranks,
                     rule.c_str(), name_of(choice.algorithm), choice.segment_bytes);
        if (counts != nullptr) {
            const auto number = [](std::uint64_t count) { return static_cast<unsigned long long>(count); };
            std::fprintf(out_,
                         " fragments=%llu received=%llu dropped=%llu duplicate=%llu stale=%llu damaged=%llu "
                         "foreign=%llu penalty_rounds=%u",
                         number(counts->fragments), number(counts->taken), number(counts->dropped()),
                         number(counts->duplicate), number(counts->stale), number(counts->damaged),
                         number(counts->foreign), counts->rounds);
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
