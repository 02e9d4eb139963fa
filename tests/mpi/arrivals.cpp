// Arrival-aware broadcasts one after the other, with nothing between them that would make ranks wait for each other:
//
//   arrivals BROADCASTS [SEED]
//
// Sizes, roots, segment sizes and algorithms change from broadcast to broadcast, trees come in between, and ranks enter
// when they please, some far behind. Two communicators take turns, a third lives shortly.
#include <algorithm>
#include <chrono>
#include <thread>

#include "bcast/entry_points.hpp"
#include "checking.hpp"
#include "fixture_site/facts.hpp"

namespace {

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
    if (bcast::run(communicator, drawn.choice, *message, drawn.root) != MPI_SUCCESS) return false;
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

void run(int broadcasts, unsigned seed) {
    std::mt19937 shared(seed);
    std::mt19937 own(1000 * seed + static_cast<unsigned>(checking::world_rank()));
    MPI_Comm turned = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -checking::world_rank(), &turned);
    {
        bcast::Communicator world(MPI_COMM_WORLD);
        bcast::Communicator other(turned);
        EXPECT(world.connect() && other.connect());
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

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int nothing = 0;
    MPI_Bcast(&nothing, 1, MPI_INT, 0, MPI_COMM_WORLD);  // starts the library
    run(argc > 1 ? std::atoi(argv[1]) : 300, argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1);
    return checking::finish();
}
