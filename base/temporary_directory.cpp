#include "base/temporary_directory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "base/outside_failure.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view name_begin = "bcastgen-";
constexpr std::string_view name_end = "XXXXXX";
constexpr const char* lock_file = ".in-use";  // locked as long as the program that made the directory lives

/// Opens a lock file and takes its lock; -1 if there is none, or another program has it.
int locked(const fs::path& file, int flags) {
    const int number = open(file.c_str(), flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    if (number >= 0 && flock(number, LOCK_EX | LOCK_NB) == 0) return number;
    if (number >= 0) close(number);
    return -1;
}

/// True of a directory, not a link to one, that belongs to this user. Others can make what they like in /tmp.
bool is_own_directory(const fs::path& path) {
    struct stat status {};
    return lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid();
}

/// Removes directories of killed programs beside a new one.
void remove_abandoned(const fs::path& parent) {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(parent, error)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(name_begin) || name.size() != name_begin.size() + name_end.size()) continue;
        if (!is_own_directory(entry.path())) continue;
        const int lock = locked(entry.path() / lock_file, 0);
        if (lock < 0) continue;
        close(lock);  // NFS keeps deleted files that are open
        fs::remove_all(entry.path(), error);
    }
}

}  // namespace

fs::path place_for_temporary_files() {
    std::error_code error;
    fs::path place = fs::temp_directory_path(error);
    if (!error) return place;
    for (const char* name : {"TMPDIR", "TMP", "TEMP", "TEMPDIR"}) {
        if (const char* said = std::getenv(name); said != nullptr) {
            throw OutsideFailure(
                fmt::format("{} is {}, which is not a directory; set it to one, or unset it", name, said));
        }
    }
    throw OutsideFailure("/tmp is not a directory; set TMPDIR to one");
}

TemporaryDirectory::TemporaryDirectory(const fs::path& parent) {
    remove_abandoned(parent);
    std::string name = (fs::absolute(parent) / name_begin).string().append(name_end);
    if (mkdtemp(name.data()) == nullptr) {
        throw OutsideFailure(fmt::format("no directory can be made in {}: {}", parent.string(), std::strerror(errno)));
    }
    path_ = name;
    hold();
}

/// A lock file never exists without its lock, or another program might believe the directory to be abandoned.
void TemporaryDirectory::hold() {
    const fs::path fresh = path_ / ".new";
    std::error_code error;
    lock_ = locked(fresh, O_CREAT);
    if (lock_ >= 0) fs::rename(fresh, path_ / lock_file, error);
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code error;  // what cannot be removed stays
    if (lock_ >= 0) close(lock_);
    fs::remove_all(path_, error);
}

}  // namespace bcastgen
