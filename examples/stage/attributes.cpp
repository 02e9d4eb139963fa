// What a destination gets besides bytes: links, devices, owners, modes and times.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "destination.hpp"

namespace stage {

/// Owners where we may; without the right, files are ours. After the owner, as a change of it takes set-user-ID bits
/// away, the mode; and the times last.
void Destination::settle(const Entry& entry) const {
    const std::string path = part_of(entry);
    if (lchown(path.c_str(), entry.owner, entry.group) != 0 && errno != EPERM) throw system_failure(path);
    if (!S_ISLNK(entry.mode) && chmod(path.c_str(), entry.mode & 07777) != 0) throw system_failure(path);
    const timespec changed = {static_cast<time_t>(entry.changed_s), static_cast<long>(entry.changed_ns)};
    const timespec times[2] = {changed, changed};
    if (utimensat(AT_FDCWD, path.c_str(), times, AT_SYMLINK_NOFOLLOW) != 0) throw system_failure(path);
}

void Destination::make_without_bytes(const Entry& entry) const {
    const std::string path = part_of(entry);
    if (unlink(path.c_str()) != 0 && errno != ENOENT) throw system_failure(path);  // left by an earlier staging
    if (entry.further_name) {
        if (link((part_ + entry.target).c_str(), path.c_str()) != 0) throw system_failure(path);
        return;
    }
    if (S_ISREG(entry.mode)) {
        const File file(path, O_RDWR | O_CREAT | O_EXCL);
        if (ftruncate(file.descriptor(), static_cast<off_t>(entry.bytes)) != 0) throw system_failure(path);
    } else if (S_ISLNK(entry.mode)) {
        if (symlink(entry.target.c_str(), path.c_str()) != 0) throw system_failure(path);
    } else if (mknod(path.c_str(), entry.mode & (S_IFMT | 07777), entry.device) != 0) {
        throw system_failure(path);
    }
    settle(entry);
}

void Destination::finish() {
    settle_open_entry();
    const std::vector<Entry>& entries = manifest_.entries();
    for (const Entry& entry : entries) {
        if (entry.data.empty() && !S_ISDIR(entry.mode)) make_without_bytes(entry);
    }
    for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry) {  // a directory after what is in it
        if (S_ISDIR(entry->mode)) settle(*entry);
    }
    const File directory(directory_, O_RDONLY | O_DIRECTORY);
    if (syncfs(directory.descriptor()) != 0) throw system_failure(directory_);
}

}  // namespace stage
