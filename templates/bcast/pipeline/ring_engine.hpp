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
#include <vector>

#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/roles/role.hpp"
#include "bcast/roles/send_window.hpp"
#include "bcast/trees/scatter_tree.hpp"

namespace bcast {

/// The usual send window, in pieces. Whole blocks would only delay each other. Two pieces keep the port busy; the more
/// of them there are in a block, the more a larger window makes up for neighbours that are not in step.
inline std::int64_t usual_ring_window(std::size_t block_bytes, std::size_t piece_bytes) {
    if (piece_bytes == block_bytes) return 1;
    const std::size_t pieces = block_bytes / piece_bytes;
    return pieces < 3 ? 2 : pieces < 8 ? 3 : 4;
}

/// The same in the scatter, where all pieces on their way are for one child.
inline constexpr std::int64_t usual_scatter_window = 3;

/// Runs scatter-ring broadcasts, one at a time, for one communicator.
class RingEngine {
  public:
    /// How blocks go round the ring.
    struct Ring {
        bool tuned;                 ///< leave out blocks that the receiver holds since the scatter
        std::size_t segment_bytes;  ///< the most bytes of a piece; 0: blocks in one piece
        int send_window;            ///< the most pieces on their way from this rank; 0: the usual
    };

    /// Broadcasts `message`. Returns when it is here and everything has been passed on. MPI error code; after an error
    /// the communicator is of no more use, since requests may be left on it.
    int run(const RingRole& role, Message& message, const Ring& ring, MPI_Comm comm) {
        const bool is_root = role.position == 0;
        const bool take_out = !message.in_place();
        if (take_out) {
            if (const int error = message.take_out(is_root); error != MPI_SUCCESS) return error;
        }
        start(role, message, ring, comm);
        const int error = loop();
        return error == MPI_SUCCESS && take_out ? message.put_back(is_root) : error;
    }

  private:
    /// A run of bytes that travels as one MPI message.
    struct Piece {
        std::size_t begin = 0;
        int bytes = 0;
        int step = 0;  ///< number of its block in the walk, from 0
        int block = 0;
    };

    /// Goes over blocks first, first - 1, ... (modulo the number of positions) in pieces. Empty blocks have none.
    class Walk {
      public:
        Walk(const Blocks& blocks, int positions, int first, int count, std::size_t piece_bytes)
            : blocks_(blocks), positions_(positions), first_(first), count_(count), piece_bytes_(piece_bytes) {
            skip_empty();
        }
        [[nodiscard]] bool ended() const { return step_ == count_; }
        [[nodiscard]] int step() const { return step_; }
        [[nodiscard]] std::size_t offset() const { return offset_; }
        [[nodiscard]] Piece piece() const {
            const std::size_t left = blocks_.end(block()) - blocks_.begin(block()) - offset_;
            return {blocks_.begin(block()) + offset_, static_cast<int>(std::min(piece_bytes_, left)), step_, block()};
        }
        void next() {
            offset_ += static_cast<std::size_t>(piece().bytes);
            if (blocks_.begin(block()) + offset_ == blocks_.end(block())) {
                ++step_;
                offset_ = 0;
                skip_empty();
            }
        }

      private:
        [[nodiscard]] int block() const { return (first_ - step_ + 2 * positions_) % positions_; }
        void skip_empty() {
            while (step_ < count_ && blocks_.begin(block()) == blocks_.end(block())) ++step_;
        }

        Blocks blocks_;
        int positions_;
        int first_;
        int count_;
        std::size_t piece_bytes_;
        int step_ = 0;
        std::size_t offset_ = 0;  // bytes of the block that earlier pieces held
    };

    /// What is left of a part of the scatter: bytes begin to end for one rank.
    struct Transfer {
        int rank;
        std::size_t begin;
        std::size_t end;
    };

    /// Requests that were made and have completed, in turn.
    struct Window {
        std::int64_t made = 0;
        std::int64_t completed = 0;
        [[nodiscard]] std::int64_t open() const { return made - completed; }
    };

    static constexpr int scatter_tag = 0;
    static constexpr int ring_tag = 1;
    // Where requests live: first the receives, the scatter's and the ring's, then the sends.
    static constexpr std::size_t scatter_in = 0;
    static constexpr std::size_t ring_in = static_cast<std::size_t>(receives_ahead);
    static constexpr std::size_t scatter_out = 2 * ring_in;
    [[nodiscard]] std::size_t ring_out() const { return scatter_out + static_cast<std::size_t>(scatter_window_); }

    void start(const RingRole& role, Message& message, const Ring& ring, MPI_Comm comm) {
        role_ = &role;
        message_ = &message;
        comm_ = comm;
        positions_ = role.positions;
        const Blocks blocks(message.bytes(), positions_);
        const std::size_t whole = blocks.end(0);
        const std::size_t wanted = ring.segment_bytes == 0 ? whole : ring.segment_bytes;
        piece_bytes_ = std::max<std::size_t>(1, std::min({wanted, whole, longest_segment_bytes}));
        scatter_piece_bytes_ = ring.segment_bytes == 0 ? longest_segment_bytes : wanted;
        scatter_piece_bytes_ = std::min(scatter_piece_bytes_, longest_segment_bytes);
        const int position = role.position;
        const int received = ring_blocks(role.held, positions_, ring.tuned);
        const int sent = ring_blocks(role.right_held, positions_, ring.tuned);
        posting_ = arriving_ = Walk(blocks, positions_, ring_block(position, positions_, 0), received, piece_bytes_);
        sending_ = Walk(blocks, positions_, position, sent, piece_bytes_);
        scatter_receives_ = scatter_sends_ = receives_ = sends_ = Window{};
        const bool whole_blocks = piece_bytes_ == whole;
        in_step_ = whole_blocks && blocks.begin(positions_ - 1) < message.bytes();  // no block is empty
        // Neighbours of the tuned ring end at different times; a block of slack keeps one from waiting for the other.
        ahead_ = ring.tuned ? 1 : 0;
        send_window_ = ring.send_window > 0 ? ring.send_window : usual_ring_window(whole, piece_bytes_);
        scatter_window_ = ring.send_window > 0 ? ring.send_window : usual_scatter_window;

        incoming_ = {role.parent, 0, 0};
        if (position > 0) incoming_ = {role.parent, blocks.begin(position), blocks.end(position + role.held - 1)};
        outgoing_.clear();
        for (const RingRole::Child& child : role.children) {
            outgoing_.push_back(
                {child.rank, blocks.begin(child.position), blocks.end(child.position + child.held - 1)});
        }
        next_outgoing_ = 0;
        requests_.assign(ring_out() + static_cast<std::size_t>(send_window_), mpi.request_null);
        completed_.assign(requests_.size(), 0);
    }

    int loop() {
        while (true) {
            if (const int error = advance(); error != MPI_SUCCESS) return error;
            if (done()) return MPI_SUCCESS;
            int request = MPI_UNDEFINED;
            const int error = wait_any(static_cast<int>(requests_.size()), requests_.data(), &request);
            if (error != MPI_SUCCESS) return error;
            if (request == MPI_UNDEFINED) return MPI_ERR_INTERN;  // nothing is on its way, yet it is not done
            completed_[static_cast<std::size_t>(request)] = 1;
        }
    }

    int advance() {
        take_completed();
        if (const int error = receive_scatter(); error != MPI_SUCCESS) return error;
        if (!scattered_here()) return MPI_SUCCESS;
        // Not before: what the ring brings would share the port with the scatter, for which everybody waits.
        if (const int error = post_receives(); error != MPI_SUCCESS) return error;
        if (const int error = send_scatter(); error != MPI_SUCCESS) return error;
        if (!scattered_on()) return MPI_SUCCESS;
        return send_ring();
    }

    [[nodiscard]] bool done() const {
        return scattered_here() && scattered_on() && arriving_.ended() && sending_.ended() && sends_.open() == 0;
    }

    /// True once all that the scatter has for this rank is here and all that it has to send on is sent.
    [[nodiscard]] bool scattered_here() const {
        return incoming_.begin == incoming_.end && scatter_receives_.open() == 0;
    }
    [[nodiscard]] bool scattered_on() const { return next_outgoing_ == outgoing_.size() && scatter_sends_.open() == 0; }

    /// Takes the window's next request if it has completed. Its requests live at `first` and after, `slots` of them.
    bool take(Window& window, std::size_t first, std::int64_t slots) {
        char& completed = completed_[first + slot(window.completed, slots)];
        if (window.open() == 0 || completed == 0) return false;
        completed = 0;
        ++window.completed;
        return true;
    }

    void take_completed() {
        while (take(scatter_receives_, scatter_in, receives_ahead)) {
        }
        while (take(scatter_sends_, scatter_out, scatter_window_)) {
        }
        while (take(receives_, ring_in, receives_ahead)) arriving_.next();
        while (take(sends_, ring_out(), send_window_)) {
        }
    }

    static std::size_t slot(std::int64_t number, std::int64_t slots) {
        return static_cast<std::size_t>(number % slots);
    }

    /// The next piece of a part of the scatter.
    int scatter_piece(const Transfer& transfer) const {
        return static_cast<int>(std::min(transfer.end - transfer.begin, scatter_piece_bytes_));
    }

    int receive_scatter() {
        while (incoming_.begin < incoming_.end && scatter_receives_.open() < receives_ahead) {
            const int bytes = scatter_piece(incoming_);
            const std::size_t at = scatter_in + slot(scatter_receives_.made, receives_ahead);
            if (const int error = mpi.Irecv(message_->at(incoming_.begin), bytes, mpi.byte, incoming_.rank, scatter_tag,
                                            comm_, &requests_[at]);
                error != MPI_SUCCESS) {
                return error;
            }
            incoming_.begin += static_cast<std::size_t>(bytes);
            ++scatter_receives_.made;
        }
        return MPI_SUCCESS;
    }

    int send_scatter() {
        while (next_outgoing_ < outgoing_.size() && scatter_sends_.open() < scatter_window_) {
            Transfer& transfer = outgoing_[next_outgoing_];
            if (transfer.begin == transfer.end) {
                // Its last pieces are not to share the port with the next child's first.
                if (scatter_sends_.open() > 0) return MPI_SUCCESS;
                ++next_outgoing_;
                continue;
            }
            const int bytes = scatter_piece(transfer);
            const std::size_t at = scatter_out + slot(scatter_sends_.made, scatter_window_);
            if (const int error = mpi.Isend(message_->at(transfer.begin), bytes, mpi.byte, transfer.rank, scatter_tag,
                                            comm_, &requests_[at]);
                error != MPI_SUCCESS) {
                return error;
            }
            transfer.begin += static_cast<std::size_t>(bytes);
            ++scatter_sends_.made;
        }
        return MPI_SUCCESS;
    }

    int post_receives() {
        while (!posting_.ended() && receives_.open() < receives_ahead &&
               (!in_step_ || sending_.ended() || receives_.made <= sends_.completed + ahead_)) {
            const Piece piece = posting_.piece();
            const std::size_t at = slot(receives_.made, receives_ahead);
            if (const int error = mpi.Irecv(destination(piece, at), piece.bytes, mpi.byte, role_->left, ring_tag, comm_,
                                            &requests_[ring_in + at]);
                error != MPI_SUCCESS) {
                return error;
            }
            posting_.next();
            ++receives_.made;
        }
        return MPI_SUCCESS;
    }

    /// Round the plain ring, what is here since the scatter comes a second time. It must not be written again: the
    /// root's buffer may only be read, and others may be sending from theirs.
    char* destination(const Piece& piece, std::size_t at) {
        if (!holds_block(role_->position, role_->held, positions_, piece.block)) return message_->at(piece.begin);
        const std::size_t needed = static_cast<std::size_t>(receives_ahead) * piece_bytes_;
        if (unwanted_.size() < needed) unwanted_.resize(needed);
        return unwanted_.data() + at * piece_bytes_;
    }

    /// True if the next piece to pass on is here.
    [[nodiscard]] bool available(const Piece& piece) const {
        if (holds_block(role_->position, role_->held, positions_, piece.block)) {
            return !in_step_ || arriving_.ended() || arriving_.step() >= piece.step;
        }
        const int step = piece.step - 1;  // of the walk of what is received, which is one block behind
        return arriving_.step() > step || (arriving_.step() == step && arriving_.offset() > sending_.offset());
    }

    int send_ring() {
        while (!sending_.ended() && sends_.open() < send_window_ && available(sending_.piece())) {
            const Piece piece = sending_.piece();
            const std::size_t at = ring_out() + slot(sends_.made, send_window_);
            if (const int error = mpi.Isend(message_->at(piece.begin), piece.bytes, mpi.byte, role_->right, ring_tag,
                                            comm_, &requests_[at]);
                error != MPI_SUCCESS) {
                return error;
            }
            sending_.next();
            ++sends_.made;
        }
        return MPI_SUCCESS;
    }

    const RingRole* role_ = nullptr;
    Message* message_ = nullptr;
    MPI_Comm comm_{};
    int positions_ = 1;
    std::size_t piece_bytes_ = 1;
    Transfer incoming_{-1, 0, 0};
    std::vector<Transfer> outgoing_;
    std::size_t next_outgoing_ = 0;
    std::size_t scatter_piece_bytes_ = 1;
    Window scatter_receives_;
    Window scatter_sends_;
    Walk posting_{Blocks(0, 1), 1, 0, 0, 1};   // receives to post
    Walk arriving_{Blocks(0, 1), 1, 0, 0, 1};  // pieces to arrive
    Walk sending_{Blocks(0, 1), 1, 0, 0, 1};   // pieces to send
    Window receives_;
    Window sends_;
    std::int64_t send_window_ = 1;
    std::int64_t scatter_window_ = 1;
    bool in_step_ = false;    // receive a block only once as many have been passed on
    std::int64_t ahead_ = 0;  // or this many fewer
    std::vector<MPI_Request> requests_;
    std::vector<char> completed_;  // by request: completed and not yet handled
    std::vector<char> unwanted_;
};

}  // namespace bcast
