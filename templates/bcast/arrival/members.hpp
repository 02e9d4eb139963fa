// Who takes part in which round of an arrival-aware broadcast, and which part of the message a round carries.
//
// clang-format off
//   part of the message   0  1  2  3  0  1  2  3  0  1  2      (arrival-live; otherwise there is one part: all of it)
//   round                 0  1  2  3  4  5  6  7  8  9 10
//                         |<-------->|  <- a rank that came first: every part once
//                               |<-------->|  <- one that came later
// clang-format on
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "bcast/arrival/groups.hpp"

namespace bcast {

/// How a message is divided among rounds: into parts of whole segments.
class Parts {
  public:
    struct Extent {
        std::size_t begin;
        std::size_t end;
    };

    static constexpr std::size_t most = 16;

    /// `segment_bytes` 0: in one piece. `many`: so many parts that joining at the next costs little, and each long
    /// enough to flow.
    Parts(std::size_t bytes, std::size_t segment_bytes, bool many) : bytes_(bytes), segment_bytes_(segment_bytes) {
        constexpr std::size_t least_segments = 4;  // of a part
        if (segment_bytes_ == 0 || segment_bytes_ > bytes) segment_bytes_ = bytes;
        segments_ = (bytes + segment_bytes_ - 1) / segment_bytes_;
        const std::size_t wanted = many ? std::clamp<std::size_t>(segments_ / least_segments, 1, most) : 1;
        part_bytes_ = (segments_ + wanted - 1) / wanted * segment_bytes_;
        count_ = static_cast<std::int32_t>((bytes + part_bytes_ - 1) / part_bytes_);
    }

    [[nodiscard]] std::int32_t count() const { return count_; }
    [[nodiscard]] std::size_t segment_bytes() const { return segment_bytes_; }
    [[nodiscard]] std::int64_t segments() const { return static_cast<std::int64_t>(segments_); }
    [[nodiscard]] Extent of_round(std::int32_t round) const {
        const std::size_t begin = static_cast<std::size_t>(round % count_) * part_bytes_;
        return {begin, std::min(begin + part_bytes_, bytes_)};
    }

  private:
    std::size_t bytes_;
    std::size_t segment_bytes_;
    std::size_t segments_;
    std::size_t part_bytes_;
    std::int32_t count_;
};

/// Who takes part in which round. The same on all ranks that take part in a round, from its beginning on.
class MemberList {
  public:
    /// For rounds of so many parts among `ranks` ranks.
    void reset(int ranks, int root, std::int32_t parts) {
        ranks_ = ranks;
        root_ = root;
        parts_ = parts;
        complete_ = false;
        groups_ = 0;
    }

    /// `who` takes part from `round` on until every part has come once.
    void join(const RankSet& who, std::int32_t round) {
        if (!who.empty()) add(round).who = who;
    }
    /// The same, of words of a set.
    void join(const std::int32_t* words, std::int32_t round) {
        add(round).who.read(words, ranks_);
        if (joined_[groups_ - 1].who.empty()) --groups_;
    }
    void set_complete() { complete_ = true; }

    /// True if nobody is missing any more: no one will join.
    [[nodiscard]] bool complete() const { return complete_; }

    /// The root and the others that take part in `round`.
    void find_members(std::int32_t round, RankSet& members) const {
        members.reset(ranks_);
        for (std::size_t i = 0; i < groups_; ++i) {
            if (is_in(joined_[i], round)) members.add(joined_[i].who);
        }
        members.add(root_);
    }

    /// True if anybody but the root takes part in `round`, as far as is known.
    [[nodiscard]] bool anybody_in(std::int32_t round) const {
        for (std::size_t i = 0; i < groups_; ++i) {
            if (is_in(joined_[i], round)) return true;
        }
        return false;
    }

    /// Forgets those who are done before `round`.
    void forget_before(std::int32_t round) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < groups_; ++i) {
            if (joined_[i].round + parts_ > round) std::swap(joined_[kept++], joined_[i]);
        }
        groups_ = kept;
    }

    /// As words for a rank that joins, and back.
    void write(Row<std::int32_t>& words) const {
        words.push_back(complete_ ? 1 : 0);
        words.push_back(static_cast<std::int32_t>(groups_));
        for (std::size_t i = 0; i < groups_; ++i) {
            words.push_back(joined_[i].round);
            for (const std::uint32_t word : joined_[i].who.words()) words.push_back(static_cast<std::int32_t>(word));
        }
    }
    void read(const std::int32_t* words) {
        complete_ = *words++ != 0;
        const std::int32_t count = *words++;
        groups_ = 0;
        for (std::int32_t i = 0; i < count; ++i) {
            const std::int32_t round = *words++;
            add(round).who.read(words, ranks_);
            words += RankSet::words_of(ranks_);
        }
    }

    /// Words that write() makes at most, into whatever number of parts the message is divided.
    [[nodiscard]] std::size_t most_words_of_any() const {
        return 2 + (Parts::most + 1) * (1 + RankSet::words_of(ranks_));
    }

  private:
    /// Ranks that joined together.
    struct Joined {
        std::int32_t round = 0;
        RankSet who;
    };

    [[nodiscard]] bool is_in(const Joined& joined, std::int32_t round) const {
        return joined.round <= round && round < joined.round + parts_;
    }

    Joined& add(std::int32_t round) {
        if (groups_ == joined_.size()) joined_.emplace_back();
        joined_[groups_].round = round;
        return joined_[groups_++];
    }

    int ranks_ = 0;
    int root_ = 0;
    std::int32_t parts_ = 1;
    bool complete_ = false;
    std::size_t groups_ = 0;  // of those that follow, the first so many; the others are memory for later
    Row<Joined> joined_;
};

}  // namespace bcast
