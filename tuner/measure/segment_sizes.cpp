#include "tuner/measure/segment_sizes.hpp"

#include <array>
#include <optional>

#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

constexpr std::array<std::size_t, 11> pipeline_segments = {1024,  2048,  4096,   6144,   8192,  16384,
                                                           32768, 65536, 131072, 262144, 524288};
constexpr std::size_t most_segments = 512;
constexpr std::size_t block_piece_bytes = 8192;     // pieces of a scattered message's blocks, besides whole ones
constexpr std::size_t small_message_bytes = 65536;  // up to this size one piece is tried too

}  // namespace

std::vector<std::size_t> usual_segments(const std::string& algorithm, std::size_t message_bytes) {
    std::vector<std::size_t> segments;
    const std::optional<bcast::Algorithm> planned = algorithm_called(algorithm);
    if (planned ? !bcast::pipelines(*planned) : !takes_segments(algorithm)) return {0};
    if (planned && bcast::scatters(*planned)) {
        if (block_piece_bytes < message_bytes) segments.push_back(block_piece_bytes);
        segments.push_back(0);
        return segments;
    }
    if (frame_segment_bytes < message_bytes && message_bytes <= most_in_frames_bytes) {
        segments.push_back(frame_segment_bytes);
    }
    for (const std::size_t segment : pipeline_segments) {
        if (segment < message_bytes && message_bytes / segment <= most_segments) segments.push_back(segment);
    }
    if (message_bytes <= small_message_bytes) segments.push_back(0);
    if (segments.empty()) segments.push_back(pipeline_segments.back());
    return segments;
}

}  // namespace bcastgen
