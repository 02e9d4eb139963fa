// Stage 1 of a multicast broadcast: the root sends the message as datagrams, the others receive what comes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "bcast/multicast/broadcast_state.hpp"
#include "bcast/multicast/datagram.hpp"
#include "bcast/multicast/datagram_socket.hpp"
#include "bcast/multicast/early_datagrams.hpp"
#include "bcast/multicast/reliable_links.hpp"
#include "bcast/multicast/terms.hpp"

namespace bcast {

class DatagramStage {
  public:
    /// `socket` may be null: then nothing is sent or received.
    DatagramStage(const MulticastTerms& terms, DatagramSocket* socket, ReliableLinks& links)
        : terms_(terms), socket_(socket), links_(links) {}

    /// Begins; the broadcast's fragments are set up by then. Error code.
    int start(MulticastBroadcast& broadcast) {
        now_ = &broadcast;
        sent_ = 0;
        last_seen_ = false;
        started_ = Clock::now();
        heard_ = started_;
        if (socket_ != nullptr) socket_->make_room(2 * broadcast.bytes);
        return tell_root();
    }

    /// Uses what came before the broadcast began.
    void take_early() {
        early_.take(now_->number, [this](const Datagram& datagram) { take(datagram); });
    }

    /// At the root. True if anything was sent.
    bool send() {
        awaiting_.take(links_);
        told_root_.take(links_);
        if (!sending()) return false;
        if (socket_ == nullptr) {
            sent_ = now_->fragments.count();
            return true;
        }
        const std::chrono::duration<double> since = Clock::now() - started_;
        if (terms_.root_wait == RootWait::delay && since.count() * 1e6 < terms_.delay_us) return false;
        Datagram datagrams[datagram_batch];
        DatagramEnds ends[datagram_batch];
        std::size_t count = 0;
        while (count < datagram_batch && sent_ + count < now_->fragments.count() &&
               may_send(sent_ + count, since.count())) {
            const std::size_t fragment = sent_ + count;
            datagrams[count] = {static_cast<std::uint32_t>(fragment),
                                now_->number,
                                now_->bytes,
                                static_cast<std::uint32_t>(terms_.fragment_bytes),
                                static_cast<std::uint32_t>(now_->place->rank_at[0]),
                                now_->data + now_->fragments.offset(fragment),
                                static_cast<std::uint32_t>(now_->fragments.length(fragment))};
            seal(datagrams[count], terms_.key, ends[count]);
            ++count;
        }
        if (count == 0) return false;
        const std::size_t gone = socket_->send(datagrams, ends, count);
        sent_ += gone;
        return gone > 0;
    }

    /// Receives what has come, of this broadcast and others. True if anything has.
    bool receive() {
        if (socket_ == nullptr) return false;
        Received arrivals[datagram_batch];
        bool any = false;
        std::size_t count = 0;
        do {
            count = socket_->receive(arrivals);
            for (std::size_t i = 0; i < count; ++i) open(arrivals[i]);
            any = any || count > 0;
        } while (count == datagram_batch);
        return any;
    }

    /// Checks whether the root has heard from the rank that it waits for.
    void take_word_to_root() { told_root_.take(links_); }

    /// True while the root has datagrams to send and does not wait for another rank.
    [[nodiscard]] bool sending() const { return now_->is_root() && sent_ < now_->fragments.count() && !awaiting_.is(); }

    /// Whether the root has sent everything.
    [[nodiscard]] bool all_sent() const { return sent_ == now_->fragments.count(); }

    /// Whether the message between the root and the rank that it waits for is still on its way.
    [[nodiscard]] bool root_waits() const { return awaiting_.is() || told_root_.is(); }
    [[nodiscard]] bool awaits_rank() const { return awaiting_.is(); }

    /// Whether the stage is over for this rank. The message of the rank before that it is (`before_over`) may overtake
    /// datagrams.
    [[nodiscard]] bool over(bool before_over) const {
        if (now_->is_root()) return all_sent();
        if (now_->fragments.missing() == 0 || last_seen_) return true;
        return before_over && (now_->counts.taken == 0 || Clock::now() - heard_ > patience);
    }

  private:
    using Clock = std::chrono::steady_clock;

    static constexpr std::size_t burst_bytes = 64 << 10;  // what switches can buffer
    static constexpr std::chrono::microseconds patience{300};

    /// At the root: posts the receive of what it waits for. At the rank that the root waits for: tells the root.
    int tell_root() {
        if (!waits_for_one()) return 0;
        const ChainPlace& place = *now_->place;
        const int awaited = awaited_position(terms_.seed, now_->number, place.last());
        if (now_->is_root()) {
            return links_.receive(place.rank_at[static_cast<std::size_t>(awaited)], ready_tag, nullptr, 0,
                                  awaiting_.handle);
        }
        return place.position == awaited ? links_.send(place.rank_at[0], ready_tag, nullptr, 0, told_root_.handle) : 0;
    }

    [[nodiscard]] bool waits_for_one() const {
        if (terms_.root_wait == RootWait::automatic) return now_->bytes > terms_.room_bytes;
        return terms_.root_wait == RootWait::one_rank;
    }

    /// Sends no faster than the slowest link, after a burst that buffers can hold.
    [[nodiscard]] bool may_send(std::size_t fragment, double since_s) const {
        if (terms_.pace_Bps == 0) return true;
        const auto allowed = static_cast<double>(burst_bytes) + since_s * static_cast<double>(terms_.pace_Bps);
        return static_cast<double>(now_->fragments.offset(fragment)) <= allowed;
    }

    void open(const Received& arrival) {
        Datagram datagram;
        switch (open_datagram(arrival.bytes, arrival.count, terms_.key, datagram)) {
            case Verdict::damaged:
                ++now_->counts.damaged;
                break;
            case Verdict::foreign:
                ++now_->counts.foreign;
                break;
            case Verdict::good:
                if (datagram.broadcast < now_->number) {
                    if (datagram.broadcast != trial_broadcast) ++now_->counts.stale;
                } else if (datagram.broadcast > now_->number) {
                    early_.keep(datagram);  // another root is ahead of this rank
                } else {
                    take(datagram);
                }
                break;
        }
    }

    void take(const Datagram& datagram) {
        if (now_->is_root()) return;  // its own, come back
        const Fragments& fragments = now_->fragments;
        const std::size_t fragment = datagram.fragment;
        const bool fits = datagram.message_bytes == now_->bytes && datagram.fragment_bytes == terms_.fragment_bytes &&
                          fragment < fragments.count() && datagram.payload_bytes == fragments.length(fragment) &&
                          static_cast<int>(datagram.sender) == now_->place->rank_at[0];
        if (!fits) {
            ++now_->counts.damaged;
            return;
        }
        heard_ = Clock::now();
        last_seen_ = last_seen_ || fragment + 1 == fragments.count();
        if (now_->put(fragment, 0, datagram.payload)) {
            ++now_->counts.taken;
        } else {
            ++now_->counts.duplicate;
        }
    }

    const MulticastTerms& terms_;
    DatagramSocket* socket_;
    ReliableLinks& links_;
    EarlyDatagrams early_;
    MulticastBroadcast* now_ = nullptr;
    Clock::time_point started_;
    Clock::time_point heard_;  // when a datagram of this broadcast came last
    std::size_t sent_ = 0;     // fragments that the root has multicast
    bool last_seen_ = false;   // the last fragment has come by multicast
    UnderWay awaiting_;        // at the root: from the rank that it waits for
    UnderWay told_root_;       // at that rank: to the root
};

}  // namespace bcast
