#include "base/text_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include "base/outside_failure.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as Linux has it

[[noreturn]] void refuse(const fs::path& file, int error) {
    throw OutsideFailure(
        fmt::format("{}: cannot be written: {}", file.string(), std::system_category().message(error)));
}

/// True of a link that the kernel, too, may be set not to follow (protected_symlinks in proc(5)): somebody else's, in a
/// directory where everybody makes files. Whoever follows it writes where that somebody wants.
bool is_trap(const fs::path& link) {
    struct stat own {};
    struct stat directory {};
    const fs::path parent = link.has_parent_path() ? link.parent_path() : fs::path(".");
    if (lstat(link.c_str(), &own) != 0 || stat(parent.c_str(), &directory) != 0) return false;
    const bool shared = (directory.st_mode & S_ISVTX) != 0 && (directory.st_mode & S_IWOTH) != 0;
    return shared && own.st_uid != geteuid() && own.st_uid != directory.st_uid;
}

/// The file that the text is to replace; nothing where it can only be written in place: devices, pipes, and whatever
/// file a descriptor such as /dev/stdout happens to be.
std::optional<fs::path> replaceable(fs::path file) {
    for (int links = 0; links < most_links; ++links) {
        if (file.native().starts_with("/dev/") || file.native().starts_with("/proc/")) return std::nullopt;
        std::error_code error;
        const fs::file_status status = fs::symlink_status(file, error);
        if (status.type() == fs::file_type::regular || status.type() == fs::file_type::not_found) return file;
        if (status.type() != fs::file_type::symlink) return std::nullopt;
        if (is_trap(file)) refuse(file, EACCES);
        const fs::path target = fs::read_symlink(file, error);
        if (error) return std::nullopt;
        file = file.parent_path() / target;  // just the target if that is absolute
    }
    return std::nullopt;
}

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = write(descriptor, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

/// False, and nothing done, where no file can be made beside it; an existing file may be writable all the same.
bool replace(const fs::path& file, std::string_view text) {
    const fs::path fresh = file.parent_path() / fmt::format(".{}.{}", file.filename().string(), getpid());
    unlink(fresh.c_str());  // of an earlier process with our number
    const int descriptor = open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) return false;
    struct stat old {};
    bool good = true;
    if (stat(file.c_str(), &old) == 0) {
        (void)!fchown(descriptor, old.st_uid, old.st_gid);  // root's to do
        good = fchmod(descriptor, old.st_mode & 0777) == 0;
    }
    good = good && write_all(descriptor, text);
    int error = good ? 0 : errno;
    if (close(descriptor) != 0 && good) error = errno;  // some network file systems tell of a full disk only here
    if (error == 0 && rename(fresh.c_str(), file.c_str()) != 0) error = errno;
    if (error == 0) return true;
    unlink(fresh.c_str());
    refuse(file, error);
}

}  // namespace

std::optional<std::string> text_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) return std::nullopt;
    return std::string(std::istreambuf_iterator<char>(in), {});
}

void write_file(const fs::path& file, std::string_view text) {
    const std::optional<fs::path> place = replaceable(file);
    if (place && text_of(*place) == text) return;
    if (place && access(file.c_str(), F_OK) == 0 && access(file.c_str(), W_OK) != 0) refuse(file, errno);
    if (place && replace(*place, text)) return;
    errno = 0;
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) refuse(file, errno);
}

}  // namespace bcastgen
