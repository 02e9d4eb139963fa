// Stage 2 of a small multicast broadcast: the whole message goes down the chain unasked. Each rank sends it on as soon
// as it has it, by either way, and leaves.
#pragma once

#include <cstddef>
#include <cstring>

#include "bcast/multicast/broadcast_state.hpp"
#include "bcast/multicast/late_receives.hpp"
#include "bcast/multicast/reliable_links.hpp"
#include "bcast/multicast/terms.hpp"

namespace bcast {

class WholeChain {
  public:
    explicit WholeChain(ReliableLinks& links) : links_(links) {}

    /// Begins. Error code.
    int start(MulticastBroadcast& broadcast, LateReceives& from_before) {
        now_ = &broadcast;
        told_ = false;
        if (now_->is_root()) return 0;
        return from_before.post(now_->place->before(), chain_tag, whole_chain_bytes);  // whatever its length
    }

    /// Uses the message from the chain if it has come that way; `read_datagrams` runs before, as those came first.
    template <class Read>
    void take(LateReceives& from_before, Read read_datagrams) {
        if (now_->fragments.missing() == 0) return;
        ChainSlot* slot = from_before.take_current();
        if (slot == nullptr) return;
        read_datagrams();
        if (slot->head().missing != now_->bytes) {
            now_->truncated = now_->fragments.missing() > 0;
            if (slot->head().missing != ChainHead::truncated) now_->other_bytes = slot->head().missing;
            return;
        }
        for (std::size_t fragment = 0; fragment < now_->fragments.count(); ++fragment) {
            now_->put(fragment, slot->head().rounds + 1, slot->body() + now_->fragments.offset(fragment));
        }
    }

    /// Sends the message on, once it is here. Error code.
    int tell() {
        to_behind_.message.take(links_);
        if (now_->is_last() || told_ || (now_->fragments.missing() > 0 && !now_->truncated)) return 0;
        told_ = true;
        const std::size_t bytes = now_->truncated ? 0 : now_->bytes;
        to_behind_.make_room(bytes);
        to_behind_.set_head({now_->fragments.most_rounds(),
                             now_->truncated ? ChainHead::truncated : static_cast<std::uint32_t>(bytes)});
        if (bytes > 0) std::memcpy(to_behind_.body(), now_->data, bytes);
        const int error = links_.send(now_->place->behind(), chain_tag, to_behind_.memory.data(),
                                      sizeof(ChainHead) + bytes, to_behind_.message.handle);
        to_behind_.message.take(links_);
        return error;
    }

    /// Whether nothing is left to do for the rank behind.
    [[nodiscard]] bool served() const { return now_->is_last() || (told_ && !to_behind_.message.is()); }

  private:
    ReliableLinks& links_;
    MulticastBroadcast* now_ = nullptr;
    bool told_ = false;
    ChainSlot to_behind_;
};

}  // namespace bcast
