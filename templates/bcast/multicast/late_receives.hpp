// What the rank before sends unasked, once in each multicast broadcast: it may come after this rank has left.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "bcast/multicast/broadcast_state.hpp"
#include "bcast/multicast/reliable_links.hpp"

namespace bcast {

class LateReceives {
  public:
    explicit LateReceives(ReliableLinks& links) : links_(links) { slots_.reserve(most + 1); }

    /// Posts the receive of the broadcast that begins: from `rank`, a head and this many bytes. Error code.
    int post(int rank, int tag, std::size_t bytes) {
        current_ = &free_slot();
        current_->make_room(bytes);
        return links_.receive(rank, tag, current_->memory.data(), sizeof(ChainHead) + bytes, current_->message.handle);
    }

    /// There is no such receive in the broadcast that begins.
    void post_none() { current_ = nullptr; }

    /// What has come in this broadcast, the first time that it is asked for.
    ChainSlot* take_current() { return current_ != nullptr && current_->message.take(links_) ? current_ : nullptr; }

    /// Forgets what has come of earlier broadcasts.
    void take_late() {
        for (ChainSlot& slot : slots_) {
            if (&slot != current_) slot.message.take(links_);
        }
    }

    /// Whether the broadcast can be left with its receive still open.
    [[nodiscard]] bool few() const { return count() < most; }
    [[nodiscard]] bool none() const { return count() == 0; }

  private:
    static constexpr std::size_t most = 16;

    ChainSlot& free_slot() {
        for (ChainSlot& slot : slots_) {
            if (!slot.message.is()) return slot;
        }
        return slots_.emplace_back();  // never more than `most`: no broadcast ends with as many
    }
    [[nodiscard]] std::size_t count() const {
        return static_cast<std::size_t>(
            std::count_if(slots_.begin(), slots_.end(), [](const ChainSlot& slot) { return slot.message.is(); }));
    }

    ReliableLinks& links_;
    std::vector<ChainSlot> slots_;
    ChainSlot* current_ = nullptr;  // one of slots_
};

}  // namespace bcast
