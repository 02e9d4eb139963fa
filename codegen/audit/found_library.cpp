#include "codegen/audit/found_library.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>

#include "base/characters.hpp"
#include "base/outside_failure.hpp"
#include "codegen/emit/embedded_templates.hpp"
#include "codegen/emit/library_directory.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

std::set<std::string> paths_of_an_emission() {
    constexpr std::string_view suffix = ".mustache";
    std::set<std::string> paths;
    for (const EmbeddedFile& embedded : embedded_templates()) {
        const bool filled_in = embedded.name.ends_with(suffix);
        paths.emplace(embedded.name.substr(0, embedded.name.size() - (filled_in ? suffix.size() : 0)));
    }
    return paths;
}

/// LICENSE, LICENSE-MIT, COPYING.LESSER
bool is_note(std::string_view name) {
    constexpr std::array notes = {"AUTHORS", "CHANGELOG", "CHANGES",  "CONTRIBUTING", "CONTRIBUTORS", "COPYING",
                                  "HISTORY", "LICENCE",   "LICENSE",  "MAINTAINERS",  "NEWS",         "NOTES",
                                  "NOTICE",  "README",    "SECURITY", "TODO"};
    return std::any_of(notes.begin(), notes.end(), [&](std::string_view note) {
        const auto capital = [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '.' || c == '-'; };
        return name == note || (name.size() > note.size() && name.starts_with(note) &&
                                (name[note.size()] == '-' || name[note.size()] == '.') &&
                                std::all_of(name.begin(), name.end(), capital));
    });
}

/// Whether a file of this name is out of everybody's reach: no header includes one so called, and neither CMake nor
/// the module systems look for it. Names that are not listed may be anything.
bool is_out_of_reach(std::string_view name) {
    constexpr std::array whole = {".gitignore", ".gitattributes", ".gitmodules",   ".gitkeep",
                                  ".mailmap",   ".editorconfig",  ".clang-format", ".DS_Store"};
    constexpr std::array endings = {".adoc",   ".asc",  ".bak",   ".csv", ".db",   ".diff", ".html", ".log",
                                    ".md",     ".orig", ".patch", ".pdf", ".png",  ".rst",  ".sig",  ".sha256",
                                    ".sha512", ".svg",  ".swp",   ".txt", ".yaml", ".yml",  "~"};
    // CMakeLists.txt, CMakeCache.txt, cmake-variants.yaml; compile_flags.txt
    std::string start(name.substr(0, 8));
    std::transform(start.begin(), start.end(), start.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (start.starts_with("cmake") || start == "compile_") return false;
    const auto is_name = [&](std::string_view known) { return name == known; };
    const auto ends = [&](std::string_view ending) { return name.size() > ending.size() && name.ends_with(ending); };
    return is_note(name) || std::any_of(whole.begin(), whole.end(), is_name) ||
           std::any_of(endings.begin(), endings.end(), ends);
}

/// What version control keeps beside the files.
bool is_version_control(std::string_view path) {
    constexpr std::array folders = {".git", ".github", ".gitlab", ".hg", ".svn"};
    return std::any_of(folders.begin(), folders.end(), [&](std::string_view one) { return path == one; });
}

std::string why_no_file(std::string_view name) {
    const auto reader = [&]() -> std::string_view {
        if (name.starts_with("CMake") || name.ends_with(".cmake")) return "CMake would read it";
        if (name.ends_with(".gch") || name.ends_with(".pch")) return "the compiler would read it instead of the header";
        if (name.starts_with(".module") || name == ".version" || name.ends_with(".lua")) {
            return "the module system would read it";
        }
        return "the compiler would look into it for a header";
    };
    return fmt::format("expected no such file: {}", reader());
}

[[noreturn]] void refuse_to_read(const fs::path& file) {
    throw OutsideFailure(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
}

/// A regular file's bytes; nothing if it is none. Opened before it is looked at, so that what was looked at is read.
std::optional<std::string> bytes_of(const fs::path& file) {
    const int descriptor = open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 && (errno == ELOOP || errno == ENXIO)) return std::nullopt;
    if (descriptor < 0) refuse_to_read(file);
    struct stat state {};
    std::string text;
    ssize_t got = fstat(descriptor, &state);
    if (got == 0 && S_ISREG(state.st_mode)) {
        std::array<char, 65536> part{};
        while ((got = read(descriptor, part.data(), part.size())) > 0)
            text.append(part.data(), static_cast<std::size_t>(got));
    }
    const int trouble = errno;
    close(descriptor);
    errno = trouble;
    if (got < 0) refuse_to_read(file);
    return S_ISREG(state.st_mode) ? std::optional(std::move(text)) : std::nullopt;
}

class LibraryReader {
  public:
    LibraryReader(fs::path directory, const std::string& library)
        : directory_(std::move(directory)), shared_object_("libbcast_" + library + ".so") {
        for (const std::string& path : paths_) {
            for (fs::path in = fs::path(path).parent_path(); !in.empty(); in = in.parent_path()) folders_.insert(in);
        }
    }

    FoundLibrary run() {
        look_into(directory_);
        const auto by_path = [](const auto& a, const auto& b) { return a.path < b.path; };
        std::sort(found_.files.begin(), found_.files.end(), by_path);
        std::sort(found_.strangers.begin(), found_.strangers.end(), by_path);
        return std::move(found_);
    }

  private:
    void look_into(const fs::path& folder) {
        for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
            const std::string path = entry.path().lexically_relative(directory_).generic_string();
            const fs::file_type type = entry.symlink_status().type();
            if (type == fs::file_type::directory) {
                take_folder(entry.path(), path);
            } else if (type == fs::file_type::symlink) {
                refuse(path, "expected no symbolic link: it can lead elsewhere tomorrow");
            } else if (type != fs::file_type::regular) {
                refuse(path, "expected a file or nothing, found a pipe, a socket or a device");
            } else {
                take_file(entry.path(), path);
            }
        }
    }

    void take_folder(const fs::path& folder, const std::string& path) {
        if (folders_.count(path) != 0) {
            look_into(folder);
        } else if (path == "build") {
            look_into_build(folder);
        } else if (!is_version_control(path) && !fs::is_empty(folder)) {
            refuse(path, "expected no such folder: the compiler would look into it for headers");
        }
    }

    void take_file(const fs::path& file, const std::string& path) {
        const std::string name = file.filename().string();
        if (is_version_control(path) || is_out_of_reach(name)) return;
        if (paths_.count(path) == 0) return refuse(path, why_no_file(name));
        if (std::optional<std::string> text = bytes_of(file)) found_.files.push_back({path, std::move(*text)});
    }

    /// A library for each MPI and nothing else: CMake and make take settings, rules and compiled code from a folder in
    /// which they have been before.
    void look_into_build(const fs::path& build) {
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(build)) {
            const fs::path path = entry.path().lexically_relative(build);
            const auto depth = std::distance(path.begin(), path.end());
            const fs::file_type type = entry.symlink_status().type();
            if (depth == 1 && type == fs::file_type::directory) continue;
            if (depth == 2 && type == fs::file_type::regular && path.filename() == shared_object_) continue;
            return refuse("build/" + path.generic_string(),
                          fmt::format("expected no more than {} here: CMake would take settings and compiled code from "
                                      "what it left. Remove build/ and build again",
                                      shared_object_));
        }
    }

    void refuse(const std::string& path, std::string finding) {
        found_.strangers.push_back({path, std::move(finding)});
    }

    fs::path directory_;
    std::string shared_object_;
    std::set<std::string> paths_ = paths_of_an_emission();
    std::set<std::string> folders_;  ///< that hold them
    FoundLibrary found_;
};

}  // namespace

FoundLibrary read_found_library(const fs::path& directory, const std::string& library) {
    demand_library(directory);
    try {
        return LibraryReader(directory, library).run();
    } catch (const fs::filesystem_error& error) {
        throw OutsideFailure(fmt::format("{}: cannot be read: {}", error.path1().string(), error.code().message()));
    }
}

}  // namespace bcastgen
