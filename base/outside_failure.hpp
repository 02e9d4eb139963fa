// Something outside this program failed: a compiler, a launcher, a disk.
#pragma once

#include <stdexcept>

namespace bcastgen {

/// Neither the input nor bcastgen is wrong; the text says what failed and what to do. Exit code 1.
class OutsideFailure : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

}  // namespace bcastgen
