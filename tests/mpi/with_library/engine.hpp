// The algorithms themselves, called one by one: every algorithm, segment sizes from one byte to the whole message,
// every root, 1 to 8 ranks in several orders, messages in place and packed. Which machines the ranks play is
// BCASTGEN_MACHINES' to say.
#pragma once

#include "bcast/library/entry_points.hpp"
#include "tests/mpi/checking.hpp"
#include "tests/mpi/fixture_site/facts.hpp"
#include "tests/mpi/with_library/running.hpp"

namespace engine {

using bcast::Algorithm;
using checking::Content;

/// Elements of five bytes with a gap after three, so that segments cut elements at every place.
class GappedType {
  public:
    GappedType() {
        const int lengths[] = {3, 2};
        const MPI_Aint displacements[] = {0, 4};
        MPI_Datatype gapped = MPI_DATATYPE_NULL;
        MPI_Type_create_hindexed(2, lengths, displacements, MPI_BYTE, &gapped);
        MPI_Type_create_resized(gapped, 0, stride, &type);
        MPI_Type_free(&gapped);
        MPI_Type_commit(&type);
    }
    GappedType(const GappedType&) = delete;
    GappedType& operator=(const GappedType&) = delete;
    ~GappedType() { MPI_Type_free(&type); }

    static constexpr std::size_t element_bytes = 5;
    static constexpr std::size_t stride = 7;

    /// Calls `each(place, offset, bytes)` for the runs of memory that `bytes` bytes of messages are in.
    template <typename Each>
    static void runs(std::size_t bytes, Each each) {
        for (std::size_t element = 0; element * element_bytes < bytes; ++element) {
            each(element * stride, element * element_bytes, 3);
            each(element * stride + 4, element * element_bytes + 3, 2);
        }
    }

    MPI_Datatype type = MPI_DATATYPE_NULL;
};

struct Case {
    bcast::Choice choice;
    std::size_t bytes;
    int root;
    std::uint64_t seed;  // no two broadcasts of a communicator have the same
};

/// Broadcasts in place, or through packing where this rank's buffer has gaps. Ranks may differ in that.
bool broadcast(bcast::Communicator& communicator, const Case& c, const GappedType& gapped, bool gaps) {
    const Content content(c.seed);
    const bool root = checking::rank_in(communicator.user()) == c.root;
    std::vector<char> buffer(c.bytes / GappedType::element_bytes * GappedType::stride + c.bytes + 16, '\x11');
    const auto on_runs = [&](auto each) { gaps ? GappedType::runs(c.bytes, each) : each(0, 0, c.bytes); };
    if (root) on_runs([&](std::size_t at, std::size_t i, std::size_t n) { content.write(&buffer[at], i, n); });
    bcast::Message* message =
        gaps ? communicator.message(buffer.data(), static_cast<int>(c.bytes / GappedType::element_bytes), gapped.type,
                                    GappedType::element_bytes)
             : communicator.message(buffer.data(), static_cast<int>(c.bytes), MPI_BYTE, 1);
    const bcast::Choice choice = communicator.possible(c.choice, message->bytes());
    if (checking::run(communicator, choice, *message, c.root) != MPI_SUCCESS) return false;
    long wrong = 0;
    on_runs([&](std::size_t at, std::size_t i, std::size_t n) {
        wrong += content.wrong(&buffer[at], i, n);
        std::memset(&buffer[at], '\x11', n);
    });
    return wrong == 0 && buffer == std::vector<char>(buffer.size(), '\x11');
}

/// (message, segment) sizes: segments of one byte up to the whole, dividing the message or not.
std::vector<std::pair<std::size_t, std::size_t>> shapes() {
    return {{1, 1},        {5, 1},        {60, 1},       {60, 7},         {60, 59},        {60, 60},
            {60, 61},      {60, 0},       {1000, 64},    {4095, 1000},    {5000, 0},       {40000, 8192},
            {65535, 4096}, {65540, 4096}, {100000, 999}, {300000, 65536}, {300000, 100000}};
}

/// Every algorithm, and those that go down trees with every way to hand on within machines, if any have more ranks than
/// one.
std::vector<std::pair<Algorithm, bcast::HandOn>> ways(const bcast::Communicator& communicator) {
    std::vector<std::pair<Algorithm, bcast::HandOn>> all;
    for (std::size_t i = 1; i < bcast::algorithm_count; ++i) {
        const auto algorithm = static_cast<Algorithm>(i);
        all.emplace_back(algorithm, bcast::HandOn::messages);
        if (!bcast::uses_trees(algorithm) || communicator.machines() == communicator.ranks()) continue;
        all.emplace_back(algorithm, bcast::HandOn::window);
        all.emplace_back(algorithm, bcast::HandOn::native);
    }
    return all;
}

void check_communicator(MPI_Comm comm, const GappedType& gapped, unsigned variant) {
    bcast::Communicator communicator(comm);
    communicator.set_up(true);
    EXPECT(communicator.connect());
    const int ranks = checking::ranks_in(comm);
    std::uint64_t seed = std::uint64_t{variant} << 32;
    for (const auto& [algorithm, hand_on] : ways(communicator)) {
        unsigned number = variant;
        for (const auto& [bytes, segment_bytes] : shapes()) {
            // Small messages from every root, large ones from one that changes from shape to shape.
            for (int r = 0; r < (bytes < 100 ? ranks : 1); ++r) {
                const int root = (r + static_cast<int>(number)) % ranks;
                const auto mine = static_cast<unsigned>(checking::rank_in(comm));
                const bool gaps = bytes % GappedType::element_bytes == 0 && ((number + mine) & 2) != 0;
                const Case c{{algorithm, segment_bytes, hand_on}, bytes, root, ++seed};
                const bool right = broadcast(communicator, c, gapped, gaps);
                EXPECT(right);
                if (!right) {
                    std::fprintf(stderr, "rank %u of %d: %s, handed on by %s, %zu bytes in segments of %zu from %d\n",
                                 mine, ranks, bcast::name_of(algorithm), bcast::name_of(hand_on), bytes, segment_bytes,
                                 root);
                }
                ++number;
            }
        }
    }
}

int run(int argc, char** argv) {
    checking::start_library(argc, argv);
    {
        const GappedType gapped;
        checking::on_shuffled_communicators(
            20, [&](MPI_Comm comm, int ranks) { check_communicator(comm, gapped, static_cast<unsigned>(ranks)); });
    }
    return checking::finish();
}

}  // namespace engine
