#pragma once

#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <deque>
#include <mutex>
#include <utility>
#include <vector>

/// Chunks of the stream, and how they go from thread to thread.
namespace stage {

/// Travels behind the bytes of each chunk, in the same broadcast.
struct ChunkEnd {
    std::uint64_t digest;
    std::uint64_t stop;  ///< not 0: something has failed somewhere, the bytes mean nothing, and no chunk follows
};

struct Chunk {
    std::uint64_t index = 0;
    std::uint64_t bytes = 0;
    std::vector<char> data;  ///< room for a whole chunk and its end

    ChunkEnd end() const {
        ChunkEnd end{};
        std::memcpy(&end, data.data() + bytes, sizeof end);
        return end;
    }
    void set_end(const ChunkEnd& end) { std::memcpy(data.data() + bytes, &end, sizeof end); }
};

/// The stream as chunks of one size; the last may be shorter.
struct Chunking {
    std::uint64_t stream_bytes;
    std::uint64_t chunk_bytes;

    std::uint64_t count() const { return (stream_bytes + chunk_bytes - 1) / chunk_bytes; }
    std::uint64_t offset(std::uint64_t index) const { return index * chunk_bytes; }
    std::uint64_t bytes(std::uint64_t index) const {
        const std::uint64_t left = stream_bytes - offset(index);
        return left < chunk_bytes ? left : chunk_bytes;
    }
};

/// Hands chunks from one thread to another. There are only so many chunks, so it never grows.
class ChunkQueue {
  public:
    void put(Chunk chunk) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            chunks_.push_back(std::move(chunk));
        }
        came_.notify_one();
    }
    /// Whoever waits gets no more once all has been taken.
    void close() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            closed_ = true;
        }
        came_.notify_all();
    }
    /// Waits for one; false: closed, and there is none.
    bool take(Chunk& chunk) {
        std::unique_lock<std::mutex> lock(mutex_);
        came_.wait(lock, [&] { return closed_ || !chunks_.empty(); });
        if (chunks_.empty()) return false;
        chunk = std::move(chunks_.front());
        chunks_.pop_front();
        return true;
    }

  private:
    std::mutex mutex_;
    std::condition_variable came_;
    std::deque<Chunk> chunks_;
    bool closed_ = false;
};

}  // namespace stage
