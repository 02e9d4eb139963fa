#include "tuner/store/run_claim.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/outside_failure.hpp"

namespace bcastgen {

namespace {

constexpr off_t first_byte = off_t{1} << 40;  // behind any store

struct flock lock_of(std::int64_t run) {
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = first_byte + run;
    lock.l_len = 1;
    return lock;
}

}  // namespace

RunClaim::~RunClaim() {
    if (descriptor_ >= 0) close(descriptor_);
}

void RunClaim::claim(const std::filesystem::path& store, std::int64_t run) {
    if (descriptor_ < 0) descriptor_ = open(store.c_str(), O_RDWR | O_CLOEXEC);
    struct flock wanted = lock_of(run);
    if (descriptor_ >= 0 && fcntl(descriptor_, F_SETLK, &wanted) == 0) return;
    if (descriptor_ < 0 || (errno != EACCES && errno != EAGAIN)) {
        throw OutsideFailure(fmt::format("{}: cannot be locked: {}", store.string(), std::strerror(errno)));
    }
    struct flock holder = lock_of(run);
    const bool known = fcntl(descriptor_, F_GETLK, &holder) == 0 && holder.l_type != F_UNLCK && holder.l_pid > 0;
    throw OutsideFailure(
        fmt::format("{}: another bcastgen tune{} is at work on run {}; wait for its end, or take another --db",
                    store.string(), known ? fmt::format(" (process {})", holder.l_pid) : "", run));
}

}  // namespace bcastgen
