#include "destination.hpp"

#include <ftw.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <cstdio>

#include "digest.hpp"
#include "size_text.hpp"

namespace stage {

namespace {

/// Whoever may write into the directory must not choose where we write.
void demand_own(const std::string& path) {
    struct stat found {};
    if (lstat(path.c_str(), &found) != 0) {
        if (errno == ENOENT) return;
        throw system_failure(path);
    }
    if (found.st_uid != geteuid() || S_ISLNK(found.st_mode)) throw Failure(path + ": is somebody else's; remove it");
}

int remove_one(const char* path, const struct stat* found, int, FTW*) {
    if (S_ISDIR(found->st_mode)) return rmdir(path);
    return unlink(path);
}

int open_to_us(const char* path, const struct stat* found, int, FTW*) {
    return S_ISDIR(found->st_mode) ? chmod(path, 0700) : 0;
}

void remove_all(const std::string& path) {
    constexpr int open_directories = 32;
    nftw(path.c_str(), open_to_us, open_directories, FTW_PHYS);  // modes may keep us from taking things out
    if (nftw(path.c_str(), remove_one, open_directories, FTW_DEPTH | FTW_PHYS) != 0 && errno != ENOENT) {
        throw system_failure(path);
    }
}

}  // namespace

Destination::Destination(std::string directory, const std::string& name, const Manifest& manifest)
    : directory_(std::move(directory)),
      final_(directory_ + "/" + name),
      part_(directory_ + "/." + name + ".bcastgen-part"),
      old_(directory_ + "/." + name + ".bcastgen-old"),
      journal_path_(directory_ + "/." + name + ".bcastgen-journal"),
      manifest_(manifest) {}

std::optional<JournalHead> Destination::left_behind() const {
    return Journal::head_of(journal_path_);
}

std::uint64_t Destination::prepare(const JournalHead& head) {
    struct stat found {};
    if (stat(directory_.c_str(), &found) != 0) throw system_failure(directory_);
    if (!S_ISDIR(found.st_mode)) throw Failure(directory_ + ": is not a directory");
    if (stat(final_.c_str(), &found) == 0 && S_ISDIR(found.st_mode) != manifest_.is_directory()) {
        throw Failure(final_ + ": is there, and " + (manifest_.is_directory() ? "not a directory" : "a directory"));
    }
    for (const std::string& path : {part_, journal_path_}) demand_own(path);
    head_ = head;
    journal_ = std::make_unique<Journal>(journal_path_);
    const std::optional<JournalHead> before = left_behind();
    if (!before || !(*before == head)) {
        remove_all(part_);  // first: the journal must not tell of what is another source's
        journal_->begin(head);
    }
    const std::uint64_t right = count_right_chunks();
    check_room(right * head.chunk_bytes);
    make_directories();
    return right;
}

void Destination::check_room(std::uint64_t there_bytes) const {
    struct statvfs disk {};
    if (statvfs(directory_.c_str(), &disk) != 0) throw system_failure(directory_);
    const std::uint64_t free = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    const std::uint64_t needed = manifest_.stream_bytes() - std::min(there_bytes, manifest_.stream_bytes());
    if (needed > free) {
        throw Failure(directory_ + ": " + size_text(free) + " are free, " + size_text(needed) + " are needed");
    }
}

void Destination::make_directories() const {
    for (const Entry& entry : manifest_.entries()) {
        if (!S_ISDIR(entry.mode)) continue;
        const std::string path = part_of(entry);
        if (mkdir(path.c_str(), 0700) == 0) continue;
        if (errno != EEXIST || chmod(path.c_str(), 0700) != 0) throw system_failure(path);
    }
}

std::uint64_t Destination::count_right_chunks() {
    const Chunking chunks{manifest_.stream_bytes(), head_.chunk_bytes};
    digests_ = journal_->digests(chunks.count());
    std::uint64_t right = 0;
    try {
        for (; right < digests_.size(); ++right) {
            read_back(chunks.offset(right), chunks.bytes(right));
            if (digest(head_.key, back_.data(), back_.size()) != digests_[right]) break;
        }
    } catch (const Failure&) {  // the file is not there: it comes again
    }
    digests_.resize(right);
    return right;
}

void Destination::read_back(std::uint64_t stream_offset, std::uint64_t bytes) {
    back_.resize(bytes);
    manifest_.visit_pieces(stream_offset, bytes, [&](const Piece& piece) {
        open_entry(piece.entry, 0);
        char* to = back_.data() + (piece.stream_offset - stream_offset);
        if (open_->read(to, piece.bytes, piece.file_offset) != piece.bytes)
            throw Failure(open_->path() + ": too short");
    });
}

std::uint64_t Destination::digest_of_first(std::uint64_t chunks) const {
    return digest(head_.key, reinterpret_cast<const char*>(digests_.data()), chunks * sizeof digests_[0]);
}

void Destination::write(const Chunk& chunk) {
    const std::uint64_t offset = chunk.index * head_.chunk_bytes;
    back_.resize(chunk.bytes);
    manifest_.visit_pieces(offset, chunk.bytes, [&](const Piece& piece) {
        open_entry(piece.entry, O_CREAT);
        const std::uint64_t at = piece.stream_offset - offset;
        open_->write(chunk.data.data() + at, piece.bytes, piece.file_offset);
        if (open_->read(back_.data() + at, piece.bytes, piece.file_offset) != piece.bytes) {
            throw Failure(open_->path() + ": has fewer bytes than were written");
        }
    });
    const std::uint64_t expected = chunk.end().digest;
    if (digest(head_.key, back_.data(), back_.size()) != expected) {
        throw Failure((open_ ? open_->path() : part_) + ": has other bytes than the source (chunk " +
                      std::to_string(chunk.index) + ")");
    }
    journal_->put(chunk.index, expected);
}

void Destination::open_entry(std::size_t entry, int flags) {
    if (open_ && open_entry_ == entry) return;
    if (open_ && open_entry_ < entry) settle_open_entry();  // all of its bytes have come: the stream has its order
    open_.reset();
    const std::string path = part_of(manifest_.entries()[entry]);
    // A file that was complete before may have got a mode that keeps its owner from writing.
    if (access(path.c_str(), F_OK) == 0 && access(path.c_str(), R_OK | W_OK) != 0) chmod(path.c_str(), 0600);
    open_ = std::make_unique<File>(path, O_RDWR | O_NOFOLLOW | flags);
    open_entry_ = entry;
}

void Destination::settle_open_entry() {
    if (!open_) return;
    const Entry& entry = manifest_.entries()[open_entry_];
    if (ftruncate(open_->descriptor(), static_cast<off_t>(entry.bytes)) != 0) throw system_failure(open_->path());
    open_.reset();
    settle(entry);
}

void Destination::publish() {
    if (manifest_.is_directory() && access(final_.c_str(), F_OK) == 0) {
        remove_all(old_);
        if (std::rename(final_.c_str(), old_.c_str()) != 0) throw system_failure(final_);
    }
    if (std::rename(part_.c_str(), final_.c_str()) != 0) throw system_failure(final_);
    remove_all(old_);
    journal_.reset();
    if (unlink(journal_path_.c_str()) != 0) throw system_failure(journal_path_);
    const File directory(directory_, O_RDONLY | O_DIRECTORY);
    if (fsync(directory.descriptor()) != 0) throw system_failure(directory_);
}

}  // namespace stage
