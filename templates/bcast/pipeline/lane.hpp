// How segments travel between two ranks, so that neither ever waits for one that does not come.
//
// A lane is a communicator on which a rank sends another nothing but the segments of one tree (or of the scatter, or of
// the ring), in order, and receives them whatever their tag. So a segment is always taken by the receive that was meant
// for the one in its place, and the tag is free to say how many are left and how long the whole message is:
//
//   bits   ...4           3       2..0
//          length         void    segments left with this one; 7: or more
//
// A rank sends every segment that its own length asks for, whatever happens: what it cannot fill is void, without
// content, and says so. And it takes as many as its sender announces. Who passes another length than its sender sees
// that in the first tag; before that one has come, receives wait for no more segments than all lengths of the decision
// table's rule have (Segmentation::alike). Where it is lost, a rank does not know what is on its way to it: it ends the
// job.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/roles/send_window.hpp"

namespace bcast {

/// The lanes of one communicator.
struct Lanes {
    MPI_Comm first{};     ///< the first tree; the scatter
    MPI_Comm second{};    ///< the second tree; the ring
    int length_bits = 0;  ///< of a tag: at least least_length_bits
};

/// MPI promises tags up to 32767.
inline constexpr int least_length_bits = 11;
inline constexpr int most_length_bits = 25;

/// The bits that a tag has for the length, if this is the largest that MPI takes.
inline int length_bits_of(int largest_tag) {
    const std::int64_t tags = std::int64_t{largest_tag} + 1;
    int bits = 0;
    while (bits < most_length_bits && (tags >> (bits + 5)) != 0) ++bits;
    return bits;
}

/// The first of several segments has at most so many bytes, unless all ranks' messages are known to fill one
/// (Segmentation), and every receiver has room for it, however short its own message: an MPI that has to cut a message
/// short may end the job (MPICH 4.0's MPI_Waitany, whatever the error handler), or write past the buffer (Open MPI 4.1,
/// from 4 KiB up within a host and from 64 KiB up over TCP). So short that the MPI sends it within a machine without
/// asking the receiver first: that would cost a long message a third of its time.
inline constexpr std::size_t longest_first_segment_bytes = built_for == MpiFamily::open_mpi ? 4000 : 8192;

/// Where segments are no longer than this, the first is as long as the others: to cut it would be one message more.
inline constexpr std::size_t longest_uncut_segment_bytes = 8192;

/// That the first of several segments may have, where the others have up to `longest_bytes`.
inline constexpr std::size_t most_of_first_segment(std::size_t longest_bytes) {
    return longest_bytes <= longest_uncut_segment_bytes ? longest_bytes : longest_first_segment_bytes;
}

/// Whether so many bytes go as two messages, which together take Open MPI less time within a machine than one that it
/// asks the receiver for: 2.7 us and 10.
inline constexpr bool goes_in_two(std::size_t bytes) {
    return built_for == MpiFamily::open_mpi && bytes > longest_first_segment_bytes &&
           bytes <= 2 * longest_first_segment_bytes;
}

/// A segment may have so many, also as the first, where its receivers look how long it is before they receive it: if it
/// is alone and they have nothing else to do until it comes, and in a scatter and a ring.
inline constexpr std::size_t longest_looked_at_bytes = std::size_t{256} << 10;

/// What the tags of a message's segments say.
class SegmentTags {
  public:
    static constexpr int most_left = 7;

    SegmentTags() = default;
    SegmentTags(std::size_t message_bytes, int length_bits)
        : base_(static_cast<int>(code_of(message_bytes, length_bits) << length_at)), length_bits_(length_bits) {}

    /// Segments and pieces must not be longer: then two lengths that need as many of them have different tags.
    [[nodiscard]] std::size_t longest_bytes() const { return exact(length_bits_) / 2; }

    /// Whether a tag tells a message of this length from those of all other lengths.
    [[nodiscard]] bool tells(std::size_t message_bytes) const { return message_bytes < exact(length_bits_); }
    /// The same of the message whose tags these are.
    [[nodiscard]] bool tells_its_length() const {
        return static_cast<std::size_t>(base_ >> length_at) < exact(length_bits_);
    }

    [[nodiscard]] int of(std::int64_t left) const {
        return base_ | static_cast<int>(std::min<std::int64_t>(left, most_left));
    }

    /// Of a segment without content. `truncated`: for lengths that differ.
    [[nodiscard]] static int of_void(std::int64_t left, bool truncated) {
        return (truncated ? 1 << length_at : 0) | void_bit | static_cast<int>(std::min<std::int64_t>(left, most_left));
    }

    [[nodiscard]] static std::int64_t left(int tag) { return tag & most_left; }
    [[nodiscard]] static bool is_void(int tag) { return (tag & void_bit) != 0; }
    [[nodiscard]] static bool says_truncated(int tag) { return (tag >> length_at) != 0; }
    /// The length of the sender's message, or if it is not `exact` the least that it can be.
    [[nodiscard]] std::size_t length(int tag, bool& is_exact) const {
        const std::size_t code = static_cast<std::size_t>(tag) >> length_at;
        is_exact = code < exact(length_bits_);
        return is_exact ? code : exact(length_bits_);
    }

  private:
    /// Shorter lengths stand in the tag as they are.
    static std::size_t exact(int length_bits) { return std::size_t{1} << (length_bits - 1); }

    /// Of longer ones the lower bits, shifted by a step for each unit of the upper ones, and a bit that says so. Two
    /// that differ by less than longest_bytes() have different codes, since a step is less than half of a unit. So have
    /// two that differ by a few units and a little: programs' lengths are often twice another, or nearly. A step of the
    /// golden ratio keeps the sums of a few of them farthest from whole units.
    static std::size_t code_of(std::size_t bytes, int length_bits) {
        const std::size_t most = exact(length_bits);
        if (bytes < most) return bytes;
        const std::size_t step = static_cast<std::size_t>(0.381966 * static_cast<double>(most)) | 1;
        return most | ((bytes + step * (bytes >> (length_bits - 1))) & (most - 1));
    }

    static constexpr int length_at = 4;
    static constexpr int void_bit = 8;

    int base_ = 0;
    int length_bits_ = least_length_bits;
};

/// What has gone wrong at this rank in the broadcast that goes on. It goes on all the same, so that no other rank waits
/// for this one.
struct Failure {
    int error = MPI_SUCCESS;  ///< that the broadcast is to return: the first
    bool spoilt = false;      ///< what is here must not be sent on: segments are void from now on
    bool truncated = false;   ///< because lengths differ
    bool no_place = false;    ///< there is no memory for what is received
    /// Who is told, once and before any other rank hears of it, that rank `other` passes another length: `bytes`, or if
    /// that is not `exact` more.
    using TellLength = void (*)(const void* whom, int other, std::size_t bytes, bool exact);
    TellLength tell_length = nullptr;
    const void* whom = nullptr;

    [[nodiscard]] bool any() const { return error != MPI_SUCCESS; }

    /// At this rank alone.
    void note(int code) {
        if (error == MPI_SUCCESS) error = code;
    }
    /// For those behind it as well.
    void spoil(int code) {
        note(code);
        if (!spoilt) truncated = code == MPI_ERR_TRUNCATE;
        spoilt = true;
    }
    /// Takes a message out (message.hpp), or notes why that cannot be.
    void take_out(Message& message, bool has_content) {
        const int code = message.take_out(has_content);
        if (code == MPI_SUCCESS) return;
        spoil(code);
        no_place = !message.in_place();
    }
    void put_back(Message& message, bool has_content) {
        if (!spoilt) note(message.put_back(has_content));
    }
    void note_length(int other, std::size_t bytes, bool exact) {
        if (tell_length != nullptr) tell_length(whom, other, bytes, exact);
        tell_length = nullptr;
    }
};

/// The segments that another rank sends this one: how many have come, and how many are still to come.
class Incoming {
  public:
    /// `expected`: so many by this rank's own length. With `tags`, tags say more, and `sure` come whatever the sender's
    /// length; else there are as many as expected.
    void reset(int from, std::int64_t expected, const SegmentTags* tags, std::int64_t sure = 1) {
        from_ = from;
        expected_ = expected;
        tags_ = tags;
        coming_ = tags != nullptr ? sure : expected;
        next_tag_ = tags != nullptr ? tags->of(expected) : 0;
        posted_ = arrived_ = 0;
        differs_ = lost_ = false;
    }

    [[nodiscard]] std::int64_t posted() const { return posted_; }
    [[nodiscard]] std::int64_t arrived() const { return arrived_; }
    [[nodiscard]] bool over() const { return arrived_ == coming_; }
    /// Whether the sender's message has another length, so that nothing it sends has a place here.
    [[nodiscard]] bool differs() const { return differs_; }
    /// Whether what was lost leaves open how many are still to come: this rank cannot go on.
    [[nodiscard]] bool lost() const { return lost_; }

    /// Whether a receive may be posted with `ahead` under way: one that a segment is sure to come for.
    [[nodiscard]] bool may_post(std::int64_t ahead) const { return posted_ < coming_ && posted_ < arrived_ + ahead; }
    void post() { ++posted_; }

    /// The next has come, with this tag; Requests::unknown_tag: it ended badly, and MPI tells nothing of it.
    void arrive(int tag, Failure& failure) {
        if (tags_ == nullptr) {
            ++arrived_;
        } else if (tag == next_tag_ && !differs_) {
            // As expected: at least as many are left as receives are ever posted ahead, or exactly these. Where the tag
            // tells the length it is the second, however many are posted.
            static_assert(most_unsure_receives < SegmentTags::most_left,
                          "receives are posted for what is sure to come");
            ++arrived_;
            coming_ = expected_;
            if (expected_ - arrived_ < SegmentTags::most_left) --next_tag_;
        } else if (tag < 0) {
            arrive_untold();
        } else {
            arrive_otherwise(tag, failure);
        }
    }

  private:
    void arrive_otherwise(int tag, Failure& failure) {
        if (SegmentTags::is_void(tag)) {
            failure.spoil(SegmentTags::says_truncated(tag) ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER);
        } else if (tag != tags_->of(std::max<std::int64_t>(1, expected_ - arrived_))) {
            differs_ = true;
            bool exact = true;
            const std::size_t bytes = tags_->length(tag, exact);
            failure.note_length(from_, bytes, exact);
            failure.spoil(MPI_ERR_TRUNCATE);
        }
        left_ = SegmentTags::left(tag);
        left_is_exact_ = left_ < SegmentTags::most_left;
        coming_ = arrived_ + left_;
        ++arrived_;
        next_tag_ = none;  // what follows is looked at one by one
    }

    /// How many are left follows from the tag before this one, if there was one. Which expected_ says so of is the same
    /// only if lengths are.
    void arrive_untold() {
        if (next_tag_ != none) {  // all were as expected
            left_ = arrived_ == 0 ? 0 : expected_ - arrived_ + 1;
            left_is_exact_ = left_ < SegmentTags::most_left || tags_->tells_its_length();
            if (!left_is_exact_) left_ = SegmentTags::most_left;
        }
        --left_;
        // Of more than can be told, the last is not awaited before a tag has told of it: it may be none's, or longer.
        coming_ = arrived_ + (left_is_exact_ ? left_ : left_ - 1);
        ++arrived_;
        lost_ = lost_ || coming_ < arrived_ || (!left_is_exact_ && coming_ == arrived_);
        next_tag_ = none;
    }

    static constexpr int none = -2;  // no tag at all

    int from_ = -1;
    std::int64_t expected_ = 0;
    const SegmentTags* tags_ = nullptr;
    std::int64_t coming_ = 0;  // in all, as far as is known
    int next_tag_ = 0;         // of what is as expected; none: something was not
    std::int64_t left_ =
        0;  // then: with the last that has come, at least; as its tag said, or follows from the one before
    bool left_is_exact_ = false;
    std::int64_t posted_ = 0;  // receives
    std::int64_t arrived_ = 0;
    bool differs_ = false;
    bool lost_ = false;
};

}  // namespace bcast
