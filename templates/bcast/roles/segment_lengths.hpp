// How long the segments are that a part of a message is cut into.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace bcast {

/// Segments are at most this long, also those of messages in one piece: a rank must find memory for one, wherever its
/// own message ends.
inline constexpr std::size_t longest_segment_bytes = std::size_t{1} << 24;

/// The segments of one part of a message.
struct SegmentLengths {
    std::size_t first_bytes = 1;
    std::size_t usual_bytes = 1;  ///< of all but the first and the last
    std::size_t last_bytes = 0;
    std::int64_t count = 1;

    /// Where a segment begins in the part.
    [[nodiscard]] std::size_t offset(std::int64_t segment) const {
        return segment == 0 ? 0 : first_bytes + static_cast<std::size_t>(segment - 1) * usual_bytes;
    }
    [[nodiscard]] std::size_t length(std::int64_t segment) const {
        return segment + 1 == count ? last_bytes : segment == 0 ? first_bytes : usual_bytes;
    }
    /// How many of those before the last lie within the first `bytes` bytes.
    [[nodiscard]] std::int64_t whole_within(std::size_t bytes) const {
        if (bytes < first_bytes) return 0;
        return std::min(count - 1, 1 + static_cast<std::int64_t>((bytes - first_bytes) / usual_bytes));
    }
    /// How many leading ones all parts of at least `bytes` bytes have, as long as here, where one of up to
    /// `most_alone` bytes is one segment. If `bytes` may be one, the first alone, which may have another length.
    /// `bytes` is at most that of this part.
    [[nodiscard]] std::int64_t alike(std::size_t bytes, std::size_t most_alone) const {
        return bytes > most_alone ? std::max<std::int64_t>(1, whole_within(bytes)) : 1;
    }
};

/// `bytes` bytes cut into a first segment of `most_of_first` bytes, others of `most`, and a last one that may be
/// shorter. There is one at least, with no bytes if there are none.
inline SegmentLengths cut_into_segments(std::size_t bytes, std::size_t most_of_first, std::size_t most) {
    constexpr std::size_t most_further = std::numeric_limits<std::int64_t>::max() - 1;  // messages may be of any size
    SegmentLengths made;
    made.usual_bytes = std::max<std::size_t>(1, std::min(most, bytes));
    made.first_bytes = std::min(made.usual_bytes, most_of_first);
    const std::size_t after_first = bytes - std::min(bytes, made.first_bytes);
    const std::size_t rest = after_first % made.usual_bytes;
    const std::size_t further = std::min(most_further, after_first / made.usual_bytes + (rest == 0 ? 0 : 1));
    made.count = 1 + static_cast<std::int64_t>(further);
    made.last_bytes = further == 0 ? bytes : rest == 0 ? made.usual_bytes : rest;
    return made;
}

}  // namespace bcast
