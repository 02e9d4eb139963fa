// The hash by which plans, tables and compiled programs are told apart.
#pragma once

#include <cstdint>
#include <string_view>

namespace bcastgen {

/// FNV-1a, 64 bits, over values with their ends marked. The same values have the same hash on every machine.
class Hash {
  public:
    void add(std::string_view text) {
        for (const char c : text) step(static_cast<unsigned char>(c));
        step(0);
    }
    void add(std::int64_t number) {
        for (int byte = 0; byte < 8; ++byte) {
            step(static_cast<unsigned char>(static_cast<std::uint64_t>(number) >> (8 * byte)));
        }
    }
    void add(int number) { add(static_cast<std::int64_t>(number)); }
    [[nodiscard]] std::uint64_t value() const { return value_; }

  private:
    void step(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3U; }
    std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace bcastgen
