// Datagrams of broadcasts that this rank has not entered yet, kept until it does.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bcast/multicast/datagram.hpp"

namespace bcast {

/// Room is bounded: what does not fit is lost, as any datagram may be.
class EarlyDatagrams {
  public:
    void keep(const Datagram& datagram) {
        if (memory_.size() + datagram.payload_bytes > most_bytes || kept_.size() == most_kept) return;
        kept_.push_back({datagram, memory_.size()});
        memory_.insert(memory_.end(), datagram.payload, datagram.payload + datagram.payload_bytes);
    }

    /// Hands the datagrams of `broadcast` to `use` and forgets them and all earlier ones.
    template <class Use>
    void take(std::uint64_t broadcast, Use use) {
        if (kept_.empty()) return;
        std::vector<Kept> later;
        std::vector<char> their_memory;
        for (Kept& kept : kept_) {
            kept.datagram.payload = memory_.data() + kept.at;
            if (kept.datagram.broadcast == broadcast) use(kept.datagram);
            if (kept.datagram.broadcast <= broadcast) continue;
            later.push_back({kept.datagram, their_memory.size()});
            their_memory.insert(their_memory.end(), kept.datagram.payload,
                                kept.datagram.payload + kept.datagram.payload_bytes);
        }
        kept_.swap(later);
        memory_.swap(their_memory);
    }

  private:
    struct Kept {
        Datagram datagram;
        std::size_t at;  ///< of its bytes in memory_
    };
    static constexpr std::size_t most_bytes = std::size_t{4} << 20;
    static constexpr std::size_t most_kept = 8192;

    std::vector<Kept> kept_;
    std::vector<char> memory_;
};

}  // namespace bcast
