// What measured broadcasts carry: bytes that are different in every repetition, and cheap to make and to check.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace bcastgen {

class Content {
  public:
    explicit Content(std::uint64_t seed) : seed_(seed * 0xd1342543de82ef95U + 1) {}

    void write(char* to, std::size_t bytes) const {
        std::size_t offset = 0;
        for (; offset + 8 <= bytes; offset += 8) {
            const std::uint64_t word = at(offset);
            std::memcpy(to + offset, &word, 8);
        }
        const std::uint64_t last = at(offset);
        std::memcpy(to + offset, &last, bytes - offset);
    }

    [[nodiscard]] bool matches(const char* buffer, std::size_t bytes) const {
        std::uint64_t different = 0;
        std::size_t offset = 0;
        for (; offset + 8 <= bytes; offset += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, buffer + offset, 8);
            different |= word ^ at(offset);
        }
        const std::uint64_t last = at(offset);
        return different == 0 && std::memcmp(buffer + offset, &last, bytes - offset) == 0;
    }

  private:
    /// Every word of 8 bytes differs from the one before and from the one of another seed.
    [[nodiscard]] std::uint64_t at(std::size_t offset) const {
        const std::uint64_t word = (seed_ + offset) * 0x9e3779b97f4a7c15U;
        return word ^ (word >> 32);
    }

    std::uint64_t seed_;
};

}  // namespace bcastgen
