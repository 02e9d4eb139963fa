// Random numbers of the measuring program: the same on every machine, whatever its standard library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace bcastgen {

/// The generator "splitmix64": a counter, well stirred.
class Random {
  public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15U;
        std::uint64_t word = state_;
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9U;
        word = (word ^ (word >> 27)) * 0x94d049bb133111ebU;
        return word ^ (word >> 31);
    }

    /// Uniform in [0, 1).
    double fraction() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    /// Uniform in [0, bound); the bias for such small bounds does not matter here.
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

  private:
    std::uint64_t state_;
};

template <class T>
void shuffle(std::vector<T>& items, Random random) {
    for (std::size_t left = items.size(); left > 1; --left) std::swap(items[left - 1], items[random.below(left)]);
}

}  // namespace bcastgen
