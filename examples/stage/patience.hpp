#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#ifndef STAGE_PATIENCE_S
#define STAGE_PATIENCE_S 300  // file systems of clusters stand still for minutes, now and then
#endif

/// Ends the job when nothing moves any more. Launchers end it when a process dies, but they may not notice a machine
/// that has lost its power or its cable: its neighbours would wait for ever.
namespace stage {

class Patience {
  public:
    Patience(std::string path, std::uint64_t chunks) : path_(std::move(path)), chunks_(chunks) {
        thread_ = std::thread([this] { watch(); });
    }
    ~Patience() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            over_ = true;
        }
        changed_.notify_all();
        thread_.join();
    }

    void moved(std::uint64_t sent) { sent_ = sent; }

  private:
    void watch() {
        std::unique_lock<std::mutex> lock(mutex_);
        for (std::uint64_t before = sent_;; before = sent_) {
            if (changed_.wait_for(lock, std::chrono::seconds(STAGE_PATIENCE_S), [&] { return over_; })) return;
            if (sent_ != before) continue;
            std::fprintf(
                stderr,
                "bcastgen-stage: %s: nothing has moved for %d s, after %llu of %llu chunks: a machine does not "
                "answer any more, or its disk\n",
                path_.c_str(), STAGE_PATIENCE_S, static_cast<unsigned long long>(before),
                static_cast<unsigned long long>(chunks_));
            std::_Exit(1);  // the launcher then ends the others; MPI_Abort would wait for them
        }
    }

    const std::string path_;
    const std::uint64_t chunks_;
    std::atomic<std::uint64_t> sent_{0};
    std::mutex mutex_;
    std::condition_variable changed_;
    bool over_ = false;
    std::thread thread_;
};

}  // namespace stage
