// The engine that the multicast broadcast runs on (Hoefler, Siebert and Rehm, "A practically constant-time MPI
// broadcast algorithm for large-scale InfiniBand clusters with multicast", section 2).
//
//   stage 1   root ))) datagrams to all, unreliable                               datagram_stage.hpp
//   stage 2   root --> 1 --> 2 --> 3 --> ...     a reliable chain along the planned order
//
// A message of up to 2 KiB goes down the chain whole (whole_chain.hpp): each rank sends it on as soon as it has it, by
// either way, and leaves. A copy that then comes along the chain is not needed; it is received into spare memory later
// (late_receives.hpp). Of a larger message the chain carries only what is missing (part_chain.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "bcast/multicast/broadcast_state.hpp"
#include "bcast/multicast/datagram_socket.hpp"
#include "bcast/multicast/datagram_stage.hpp"
#include "bcast/multicast/late_receives.hpp"
#include "bcast/multicast/part_chain.hpp"
#include "bcast/multicast/reliable_links.hpp"
#include "bcast/multicast/terms.hpp"
#include "bcast/multicast/whole_chain.hpp"

namespace bcast {

/// Runs multicast broadcasts, one at a time, for one communicator's leader. No call blocks.
class MulticastEngine {
  public:
    /// `socket` may be null: then nothing is sent or received by multicast. Arguments must outlive the engine.
    MulticastEngine(const MulticastTerms& terms, DatagramSocket* socket, ReliableLinks& links)
        : terms_(terms),
          links_(links),
          datagrams_(terms, socket, links),
          from_before_(links),
          whole_chain_(links),
          part_chain_(links) {}

    /// Begins a broadcast of `bytes` (> 0) bytes at `data` among two ranks or more. `broadcast` counts the
    /// communicator's multicast broadcasts from 1. Error code.
    int start(const ChainPlace& place, char* data, std::size_t bytes, std::uint64_t broadcast) {
        now_.place = &place;
        now_.data = data;
        now_.bytes = bytes;
        now_.number = broadcast;
        now_.counts = MulticastCounts{};
        now_.truncated = false;
        now_.other_bytes = 0;
        now_.fragments.begin(bytes, terms_.fragment_bytes, now_.is_root());
        if (!now_.is_root()) now_.counts.fragments = now_.fragments.count();
        whole_ = bytes <= whole_chain_bytes;
        from_before_.post_none();
        if (const int error = whole_ ? whole_chain_.start(now_, from_before_)
                                     : part_chain_.start(now_, from_before_, terms_.fragment_bytes);
            error != 0) {
            return error;
        }
        if (const int error = datagrams_.start(now_); error != 0) return error;
        datagrams_.take_early();
        return 0;
    }

    /// Does whatever can be done now. `done`, false before, becomes true when the broadcast is over for this rank,
    /// `moved` if anything happened. Error code; after an error the communicator is of no more use.
    int step(bool& done, bool& moved) {
        moved = datagrams_.receive();
        if (now_.is_root() && datagrams_.send()) moved = true;
        if (whole_) {  // before anything else that takes time; often that is all there is to do
            if (const int error = tell_whole(); error != 0) return error;
            if (is_done()) return end(done);
        }
        // While fragments come one after the other nothing else is urgent, but a flood must not keep MPI waiting.
        if (moved && !now_.is_root() && now_.fragments.missing() > 0 && ++reads_ % most_reads != 0) return 0;
        if (const int error = links_.progress(moved); error != 0) return error;
        from_before_.take_late();
        datagrams_.take_word_to_root();
        if (const int error = whole_ ? step_whole() : step_parts(); error != 0) return error;
        return is_done() ? end(done) : 0;
    }

    /// True while the root has datagrams to send and the socket may have no room.
    [[nodiscard]] bool sending() const { return datagrams_.sending(); }

    /// How many leading bytes of the message are here.
    [[nodiscard]] std::size_t here_bytes() const { return now_.fragments.leading_bytes(); }

    /// Whether the broadcast has ended without the message: ranks pass different lengths. `other_bytes`: that of the
    /// rank before, if this rank has seen it, or 0.
    [[nodiscard]] bool truncated(std::size_t& other_bytes) const {
        other_bytes = now_.other_bytes;
        return now_.truncated;
    }

    /// What happened here in the broadcast that has just ended.
    [[nodiscard]] const MulticastCounts& counts() const { return now_.counts; }

    /// Receives what the chain still has for this rank from broadcasts that are over. Error code.
    int finish() {
        int error = 0;
        from_before_.post_none();
        while (error == 0 && !from_before_.none()) {
            bool some = false;
            error = links_.progress(some);
            from_before_.take_late();
        }
        return error;
    }

  private:
    static constexpr unsigned most_reads = 8;  // in a row, before MPI gets its turn

    int step_whole() {
        whole_chain_.take(from_before_, [this] { datagrams_.receive(); });
        return tell_whole();
    }

    /// The root's datagrams go first.
    int tell_whole() { return datagrams_.sending() || datagrams_.awaits_rank() ? 0 : whole_chain_.tell(); }

    int step_parts() {
        const bool before_over = part_chain_.before_over(from_before_);
        return part_chain_.step(datagrams_.over(before_over));
    }

    int end(bool& done) {
        done = true;
        now_.counts.rounds = now_.fragments.most_rounds();
        return 0;
    }

    [[nodiscard]] bool is_done() const {
        return (now_.fragments.missing() == 0 || now_.truncated) && (!now_.is_root() || datagrams_.all_sent()) &&
               !datagrams_.root_waits() && from_before_.few() &&
               (whole_ ? whole_chain_.served() : part_chain_.served());
    }

    const MulticastTerms& terms_;
    ReliableLinks& links_;
    MulticastBroadcast now_;
    DatagramStage datagrams_;
    LateReceives from_before_;
    WholeChain whole_chain_;
    PartChain part_chain_;
    bool whole_ = true;
    unsigned reads_ = 0;  // steps that brought datagrams
};

}  // namespace bcast
