// How a part of a message is cut into segments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bcast/pipeline/lane.hpp"
#include "bcast/roles/send_window.hpp"

namespace bcast {

/// The segments of one part. On a lane there is one at least, and the first of several is not long (lane.hpp).
class Segmentation {
  public:
    Segmentation() = default;

    /// `wanted_bytes` each, 0: in one piece. `tags`: of a lane; else nullptr. `looked_at`: receivers can look how long
    /// the first is, so that one that is alone need not be short.
    Segmentation(std::size_t bytes, std::size_t wanted_bytes, const SegmentTags* tags, bool looked_at) : bytes_(bytes) {
        const bool on_lane = tags != nullptr;
        longest_bytes_ = on_lane ? std::min(longest_segment_bytes, tags->longest_bytes()) : longest_segment_bytes;
        if (wanted_bytes > 0) longest_bytes_ = std::min(wanted_bytes, longest_bytes_);
        usual_bytes_ = std::max<std::size_t>(1, std::min(longest_bytes_, bytes_));
        const std::size_t most_of_several = most_of_first_segment(longest_bytes_);
        first_room_ = usual_bytes_;
        if (on_lane) first_room_ = looked_at ? std::min(longest_bytes_, longest_looked_at_bytes) : most_of_several;
        first_bytes_ = usual_bytes_;
        if (on_lane && bytes_ > first_room_) first_bytes_ = most_of_several;
        if (on_lane && !looked_at && goes_in_two(bytes_)) {
            first_bytes_ = std::min(first_bytes_, longest_first_segment_bytes);
        }
        const std::size_t after_first = bytes_ - std::min(bytes_, first_bytes_);
        count_ = static_cast<std::int64_t>((after_first + usual_bytes_ - 1) / usual_bytes_) +
                 (bytes_ > 0 || on_lane ? 1 : 0);
        last_bytes_ = count_ > 0 ? bytes_ - offset(count_ - 1) : 0;
    }

    [[nodiscard]] std::int64_t count() const { return count_; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// Of all but the first and the last.
    [[nodiscard]] std::size_t usual_bytes() const { return usual_bytes_; }
    /// That any rank's segments have, whatever its length.
    [[nodiscard]] std::size_t longest_bytes() const { return longest_bytes_; }
    /// Whether the first is shorter than the others because it has to be.
    [[nodiscard]] bool first_is_short() const { return first_bytes_ < usual_bytes_; }
    /// That any rank's first segment fits in.
    [[nodiscard]] std::size_t first_room() const { return first_room_; }

    [[nodiscard]] std::size_t offset(std::int64_t segment) const {
        return segment == 0 ? 0 : first_bytes_ + static_cast<std::size_t>(segment - 1) * usual_bytes_;
    }
    [[nodiscard]] std::size_t length(std::int64_t segment) const {
        return segment + 1 == count_ ? last_bytes_ : segment == 0 ? first_bytes_ : usual_bytes_;
    }
    /// How many of them lie within the first `bytes` bytes.
    [[nodiscard]] std::int64_t within(std::size_t bytes) const {
        if (bytes == bytes_) return count_;
        return bytes < first_bytes_ ? 0 : 1 + static_cast<std::int64_t>((bytes - first_bytes_) / usual_bytes_);
    }

  private:
    std::size_t bytes_ = 0;
    std::size_t longest_bytes_ = 1;
    std::size_t usual_bytes_ = 1;
    std::size_t first_room_ = 1;
    std::size_t first_bytes_ = 1;
    std::size_t last_bytes_ = 0;
    std::int64_t count_ = 0;
};

}  // namespace bcast
