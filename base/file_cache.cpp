#include "base/file_cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <utility>
#include <vector>

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_cached_files = 128;

/// True if nobody else could have put a program there for us to run.
bool is_ours_alone(const fs::path& directory) {
    struct stat status {};
    return lstat(directory.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

fs::path users_cache() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    if (cache != nullptr && *cache == '/') return cache;
    const char* home = std::getenv("HOME");
    return home != nullptr && *home == '/' ? fs::path(home) / ".cache" : fs::path();
}

}  // namespace

FileCache::FileCache(const std::string& name) {
    fs::path directory = users_cache();
    if (directory.empty()) return;
    std::error_code error;
    fs::create_directories(directory, error);
    for (const std::string& part : {std::string("bcastgen"), name}) {
        directory /= part;
        mkdir(directory.c_str(), S_IRWXU);
        if (!is_ours_alone(directory)) return;
    }
    if (access(directory.c_str(), W_OK | X_OK) == 0) directory_ = directory;
}

bool FileCache::take(const std::string& name, const fs::path& to) const {
    std::error_code error;
    if (!keeps() || !fs::exists(directory_ / name, error)) return false;
    fs::copy_file(directory_ / name, to, fs::copy_options::overwrite_existing, error);
    if (error) return false;
    fs::last_write_time(directory_ / name, fs::file_time_type::clock::now(), error);  // among the last to be dropped
    return true;
}

void FileCache::keep(const fs::path& made, const std::string& name) const {
    if (!keeps()) return;
    std::error_code error;  // a full disk or another run that tidies up too: then it is not kept
    const fs::path fresh = directory_ / fmt::format("{}.{}", name, getpid());
    fs::copy_file(made, fresh, fs::copy_options::overwrite_existing, error);
    if (!error) fs::rename(fresh, directory_ / name, error);
    std::vector<std::pair<fs::file_time_type, fs::path>> kept;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory_, error)) {
        kept.emplace_back(entry.last_write_time(error), entry.path());
    }
    std::sort(kept.begin(), kept.end());
    for (std::size_t i = 0; i + most_cached_files < kept.size(); ++i) fs::remove(kept[i].second, error);
}

}  // namespace bcastgen
