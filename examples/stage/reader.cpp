#include "reader.hpp"

#include <sys/stat.h>

#include "digest.hpp"

namespace stage {

Reader::~Reader() {
    free_.close();
    if (thread_.joinable()) thread_.join();
}

void Reader::start(std::uint64_t first) {
    thread_ = std::thread([this, first] { run(first); });
}

Chunk Reader::next() {
    Chunk chunk;
    full_.take(chunk);
    return chunk;
}

void Reader::run(std::uint64_t first) {
    for (std::uint64_t index = first; index < chunking_.count() && !failure_; ++index) {
        Chunk chunk;
        if (!free_.take(chunk)) return;
        chunk.index = index;
        chunk.bytes = chunking_.bytes(index);
        try {
            read(chunk);
            chunk.set_end({digest(key_, chunk.data.data(), chunk.bytes), 0});
        } catch (const Failure& failed) {
            failure_ = failed.what();
            chunk.set_end({0, 1});
        }
        full_.put(std::move(chunk));
    }
}

void Reader::read(Chunk& chunk) {
    const std::uint64_t offset = chunking_.offset(chunk.index);
    manifest_.visit_pieces(offset, chunk.bytes, [&](const Piece& piece) {
        open_entry(piece.entry);
        char* to = chunk.data.data() + (piece.stream_offset - offset);
        if (open_->read(to, piece.bytes, piece.file_offset) != piece.bytes) {
            throw Failure(open_->path() + ": became shorter while it was read");
        }
    });
    if (chunk.index + 1 == chunking_.count()) check_unchanged();
}

void Reader::open_entry(std::size_t entry) {
    if (open_ && open_entry_ == entry) return;
    if (open_) check_unchanged();
    open_ = std::make_unique<File>(source_ + manifest_.entries()[entry].path, O_RDONLY);
    open_entry_ = entry;
    posix_fadvise(open_->descriptor(), 0, 0, POSIX_FADV_SEQUENTIAL);
}

void Reader::check_unchanged() const {
    struct stat now {};
    if (fstat(open_->descriptor(), &now) != 0) throw system_failure(open_->path());
    const Entry& entry = manifest_.entries()[open_entry_];
    if (static_cast<std::uint64_t>(now.st_size) != entry.bytes || now.st_mtim.tv_sec != entry.changed_s ||
        now.st_mtim.tv_nsec != entry.changed_ns) {
        throw Failure(open_->path() + ": changed while it was read");
    }
}

}  // namespace stage
