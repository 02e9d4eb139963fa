// Stage 2 of a larger multicast broadcast: only what is missing goes along the chain.
//
// When stage 1 is over for a rank, it tells the rank before it which fragments it misses, and is sent those, each as
// soon as the rank before has it.
//
//   rank before -- "over" --> me -- "over" --> rank behind        once, and nobody waits for it
//   rank before <-- missing -- me <-- missing -- rank behind      once; it may be nothing
//   rank before -- fragments --> me -- fragments --> rank behind
//
// The question says how long the message is. If it is not as long at the rank before, or that rank does not get it, the
// answers are as many messages as the fragments would take, and without them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bcast/facts/decision_table.hpp"
#include "bcast/multicast/broadcast_state.hpp"
#include "bcast/multicast/late_receives.hpp"
#include "bcast/multicast/reliable_links.hpp"

namespace bcast {

class PartChain {
  public:
    explicit PartChain(ReliableLinks& links) : links_(links) {}

    /// Begins, in fragments of this many bytes. Error code.
    int start(MulticastBroadcast& broadcast, LateReceives& from_before, std::size_t fragment_bytes) {
        now_ = &broadcast;
        part_fragments_ = std::max<std::size_t>(1, part_bytes / fragment_bytes);
        over_told_ = asked_ = before_over_ = asked_by_behind_ = behind_differs_ = false;
        wanted_here_.clear();
        wanted_behind_.clear();
        next_wanted_ = arrived_ = next_served_ = served_ = 0;
        if (!now_->is_root()) {
            if (const int error = from_before.post(now_->place->before(), over_tag, 0); error != 0) return error;
        }
        if (now_->is_last()) return 0;
        const std::size_t longest_bitmap = most_multicast_bytes / fragment_bytes / 8 + 1;
        behind_asks_.make_room(longest_bitmap);
        return links_.receive(now_->place->behind(), asking_tag, behind_asks_.memory.data(),
                              sizeof(ChainHead) + longest_bitmap, behind_asks_.message.handle);
    }

    /// Whether the rank before says that stage 1 is over.
    bool before_over(LateReceives& from_before) {
        before_over_ = before_over_ || from_before.take_current() != nullptr;
        return before_over_;
    }

    /// Does what can be done now; `over`: stage 1 is over for this rank. Error code.
    int step(bool over) {
        to_behind_.take(links_);
        asking_.message.take(links_);
        if (over || before_over_) {
            if (const int error = tell_over(); error != 0) return error;
        }
        if (over && !now_->is_root() && !asked_) {
            if (const int error = ask(); error != 0) return error;
        }
        if (const int error = receive(); error != 0) return error;
        if (!now_->is_last() && !asked_by_behind_ && behind_asks_.message.take(links_)) {
            asked_by_behind_ = true;
            behind_differs_ = behind_asks_.head().rounds != now_->bytes;
            if (behind_differs_) {
                wanted_behind_.assign(behind_asks_.head().missing, 0);
            } else if (behind_asks_.head().missing > 0) {
                list_fragments(reinterpret_cast<const unsigned char*>(behind_asks_.body()), now_->fragments.count(),
                               wanted_behind_);
            }
        }
        return serve();
    }

    /// Whether nothing is left to do, neither for the rank behind nor for this one's messages.
    [[nodiscard]] bool served() const {
        const bool behind =
            now_->is_last() || (over_told_ && !to_behind_.is() && asked_by_behind_ && served_ == wanted_behind_.size());
        const bool before = now_->is_root() || (asked_ && !asking_.message.is() && arrived_ == wanted_here_.size());
        return behind && before;
    }

  private:
    static constexpr std::size_t part_bytes = 16384;  // of fragments in one message along the chain
    static constexpr std::size_t parts_under_way = 4;

    /// Tells the rank behind that stage 1 is over, as soon as this rank knows it, so that the news runs ahead.
    int tell_over() {
        if (over_told_ || now_->is_last()) return 0;
        over_told_ = true;
        return links_.send(now_->place->behind(), over_tag, &over_, sizeof over_, to_behind_.handle);
    }

    /// Tells the rank before which fragments are missing.
    int ask() {
        asked_ = true;
        const Fragments& fragments = now_->fragments;
        fragments.list_missing(wanted_here_);
        const std::size_t bitmap = wanted_here_.empty() ? 0 : fragments.bitmap_bytes();
        asking_.make_room(bitmap);
        asking_.set_head({static_cast<std::uint32_t>(now_->bytes), static_cast<std::uint32_t>(wanted_here_.size())});
        if (bitmap > 0) fragments.write_missing(reinterpret_cast<unsigned char*>(asking_.body()));
        return links_.send(now_->place->before(), asking_tag, asking_.memory.data(), sizeof(ChainHead) + bitmap,
                           asking_.message.handle);
    }

    /// Bytes of the part of `wanted` that begins at `first`, without its head.
    [[nodiscard]] std::size_t length_of_part(const std::vector<std::uint32_t>& wanted, std::size_t first) const {
        std::size_t bytes = 0;
        for (std::size_t i = first; i < end_of_part(wanted, first); ++i) bytes += now_->fragments.length(wanted[i]);
        return bytes;
    }
    [[nodiscard]] std::size_t end_of_part(const std::vector<std::uint32_t>& wanted, std::size_t first) const {
        return std::min(first + part_fragments_, wanted.size());
    }

    int receive() {
        while (arrived_ < next_wanted_) {
            ChainSlot& slot = incoming_[arrived_ / part_fragments_ % parts_under_way];
            if (!slot.message.take(links_)) break;
            if (slot.head().missing == ChainHead::truncated) {
                now_->truncated = true;
                now_->other_bytes = std::max(now_->other_bytes, slot.head().rounds);
                arrived_ = end_of_part(wanted_here_, arrived_);
                continue;
            }
            const unsigned rounds = slot.head().rounds + 1;
            const char* from = slot.body();
            for (const std::size_t end = end_of_part(wanted_here_, arrived_); arrived_ < end; ++arrived_) {
                const std::size_t fragment = wanted_here_[arrived_];
                now_->put(fragment, rounds, from);
                from += now_->fragments.length(fragment);
            }
        }
        while (next_wanted_ < wanted_here_.size()) {
            ChainSlot& slot = incoming_[next_wanted_ / part_fragments_ % parts_under_way];
            if (slot.message.is()) break;
            const std::size_t bytes = length_of_part(wanted_here_, next_wanted_);
            slot.make_room(bytes);
            if (const int error = links_.receive(now_->place->before(), parts_tag, slot.memory.data(),
                                                 sizeof(ChainHead) + bytes, slot.message.handle);
                error != 0) {
                return error;
            }
            next_wanted_ = end_of_part(wanted_here_, next_wanted_);
        }
        return 0;
    }

    /// Sends the rank behind nothing in place of fragments.
    int refuse(ChainSlot& slot) {
        slot.make_room(0);
        slot.set_head({behind_differs_ ? static_cast<std::uint32_t>(now_->bytes) : 0, ChainHead::truncated});
        return links_.send(now_->place->behind(), parts_tag, slot.memory.data(), sizeof(ChainHead),
                           slot.message.handle);
    }

    int serve() {
        while (served_ < next_served_) {
            ChainSlot& slot = outgoing_[served_ / part_fragments_ % parts_under_way];
            if (!slot.message.take(links_)) break;
            served_ = end_of_part(wanted_behind_, served_);
        }
        const Fragments& fragments = now_->fragments;
        while (next_served_ < wanted_behind_.size()) {
            ChainSlot& slot = outgoing_[next_served_ / part_fragments_ % parts_under_way];
            const std::size_t end = end_of_part(wanted_behind_, next_served_);
            if (slot.message.is()) break;
            unsigned rounds = 0;
            bool all_here = !behind_differs_;
            for (std::size_t i = next_served_; i < end && all_here; ++i) {
                all_here = fragments.has(wanted_behind_[i]);
                if (all_here) rounds = std::max(rounds, fragments.rounds(wanted_behind_[i]));
            }
            if (!all_here) {
                if (!behind_differs_ && !now_->truncated) return 0;
                if (const int error = refuse(slot); error != 0) return error;
                next_served_ = end;
                continue;
            }
            const std::size_t bytes = length_of_part(wanted_behind_, next_served_);
            slot.make_room(bytes);
            slot.set_head({rounds, 0});
            char* to = slot.body();
            for (; next_served_ < end; ++next_served_) {
                const std::size_t fragment = wanted_behind_[next_served_];
                std::memcpy(to, now_->data + fragments.offset(fragment), fragments.length(fragment));
                to += fragments.length(fragment);
            }
            if (const int error = links_.send(now_->place->behind(), parts_tag, slot.memory.data(),
                                              sizeof(ChainHead) + bytes, slot.message.handle);
                error != 0) {
                return error;
            }
        }
        return 0;
    }

    ReliableLinks& links_;
    MulticastBroadcast* now_ = nullptr;
    std::size_t part_fragments_ = 1;  // fragments in a message along the chain
    ChainHead over_;
    bool before_over_ = false;  // the rank before says that stage 1 is over
    bool over_told_ = false;
    UnderWay to_behind_;  // the same
    bool asked_ = false;
    ChainSlot asking_;
    bool asked_by_behind_ = false;
    ChainSlot behind_asks_;
    bool behind_differs_ = false;               // in the length of its message
    std::vector<std::uint32_t> wanted_here_;    // from the rank before
    std::vector<std::uint32_t> wanted_behind_;  // by the rank behind
    std::size_t next_wanted_ = 0;               // of wanted_here_: the first that no receive is posted for
    std::size_t arrived_ = 0;
    std::size_t next_served_ = 0;  // of wanted_behind_: the first that has not been sent
    std::size_t served_ = 0;
    ChainSlot incoming_[parts_under_way];
    ChainSlot outgoing_[parts_under_way];
};

}  // namespace bcast
