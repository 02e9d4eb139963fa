// The engine that the scatter-ring broadcasts run on (scatter_tree.hpp has their schedule).
//
//   scatter parent ==> my blocks, in pieces ==> scatter children, one after the other
//                          |
//   left neighbour ==> [ receives posted ahead ] ==> pieces in a fixed sequence ==> [ sends under way ] ==> right
//   neighbour
//
// One event loop as in pipeline.hpp. All travels in pieces of the segment size, those of a block so that one is handed
// on round the ring while the rest is still on the wire. Nobody waits for a step of the ring to end everywhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/lane.hpp"
#include "bcast/roles/role.hpp"
#include "bcast/roles/send_window.hpp"
#include "bcast/trees/ring_walk.hpp"
#include "bcast/trees/scatter_tree.hpp"

namespace bcast {

/// Runs scatter-ring broadcasts, one at a time, for one communicator.
class RingEngine {
  public:
    /// How blocks go round the ring.
    struct Ring {
        bool tuned;                 ///< leave out blocks that the receiver holds since the scatter
        std::size_t segment_bytes;  ///< the most bytes of a piece; 0: blocks in one piece
        int send_window;            ///< the most pieces on their way from this rank; 0: the usual
    };

    /// Broadcasts `message`. Returns when it is here and everything has been passed on; what went wrong meanwhile is in
    /// `failure`. MPI error code: this rank could not go on, and the lanes are of no more use.
    int run(const RingRole& role, Message& message, const Ring& ring, const Lanes& lanes, Failure& failure) {
        const bool is_root = role.position == 0;
        const bool take_out = !message.in_place();
        if (take_out) failure.take_out(message, is_root);
        start(role, message, ring, lanes, failure);
        const int error = loop();
        if (error != MPI_SUCCESS) requests_.abandon();
        if (error == MPI_SUCCESS && take_out) failure.put_back(message, is_root);
        return error;
    }

  private:
    /// What is left of a part of the scatter: bytes begin to end for one rank, in so many pieces.
    struct Transfer {
        int rank = -1;
        std::size_t begin = 0;
        std::size_t end = 0;
        std::size_t first_bytes = 0;  // of the first piece
        std::int64_t pieces = 0;
        bool begun = false;
    };

    /// Where the first piece from a sender comes that is shorter than it could be and cheap to copy.
    struct First {
        Room memory;
        bool is_copied = false;
    };

    /// Requests that were made and have completed, in turn.
    struct Window {
        std::int64_t made = 0;
        std::int64_t completed = 0;
        [[nodiscard]] std::int64_t open() const { return made - completed; }
    };

    /// Where requests live: first the sends, the scatter's and the ring's, then the receives.
    static constexpr std::size_t scatter_out = 0;
    [[nodiscard]] std::size_t ring_out() const { return static_cast<std::size_t>(scatter_window_); }
    [[nodiscard]] std::size_t scatter_in() const { return ring_out() + static_cast<std::size_t>(send_window_); }
    [[nodiscard]] std::size_t ring_in() const { return scatter_in() + static_cast<std::size_t>(receives_ahead); }

    void start(const RingRole& role, Message& message, const Ring& ring, const Lanes& lanes, Failure& failure) {
        role_ = &role;
        message_ = &message;
        lanes_ = lanes;
        failure_ = &failure;
        tags_ = SegmentTags(message.bytes(), lanes.length_bits);
        positions_ = role.positions;
        const Blocks blocks(message.bytes(), positions_);
        const std::size_t whole = blocks.end(0);
        longest_ = std::min(longest_segment_bytes, tags_.longest_bytes());
        if (ring.segment_bytes > 0) longest_ = std::min(longest_, ring.segment_bytes);
        first_room_ = std::min(longest_, longest_looked_at_bytes);
        const std::size_t piece_bytes = std::max<std::size_t>(1, std::min(whole, longest_));
        const MostOfPieces most{first_of(piece_bytes), piece_bytes};
        const int position = role.position;
        const int received = ring_blocks(role.held, positions_, ring.tuned);
        const int sent = ring_blocks(role.right_held, positions_, ring.tuned);
        posting_ = arriving_ = RingWalk(blocks, positions_, ring_block(position, positions_, 0), received, most);
        sending_ = RingWalk(blocks, positions_, position, sent, most);
        ring_incoming_.reset(role.left, posting_.pieces(), received > 0 ? &tags_ : nullptr);
        ring_left_ = sending_.pieces();
        scatter_sends_ = sends_ = Window{};
        const bool whole_blocks = piece_bytes == whole;
        in_step_ = whole_blocks && blocks.begin(positions_ - 1) < message.bytes();  // no block is empty
        // Neighbours of the tuned ring end at different times; a block of slack keeps one from waiting for the other.
        ahead_ = ring.tuned ? 1 : 0;
        send_window_ = ring.send_window > 0 ? ring.send_window : usual_ring_window(whole, piece_bytes);
        scatter_window_ = ring.send_window > 0 ? ring.send_window : usual_scatter_window;

        own_ = {};
        if (position > 0) own_ = transfer(role.parent, blocks, position, role.held);
        scatter_incoming_.reset(role.parent, own_.pieces, position > 0 ? &tags_ : nullptr);
        outgoing_.clear();
        for (const RingRole::Child& child : role.children) {
            outgoing_.push_back(transfer(child.rank, blocks, child.position, child.held));
        }
        next_outgoing_ = 0;
        requests_.reset(ring_in() + static_cast<std::size_t>(receives_ahead));
        unwanted_bytes_ = piece_bytes;
        no_place_ = failure.no_place || !make_room_for_unwanted(ring.tuned);
        if (no_place_) failure.spoil(MPI_ERR_NO_MEM);
    }

    /// The most bytes of the first piece where others have `piece_bytes`.
    static std::size_t first_of(std::size_t piece_bytes) {
        return piece_bytes > longest_looked_at_bytes || goes_in_two(piece_bytes) ? longest_first_segment_bytes
                                                                                 : piece_bytes;
    }

    /// Blocks `position` to `position` + `held` - 1 for one rank.
    [[nodiscard]] Transfer transfer(int rank, const Blocks& blocks, int position, int held) const {
        Transfer made{rank, blocks.begin(position), blocks.end(position + held - 1), 0, 1, false};
        const std::size_t bytes = made.end - made.begin;
        made.first_bytes = first_of(std::min(bytes, longest_));
        made.pieces += static_cast<std::int64_t>((bytes - made.first_bytes + longest_ - 1) / longest_);
        return made;
    }

    /// Round the plain ring, what is here since the scatter comes a second time. It must not be written again: the
    /// root's buffer may only be read, and others may be sending from theirs.
    bool make_room_for_unwanted(bool tuned) {
        return tuned || make_room(unwanted_, static_cast<std::size_t>(receives_ahead) * unwanted_bytes_);
    }

    int loop() {
        while (true) {
            const bool spoilt = failure_->spoilt;
            if (const int error = advance(); error != MPI_SUCCESS) return error;
            if (done()) return MPI_SUCCESS;
            if (failure_->spoilt != spoilt) continue;
            if (const int error = requests_.wait(); error != MPI_SUCCESS) return error;
        }
    }

    int advance() {
        take_ended();
        if (scatter_incoming_.lost() || ring_incoming_.lost()) return requests_.error();
        if (const int error = receive_scatter(); error != MPI_SUCCESS) return error;
        if (!scatter_incoming_.over()) return MPI_SUCCESS;
        // Not before: what the ring brings would share the port with the scatter, for which everybody waits.
        if (const int error = receive_ring(); error != MPI_SUCCESS) return error;
        if (const int error = send_scatter(); error != MPI_SUCCESS) return error;
        if (!scattered_on()) return MPI_SUCCESS;
        if (const int error = send_ring(); error != MPI_SUCCESS) return error;
        return ring_incoming_.posted() == 0 ? receive_ring() : MPI_SUCCESS;  // now it may look
    }

    [[nodiscard]] bool done() const {
        return scatter_incoming_.over() && scattered_on() && ring_incoming_.over() && ring_left_ == 0 &&
               sends_.open() == 0;
    }

    [[nodiscard]] bool scattered_on() const { return next_outgoing_ == outgoing_.size() && scatter_sends_.open() == 0; }

    static std::size_t slot(std::int64_t number, std::int64_t slots) {
        return static_cast<std::size_t>(number % slots);
    }

    /// Takes the next of the segments under way to this rank, if it has come. Their requests live at `first` and after.
    bool take(Incoming& incoming, std::size_t first) {
        if (incoming.arrived() == incoming.posted()) return false;
        const std::size_t at = first + slot(incoming.arrived(), receives_ahead);
        const Ended ended = requests_.take(at);
        if (ended == Ended::not_yet) return false;
        if (ended == Ended::badly) failure_->spoil(requests_.error());
        incoming.arrive(requests_.tag(at), *failure_);
        return true;
    }

    /// The same of a send window.
    bool take(Window& window, std::size_t first, std::int64_t slots) {
        if (window.open() == 0) return false;
        const Ended ended = requests_.take(first + slot(window.completed, slots));
        if (ended == Ended::not_yet) return false;
        if (ended == Ended::badly) failure_->note(requests_.error());
        ++window.completed;
        return true;
    }

    void take_ended() {
        while (take(scatter_incoming_, scatter_in())) {
            if (scatter_incoming_.arrived() == 1 && scatter_first_.is_copied && !failure_->spoilt) {
                std::memcpy(message_->at(own_.begin), scatter_first_.memory.data(), own_.end - own_.begin);
            }
        }
        while (take(scatter_sends_, scatter_out, scatter_window_)) {
        }
        while (take(ring_incoming_, ring_in())) {
            if (arriving_.ended()) continue;
            const RingPiece piece = arriving_.piece();
            if (ring_incoming_.arrived() == 1 && ring_first_.is_copied && is_wanted(piece) && !failure_->spoilt) {
                std::memcpy(message_->at(piece.begin), ring_first_.memory.data(), piece.bytes);
            }
            arriving_.next();
        }
        while (take(sends_, ring_out(), send_window_)) {
        }
    }

    /// Where a piece goes. One that `looks` is received only once its length is known: there may be too little room.
    struct Place {
        bool exists = false;
        char* to = nullptr;
        std::size_t room = 0;
        bool looks = false;
    };

    /// Of a first piece, for which there are `space` bytes at `to`. Whoever passes another length may send more, up to
    /// first_room_.
    [[nodiscard]] Place place_of_first(First& first, char* to, std::size_t space) const {
        first.is_copied = false;
        if (space >= first_room_) return {true, to, first_room_, false};
        const bool is_cheap = space <= longest_first_segment_bytes || !looks_pay();
        first.is_copied = is_cheap && make_room(first.memory, first_room_);
        if (first.is_copied) return {true, first.memory.data(), first_room_, false};
        return {true, to, space, true};
    }

    /// Posts a receive at `place`; what has none goes nowhere, one after the other.
    int receive(Incoming& incoming, std::size_t requests, Place place, MPI_Comm lane, int from, bool& posted) {
        posted = false;
        if (place.looks) {
            std::size_t bytes = 0;
            if (const int error = look_at_next(from, lane, bytes); error != MPI_SUCCESS) return error;
            place.exists = place.exists && bytes <= place.room;
            place.room = bytes;
        }
        if (!place.exists) {
            if (incoming.posted() > incoming.arrived()) return MPI_SUCCESS;
            if (!place.looks) place.room = longest_;
            if (!make_insured_room(nowhere_, std::max<std::size_t>(1, place.room))) return MPI_ERR_NO_MEM;
            place.to = nowhere_.data();
        }
        const int error = requests_.receive(requests + slot(incoming.posted(), receives_ahead), place.to,
                                            static_cast<int>(place.room), from, MPI_ANY_TAG, lane);
        if (error != MPI_SUCCESS) return error;
        incoming.post();
        posted = true;
        return MPI_SUCCESS;
    }

    int receive_scatter() {
        bool posted = true;
        while (posted && scatter_incoming_.may_post(receives_ahead)) {
            const std::int64_t number = scatter_incoming_.posted();
            Place place;
            place.looks = number == 0;
            if (number < own_.pieces && !scatter_incoming_.differs() && !no_place_) {
                const std::size_t offset =
                    number == 0 ? 0 : own_.first_bytes + static_cast<std::size_t>(number - 1) * longest_;
                const std::size_t space = own_.end - own_.begin - offset;
                char* const to = message_->at(own_.begin + offset);
                place = number == 0 ? place_of_first(scatter_first_, to, space)
                                    : Place{true, to, std::min(longest_, space), false};
            }
            if (const int error = receive(scatter_incoming_, scatter_in(), place, lanes_.first, role_->parent, posted);
                error != MPI_SUCCESS) {
                return error;
            }
        }
        return MPI_SUCCESS;
    }

    /// One that MPI refuses to send goes without content.
    int send(std::size_t at, const RingPiece& piece, std::int64_t left, int to, MPI_Comm lane) {
        if (!failure_->spoilt) {
            const int error =
                requests_.send(at, message_->at(piece.begin), static_cast<int>(piece.bytes), to, tags_.of(left), lane);
            if (error == MPI_SUCCESS) return error;
            failure_->spoil(error);
        }
        return requests_.send(at, nullptr, 0, to, SegmentTags::of_void(left, failure_->truncated), lane);
    }

    int send_scatter() {
        while (next_outgoing_ < outgoing_.size() && scatter_sends_.open() < scatter_window_) {
            Transfer& transfer = outgoing_[next_outgoing_];
            if (transfer.pieces == 0) {
                // Its last pieces are not to share the port with the next child's first.
                if (scatter_sends_.open() > 0) return MPI_SUCCESS;
                ++next_outgoing_;
                continue;
            }
            const std::size_t most = transfer.begun ? longest_ : transfer.first_bytes;
            const std::size_t bytes = std::min(most, transfer.end - transfer.begin);
            if (const int error = send(scatter_out + slot(scatter_sends_.made, scatter_window_),
                                       {transfer.begin, bytes, 0, 0}, transfer.pieces, transfer.rank, lanes_.first);
                error != MPI_SUCCESS) {
                return error;
            }
            transfer.begin += bytes;
            transfer.begun = true;
            --transfer.pieces;
            ++scatter_sends_.made;
        }
        return MPI_SUCCESS;
    }

    /// Whether the piece is not here since the scatter.
    [[nodiscard]] bool is_wanted(const RingPiece& piece) const {
        return !holds_block(role_->position, role_->held, positions_, piece.block);
    }

    /// Whether this rank may wait for the ring's first piece and do nothing else: the right neighbour, who may wait as
    /// well, has its own, so that they do not wait in a circle.
    [[nodiscard]] bool may_look_round_ring() const { return scattered_on() && (sends_.made > 0 || ring_left_ == 0); }

    int receive_ring() {
        bool posted = true;
        while (posted && ring_incoming_.may_post(receives_ahead) &&
               (!in_step_ || failure_->spoilt || ring_left_ == 0 ||
                ring_incoming_.posted() <= sends_.completed + ahead_)) {
            const bool is_first = ring_incoming_.posted() == 0;
            Place place;
            place.looks = is_first;
            if (!posting_.ended() && !ring_incoming_.differs() && !no_place_) {
                const RingPiece piece = posting_.piece();
                char* const to = is_wanted(piece) ? message_->at(piece.begin)
                                                  : unwanted_.data() +
                                                        slot(ring_incoming_.posted(), receives_ahead) * unwanted_bytes_;
                place = is_first ? place_of_first(ring_first_, to, piece.bytes) : Place{true, to, piece.bytes, false};
            }
            if (place.looks && !may_look_round_ring()) return MPI_SUCCESS;
            if (const int error = receive(ring_incoming_, ring_in(), place, lanes_.second, role_->left, posted);
                error != MPI_SUCCESS) {
                return error;
            }
            if (posted && place.exists) posting_.next();
        }
        return MPI_SUCCESS;
    }

    /// True if the next piece to pass on is here.
    [[nodiscard]] bool available(const RingPiece& piece) const {
        if (failure_->spoilt || piece.bytes == 0) return true;
        if (!is_wanted(piece)) return !in_step_ || arriving_.ended() || arriving_.step() >= piece.step;
        const int step = piece.step - 1;  // of the walk of what is received, which is one block behind
        return arriving_.step() > step ||
               (arriving_.step() == step && arriving_.offset() >= sending_.offset() + piece.bytes);
    }

    int send_ring() {
        while (ring_left_ > 0 && sends_.open() < send_window_ && available(sending_.piece())) {
            const std::size_t at = ring_out() + slot(sends_.made, send_window_);
            if (const int error = send(at, sending_.piece(), ring_left_, role_->right, lanes_.second);
                error != MPI_SUCCESS) {
                return error;
            }
            sending_.next();
            --ring_left_;
            ++sends_.made;
        }
        return MPI_SUCCESS;
    }

    const RingRole* role_ = nullptr;
    Message* message_ = nullptr;
    Lanes lanes_;
    Failure* failure_ = nullptr;
    SegmentTags tags_;
    int positions_ = 1;
    std::size_t longest_ = 1;         // that any rank's pieces are, whatever its length
    std::size_t first_room_ = 1;      // that any rank's first piece fits in
    std::size_t unwanted_bytes_ = 1;  // of each receive of what is not wanted
    bool no_place_ = false;           // memory for what comes was refused
    Transfer own_;
    Incoming scatter_incoming_;
    Row<Transfer> outgoing_;
    std::size_t next_outgoing_ = 0;
    Window scatter_sends_;
    Incoming ring_incoming_;
    RingWalk posting_{Blocks(0, 1), 1, 0, 0, {1, 1}};   // receives to post
    RingWalk arriving_{Blocks(0, 1), 1, 0, 0, {1, 1}};  // pieces to arrive
    RingWalk sending_{Blocks(0, 1), 1, 0, 0, {1, 1}};   // pieces to send
    std::int64_t ring_left_ = 0;                        // so many
    Window sends_;
    std::int64_t send_window_ = 1;
    std::int64_t scatter_window_ = 1;
    bool in_step_ = false;    // receive a block only once as many have been passed on
    std::int64_t ahead_ = 0;  // or this many fewer
    Requests requests_;
    First scatter_first_;
    First ring_first_;
    Room unwanted_;
    Room nowhere_;  // for what has no place
};

}  // namespace bcast
