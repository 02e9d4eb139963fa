#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "chunk.hpp"
#include "journal.hpp"
#include "manifest.hpp"

/// What is staged, on one machine: it grows as .NAME.bcastgen-part beside its final name, with a journal, and gets that
/// name when it is complete and right.
namespace stage {

class Destination {
  public:
    /// Nothing is touched yet. The manifest must outlive it.
    Destination(std::string directory, const std::string& name, const Manifest& manifest);

    /// Of what an earlier staging has left, if there is any.
    std::optional<JournalHead> left_behind() const;
    /// Makes the part and its directories, or finds them. How many chunks are already there and right.
    std::uint64_t prepare(const JournalHead& head);
    /// Of the first chunks, which are there.
    std::uint64_t digest_of_first(std::uint64_t chunks) const;

    /// Writes it, reads it back, and compares that with the digest that came with it.
    void write(const Chunk& chunk);
    /// What has no bytes, and times of directories; then all is on the disk.
    void finish();
    /// Gives it its name.
    void publish();

  private:
    void check_room(std::uint64_t there_bytes) const;
    void make_directories() const;
    std::uint64_t count_right_chunks();
    void read_back(std::uint64_t stream_offset, std::uint64_t bytes);
    void open_entry(std::size_t entry, int flags);
    void settle_open_entry();
    void settle(const Entry& entry) const;
    void make_without_bytes(const Entry& entry) const;
    std::string part_of(const Entry& entry) const { return part_ + entry.path; }

    std::string directory_, final_, part_, old_, journal_path_;
    const Manifest& manifest_;
    JournalHead head_{};
    std::unique_ptr<Journal> journal_;
    std::vector<std::uint64_t> digests_;  // of chunks that were there
    std::unique_ptr<File> open_;
    std::size_t open_entry_ = 0;
    std::vector<char> back_;  // a chunk as the files have it
};

}  // namespace stage
