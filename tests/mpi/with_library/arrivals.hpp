// Arrival-aware broadcasts one after the other, with nothing between them that would make ranks wait for each other:
//
//   with_library arrivals BROADCASTS [SEED]
//
// Sizes, roots, segment sizes and algorithms change from broadcast to broadcast, trees come in between, and ranks enter
// when they please, some far behind. Two communicators take turns, a third lives shortly.
//
//   with_library arrivals steady
//
// The same few broadcasts again and again, until no rank allocates memory in any of them. For three ranks, among whom
// few groups can come together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "bcast/library/entry_points.hpp"
#include "tests/mpi/checking.hpp"
#include "tests/mpi/fixture_site/facts.hpp"
#include "tests/mpi/with_library/running.hpp"

namespace arrivals {

thread_local long allocations = 0;

}  // namespace arrivals

// Every allocation of the library and of this program, but none of MPI's, which is written in C. Not inlined, or the
// compiler sees that one end of a pair is malloc and the other is delete.
[[gnu::noinline]] void* operator new(std::size_t bytes) {
    ++arrivals::allocations;
    if (void* memory = std::malloc(bytes)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*bytes*/) noexcept {
    std::free(memory);
}

namespace arrivals {

using bcast::Algorithm;

struct Drawn {
    bcast::Choice choice;
    std::size_t bytes;
    int root;
};

/// The same on every rank that has drawn as often.
Drawn draw(std::mt19937& random, int ranks) {
    constexpr Algorithm algorithms[] = {Algorithm::arrival_b,    Algorithm::arrival_nb,   Algorithm::arrival_nb,
                                        Algorithm::arrival_live, Algorithm::arrival_live, Algorithm::binary,
                                        Algorithm::two_tree};
    constexpr std::size_t segments[] = {0, 100, 1024, 4096, 8192};
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    Drawn drawn{};
    drawn.choice.algorithm = algorithms[below(std::size(algorithms))];
    const std::size_t most = std::size_t{1} << (below(8) == 0 ? 20 : 1 + below(17));  // small ones more often
    drawn.bytes = 1 + below(most);
    drawn.choice.segment_bytes = segments[below(std::size(segments))];
    if (drawn.choice.segment_bytes == 100 && drawn.bytes > 20000) drawn.choice.segment_bytes = 1024;
    drawn.root = static_cast<int>(below(static_cast<std::size_t>(ranks)));
    if (below(3) == 0) drawn.root = 0;  // several from one root in a row
    return drawn;
}

void come_late(std::mt19937& random) {
    const auto chance = random() % 100;
    const auto fraction = random() % 1000;
    if (chance < 25) std::this_thread::sleep_for(std::chrono::microseconds(fraction));
    if (chance == 99) std::this_thread::sleep_for(std::chrono::microseconds(20 * fraction));
}

bool broadcast(bcast::Communicator& communicator, const Drawn& drawn, std::uint64_t seed) {
    const checking::Content content(seed);
    std::vector<char> buffer(drawn.bytes + 16, '\x11');
    if (checking::rank_in(communicator.user()) == drawn.root) content.write(buffer.data(), 0, drawn.bytes);
    bcast::Message* message = communicator.message(buffer.data(), static_cast<int>(drawn.bytes), MPI_BYTE, 1);
    if (checking::run(communicator, drawn.choice, *message, drawn.root) != MPI_SUCCESS) return false;
    return content.wrong(buffer.data(), 0, drawn.bytes) == 0 &&
           std::all_of(buffer.begin() + static_cast<std::ptrdiff_t>(drawn.bytes), buffer.end(),
                       [](char byte) { return byte == '\x11'; });
}

/// Broadcasts on `comm`, which is freed at once: what ranks that have not entered are still to be told or to tell is
/// settled by then.
void broadcast_and_free(MPI_Comm comm, std::mt19937& shared, std::mt19937& own) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(comm, &copy);
    {
        bcast::Communicator communicator(copy);
        communicator.set_up(true);
        EXPECT(communicator.connect());
        for (int i = 0; i < 3; ++i) {
            Drawn drawn = draw(shared, checking::ranks_in(copy));
            drawn.choice.algorithm = Algorithm::arrival_nb;
            come_late(own);
            EXPECT(broadcast(communicator, drawn, shared()));
        }
    }
    MPI_Comm_free(&copy);
}

/// Ranks come one by one to a message whose last part is one byte, which two trees share.
void end_with_one_byte(bcast::Communicator& communicator) {
    constexpr std::size_t segment_bytes = 4096;
    constexpr std::size_t bytes = std::size_t{13} * 5 * segment_bytes + 1;
    EXPECT(bcast::Parts(bytes, segment_bytes, true).of_round(13).begin == bytes - 1);
    for (int root = 0; root < 3; ++root) {
        std::this_thread::sleep_for(std::chrono::milliseconds(checking::rank_in(communicator.user())));
        EXPECT(broadcast(communicator, {{Algorithm::arrival_live, segment_bytes}, bytes, root}, 77));
    }
}

void broadcast_at_random(int broadcasts, unsigned seed) {
    std::mt19937 shared(seed);
    std::mt19937 own(1000 * seed + static_cast<unsigned>(checking::world_rank()));
    MPI_Comm turned = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -checking::world_rank(), &turned);
    {
        bcast::Communicator world(MPI_COMM_WORLD);
        world.set_up(true);
        bcast::Communicator other(turned);
        other.set_up(true);
        EXPECT(world.connect() && other.connect());
        end_with_one_byte(world);
        for (int i = 0; i < broadcasts; ++i) {
            const Drawn drawn = draw(shared, checking::ranks_in(turned));
            bcast::Communicator& communicator = shared() % 3 == 0 ? other : world;
            const std::uint64_t content = shared();
            come_late(own);
            const bool right = broadcast(communicator, drawn, content);
            EXPECT(right);
            if (!right) {
                std::fprintf(stderr, "broadcast %d at rank %d: %s, %zu bytes in segments of %zu from %d\n", i,
                             checking::world_rank(), bcast::name_of(drawn.choice.algorithm), drawn.bytes,
                             drawn.choice.segment_bytes, drawn.root);
            }
            if (i % 100 == 50) broadcast_and_free(turned, shared, own);
        }
    }
    MPI_Comm_free(&turned);
}

/// Allocations of this rank in one broadcast.
long allocations_in(bcast::Communicator& communicator, Algorithm algorithm, int root, std::vector<char>& buffer) {
    bcast::Message* message = communicator.message(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, 1);
    const long before = allocations;
    EXPECT(checking::run(communicator, {algorithm, 4096}, *message, root) == MPI_SUCCESS);
    return allocations - before;
}

/// The algorithms that run on memory which they keep, once sizes and groups repeat.
void settle_down() {
    constexpr int most_batches = 300;
    constexpr int quiet_batches = 3;
    std::mt19937 own(static_cast<unsigned>(checking::world_rank()));
    std::vector<char> buffer(100000);
    bcast::Communicator world(MPI_COMM_WORLD);
    world.set_up(true);
    EXPECT(world.connect());
    for (const Algorithm algorithm :
         {Algorithm::linear, Algorithm::two_tree, Algorithm::latency, Algorithm::scatter_ring_tuned,
          Algorithm::arrival_b, Algorithm::arrival_nb, Algorithm::arrival_live}) {
        int quiet = 0;
        for (int batch = 0; quiet < quiet_batches && batch < most_batches; ++batch) {
            long mine = 0;
            for (int i = 0; i < 6; ++i) {
                come_late(own);
                mine += allocations_in(world, algorithm, i % 2, buffer);
            }
            long all = 0;
            MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
            quiet = all == 0 ? quiet + 1 : 0;
        }
        EXPECT(quiet == quiet_batches);
        if (quiet < quiet_batches) std::fprintf(stderr, "%s goes on allocating\n", bcast::name_of(algorithm));
    }
}

int run(int argc, char** argv) {
    checking::start_library(argc, argv);
    if (argc > 1 && std::strcmp(argv[1], "steady") == 0) {
        settle_down();
        return checking::finish();
    }
    broadcast_at_random(argc > 1 ? std::atoi(argv[1]) : 300, argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1);
    return checking::finish();
}

}  // namespace arrivals
