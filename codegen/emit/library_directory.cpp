#include "codegen/emit/library_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>

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

/// Files that stand ready beside those that they will replace; what was not put in place goes with this object.
class FreshFiles {
  public:
    FreshFiles() = default;
    FreshFiles(const FreshFiles&) = delete;
    FreshFiles& operator=(const FreshFiles&) = delete;
    ~FreshFiles() {
        std::error_code ignored;
        for (const fs::path& file : files_) fs::remove(fresh(file), ignored);
    }

    void write(const fs::path& file, const std::string& text) {
        fs::create_directories(file.parent_path());
        files_.push_back(file);
        errno = 0;
        std::ofstream out(fresh(file), std::ios::binary);
        out << text;
        out.close();
        if (!out) throw OutsideFailure(fmt::format("{}: cannot be written: {}", file.string(), std::strerror(errno)));
    }

    int put_in_place() {
        int count = 0;
        for (const fs::path& file : files_) {
            fs::rename(fresh(file), file);
            ++count;
        }
        files_.clear();
        return count;
    }

  private:
    static fs::path fresh(const fs::path& file) { return file.string() + ".new"; }
    std::vector<fs::path> files_;
};

[[noreturn]] void refuse_directory(const fs::path& directory, const std::string& what) {
    throw InputErrors({{directory.string(), 0, 0, what, ""}});
}

void check_directory(const fs::path& directory) {
    if (!fs::exists(directory)) return;
    if (!fs::is_directory(directory)) refuse_directory(directory, "is not a directory; the library needs one");
    if (!fs::is_empty(directory) && !is_library(directory)) {
        refuse_directory(directory,
                         "holds something else than an emitted library; nothing was written. Name another directory");
    }
}

}  // namespace

bool is_library(const fs::path& directory) {
    return fs::exists(directory / "site_plan.hpp");
}

std::vector<EmittedFile> read_library(const fs::path& directory) {
    if (!is_library(directory)) {
        throw InputErrors(
            {{directory.string(), 0, 0, "holds no emitted library; bcastgen T.yaml -o DIR makes one", ""}});
    }
    std::vector<EmittedFile> files;
    const auto take = [&](const fs::directory_entry& entry) {
        if (!entry.is_regular_file()) return;
        const fs::path extension = entry.path().extension();
        const bool code = extension.empty() || extension == ".hpp" || extension == ".h" || extension == ".cpp";
        if (!code && entry.path().filename() != "CMakeLists.txt") return;
        files.push_back(
            {entry.path().lexically_relative(directory).generic_string(), text_of(entry.path()).value_or("")});
    };
    std::error_code missing;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory)) take(entry);
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory / "bcast", missing)) take(entry);
    std::sort(files.begin(), files.end(), [](const EmittedFile& a, const EmittedFile& b) { return a.path < b.path; });
    return files;
}

int write_library(const fs::path& directory, const std::vector<EmittedFile>& files) {
    try {
        check_directory(directory);
        FreshFiles fresh;
        for (const EmittedFile& file : files) {
            const fs::path path = directory / file.path;
            if (text_of(path) != file.text) fresh.write(path, file.text);
        }
        return fresh.put_in_place();
    } catch (const fs::filesystem_error& error) {
        throw OutsideFailure(fmt::format("{}: cannot be written: {}", error.path1().string(), error.code().message()));
    }
}

}  // namespace bcastgen
