// A message from a machine's leader to its other ranks by the MPI's own broadcast over the machine's communicator,
// chunk by chunk as the leader gets it: what an MPI does best within a machine, under a plan between machines.
//
//   head    what the leader's message is, so that all ranks know which chunks follow, whatever their own lengths
//   chunks  of a pair of trees in turn, one of each
//   tail    whether they may be used; left out where the leader had all of it when it began
//
// The calls block, as in Open MPI's HAN: a rank of the machine that comes late holds up what the leader sends on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/lane.hpp"
#include "bcast/pipeline/onward.hpp"

namespace bcast {

/// So much goes in one call: few calls, and little left to do when the last of it has come over the wire.
inline constexpr std::size_t native_chunk_bytes = std::size_t{64} << 10;

/// What is broadcast before and after the chunks.
struct ChunkNote {
    std::uint64_t message_bytes = 0;
    std::int32_t complete = 0;   ///< in a head: no tail follows
    std::int32_t is_void = 0;    ///< in a tail: the chunks must not be used
    std::int32_t truncated = 0;  ///< because lengths differ
    std::int32_t unused = 0;
};

/// Which chunks a message of a known length has: (offset, bytes) of one after the other.
class ChunkWalk {
  public:
    struct Chunk {
        std::size_t tree;
        std::size_t offset;
        std::size_t bytes;
    };

    ChunkWalk() = default;
    ChunkWalk(std::size_t message_bytes, std::size_t trees) : message_bytes_(message_bytes), trees_(trees) {}

    [[nodiscard]] bool next(Chunk& chunk) {
        const std::size_t share = message_bytes_ / trees_;
        for (; chunk_ * native_chunk_bytes < message_bytes_; ++chunk_, tree_ = 0) {
            for (; tree_ < trees_; ++tree_) {
                const std::size_t begin = share * tree_;
                const std::size_t end = tree_ + 1 == trees_ ? message_bytes_ : begin + share;
                const std::size_t offset = begin + chunk_ * native_chunk_bytes;
                if (offset >= end) continue;
                chunk = {tree_, offset, std::min(native_chunk_bytes, end - offset)};
                ++tree_;
                return true;
            }
        }
        return false;
    }

  private:
    std::size_t message_bytes_ = 0;
    std::size_t trees_ = 1;
    std::size_t chunk_ = 0;
    std::size_t tree_ = 0;
};

namespace detail {

inline int native_broadcast(void* data, std::size_t bytes, int leader, MPI_Comm machine) {
    return mpi.Bcast(data, static_cast<int>(bytes), mpi.byte, leader, machine);
}

}  // namespace detail

/// The leader's part.
class ChunkSender : public Onward {
  public:
    /// The next broadcast, led by this rank, `leader` of its machine.
    /// `memory`: of native_chunk_bytes.
    void begin(MPI_Comm machine, int leader, Message& message, char* memory, Failure& failure) {
        machine_ = machine;
        memory_ = memory;
        leader_ = leader;
        message_ = &message;
        failure_ = &failure;
        begun_ = has_chunk_ = done_ = false;
    }

    int advance(const Row<Part>& parts, State& state) override {
        state = State::done;
        if (done_) return MPI_SUCCESS;
        if (!begun_) {
            // Spoilt or not: chunks may be without meaning, but never missing.
            const bool all =
                std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.here == part.end; });
            const bool none =
                std::all_of(parts.begin(), parts.end(), [](const Part& part) { return part.here == part.begin; });
            state = State::needs_more;
            if (none && !all && !failure_->spoilt) return MPI_SUCCESS;
            complete_ = all && !failure_->spoilt;
            ChunkNote head;
            head.message_bytes = message_->bytes();
            head.complete = complete_ ? 1 : 0;
            if (const int error = detail::native_broadcast(&head, sizeof head, leader_, machine_); error != MPI_SUCCESS)
                return error;
            begun_ = true;
            walk_ = ChunkWalk(message_->bytes(), parts.size());
            has_chunk_ = walk_.next(chunk_);
        }
        state = State::needs_more;
        for (; has_chunk_; has_chunk_ = walk_.next(chunk_)) {
            if (!failure_->spoilt && parts[chunk_.tree].here < chunk_.offset + chunk_.bytes) return MPI_SUCCESS;
            if (const int error = send_chunk(); error != MPI_SUCCESS) return error;
        }
        state = State::done;
        done_ = true;
        if (complete_) return MPI_SUCCESS;
        ChunkNote tail;
        tail.is_void = failure_->spoilt ? 1 : 0;
        tail.truncated = failure_->truncated ? 1 : 0;
        return detail::native_broadcast(&tail, sizeof tail, leader_, machine_);
    }

    void pause() override {}  // it never waits for others

  private:
    int send_chunk() {
        char* const from = failure_->no_place ? memory_ : message_->at(chunk_.offset);
        return detail::native_broadcast(from, chunk_.bytes, leader_, machine_);
    }

    MPI_Comm machine_{};
    int leader_ = 0;
    Message* message_ = nullptr;
    Failure* failure_ = nullptr;
    ChunkWalk walk_;
    ChunkWalk::Chunk chunk_{};
    bool has_chunk_ = false;
    bool begun_ = false;
    bool complete_ = false;
    bool done_ = false;
    char* memory_ = nullptr;  // for a message that has no place
};

/// The others' part: returns when the whole message is here, or what is left of it cannot be had. `leader`: of the
/// machine's ranks; of the communicator's, `leader_rank`. `memory`: of native_chunk_bytes. MPI error code: this rank
/// cannot go on.
inline int receive_chunks(MPI_Comm machine, int leader, int leader_rank, std::size_t trees, Message& message,
                          char* memory, Failure& failure) {
    ChunkNote head;
    if (const int error = detail::native_broadcast(&head, sizeof head, leader, machine); error != MPI_SUCCESS)
        return error;
    const auto bytes = static_cast<std::size_t>(head.message_bytes);
    if (bytes != message.bytes()) {
        failure.note_length(leader_rank, bytes, true);
        failure.spoil(MPI_ERR_TRUNCATE);
    }
    ChunkWalk walk(bytes, trees);
    ChunkWalk::Chunk chunk{};
    while (walk.next(chunk)) {
        const bool in_place = message.in_place() && bytes == message.bytes() && !failure.no_place;
        char* const to = in_place ? message.at(chunk.offset) : memory;
        if (const int error = detail::native_broadcast(to, chunk.bytes, leader, machine); error != MPI_SUCCESS)
            return error;
        if (!in_place && !failure.any()) failure.note(message.write(chunk.offset, to, chunk.bytes));
    }
    ChunkNote tail;
    if (head.complete != 0) return MPI_SUCCESS;
    if (const int error = detail::native_broadcast(&tail, sizeof tail, leader, machine); error != MPI_SUCCESS)
        return error;
    if (tail.is_void != 0) failure.spoil(tail.truncated != 0 ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER);
    return MPI_SUCCESS;
}

}  // namespace bcast
