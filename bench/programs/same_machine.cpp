// How segments should get from a machine's leader to its other ranks: as messages, which the MPI carries through shared
// memory by its own means, or through a window of MPI-3 shared memory that leader and readers copy into and out of.
//
//   mpiexec -n RANKS same_machine        all ranks on one machine, not more of them than processors
//
// Both ways take turns, every byte is checked and is another each time; the fastest tenth of the repetitions counts.
// Figures are in docs/performance.md.
#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr int slots = 4;  // segments under way
constexpr std::size_t most_segment = 128 << 10;

double low_decile(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 10];
}

struct alignas(64) Counter {
    std::atomic<std::uint64_t> segments;
};

/// A ring of slots in shared memory; written.segments segments are in it, reader r has taken out read[r].segments.
struct Window {
    char* memory = nullptr;
    Counter* written = nullptr;
    Counter* read = nullptr;

    explicit Window(int rank, int ranks) {
        const auto counters = static_cast<MPI_Aint>(sizeof(Counter)) * (ranks + 1);
        const MPI_Aint bytes = rank == 0 ? counters + static_cast<MPI_Aint>(slots * most_segment) : 0;
        MPI_Aint size = 0;
        int unit = 0;
        char* base = nullptr;
        MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window);
        MPI_Win_shared_query(window, 0, &size, &unit, &base);
        if (rank == 0) std::memset(base, 0, static_cast<std::size_t>(bytes));
        written = reinterpret_cast<Counter*>(base);
        read = written + 1;
        memory = base + counters;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    void free() { MPI_Win_free(&window); }

    MPI_Win window = MPI_WIN_NULL;
    std::uint64_t done = 0;  ///< segments before this broadcast, the same at every rank
};

template <class Ready>
void wait_until(Ready ready) {
    for (int spins = 0; !ready(); ++spins) {
        if (spins > 1000) sched_yield();
    }
}

void through_window(Window& window, char* buffer, std::size_t bytes, std::size_t segment, int rank, int ranks) {
    std::uint64_t number = window.done;
    for (std::size_t at = 0; at < bytes; at += segment, ++number) {
        const std::size_t length = std::min(segment, bytes - at);
        char* slot = window.memory + number % slots * most_segment;
        if (rank == 0) {
            for (int reader = 1; reader < ranks; ++reader) {
                wait_until(
                    [&] { return number < window.read[reader].segments.load(std::memory_order_acquire) + slots; });
            }
            std::memcpy(slot, buffer + at, length);
            window.written->segments.store(number + 1, std::memory_order_release);
        } else {
            wait_until([&] { return window.written->segments.load(std::memory_order_acquire) > number; });
            std::memcpy(buffer + at, slot, length);
            window.read[rank].segments.store(number + 1, std::memory_order_release);
        }
    }
    window.done = number;
}

/// Down a chain of the ranks, as many segments under way as the window has slots.
void by_messages(char* buffer, std::size_t bytes, std::size_t segment, int rank, int ranks) {
    const std::size_t segments = (bytes + segment - 1) / segment;
    const auto length = [&](std::size_t i) { return static_cast<int>(std::min(segment, bytes - i * segment)); };
    std::vector<MPI_Request> incoming(segments, MPI_REQUEST_NULL);
    std::vector<MPI_Request> outgoing(segments, MPI_REQUEST_NULL);
    const auto expect = [&](std::size_t i) {
        if (rank > 0 && i < segments) {
            MPI_Irecv(buffer + i * segment, length(i), MPI_BYTE, rank - 1, 0, MPI_COMM_WORLD, &incoming[i]);
        }
    };
    for (std::size_t i = 0; i < slots; ++i) expect(i);
    for (std::size_t i = 0; i < segments; ++i) {
        MPI_Wait(&incoming[i], MPI_STATUS_IGNORE);
        expect(i + slots);
        if (i >= slots) MPI_Wait(&outgoing[i - slots], MPI_STATUS_IGNORE);
        if (rank + 1 < ranks) {
            MPI_Isend(buffer + i * segment, length(i), MPI_BYTE, rank + 1, 0, MPI_COMM_WORLD, &outgoing[i]);
        }
    }
    MPI_Waitall(static_cast<int>(segments), outgoing.data(), MPI_STATUSES_IGNORE);
}

/// Seconds of one broadcast at its slowest rank. Ends the job if a byte is wrong.
template <class Broadcast>
double time_s(std::vector<char>& buffer, int rank, Broadcast broadcast) {
    static unsigned content = 0;
    ++content;
    const auto byte = [](std::size_t i) { return static_cast<char>(i * 31 + i / 4096 + content); };
    for (std::size_t i = 0; i < buffer.size(); ++i) buffer[i] = rank == 0 ? byte(i) : static_cast<char>(~byte(i));
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    broadcast();
    double took = MPI_Wtime() - begin;
    for (std::size_t i = 0; i < buffer.size(); ++i) {
        if (buffer[i] != byte(i)) MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return took;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Window window(rank, ranks);
    if (rank == 0)
        std::printf("%9s %9s %14s %14s %12s\n", "bytes", "segment", "messages us", "window us", "messages/s");
    for (const std::size_t bytes : {1U << 10, 8U << 10, 64U << 10, 1U << 20, 4U << 20}) {
        for (const std::size_t segment : {8U << 10, 32U << 10, 128U << 10}) {
            if (segment > bytes && segment != 8U << 10) continue;
            std::vector<char> buffer(bytes);
            std::vector<double> messages;
            std::vector<double> shared;
            for (int i = 0; i < 100; ++i) {
                messages.push_back(
                    time_s(buffer, rank, [&] { by_messages(buffer.data(), bytes, segment, rank, ranks); }));
                shared.push_back(
                    time_s(buffer, rank, [&] { through_window(window, buffer.data(), bytes, segment, rank, ranks); }));
            }
            const double message_s = low_decile(messages);
            const double window_s = low_decile(shared);
            if (rank == 0) {
                std::printf("%9zu %9zu %14.2f %14.2f %9.2f GB\n", bytes, segment, message_s * 1e6, window_s * 1e6,
                            static_cast<double>(bytes) / message_s * 1e-9);
            }
        }
    }
    window.free();
    MPI_Finalize();
    return 0;
}
