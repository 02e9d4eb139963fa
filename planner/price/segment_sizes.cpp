// Which segment sizes are tried for a message.
#include <array>
#include <cstddef>
#include <vector>

#include "bcast/facts/algorithm.hpp"
#include "bcast/roles/block_rounds.hpp"
#include "planner/price/price.hpp"

namespace bcastgen {

namespace {

constexpr std::array<std::size_t, 13> segment_sizes = {240,   1024,  2048,   4096,   6144,   8192,   16384,
                                                       32768, 65536, 131072, 262144, 524288, 1048576};
constexpr std::size_t most_segments = 4096;
// And between those where ports send in turn: there a segment more or less is some percent of messages of a few.
constexpr std::array<std::size_t, 9> sizes_between = {10240, 12288, 14336, 20480, 24576, 28672, 40960, 49152, 57344};
// What is worked out for blocks of rounds is a multiple of this.
constexpr std::size_t unit_of_blocks = 64;
// Segments that fit a small frame are for small messages (tuner/measure/segment_sizes.hpp).
constexpr std::size_t smallest_usual_bytes = 1024;
constexpr std::size_t most_in_frames_bytes = 32768;
// Real sockets put a third and more around each of those. And longer segments than these gain no headers worth the
// name, but fill a pipeline more slowly than prices say (docs/how-fast.md, "Segment sizes").
constexpr std::size_t largest_on_sockets_bytes = 8192;

/// What cuts a message into few even blocks. Others leave a short last one that takes as many rounds.
std::vector<std::size_t> even_blocks(std::size_t bytes) {
    constexpr std::size_t most_blocks = 8;
    std::vector<std::size_t> sizes;
    for (std::size_t blocks = 2; blocks <= most_blocks && bytes / blocks >= smallest_usual_bytes; ++blocks) {
        sizes.push_back((bytes / blocks + unit_of_blocks - 1) / unit_of_blocks * unit_of_blocks);
    }
    return sizes;
}

}  // namespace

std::vector<std::size_t> Prices::blocks_in_step() const {
    constexpr int most_strands = 8;
    std::vector<std::size_t> sizes;
    if (!costs_.in_turn || (machines() & (machines() - 1)) != 0) return sizes;
    const Software& software = wires_.software(0);
    const Wires::Link& port = wires_.link(port_out(wires_.machine(0)));
    const double work_s = software.send_s + software.receive_s;
    for (int strands = 2; strands <= most_strands; ++strands) {
        const double s_per_byte = (strands - 1) * port.s_per_byte - 2 * software.per_byte_s;
        const double block = (work_s + 2 * port.latency_s) / s_per_byte;
        const bool port_is_busy = block * (port.s_per_byte - 2 * software.per_byte_s) > work_s;
        if (s_per_byte <= 0 || !port_is_busy || block < static_cast<double>(unit_of_blocks) ||
            block > static_cast<double>(bcast::longest_block_bytes)) {
            continue;
        }
        // Rounded down, blocks are sure to keep step; rounded up, there may be one less.
        const std::size_t shorter = static_cast<std::size_t>(block) / unit_of_blocks * unit_of_blocks;
        sizes.insert(sizes.end(), {shorter, shorter + unit_of_blocks});
    }
    return sizes;
}

std::vector<std::size_t> Prices::segment_sizes_for(bcast::Algorithm algorithm, std::size_t bytes) const {
    std::vector<std::size_t> sizes;
    if (!bcast::pipelines(algorithm)) return sizes;
    const auto add = [&](std::size_t segment) {
        if (segment < bytes && bytes / segment <= most_segments) sizes.push_back(segment);
    };
    if (costs_.in_turn) {
        if (bcast::goes_in_rounds(algorithm)) {
            for (const std::size_t block : blocks_in_step()) add(block);
            for (const std::size_t block : even_blocks(bytes)) add(block);
        }
        for (const std::size_t segment : sizes_between) add(segment);
    }
    for (const std::size_t segment : segment_sizes) {
        const bool on_sockets = costs_.framing == Framing::sockets;
        if (segment < smallest_usual_bytes && (on_sockets || bytes > most_in_frames_bytes)) continue;
        if (on_sockets && segment > largest_on_sockets_bytes && bytes / largest_on_sockets_bytes <= most_segments)
            continue;
        add(segment);
    }
    return sizes;
}

}  // namespace bcastgen
