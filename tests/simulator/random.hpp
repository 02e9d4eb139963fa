// Random choices that are the same on every machine and with every standard library.
#pragma once

#include <cstddef>
#include <cstdint>

namespace simulator {

/// Mixes two numbers into one that looks like neither.
constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
    std::uint64_t bits = a * 0x9e3779b97f4a7c15U + b + 0x632be59bd9b4e019U;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31);
}

class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(mixed(seed, 1)) {}

    std::uint64_t bits() {  // splitmix64
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return z ^ (z >> 31);
    }
    /// 0 to 1, 1 excluded.
    double fraction() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    bool chance(double probability) { return probability > 0 && fraction() < probability; }
    /// 0 to end - 1.
    std::size_t below(std::size_t end) { return static_cast<std::size_t>(bits() % end); }
    /// Both ends included.
    int between(int first, int last) {
        const auto numbers = static_cast<std::size_t>(last) - static_cast<std::size_t>(first) + 1;
        return first + static_cast<int>(below(numbers));
    }
    /// One of the items of an array or vector.
    template <class Items>
    auto& one_of(Items& items) {
        return items[below(std::size(items))];
    }

  private:
    std::uint64_t state_;
};

}  // namespace simulator
