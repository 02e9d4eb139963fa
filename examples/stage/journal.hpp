#pragma once

#include <sys/file.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "file.hpp"

/// What a machine has already got, in a file beside the part: of which source, in chunks of which size, and the digest
/// of each chunk that has been written. Digests are compared with the part when a staging goes on, so the journal may
/// be ahead of the disk.
namespace stage {

struct JournalHead {
    std::uint64_t format;
    std::uint64_t source;  ///< digest of the manifest: paths, sizes, times
    std::uint64_t chunk_bytes;
    std::uint64_t key;  ///< of the chunks' digests

    bool same_source(const JournalHead& other) const {
        return format == other.format && source == other.source && chunk_bytes == other.chunk_bytes;
    }
    bool operator==(const JournalHead& other) const { return same_source(other) && key == other.key; }
};

class Journal {
  public:
    /// Of a journal that is there and can be read.
    static std::optional<JournalHead> head_of(const std::string& path) {
        if (access(path.c_str(), F_OK) != 0) return std::nullopt;
        JournalHead head{};
        const File file(path, O_RDONLY | O_NOFOLLOW);
        if (file.read(reinterpret_cast<char*>(&head), sizeof head, 0) != sizeof head) return std::nullopt;
        return head;
    }

    /// Keeps others from staging the same.
    explicit Journal(const std::string& path) : file_(path, O_RDWR | O_CREAT | O_NOFOLLOW) {
        if (flock(file_.descriptor(), LOCK_EX | LOCK_NB) != 0) throw Failure(path + ": another staging is under way");
    }

    void begin(const JournalHead& head) const {
        if (ftruncate(file_.descriptor(), 0) != 0) throw system_failure(file_.path());
        file_.write(reinterpret_cast<const char*>(&head), sizeof head, 0);
    }

    std::vector<std::uint64_t> digests(std::uint64_t most) const {
        std::vector<std::uint64_t> digests(most);
        const std::size_t bytes = most * sizeof(std::uint64_t);
        const std::size_t there = file_.read(reinterpret_cast<char*>(digests.data()), bytes, sizeof(JournalHead));
        digests.resize(there / sizeof(std::uint64_t));
        return digests;
    }

    void put(std::uint64_t chunk, std::uint64_t digest) const {
        file_.write(reinterpret_cast<const char*>(&digest), sizeof digest, sizeof(JournalHead) + chunk * sizeof digest);
    }

  private:
    File file_;
};

}  // namespace stage
