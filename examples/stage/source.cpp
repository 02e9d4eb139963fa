// How a manifest is made: what lies at the source.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>

#include "failure.hpp"
#include "file.hpp"
#include "manifest.hpp"

namespace stage {

namespace {

/// Where the file's data lies; on file systems that know of no holes, all of it.
std::vector<Extent> data_of(const std::string& path, std::uint64_t bytes) {
    const File file(path, O_RDONLY);
    std::vector<Extent> data;
    for (off_t at = 0; static_cast<std::uint64_t>(at) < bytes;) {
        const off_t start = lseek(file.descriptor(), at, SEEK_DATA);
        if (start < 0 && errno == ENXIO) break;  // a hole up to the end
        if (start < 0) return {{0, bytes}};
        const off_t end = lseek(file.descriptor(), start, SEEK_HOLE);
        if (end < 0) throw system_failure(path);
        const auto last = std::min(static_cast<std::uint64_t>(end), bytes);
        if (static_cast<std::uint64_t>(start) < last) {
            data.push_back({static_cast<std::uint64_t>(start), last - static_cast<std::uint64_t>(start)});
        }
        at = end;
    }
    return data;
}

std::string link_text(const std::string& path) {
    std::string text(4096, '\0');
    const ssize_t length = readlink(path.c_str(), text.data(), text.size());
    if (length < 0) throw system_failure(path);
    text.resize(static_cast<std::size_t>(length));
    return text;
}

std::vector<std::string> names_in(const std::string& directory) {
    const std::unique_ptr<DIR, int (*)(DIR*)> open(opendir(directory.c_str()), closedir);
    if (!open) throw system_failure(directory);
    std::vector<std::string> names;
    errno = 0;
    while (const dirent* one = readdir(open.get())) {
        const std::string name = one->d_name;
        if (name != "." && name != "..") names.push_back(name);
        errno = 0;
    }
    if (errno != 0) throw system_failure(directory);
    std::sort(names.begin(), names.end());  // the same list each time: a staging that was cut knows its source again
    return names;
}

class Walk {
  public:
    explicit Walk(std::string source) : source_(std::move(source)) {}

    std::vector<Entry> entries() {
        std::vector<std::string> left = {""};
        while (!left.empty()) {
            const std::string path = left.back();
            left.pop_back();
            add(path);
            if (!S_ISDIR(entries_.back().mode)) continue;
            const std::vector<std::string> names = names_in(source_ + path);
            for (auto name = names.rbegin(); name != names.rend(); ++name) left.push_back(path + "/" + *name);
        }
        return std::move(entries_);
    }

  private:
    void add(const std::string& path) {
        const std::string full = source_ + path;
        struct stat found {};
        // A link that the user names stands for what it leads to; links below are kept as they are.
        if ((path.empty() ? stat(full.c_str(), &found) : lstat(full.c_str(), &found)) != 0) throw system_failure(full);
        Entry entry;
        entry.path = path;
        entry.mode = found.st_mode;
        entry.owner = found.st_uid;
        entry.group = found.st_gid;
        entry.changed_s = found.st_mtim.tv_sec;
        entry.changed_ns = found.st_mtim.tv_nsec;
        if (S_ISLNK(found.st_mode)) entry.target = link_text(full);
        if (S_ISBLK(found.st_mode) || S_ISCHR(found.st_mode)) entry.device = found.st_rdev;
        if (!S_ISDIR(found.st_mode) && found.st_nlink > 1) {
            const auto [first, fresh] = first_names_.emplace(std::pair(found.st_dev, found.st_ino), path);
            entry.further_name = !fresh;
            if (!fresh) entry.target = first->second;
        }
        if (S_ISREG(found.st_mode) && !entry.further_name) {
            entry.bytes = static_cast<std::uint64_t>(found.st_size);
            entry.data = data_of(full, entry.bytes);
        }
        entries_.push_back(std::move(entry));
    }

    std::string source_;
    std::vector<Entry> entries_;
    std::map<std::pair<dev_t, ino_t>, std::string> first_names_;
};

}  // namespace

Manifest Manifest::of_source(const std::string& source) {
    struct stat found {};
    if (stat(source.c_str(), &found) != 0) throw BadInput(system_failure(source).what());
    if (!S_ISDIR(found.st_mode) && !S_ISREG(found.st_mode)) throw BadInput(source + ": neither a file nor a directory");
    Manifest manifest;
    manifest.entries_ = Walk(source).entries();
    manifest.lay_out_stream();
    return manifest;
}

}  // namespace stage
