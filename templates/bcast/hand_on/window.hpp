// The shared memory of a machine's ranks, as MPI-3 gives it, and messages through the ring in it (ring.hpp).
#pragma once

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "bcast/hand_on/patience.hpp"
#include "bcast/hand_on/ring.hpp"
#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/lane.hpp"
#include "bcast/pipeline/onward.hpp"

namespace bcast {

/// Zeroes memory that nobody has touched yet. False if the system has none: then a plain access would end the process,
/// while the kernel, asked to write there, only says so.
inline bool touch(char* memory, std::size_t bytes) {
    if (BCAST_LATE_BINDING == 0) {  // a simulator: all memory is its own
        std::memset(memory, 0, bytes);
        return true;
    }
    const int zero = ::open("/dev/zero", O_RDONLY | O_CLOEXEC);
    if (zero < 0) return false;
    std::size_t done = 0;
    while (done < bytes) {
        const ssize_t got = ::read(zero, memory + done, bytes - done);
        if (got <= 0) break;
        done += static_cast<std::size_t>(got);
    }
    ::close(zero);
    return done == bytes;
}

/// False if so much is not left of what ranks share: MPI's calls may then wait for ever (Open MPI 4.1) or hand out
/// memory that there is not (MPICH).
inline bool has_memory_to_share(std::size_t bytes) {
    constexpr std::size_t spare_bytes = std::size_t{1} << 20;  // for the MPI's own
    struct statvfs system {};
    if (BCAST_LATE_BINDING == 0 || statvfs("/dev/shm", &system) != 0) return true;  // an MPI that shares it elsewhere
    const std::size_t left = static_cast<std::size_t>(system.f_bavail) * static_cast<std::size_t>(system.f_frsize);
    return left >= bytes + spare_bytes;
}

/// The ring that the ranks of one machine share.
class Window {
  public:
    /// Collective over `machine`, whose ranks share memory, and of which this `rank` is one: false if this rank cannot
    /// use it. The memory is to be used once all of them can. `domains`: as Ring's.
    bool make(MPI_Comm machine, int rank, const Row<int>& domains, const RingShape& shape) {
        const int ranks = static_cast<int>(domains.size());
        int most = 0;
        for (const int domain : domains) most = std::max(most, domain);
        const std::size_t bytes = Ring::page_bytes + Ring::bytes_of(shape, ranks, most + 1);
        char* base = nullptr;
        made_ = mpi.Win_allocate_shared(rank == 0 ? static_cast<MPI_Aint>(bytes) : 0, 1, mpi.info_null, machine, &base,
                                        &window_) == MPI_SUCCESS;
        MPI_Aint size = 0;
        int unit = 0;
        if (!made_ || mpi.Win_shared_query(window_, 0, &size, &unit, &base) != MPI_SUCCESS || base == nullptr) {
            return false;
        }
        // Pages begin at the same bytes for all ranks, wherever each of them sees the memory.
        const auto into_page = reinterpret_cast<std::uintptr_t>(base) % Ring::page_bytes;
        char* const memory = base + (into_page == 0 ? 0 : Ring::page_bytes - into_page);
        ring_ = Ring(memory, shape, domains, rank);
        const std::pair<std::size_t, std::size_t> own_part = ring_.own_part();
        return touch(memory + own_part.first, own_part.second);
    }
    /// Collective over the machine's ranks that have made it. SimGrid ends its ranks one after the other, and they
    /// would wait for each other here: it keeps its windows.
    void free() {
        if (made_ && mpi.nap == nullptr) insist([this] { return mpi.Win_free(&window_); });
        made_ = false;
    }

    [[nodiscard]] bool made() const { return made_; }

    [[nodiscard]] Ring& ring() { return ring_; }

  private:
    MPI_Win window_{};
    bool made_ = false;
    Ring ring_;
};

/// The leader's part: puts into the ring what the engine brings, as it comes.
class WindowWriter : public Onward {
  public:
    /// The next broadcast, led by this rank, `leader` of its machine.
    void begin(Ring& ring, int leader, Message& message, Failure& failure, Patience& patience, MPI_Comm machine) {
        ring_ = &ring;
        message_ = &message;
        failure_ = &failure;
        patience_ = &patience;
        machine_ = machine;
        given_.clear();
        next_ = 0;
        done_ = false;
        ring.begin(leader);
    }

    int advance(const Row<Part>& parts, State& state) override {
        if (given_.empty()) {
            for (const Part& part : parts) given_.push_back(part.begin);
        }
        state = State::waits;
        while (!done_) {
            const std::size_t from = failure_->spoilt ? none : next_part(parts);
            if (from == none && !failure_->spoilt) {
                state = State::needs_more;
                return MPI_SUCCESS;
            }
            if (!ring_->may_write()) return MPI_SUCCESS;
            patience_->found();
            write(parts, from);
        }
        state = State::done;
        return MPI_SUCCESS;
    }

    void pause() override { patience_->pause(machine_); }

  private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// Parts take turns, those of which anything is here.
    std::size_t next_part(const Row<Part>& parts) {
        for (std::size_t tried = 0; tried < parts.size(); ++tried) {
            const std::size_t at = next_ + tried < parts.size() ? next_ + tried : next_ + tried - parts.size();
            if (parts[at].here > given_[at]) {
                next_ = at + 1 == parts.size() ? 0 : at + 1;
                return at;
            }
        }
        return none;
    }

    void write(const Row<Part>& parts, std::size_t from) {
        PieceHead head;
        head.message_bytes = message_->bytes();
        if (failure_->spoilt) {
            head.last = head.is_void = true;
            head.truncated = failure_->truncated;
            done_ = true;
            return ring_->write(head, "");
        }
        const std::size_t bytes = std::min(ring_->piece_bytes(), parts[from].here - given_[from]);
        head.offset = given_[from];
        head.bytes = static_cast<std::uint32_t>(bytes);
        given_[from] += bytes;
        done_ = true;
        for (std::size_t part = 0; part < parts.size(); ++part) done_ = done_ && given_[part] == parts[part].end;
        head.last = done_;
        if (mpi.copying != nullptr) mpi.copying(bytes);
        ring_->write(head, message_->at(head.offset));
    }

    Ring* ring_ = nullptr;
    Message* message_ = nullptr;
    Failure* failure_ = nullptr;
    Patience* patience_ = nullptr;
    MPI_Comm machine_{};
    Row<std::size_t> given_;  // by part: up to here it is in the ring
    std::size_t next_ = 0;
    bool done_ = false;
};

/// What is taken of one piece: `bytes` at `from`, by the rank that got it from `leader` of the communicator.
inline void take_piece(const PieceHead& head, const char* from, int leader, Message& message, Failure& failure) {
    if (head.is_void) {
        failure.spoil(head.truncated ? MPI_ERR_TRUNCATE : MPI_ERR_OTHER);
    } else if (head.message_bytes != message.bytes()) {
        failure.note_length(leader, static_cast<std::size_t>(head.message_bytes), true);
        failure.spoil(MPI_ERR_TRUNCATE);
    } else if (failure.any()) {
        return;
    } else {
        failure.note(message.write(static_cast<std::size_t>(head.offset), from, head.bytes));
    }
}

/// The others' part: returns when the whole message is here, or what is left of it cannot be had.
inline void read_from_window(Ring& ring, int leader, int leader_rank, Message& message, Failure& failure,
                             Patience& patience, MPI_Comm machine) {
    ring.begin(leader);
    bool last = false;
    while (!last) {
        const PieceHead* head = ring.read();
        if (head == nullptr) {
            patience.pause(machine);
            continue;
        }
        patience.found();
        last = head->last;
        if (mpi.copying != nullptr) mpi.copying(head->bytes);
        take_piece(*head, ring.bytes(), leader_rank, message, failure);
        ring.done_with_piece();
    }
}

}  // namespace bcast
