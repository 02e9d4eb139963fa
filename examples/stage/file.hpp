#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "failure.hpp"

/// An open file that closes itself; what fails is thrown with its path.
namespace stage {

class File {
  public:
    File(std::string path, int flags, mode_t mode = 0600)
        : path_(std::move(path)), descriptor_(open(path_.c_str(), flags | O_CLOEXEC, mode)) {
        if (descriptor_ < 0) throw system_failure(path_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { close(descriptor_); }

    int descriptor() const { return descriptor_; }
    const std::string& path() const { return path_; }

    /// How many there were: fewer than asked for only at the end of the file.
    std::size_t read(char* bytes, std::size_t count, std::uint64_t offset) const {
        std::size_t done = 0;
        while (done < count) {
            const ssize_t got = pread(descriptor_, bytes + done, count - done, static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) throw system_failure(path_);
            if (got == 0) break;
            done += static_cast<std::size_t>(got);
        }
        return done;
    }

    void write(const char* bytes, std::size_t count, std::uint64_t offset) const {
        for (std::size_t done = 0; done < count;) {
            const ssize_t put = pwrite(descriptor_, bytes + done, count - done, static_cast<off_t>(offset + done));
            if (put < 0 && errno == EINTR) continue;
            if (put < 0) throw system_failure(path_);
            done += static_cast<std::size_t>(put);
        }
    }

  private:
    std::string path_;
    int descriptor_;
};

}  // namespace stage
