// One multicast broadcast at one rank: what the stages of the engine (engine.hpp) work on together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bcast/multicast/fragments.hpp"
#include "bcast/multicast/reliable_links.hpp"
#include "bcast/multicast/terms.hpp"

namespace bcast {

struct MulticastBroadcast {
    const ChainPlace* place = nullptr;
    char* data = nullptr;
    std::size_t bytes = 0;
    std::uint64_t number = 0;  ///< of the communicator's multicast broadcasts, from 1
    Fragments fragments;
    MulticastCounts counts;
    bool truncated = false;         ///< this rank's message has another length than the one that comes to it, or
                                    ///< its rank before says so of its own
    std::uint32_t other_bytes = 0;  ///< the length, if this rank has seen it

    [[nodiscard]] bool is_root() const { return place->position == 0; }
    [[nodiscard]] bool is_last() const { return place->position == place->last(); }

    /// Puts a fragment in its place. False if it was here before.
    bool put(std::size_t fragment, unsigned rounds, const char* from) {
        if (!fragments.add(fragment, rounds)) return false;
        std::memcpy(data + fragments.offset(fragment), from, fragments.length(fragment));
        return true;
    }
};

/// The chain's messages; the other engines' tags are below.
enum ChainTag : int { chain_tag = 16, over_tag, asking_tag, parts_tag, ready_tag };

/// The head of every message along the chain.
struct ChainHead {
    std::uint32_t rounds = 0;   ///< hops that the fragments after it have taken. Asking: bytes of the whole message
    std::uint32_t missing = 0;  ///< asking: how many fragments; their bitmap follows. A whole message: its bytes

    /// In place of `missing`: lengths differ, and nothing follows. In place of `rounds` the sender's, if it is its own
    /// that does.
    static constexpr std::uint32_t truncated = ~std::uint32_t{0};
};

/// A message along the chain, with memory that is kept for the next.
struct ChainSlot {
    UnderWay message;
    std::vector<char> memory;

    /// Memory for a head and this many bytes after it.
    void make_room(std::size_t bytes) {
        if (memory.size() < sizeof(ChainHead) + bytes) memory.resize(sizeof(ChainHead) + bytes);
    }
    [[nodiscard]] ChainHead head() const {
        ChainHead head;
        std::memcpy(&head, memory.data(), sizeof head);
        return head;
    }
    void set_head(const ChainHead& head) { std::memcpy(memory.data(), &head, sizeof head); }
    [[nodiscard]] char* body() { return memory.data() + sizeof(ChainHead); }
};

}  // namespace bcast
