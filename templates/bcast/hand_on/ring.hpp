// A message on its way from one rank of a machine to all others, through memory that they share: a ring of slots.
//
//   written 7      slots        | 4 | 5 | 6 | 3 |      pieces 3 to 6 are in the ring
//   rank 1: 5      read up to            ^             rank 1 reads piece 5 next
//   rank 2: 4                        ^                 the writer may not put piece 8 in place of 4 before rank 2 has
//   it
//
// One rank writes, the leader of the broadcast; all others read every piece. Each counts the pieces that it is done
// with, on a cache line of its own, so a writer that waits reads what nobody but one reader changes. Where a machine
// has several NUMA domains, each has a ring in its own memory, and the first rank of a domain that the leader is not in
// writes on into that one what it reads in the leader's: every piece crosses between two domains once. All rings carry
// the same pieces in the same sequence, so one count is right for all of them, whoever leads the next broadcast.
//
// This file is the protocol alone, of any memory and of whatever runs the ranks (tests/templates/hand_on/ring_test.cpp
// has them as threads). Whoever waits, and how, is up to the caller: nothing here blocks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "bcast/mpi/memory.hpp"

namespace bcast {

/// What a ring is made of.
struct RingShape {
    int slots = 8;
    std::size_t slot_bytes = std::size_t{32} << 10;  ///< the most of a piece
};

/// What a piece is of.
struct PieceHead {
    std::uint64_t message_bytes = 0;  ///< the length that the leader passes
    std::uint64_t offset = 0;         ///< of the piece in the message
    std::uint32_t bytes = 0;
    bool last = false;
    bool is_void = false;    ///< what is here must not be used: something went wrong on the way
    bool truncated = false;  ///< because lengths differ
};

/// The memory of a machine's rings as one rank uses it. It must be zero before the first rank begins.
class Ring {
  public:
    static constexpr std::size_t line_bytes = 64;
    static constexpr std::size_t page_bytes = 4096;

    Ring() = default;
    /// `domains`: of each of the machine's ranks, from 0 up and without gaps; `rank` is this one. `memory`: at a page's
    /// beginning, bytes_of(…) long.
    Ring(char* memory, const RingShape& shape, const Row<int>& domains, int rank)
        : memory_(memory), shape_(shape), domains_(domains), rank_(rank), domain_(domains_[at(rank)]) {
        for (int other = 0; other < ranks(); ++other) {
            if (other != rank && (domains_[at(other)] == domain_ || is_first(other))) readers_.push_back(other);
        }
    }

    /// Of all rings of a machine with so many ranks in so many domains.
    [[nodiscard]] static std::size_t bytes_of(const RingShape& shape, int ranks, int domains) {
        return counters_bytes(ranks) + static_cast<std::size_t>(domains) * ring_bytes(shape);
    }
    /// The part of the memory that this rank is the first to touch, so that it lies in its domain: (offset, bytes).
    [[nodiscard]] std::pair<std::size_t, std::size_t> own_part() const {
        const std::size_t counters = counters_bytes(ranks());
        if (!is_first(rank_)) return {0, 0};
        const std::size_t ring = counters + at(domain_) * ring_bytes(shape_);
        return rank_ == 0 ? std::pair{std::size_t{0}, ring + ring_bytes(shape_)} : std::pair{ring, ring_bytes(shape_)};
    }
    [[nodiscard]] std::size_t piece_bytes() const { return shape_.slot_bytes; }

    /// A broadcast begins that rank `leader` of the machine leads.
    void begin(int leader) {
        const int leads_in = domains_[at(leader)];
        const bool near = leads_in == domain_;
        reads_ = near || is_first(rank_) ? leads_in : domain_;
        const bool alone = std::count(domains_.begin(), domains_.end(), domain_) == 1;
        passes_on_ = !near && is_first(rank_) && !alone;
    }

    /// Of the leader, and of who passes on: whether there is a slot for the next piece.
    [[nodiscard]] bool may_write() {
        const auto slots = static_cast<std::uint64_t>(shape_.slots);
        if (done_ < least_read_ + slots) return true;
        std::uint64_t least = done_;
        for (const int reader : readers_) {
            least = std::min(least, counter(at(reader)).load(std::memory_order_acquire));
        }
        least_read_ = least;
        return done_ < least + slots;
    }

    /// Puts the next piece into the ring; only if may_write().
    void write(const PieceHead& head, const char* from) {
        put(head, from);
        end_piece();
    }

    /// Of the others: the next piece, or nullptr if there is none yet. It stays until done_with_piece().
    [[nodiscard]] const PieceHead* read() {
        if (written(reads_).load(std::memory_order_acquire) <= done_) return nullptr;
        const PieceHead& head = *head_at(reads_);
        if (!passes_on_) return &head;
        if (!may_write()) return nullptr;
        put(head, bytes());
        return &head;
    }
    /// The bytes of the piece that read() has told of.
    [[nodiscard]] const char* bytes() const { return slot(reads_) + line_bytes; }
    void done_with_piece() { end_piece(); }

  private:
    using Counter = std::atomic<std::uint64_t>;
    static_assert(Counter::is_always_lock_free, "ranks of several processes count in shared memory");
    static_assert(sizeof(PieceHead) <= line_bytes, "a slot has a line for it");

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }
    static std::size_t rounded(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }
    static std::size_t counters_bytes(int ranks) { return rounded(at(ranks) * line_bytes, page_bytes); }
    static std::size_t slot_bytes(const RingShape& shape) { return line_bytes + rounded(shape.slot_bytes, line_bytes); }
    static std::size_t ring_bytes(const RingShape& shape) {
        return rounded(line_bytes + at(shape.slots) * slot_bytes(shape), page_bytes);
    }

    [[nodiscard]] int ranks() const { return static_cast<int>(domains_.size()); }
    /// The first rank of its domain.
    [[nodiscard]] bool is_first(int rank) const {
        const auto first = std::find(domains_.begin(), domains_.end(), domains_[at(rank)]);
        return first - domains_.begin() == rank;
    }

    // What is zero is a counter of nothing: all ranks find them there, and none makes them.
    [[nodiscard]] Counter& counter_at(std::size_t offset) const {
        return *std::launder(reinterpret_cast<Counter*>(memory_ + offset));
    }
    [[nodiscard]] Counter& counter(std::size_t rank) const { return counter_at(rank * line_bytes); }
    [[nodiscard]] std::size_t ring_offset(int domain) const {
        return counters_bytes(ranks()) + at(domain) * ring_bytes(shape_);
    }
    [[nodiscard]] Counter& written(int domain) const { return counter_at(ring_offset(domain)); }
    /// Where the next piece is or goes: its head, and from a line further on its bytes.
    [[nodiscard]] char* slot(int domain) const {
        const std::size_t number = done_ % static_cast<std::uint64_t>(shape_.slots);
        return memory_ + ring_offset(domain) + line_bytes + number * slot_bytes(shape_);
    }
    [[nodiscard]] PieceHead* head_at(int domain) const {
        return std::launder(reinterpret_cast<PieceHead*>(slot(domain)));
    }

    void put(const PieceHead& head, const char* from) {
        char* const to = slot(domain_);
        new (to) PieceHead(head);
        std::memcpy(to + line_bytes, from, head.bytes);
        written(domain_).store(done_ + 1, std::memory_order_release);
    }
    void end_piece() {
        ++done_;
        counter(at(rank_)).store(done_, std::memory_order_release);
    }

    char* memory_ = nullptr;
    RingShape shape_;
    Row<int> domains_;
    int rank_ = 0;
    int domain_ = 0;
    Row<int> readers_;        // of this rank's domain's ring, but for this rank
    std::uint64_t done_ = 0;  // pieces that this rank is done with
    std::uint64_t least_read_ = 0;
    int reads_ = 0;  // the ring of this domain, in the broadcast that goes on
    bool passes_on_ = false;
};

}  // namespace bcast
