// How the blocks of a message go round a ring (scatter_tree.hpp): a rank's blocks one after the other, each in pieces
// of the segment size.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bcast/trees/scatter_tree.hpp"

namespace bcast {

/// A run of bytes that travels as one MPI message.
struct RingPiece {
    std::size_t begin = 0;
    std::size_t bytes = 0;
    int step = 0;  ///< number of its block in the walk, from 0
    int block = 0;
};

/// The most bytes of a walk's first piece and of the others.
struct MostOfPieces {
    std::size_t first;
    std::size_t other;
};

/// Goes over blocks first, first - 1, ... (modulo the number of positions) in pieces. Empty blocks have none; if
/// all are empty there is one piece without bytes.
class RingWalk {
  public:
    RingWalk(const Blocks& blocks, int positions, int first, int count, const MostOfPieces& most)
        : blocks_(blocks), positions_(positions), first_(first), count_(count), most_(most) {
        skip_empty();
        empty_ = step_ == count_ && count_ > 0;
    }
    [[nodiscard]] bool ended() const { return step_ == count_ && !empty_; }
    [[nodiscard]] int step() const { return step_; }
    [[nodiscard]] std::size_t offset() const { return offset_; }
    [[nodiscard]] RingPiece piece() const {
        if (empty_) return {0, 0, count_ - 1, block_at(0)};
        const std::size_t left = blocks_.end(block()) - blocks_.begin(block()) - offset_;
        return {blocks_.begin(block()) + offset_, std::min(most(), left), step_, block()};
    }
    void next() {
        const std::size_t bytes = piece().bytes;
        begun_ = true;
        if (empty_) {
            empty_ = false;
            return;
        }
        offset_ += bytes;
        if (blocks_.begin(block()) + offset_ == blocks_.end(block())) {
            ++step_;
            offset_ = 0;
            skip_empty();
        }
    }
    /// How many pieces there are from here on.
    [[nodiscard]] std::int64_t pieces() const {
        std::int64_t pieces = empty_ ? 1 : 0;
        for (int step = step_; step < count_; ++step) {
            std::size_t bytes = blocks_.end(block_at(step)) - blocks_.begin(block_at(step));
            if (step == step_) {
                bytes -= offset_;
                if (!begun_ && bytes > most_.first) {
                    bytes -= most_.first;
                    ++pieces;
                }
            }
            pieces += static_cast<std::int64_t>((bytes + most_.other - 1) / most_.other);
        }
        return pieces;
    }

  private:
    [[nodiscard]] int block_at(int step) const { return (first_ - step + 2 * positions_) % positions_; }
    [[nodiscard]] int block() const { return block_at(step_); }
    [[nodiscard]] std::size_t most() const { return begun_ ? most_.other : most_.first; }
    void skip_empty() {
        while (step_ < count_ && blocks_.begin(block()) == blocks_.end(block())) ++step_;
    }

    Blocks blocks_;
    int positions_;
    int first_;
    int count_;
    MostOfPieces most_;
    int step_ = 0;
    std::size_t offset_ = 0;  // bytes of the block that earlier pieces held
    bool empty_ = false;
    bool begun_ = false;
};

}  // namespace bcast
