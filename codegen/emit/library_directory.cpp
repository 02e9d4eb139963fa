#include "codegen/emit/library_directory.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/outside_failure.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

std::optional<std::string> text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(in), {});
}

// Is there while a library is being written, so that what a killed program left is known as its own.
constexpr const char* unfinished = ".bcastgen-unfinished";

[[noreturn]] void refuse_writing(const fs::path& file, int error) {
    throw OutsideFailure(
        fmt::format("{}: cannot be written: {}", file.string(), std::system_category().message(error)));
}

/// Makes a directory and those above it; `made` gets those that were not there, the outermost first.
void make_directories(const fs::path& directory, std::vector<fs::path>& made) {
    if (directory.empty() || fs::exists(directory)) return;
    make_directories(directory.parent_path(), made);
    if (fs::create_directory(directory)) made.push_back(directory);
}

/// Files that stand ready beside those that they will replace. Unless all were put in place, this object takes away
/// what it made.
class FreshFiles {
  public:
    explicit FreshFiles(fs::path directory)
        : directory_(std::move(directory)), mark_(directory_ / unfinished), was_marked_(fs::exists(mark_)) {}
    FreshFiles(const FreshFiles&) = delete;
    FreshFiles& operator=(const FreshFiles&) = delete;
    ~FreshFiles() {
        std::error_code ignored;
        for (const fs::path& file : files_) fs::remove(fresh(file), ignored);
        if (finished_ || in_place_ || was_marked_) return;
        fs::remove(mark_, ignored);
        for (auto directory = made_.rbegin(); directory != made_.rend(); ++directory) fs::remove(*directory, ignored);
    }

    void write(const fs::path& file, const std::string& text) {
        if (files_.empty()) mark();
        make_directories(file.parent_path(), made_);
        files_.push_back(file);
        remove_stale(file);  // it may be a link to somewhere else
        errno = 0;
        std::ofstream out(fresh(file), std::ios::binary);
        out << text;
        out.close();
        if (!out) refuse_writing(file, errno);
    }

    int put_in_place() {
        int count = 0;
        for (const fs::path& file : files_) {
            fs::rename(fresh(file), file);
            in_place_ = true;
            ++count;
        }
        files_.clear();
        fs::remove(mark_);
        finished_ = true;
        return count;
    }

    /// Of a program that was killed.
    static void remove_stale(const fs::path& file) {
        std::error_code ignored;
        fs::remove(fresh(file), ignored);
    }

  private:
    static fs::path fresh(const fs::path& file) { return file.string() + ".new"; }

    void mark() {
        make_directories(directory_, made_);
        errno = 0;
        std::ofstream out(mark_);
        out.close();
        if (!out) refuse_writing(mark_, errno);
    }

    fs::path directory_;
    fs::path mark_;
    bool was_marked_;             // by a program that was killed
    std::vector<fs::path> made_;  // directories
    std::vector<fs::path> files_;
    bool in_place_ = false;  // one at least
    bool finished_ = false;
};

[[noreturn]] void refuse_directory(const fs::path& directory, const std::string& what) {
    throw InputErrors({{directory.string(), 0, 0, what, ""}});
}

void check_directory(const fs::path& directory) {
    if (!fs::exists(directory)) return;
    if (!fs::is_directory(directory)) refuse_directory(directory, "is not a directory; the library needs one");
    const bool ours = fs::exists(directory / "site_plan.hpp") || fs::exists(directory / unfinished);
    if (!fs::is_empty(directory) && !ours) {
        refuse_directory(directory,
                         "holds something else than an emitted library; nothing was written. Name another directory");
    }
}

}  // namespace

bool is_library(const fs::path& directory) {
    return fs::exists(directory / "site_plan.hpp") && !fs::exists(directory / unfinished);
}

void demand_library(const fs::path& directory) {
    if (is_library(directory)) return;
    refuse_directory(directory, fs::exists(directory / unfinished)
                                    ? "holds a library whose writing was broken off; emit it again"
                                    : "holds no emitted library; bcastgen T.yaml -o DIR makes one");
}

int write_library(const fs::path& directory, const std::vector<EmittedFile>& files) {
    try {
        check_directory(directory);
        FreshFiles fresh(directory);
        for (const EmittedFile& file : files) {
            const fs::path path = directory / file.path;
            if (text_of(path) != file.text) {
                fresh.write(path, file.text);
            } else {
                FreshFiles::remove_stale(path);
            }
        }
        return fresh.put_in_place();
    } catch (const fs::filesystem_error& error) {
        throw OutsideFailure(fmt::format("{}: cannot be written: {}", error.path1().string(), error.code().message()));
    }
}

}  // namespace bcastgen
