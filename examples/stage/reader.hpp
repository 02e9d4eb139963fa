#pragma once

#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "chunk.hpp"
#include "file.hpp"
#include "manifest.hpp"

/// Reads the source ahead of what is being broadcast, on rank 0 in a thread of its own.
namespace stage {

class Reader {
  public:
    Reader(const std::string& source, const Manifest& manifest, Chunking chunking, std::uint64_t key, ChunkQueue& free)
        : source_(source), manifest_(manifest), chunking_(chunking), key_(key), free_(free) {}
    ~Reader();

    void start(std::uint64_t first);
    /// The next chunk in order; its end says stop if the source could not be read.
    Chunk next();
    /// Why it stopped, if it did. Of a reader that has ended.
    const std::optional<std::string>& failure() const { return failure_; }

  private:
    void run(std::uint64_t first);
    void read(Chunk& chunk);
    void open_entry(std::size_t entry);
    void check_unchanged() const;

    const std::string source_;
    const Manifest& manifest_;
    const Chunking chunking_;
    const std::uint64_t key_;
    ChunkQueue& free_;
    ChunkQueue full_;
    std::thread thread_;
    std::optional<std::string> failure_;
    std::unique_ptr<File> open_;
    std::size_t open_entry_ = 0;
};

}  // namespace stage
