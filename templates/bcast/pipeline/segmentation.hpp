// How a part of a message is cut into segments.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bcast/pipeline/lane.hpp"
#include "bcast/roles/segment_lengths.hpp"

namespace bcast {

/// The segments of one part. On a lane there is one at least, and the first of several is not long (lane.hpp) unless
/// every rank has room for more.
class Segmentation {
  public:
    Segmentation() = default;

    /// `wanted_bytes` each, 0: in one piece. `tags`: of a lane; else nullptr. `looked_at`: receivers can look how long
    /// the first is, so that one that is alone need not be short.
    /// `least_bytes`: no rank's part is shorter; 0: not known.
    Segmentation(std::size_t bytes, std::size_t wanted_bytes, const SegmentTags* tags, bool looked_at,
                 std::size_t least_bytes = 0)
        : bytes_(bytes) {
        const bool on_lane = tags != nullptr;
        longest_bytes_ = on_lane ? std::min(longest_segment_bytes, tags->longest_bytes()) : longest_segment_bytes;
        if (wanted_bytes > 0) longest_bytes_ = std::min(wanted_bytes, longest_bytes_);
        first_room_ = std::max<std::size_t>(1, std::min(longest_bytes_, bytes_));
        std::size_t most_of_first = longest_bytes_;
        if (on_lane) {
            const bool all_fill_one = looked_at && least_bytes >= longest_bytes_;
            const std::size_t most_of_several = all_fill_one ? longest_bytes_ : most_of_first_segment(longest_bytes_);
            first_room_ = looked_at ? std::min(longest_bytes_, longest_looked_at_bytes) : most_of_several;
            if (bytes_ > first_room_) most_of_first = most_of_several;
            if (!looked_at && goes_in_two(bytes_)) most_of_first = std::min(most_of_first, longest_first_segment_bytes);
        }
        segments_ = cut_into_segments(bytes_, most_of_first, longest_bytes_);
        if (!on_lane && bytes_ == 0) segments_.count = 0;
        if (least_bytes <= first_room_) return;
        // No rank's first is alone, so all are as long; what comes after it has its receive beside the first one's.
        alike_ = segments_.alike(least_bytes, first_room_);
        first_room_ = segments_.first_bytes;
    }

    [[nodiscard]] std::int64_t count() const { return segments_.count; }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    /// Of all but the first and the last.
    [[nodiscard]] std::size_t usual_bytes() const { return segments_.usual_bytes; }
    /// That any rank's segments have, whatever its length.
    [[nodiscard]] std::size_t longest_bytes() const { return longest_bytes_; }
    /// Whether the first is shorter than the others because it has to be.
    [[nodiscard]] bool first_is_short() const { return segments_.first_bytes < segments_.usual_bytes; }
    /// That any rank's first segment fits in.
    [[nodiscard]] std::size_t first_room() const { return first_room_; }

    [[nodiscard]] std::size_t offset(std::int64_t segment) const { return segments_.offset(segment); }
    [[nodiscard]] std::size_t length(std::int64_t segment) const { return segments_.length(segment); }
    /// How many of them lie within the first `bytes` bytes.
    [[nodiscard]] std::int64_t within(std::size_t bytes) const {
        return bytes == bytes_ ? segments_.count : segments_.whole_within(bytes);
    }
    /// How many leading ones all ranks' parts have (SegmentLengths::alike).
    [[nodiscard]] std::int64_t alike() const { return alike_; }

  private:
    std::size_t bytes_ = 0;
    std::size_t longest_bytes_ = 1;
    std::size_t first_room_ = 1;
    std::int64_t alike_ = 1;
    SegmentLengths segments_;
};

}  // namespace bcast
