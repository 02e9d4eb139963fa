// Which blocks of a message go where when it is scattered over all ranks and then gathered again round a ring.
//
//   positions          0    1    2    3    4    5    6    7        position 0 is the root
//   scatter            0 ------------------> 4                     binomial: half of what one holds, again and again
//                      0 -------> 2          4 -------> 6
//                      0 -> 1     2 -> 3     4 -> 5     6 -> 7
//   blocks held after  0-7  1    2-3   3    4-7   5    6-7   7     (blocks_after_scatter)
//   ring               0 -> 1 -> 2 -> 3 -> 4 -> 5 -> 6 -> 7 -> 0   each hands on p, p-1, p-2 ..., numbered modulo 8
//
// The plain ring moves every block to everybody but its first holder: P(P-1) transfers. The tuned one leaves out what
// the receiver holds since the scatter (Bandwidth-saving optimization of MPI broadcast, section IV): what a position p
// misses at last, p+1 and on, is just what it got along with its own block, so its left neighbour simply stops early.
//
// Over the depth-first order no two sends of one phase of the scatter, and none of the ring's, the closing one
// included, share a directed link (docs/algorithms.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace bcast {

/// Of how many blocks, its own first, a position knows the content once the scatter is over.
inline int blocks_after_scatter(int position, int positions) {
    return position == 0 ? positions : std::min(position & -position, positions - position);
}

/// Who sends a position (not the root) its blocks in the scatter.
inline int scatter_parent(int position) {
    return position - (position & -position);
}

/// To whom a position sends in the scatter, the largest part first; each gets all it will hold.
inline std::vector<int> scatter_children(int position, int positions) {
    int distance = 1;
    const int end = position == 0 ? positions : position & -position;
    while (2 * distance < end) distance *= 2;
    std::vector<int> children;
    if (end == 1) return children;
    for (; distance > 0; distance /= 2) {
        if (position + distance < positions) children.push_back(position + distance);
    }
    return children;
}

/// How many blocks come to a position round the ring. `tuned`: none that it holds already.
inline int ring_blocks(int position, int positions, bool tuned) {
    return positions - (tuned ? blocks_after_scatter(position, positions) : 1);
}

/// The i-th block that comes to a position round the ring, i from 0.
inline int ring_block(int position, int positions, int i) {
    return (position - 1 - i + 2 * positions) % positions;
}

/// True if a position holds the block since the scatter.
inline bool holds_after_scatter(int position, int positions, int block) {
    return (block - position + positions) % positions < blocks_after_scatter(position, positions);
}

/// Blocks that are sent round the ring in all. Plain: P(P-1).
inline long long ring_transfers(int positions, bool tuned) {
    long long transfers = 0;
    for (int position = 0; position < positions; ++position) transfers += ring_blocks(position, positions, tuned);
    return transfers;
}

/// A message of `bytes` bytes in as many blocks as positions: the first ones of equal size, the last ones shorter or
/// empty.
class Blocks {
  public:
    Blocks(std::size_t bytes, int positions)
        : bytes_(bytes),
          block_bytes_((bytes + static_cast<std::size_t>(positions) - 1) / static_cast<std::size_t>(positions)) {}

    /// The first byte of a block; of block `positions`: the message's end.
    [[nodiscard]] std::size_t begin(int block) const {
        return std::min(bytes_, static_cast<std::size_t>(block) * block_bytes_);
    }
    [[nodiscard]] std::size_t end(int block) const { return begin(block + 1); }

  private:
    std::size_t bytes_;
    std::size_t block_bytes_;
};

}  // namespace bcast
