// Segment sizes worth measuring.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace bcastgen {

/// A segment that fits a small frame together with the MPI's header can be passed on soonest. Messages of up to this
/// many bytes gain by that.
inline constexpr std::size_t frame_segment_bytes = 240;
inline constexpr std::size_t most_in_frames_bytes = 32768;

/// Segment sizes worth trying for a message: those that have done well in pipelines and cut the message into no more
/// than 512 pieces; for small messages also one piece. Only one piece for algorithms that do not pipeline.
[[nodiscard]] std::vector<std::size_t> usual_segments(const std::string& algorithm, std::size_t message_bytes);

}  // namespace bcastgen
