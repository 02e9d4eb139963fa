// The engine that the multicast broadcast runs on (Hoefler, Siebert and Rehm, "A practically constant-time MPI
// broadcast algorithm for large-scale InfiniBand clusters with multicast", section 2).
//
//   stage 1   root ))) datagrams to all, unreliable
//   stage 2   root --> 1 --> 2 --> 3 --> ...     a reliable chain along the planned order
//
// A message of up to two kilobytes goes down the chain whole: each rank sends it on as soon as it has it, by whichever
// way, and leaves. What it then gets along the chain for nothing is received into spare memory, later.
//
// Of a larger message the chain carries what is missing only. When stage 1 is over for a rank, it tells the rank before
// it which fragments it misses, and is sent those, each as soon as the rank before has it. Stage 1 is over when all
// fragments are here or the last of them has come, or else when the rank before says that it is over there.
//
//   rank before -- "over" --> me -- "over" --> rank behind        once, and nobody waits for it
//   rank before <-- missing -- me <-- missing -- rank behind      once; may be: nothing
//   rank before -- fragments --> me -- fragments --> rank behind
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "datagram.hpp"
#include "datagram_socket.hpp"
#include "early_datagrams.hpp"
#include "fragments.hpp"
#include "multicast_terms.hpp"
#include "reliable_links.hpp"

namespace bcast {

/// Runs multicast broadcasts, one at a time, for one communicator's leader. No call blocks.
class MulticastEngine {
  public:
    /// `socket` may be null: then nothing comes or goes by multicast. Arguments must outlive the engine.
    MulticastEngine(const MulticastTerms& terms, DatagramSocket* socket, ReliableLinks& links)
        : terms_(terms), socket_(socket), links_(links) {
        late_.reserve(most_late + 1);
    }

    /// Begins a broadcast of `bytes` (> 0) bytes at `data` among two ranks or more. `broadcast` counts the
    /// communicator's multicast broadcasts from 1. Error code.
    int start(const ChainPlace& place, char* data, std::size_t bytes, std::uint64_t broadcast) {
        place_ = &place;
        data_ = data;
        bytes_ = bytes;
        broadcast_ = broadcast;
        whole_ = bytes <= whole_chain_bytes;
        counts_ = MulticastCounts{};
        fragments_.begin(bytes, terms_.fragment_bytes, is_root());
        if (!is_root()) counts_.fragments = fragments_.count();
        sent_ = 0;
        from_before_ = nullptr;
        stage_over_ = over_told_ = asked_ = told_behind_ = last_seen_ = before_over_ = asked_by_behind_ = false;
        wanted_here_.clear();
        wanted_behind_.clear();
        next_wanted_ = arrived_ = next_served_ = served_ = 0;
        started_ = Clock::now();
        heard_ = started_;
        if (socket_ != nullptr) socket_->make_room(2 * bytes);
        if (const int error = open_links(); error != 0) return error;
        early_.take(broadcast_, [this](const Datagram& datagram) { take_datagram(datagram); });
        return 0;
    }

    /// Does whatever can be done now. `done` becomes true when the broadcast is over for this rank, `moved` if anything
    /// happened. Error code; after an error the communicator is of no more use.
    int step(bool& done, bool& moved) {
        moved = read_datagrams();
        if (is_root() && send_datagrams()) moved = true;
        if (whole_) {  // before anything else that takes time
            if (const int error = tell_behind(); error != 0) return error;
        }
        // While fragments come in one after the other nothing else is urgent; but a flood must not keep MPI waiting.
        if (moved && !is_root() && fragments_.missing() > 0 && ++reads_ % most_reads != 0) return 0;
        if (const int error = links_.progress(moved); error != 0) return error;
        take_late();
        if (const int error = whole_ ? step_whole() : step_parts(); error != 0) return error;
        done = fragments_.missing() == 0 && (!is_root() || sent_ == fragments_.count()) && !awaiting_.is() &&
               !told_root_.is() && late_count() < most_late &&
               (is_last() || (whole_ ? told_behind_ && !to_behind_.is() : behind_is_served())) &&
               (whole_ || is_root() || (asked_ && !asking_.is() && arrived_ == wanted_here_.size()));
        if (done) counts_.rounds = fragments_.most_rounds();
        return 0;
    }

    /// True while the root has datagrams to send and the socket may have no room.
    [[nodiscard]] bool sending() const { return is_root() && sent_ < fragments_.count() && !awaiting_.is(); }

    /// What the broadcast that is over came to here.
    [[nodiscard]] const MulticastCounts& counts() const { return counts_; }

    /// Receives what the chain still has for this rank from broadcasts that are over. Error code.
    int finish() {
        int error = 0;
        from_before_ = nullptr;
        while (error == 0 && late_count() > 0) {
            bool some = false;
            error = links_.progress(some);
            take_late();
        }
        return error;
    }

  private:
    using Clock = std::chrono::steady_clock;

    /// In front of what goes along the chain.
    struct ChainHead {
        std::uint32_t rounds = 0;   ///< hops that the fragments behind it have taken
        std::uint32_t missing = 0;  ///< asking: how many fragments; their bitmap follows
    };
    struct Slot {
        UnderWay message;
        std::vector<char> memory;
    };

    static constexpr int chain_tag = 16;  // the other engines' are below
    static constexpr int over_tag = 17;
    static constexpr int asking_tag = 18;
    static constexpr int parts_tag = 19;
    static constexpr int ready_tag = 20;
    static constexpr std::size_t most_late = 16;      // receives that are left over from earlier broadcasts
    static constexpr std::size_t part_bytes = 16384;  // of fragments in one message along the chain
    static constexpr std::size_t parts_under_way = 4;
    static constexpr unsigned most_reads = 8;             // in a row, before MPI is asked again
    static constexpr std::size_t burst_bytes = 64 << 10;  // what switches take at once
    static constexpr std::chrono::microseconds patience{300};

    [[nodiscard]] bool is_root() const { return place_->position == 0; }
    [[nodiscard]] bool is_last() const { return place_->position == place_->last(); }

    /// Posts what this rank will receive for sure, and tells the root if that waits for this rank.
    int open_links() {
        if (!is_root()) {
            Slot& slot = free_late_slot();
            slot.memory.resize(std::max(slot.memory.size(), sizeof(ChainHead) + (whole_ ? bytes_ : 0)));
            from_before_ = &slot;
            if (const int error = links_.receive(place_->before(), whole_ ? chain_tag : over_tag, slot.memory.data(),
                                                 sizeof(ChainHead) + (whole_ ? bytes_ : 0), slot.message.handle);
                error != 0) {
                return error;
            }
        }
        if (!whole_ && !is_last()) {
            behind_asks_.memory.resize(sizeof(ChainHead) + fragments_.bitmap_bytes());
            if (const int error = links_.receive(place_->behind(), asking_tag, behind_asks_.memory.data(),
                                                 behind_asks_.memory.size(), behind_asks_.message.handle);
                error != 0) {
                return error;
            }
        }
        if (!waits_for_one()) return 0;
        const int awaited = awaited_position(terms_.seed, broadcast_, place_->last());
        if (is_root()) {
            return links_.receive(place_->rank_at[static_cast<std::size_t>(awaited)], ready_tag, nullptr, 0,
                                  awaiting_.handle);
        }
        return place_->position == awaited ? links_.send(place_->rank_at[0], ready_tag, nullptr, 0, told_root_.handle)
                                           : 0;
    }

    [[nodiscard]] bool waits_for_one() const {
        if (terms_.root_wait == RootWait::automatic) return bytes_ > terms_.room_bytes;
        return terms_.root_wait == RootWait::one_rank;
    }

    /// Stage 1 at the root. True if anything was sent.
    bool send_datagrams() {
        awaiting_.take(links_);
        told_root_.take(links_);
        if (!sending()) return false;
        if (socket_ == nullptr) {
            sent_ = fragments_.count();
            return true;
        }
        const std::chrono::duration<double> since = Clock::now() - started_;
        if (terms_.root_wait == RootWait::delay && since.count() * 1e6 < terms_.delay_us) return false;
        Datagram datagrams[datagram_batch];
        DatagramEnds ends[datagram_batch];
        std::size_t count = 0;
        while (count < datagram_batch && sent_ + count < fragments_.count() && may_send(sent_ + count, since.count())) {
            const std::size_t fragment = sent_ + count;
            datagrams[count] = {static_cast<std::uint32_t>(fragment),
                                broadcast_,
                                bytes_,
                                static_cast<std::uint32_t>(terms_.fragment_bytes),
                                static_cast<std::uint32_t>(place_->rank_at[0]),
                                data_ + fragments_.offset(fragment),
                                static_cast<std::uint32_t>(fragments_.length(fragment))};
            seal(datagrams[count], terms_.key, ends[count]);
            ++count;
        }
        if (count == 0) return false;
        const std::size_t gone = socket_->send(datagrams, ends, count);
        sent_ += gone;
        return gone > 0;
    }

    /// No faster than the slowest link carries it, after a burst that buffers take.
    [[nodiscard]] bool may_send(std::size_t fragment, double since_s) const {
        if (terms_.pace_Bps == 0) return true;
        const auto allowed = static_cast<double>(burst_bytes) + since_s * static_cast<double>(terms_.pace_Bps);
        return static_cast<double>(fragments_.offset(fragment)) <= allowed;
    }

    /// Takes in what has come by multicast, of this broadcast and others. True if anything has.
    bool read_datagrams() {
        if (socket_ == nullptr) return false;
        Received arrivals[datagram_batch];
        bool any = false;
        std::size_t count = 0;
        do {
            count = socket_->receive(arrivals);
            for (std::size_t i = 0; i < count; ++i) open_arrival(arrivals[i]);
            any = any || count > 0;
        } while (count == datagram_batch);
        return any;
    }

    void open_arrival(const Received& arrival) {
        Datagram datagram;
        switch (open_datagram(arrival.bytes, arrival.count, terms_.key, datagram)) {
            case Verdict::damaged:
                ++counts_.damaged;
                break;
            case Verdict::foreign:
                ++counts_.foreign;
                break;
            case Verdict::good:
                if (datagram.broadcast < broadcast_) {
                    if (datagram.broadcast != trial_broadcast) ++counts_.stale;
                } else if (datagram.broadcast > broadcast_) {
                    early_.keep(datagram);  // another root is ahead of this rank
                } else {
                    take_datagram(datagram);
                }
                break;
        }
    }

    void take_datagram(const Datagram& datagram) {
        if (is_root()) return;  // its own, come back
        const std::size_t fragment = datagram.fragment;
        const bool fits = datagram.message_bytes == bytes_ && datagram.fragment_bytes == terms_.fragment_bytes &&
                          fragment < fragments_.count() && datagram.payload_bytes == fragments_.length(fragment) &&
                          static_cast<int>(datagram.sender) == place_->rank_at[0];
        if (!fits) {
            ++counts_.damaged;
            return;
        }
        heard_ = Clock::now();
        last_seen_ = last_seen_ || fragment + 1 == fragments_.count();
        if (!fragments_.add(fragment, 0)) {
            ++counts_.duplicate;
            return;
        }
        ++counts_.taken;
        std::memcpy(data_ + fragments_.offset(fragment), datagram.payload, datagram.payload_bytes);
    }

    // Stage 2 of a small message.

    int step_whole() {
        if (from_before_ != nullptr && fragments_.missing() > 0 && from_before_->message.take(links_)) {
            read_datagrams();  // those that came in the meantime came first
            const ChainHead head = head_of(*from_before_);
            for (std::size_t fragment = 0; fragment < fragments_.count(); ++fragment) {
                if (!fragments_.add(fragment, head.rounds + 1)) continue;
                std::memcpy(data_ + fragments_.offset(fragment),
                            from_before_->memory.data() + sizeof head + fragments_.offset(fragment),
                            fragments_.length(fragment));
            }
        }
        told_root_.take(links_);
        to_behind_.take(links_);
        return tell_behind();
    }

    /// Sends the whole message on, once it is here.
    int tell_behind() {
        if (is_last() || told_behind_ || fragments_.missing() > 0 || sending() || awaiting_.is()) return 0;
        told_behind_ = true;
        whole_memory_.resize(std::max(whole_memory_.size(), sizeof(ChainHead) + bytes_));
        put_head(whole_memory_, {fragments_.most_rounds(), 0});
        std::memcpy(whole_memory_.data() + sizeof(ChainHead), data_, bytes_);
        return links_.send(place_->behind(), chain_tag, whole_memory_.data(), sizeof(ChainHead) + bytes_,
                           to_behind_.handle);
    }

    // Stage 2 of a larger one.

    int step_parts() {
        told_root_.take(links_);
        to_behind_.take(links_);
        asking_.take(links_);
        if (from_before_ != nullptr && !before_over_ && from_before_->message.take(links_)) before_over_ = true;
        if (const int error = tell_over(); error != 0) return error;
        if (!stage_over_ && stage_is_over()) {
            stage_over_ = true;
            if (!is_root()) {
                if (const int error = ask(); error != 0) return error;
            }
        }
        if (const int error = receive_parts(); error != 0) return error;
        if (!is_last() && !asked_by_behind_ && behind_asks_.message.take(links_)) {
            asked_by_behind_ = true;
            if (head_of(behind_asks_).missing > 0) {
                list_fragments(reinterpret_cast<const unsigned char*>(behind_asks_.memory.data()) + sizeof(ChainHead),
                               fragments_.count(), wanted_behind_);
            }
        }
        return serve_parts();
    }

    [[nodiscard]] bool stage_is_over() const {
        if (is_root()) return sent_ == fragments_.count();
        if (fragments_.missing() == 0 || last_seen_) return true;
        // Nothing more, or too little, has come since the root was done: unless some of it is still on its way.
        return before_over_ && (counts_.taken == 0 || Clock::now() - heard_ > patience);
    }

    /// Tells the rank behind that stage 1 is over, as soon as that is known, so that the word runs ahead.
    int tell_over() {
        if (over_told_ || is_last() || !(before_over_ || stage_over_ || stage_is_over())) return 0;
        over_told_ = true;
        return links_.send(place_->behind(), over_tag, &over_, sizeof over_, to_behind_.handle);
    }

    /// Tells the rank before which fragments are missing.
    int ask() {
        asked_ = true;
        fragments_.list_missing(wanted_here_);
        const std::size_t bitmap = wanted_here_.empty() ? 0 : fragments_.bitmap_bytes();
        asking_memory_.resize(sizeof(ChainHead) + bitmap);
        put_head(asking_memory_, {0, static_cast<std::uint32_t>(wanted_here_.size())});
        if (bitmap > 0) {
            fragments_.write_missing(reinterpret_cast<unsigned char*>(asking_memory_.data()) + sizeof(ChainHead));
        }
        return links_.send(place_->before(), asking_tag, asking_memory_.data(), asking_memory_.size(), asking_.handle);
    }

    /// Fragments in a message along the chain.
    [[nodiscard]] std::size_t part_fragments() const {
        return std::max<std::size_t>(1, part_bytes / terms_.fragment_bytes);
    }

    /// Bytes of the part of `wanted` that begins at `first`.
    [[nodiscard]] std::size_t length_of_part(const std::vector<std::uint32_t>& wanted, std::size_t first) const {
        std::size_t bytes = sizeof(ChainHead);
        for (std::size_t i = first; i < end_of_part(wanted, first); ++i) bytes += fragments_.length(wanted[i]);
        return bytes;
    }
    [[nodiscard]] std::size_t end_of_part(const std::vector<std::uint32_t>& wanted, std::size_t first) const {
        return std::min(first + part_fragments(), wanted.size());
    }

    int receive_parts() {
        while (arrived_ < next_wanted_) {
            Slot& slot = incoming_[arrived_ / part_fragments() % parts_under_way];
            if (!slot.message.take(links_)) break;
            const ChainHead head = head_of(slot);
            const char* from = slot.memory.data() + sizeof head;
            for (const std::size_t end = end_of_part(wanted_here_, arrived_); arrived_ < end; ++arrived_) {
                const std::size_t fragment = wanted_here_[arrived_];
                if (fragments_.add(fragment, head.rounds + 1)) {
                    std::memcpy(data_ + fragments_.offset(fragment), from, fragments_.length(fragment));
                }
                from += fragments_.length(fragment);
            }
        }
        while (next_wanted_ < wanted_here_.size()) {
            Slot& slot = incoming_[next_wanted_ / part_fragments() % parts_under_way];
            if (slot.message.is()) break;
            const std::size_t bytes = length_of_part(wanted_here_, next_wanted_);
            if (slot.memory.size() < bytes) slot.memory.resize(bytes);
            if (const int error =
                    links_.receive(place_->before(), parts_tag, slot.memory.data(), bytes, slot.message.handle);
                error != 0) {
                return error;
            }
            next_wanted_ = end_of_part(wanted_here_, next_wanted_);
        }
        return 0;
    }

    int serve_parts() {
        while (served_ < next_served_) {
            Slot& slot = outgoing_[served_ / part_fragments() % parts_under_way];
            if (!slot.message.take(links_)) break;
            served_ = end_of_part(wanted_behind_, served_);
        }
        while (next_served_ < wanted_behind_.size()) {
            Slot& slot = outgoing_[next_served_ / part_fragments() % parts_under_way];
            const std::size_t end = end_of_part(wanted_behind_, next_served_);
            if (slot.message.is()) break;
            unsigned rounds = 0;
            bool here = true;
            for (std::size_t i = next_served_; i < end; ++i) {
                here = here && fragments_.has(wanted_behind_[i]);
                if (here) rounds = std::max(rounds, fragments_.rounds(wanted_behind_[i]));
            }
            if (!here) break;
            const std::size_t bytes = length_of_part(wanted_behind_, next_served_);
            if (slot.memory.size() < bytes) slot.memory.resize(bytes);
            put_head(slot.memory, {rounds, 0});
            char* to = slot.memory.data() + sizeof(ChainHead);
            for (; next_served_ < end; ++next_served_) {
                const std::size_t fragment = wanted_behind_[next_served_];
                std::memcpy(to, data_ + fragments_.offset(fragment), fragments_.length(fragment));
                to += fragments_.length(fragment);
            }
            if (const int error =
                    links_.send(place_->behind(), parts_tag, slot.memory.data(), bytes, slot.message.handle);
                error != 0) {
                return error;
            }
        }
        return 0;
    }

    [[nodiscard]] bool behind_is_served() const {
        return over_told_ && !to_behind_.is() && asked_by_behind_ && served_ == wanted_behind_.size();
    }

    // What comes along the chain after this rank has left the broadcast.

    Slot& free_late_slot() {
        for (Slot& slot : late_) {
            if (!slot.message.is()) return slot;
        }
        return late_.emplace_back();  // never more than most_late: no broadcast ends with as many
    }

    void take_late() {
        for (Slot& slot : late_) {
            if (&slot != from_before_) slot.message.take(links_);
        }
    }

    /// Receives that no broadcast waits for, counting the current one's as such.
    [[nodiscard]] std::size_t late_count() const {
        return static_cast<std::size_t>(
            std::count_if(late_.begin(), late_.end(), [](const Slot& slot) { return slot.message.is(); }));
    }

    static ChainHead head_of(const Slot& slot) {
        ChainHead head;
        std::memcpy(&head, slot.memory.data(), sizeof head);
        return head;
    }
    static void put_head(std::vector<char>& memory, const ChainHead& head) {
        std::memcpy(memory.data(), &head, sizeof head);
    }

    const MulticastTerms& terms_;
    DatagramSocket* socket_;
    ReliableLinks& links_;
    EarlyDatagrams early_;

    const ChainPlace* place_ = nullptr;
    char* data_ = nullptr;
    std::size_t bytes_ = 0;
    std::uint64_t broadcast_ = 0;
    bool whole_ = true;
    Fragments fragments_;
    MulticastCounts counts_;
    Clock::time_point started_;
    Clock::time_point heard_;  // when a datagram of this broadcast came last
    unsigned reads_ = 0;       // steps that brought datagrams
    std::size_t sent_ = 0;     // fragments that the root has multicast
    UnderWay awaiting_;        // at the root: the rank it waits for
    UnderWay told_root_;       // at that rank

    std::vector<Slot> late_;
    Slot* from_before_ = nullptr;  // one of late_: what the rank before sends unasked
    UnderWay to_behind_;           // what is sent unasked to the rank behind
    bool told_behind_ = false;     // the whole message
    std::vector<char> whole_memory_;

    ChainHead over_;
    bool last_seen_ = false;    // the last fragment has come by multicast
    bool before_over_ = false;  // the rank before says that stage 1 is over
    bool stage_over_ = false;
    bool over_told_ = false;
    bool asked_ = false;
    UnderWay asking_;
    std::vector<char> asking_memory_;
    bool asked_by_behind_ = false;
    Slot behind_asks_;
    std::vector<std::uint32_t> wanted_here_;    // from the rank before
    std::vector<std::uint32_t> wanted_behind_;  // by the rank behind
    std::size_t next_wanted_ = 0;               // of wanted_here_: the first that no receive is posted for
    std::size_t arrived_ = 0;
    std::size_t next_served_ = 0;  // of wanted_behind_: the first that has not been sent
    std::size_t served_ = 0;
    Slot incoming_[parts_under_way];
    Slot outgoing_[parts_under_way];
};

}  // namespace bcast
