// Where the segments of one part of a message lie at a rank.
//
//   in the message   received where they belong, sent from there
//   staged           in memory of our own on their way: the message lies in pieces that go packed, or is shorter than
//                    the first segment of a sender that passes another length may be
//   nowhere          what has no place here, since lengths differ or memory was refused
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/pipeline/lane.hpp"
#include "bcast/pipeline/segmentation.hpp"

namespace bcast {

/// Reused from part to part: after the first of a shape nothing is allocated.
class SegmentMemory {
  public:
    struct Use {
        bool receives;        ///< from a parent whose message may have another length
        bool may_look;        ///< how long the first segment is, before it is received
        std::int64_t staged;  ///< so many segments at once, if they are staged
    };

    /// Of a part of `message` that begins at byte `begin` and is cut into `segments`, all of which must outlive the
    /// use. `refused`: there is no memory for anything, and what comes goes nowhere. False if there is none now.
    bool lay_out(Message& message, std::size_t begin, const Segmentation& segments, const Use& use, bool refused) {
        segments_ = &segments;
        // A first segment may be longer than this rank's own length lets it be: then it comes to memory of our own if
        // it is cheap to copy, and is looked at first else.
        const std::size_t first_room = use.receives ? segments.first_room() : 0;
        const bool is_short = segments.bytes() < first_room;
        const bool is_cheap = segments.bytes() < longest_first_segment_bytes;
        const bool in_place = message.in_place();
        stages_ = !in_place || (is_short && (is_cheap || !use.may_look));
        looks_first_ = is_short && !stages_;
        has_none_ = refused || (stages_ && !make_stage(use.staged, std::max(segments.usual_bytes(), first_room)));
        if (has_none_ && use.receives && use.may_look) {  // there is little memory: none for what need not come
            looks_first_ = true;
            stages_ = !in_place;
            has_none_ = refused || (stages_ && !make_stage(use.staged, segments.usual_bytes()));
        }
        if (!has_none_ && !stages_) place_ = message.at(begin);
        return !has_none_;
    }

    [[nodiscard]] bool stages() const { return stages_; }
    /// Whether to find out how long the first segment is before it is received.
    [[nodiscard]] bool looks_first() const { return looks_first_; }
    [[nodiscard]] bool has_none() const { return has_none_; }

    /// How many segments can be staged at once.
    [[nodiscard]] std::int64_t stage_count() const { return stage_count_; }

    /// Where a segment lies.
    [[nodiscard]] char* address(std::int64_t segment) {
        if (!stages_) return place_ + segments_->offset(segment);
        return staging_.data() + static_cast<std::size_t>(segment % stage_count_) * stage_bytes_;
    }

    /// And how much there is for it from there on.
    [[nodiscard]] std::size_t space_for(std::int64_t segment) const {
        return stages_ ? stage_bytes_ : segments_->bytes() - segments_->offset(segment);
    }

    /// Room that the first segment fits in, whatever its length is, but for one that is looked at.
    [[nodiscard]] std::size_t room_for_first() const {
        const std::size_t first_room = segments_->first_room();
        return stages_ || has_none_ ? first_room : std::min(first_room, segments_->bytes());
    }

    /// Memory for `bytes` bytes that nobody will read. nullptr if even that is refused.
    [[nodiscard]] char* nowhere(std::size_t bytes) {
        return make_insured_room(nowhere_, std::max<std::size_t>(1, bytes)) ? nowhere_.data() : nullptr;
    }

  private:
    bool make_stage(std::int64_t count, std::size_t bytes) {
        stage_count_ = count;
        stage_bytes_ = bytes;
        return make_room(staging_, static_cast<std::size_t>(count) * bytes);
    }

    const Segmentation* segments_ = nullptr;
    bool stages_ = false;
    bool looks_first_ = false;
    bool has_none_ = false;
    char* place_ = nullptr;  // in the message
    std::int64_t stage_count_ = 1;
    std::size_t stage_bytes_ = 1;
    Room staging_;
    Room nowhere_;
};

}  // namespace bcast
