// Which fragments of a message are here, and after how many hops along the chain each came.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bcast {

class Fragments {
  public:
    /// A message of `bytes` (> 0) in fragments of `fragment_bytes`; all of them here, or none.
    void begin(std::size_t bytes, std::size_t fragment_bytes, bool here) {
        bytes_ = bytes;
        fragment_bytes_ = fragment_bytes;
        count_ = (bytes + fragment_bytes - 1) / fragment_bytes;
        missing_ = here ? 0 : count_;
        leading_ = here ? count_ : 0;
        rounds_.assign(count_, here ? std::uint16_t{0} : not_here);
    }

    [[nodiscard]] std::size_t count() const { return count_; }
    [[nodiscard]] std::size_t missing() const { return missing_; }
    [[nodiscard]] bool has(std::size_t fragment) const { return rounds_[fragment] != not_here; }
    [[nodiscard]] std::size_t offset(std::size_t fragment) const { return fragment * fragment_bytes_; }
    [[nodiscard]] std::size_t length(std::size_t fragment) const {
        return std::min(fragment_bytes_, bytes_ - offset(fragment));
    }

    /// How many leading bytes of the message are here.
    [[nodiscard]] std::size_t leading_bytes() const { return std::min(leading_ * fragment_bytes_, bytes_); }

    /// How many hops along the chain a fragment took that is here; 0 if it came by multicast.
    [[nodiscard]] unsigned rounds(std::size_t fragment) const { return rounds_[fragment]; }

    /// False if it was here before.
    bool add(std::size_t fragment, unsigned rounds) {
        if (has(fragment)) return false;
        rounds_[fragment] = static_cast<std::uint16_t>(std::min<unsigned>(rounds, not_here - 1U));
        --missing_;
        while (leading_ < count_ && has(leading_)) ++leading_;
        return true;
    }

    /// A bit for each fragment, set where it is missing.
    void write_missing(unsigned char* bits) const {
        std::fill_n(bits, bitmap_bytes(), static_cast<unsigned char>(0));
        for (std::size_t fragment = 0; fragment < count_; ++fragment) {
            if (!has(fragment))
                bits[fragment / 8] = static_cast<unsigned char>(bits[fragment / 8] | 1U << fragment % 8);
        }
    }
    [[nodiscard]] std::size_t bitmap_bytes() const { return (count_ + 7) / 8; }

    void list_missing(std::vector<std::uint32_t>& list) const {
        list.clear();
        if (missing_ == 0) return;
        for (std::size_t fragment = 0; fragment < count_; ++fragment) {
            if (!has(fragment)) list.push_back(static_cast<std::uint32_t>(fragment));
        }
    }

    /// The most hops that any fragment took.
    [[nodiscard]] unsigned most_rounds() const {
        unsigned most = 0;
        for (const std::uint16_t rounds : rounds_) most = std::max<unsigned>(most, rounds);
        return most;
    }

  private:
    static constexpr std::uint16_t not_here = 0xffff;

    std::size_t bytes_ = 0;
    std::size_t fragment_bytes_ = 1;
    std::size_t count_ = 0;
    std::size_t missing_ = 0;
    std::size_t leading_ = 0;  // fragments before the first that is missing
    std::vector<std::uint16_t> rounds_;
};

/// The fragments that are missing by a bitmap.
inline void list_fragments(const unsigned char* bits, std::size_t count, std::vector<std::uint32_t>& list) {
    list.clear();
    for (std::size_t fragment = 0; fragment < count; ++fragment) {
        if ((bits[fragment / 8] >> fragment % 8 & 1) != 0) list.push_back(static_cast<std::uint32_t>(fragment));
    }
}

}  // namespace bcast
