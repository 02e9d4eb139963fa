#include "codegen/emit/library_directory.hpp"

#include <fmt/format.h>

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
