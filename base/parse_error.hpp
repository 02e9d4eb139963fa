// The exception for a small text (a bandwidth, a hostlist) that is refused.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

namespace bcastgen {

/// A text without a meaning; `offset` is the byte where the mistake begins. The message says what to write.
class ParseError : public std::invalid_argument {
  public:
    explicit ParseError(const std::string& message, std::size_t offset = 0)
        : std::invalid_argument(message), offset_(offset) {}
    [[nodiscard]] std::size_t offset() const { return offset_; }

  private:
    std::size_t offset_;
};

}  // namespace bcastgen
