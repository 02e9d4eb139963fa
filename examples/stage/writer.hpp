#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <thread>

#include "destination.hpp"

/// Writes behind what is being broadcast, on every machine in a thread of its own.
namespace stage {

class Writer {
  public:
    /// Chunks that have been written go to `free`.
    Writer(Destination& destination, ChunkQueue& free) : destination_(destination), free_(free) {
        thread_ = std::thread([this] { run(); });
    }
    ~Writer() { end(); }

    void put(Chunk chunk) { full_.put(std::move(chunk)); }
    /// After a failure chunks are taken and dropped, so that the other machines need not wait.
    bool failed() const { return failed_; }
    /// Waits until all is written. What went wrong, if anything did.
    const std::optional<std::string>& end() {
        full_.close();
        if (thread_.joinable()) thread_.join();
        return failure_;
    }

  private:
    void run() {
        for (Chunk chunk; full_.take(chunk);) {
            try {
                if (!failed_) destination_.write(chunk);
            } catch (const std::exception& failed) {
                failure_ = failed.what();
                failed_ = true;
            }
            free_.put(std::move(chunk));
        }
    }

    Destination& destination_;
    ChunkQueue& free_;
    ChunkQueue full_;
    std::atomic<bool> failed_{false};
    std::optional<std::string> failure_;
    std::thread thread_;
};

}  // namespace stage
