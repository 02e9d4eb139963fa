#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

/// What ends a staging: one line, which begins with the path it is about.
namespace stage {

class Failure : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The user's to mend: exit code 2.
class BadInput : public Failure {
  public:
    using Failure::Failure;
};

/// "PATH: what the system says", after a system call that has set errno.
inline Failure system_failure(const std::string& path) {
    return Failure(path + ": " + std::generic_category().message(errno));
}

}  // namespace stage
