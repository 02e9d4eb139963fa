// Scatter and ring move exactly the predicted messages: every send of every rank is counted, with its bytes, and every
// byte is checked, for 2 ranks and more, up to all, in random orders, every root, plain and tuned, blocks
// whole and in pieces, sizes that do not divide and fewer bytes than ranks. Which machines the ranks play is
// BCASTGEN_MACHINES' to say.
#pragma once

#include "bcast/library/entry_points.hpp"
#include "tests/mpi/checking.hpp"
#include "tests/mpi/fixture_site/facts.hpp"
#include "tests/mpi/with_library/running.hpp"

namespace ring_count {

using bcast::Algorithm;

struct Count {
    long long messages = 0;
    long long bytes = 0;
};

constexpr int scatter = 0;  // the lanes of RingEngine, in the sequence in which they are made
constexpr int ring = 1;
Count sent[2];
std::vector<MPI_Comm> lanes;
decltype(bcast::mpi.Isend) uncounted = nullptr;
decltype(bcast::mpi.Comm_create) unnoticed = nullptr;

int counting_isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    const auto lane = static_cast<std::size_t>(std::find(lanes.begin(), lanes.end(), comm) - lanes.begin());
    if (lane < std::size(sent)) {
        ++sent[lane].messages;
        sent[lane].bytes += count;
    }
    return uncounted(buffer, count, type, to, tag, comm, request);
}

int noticing_create(MPI_Comm of, MPI_Group group, MPI_Comm* made) {
    const int error = unnoticed(of, group, made);
    if (error == MPI_SUCCESS) lanes.push_back(*made);
    return error;
}

/// What all ranks together must send, from the tree of the scatter alone.
struct Predicted {
    Count scatter;
    Count ring;
};

Predicted predict(const bcast::Tree& tree, bool tuned, std::size_t bytes, std::size_t piece_bytes) {
    Predicted predicted;
    const int positions = tree.size();
    const auto block_bytes = static_cast<long long>((bytes + tree.parent.size() - 1) / tree.parent.size());
    const auto all = static_cast<long long>(bytes);
    const auto begin = [&](int block) { return std::min(all, block * block_bytes); };
    const auto in_pieces = [&](long long length, long long whole) {
        const long long piece = piece_bytes == 0 ? std::max(1LL, whole) : static_cast<long long>(piece_bytes);
        return (length + piece - 1) / piece;
    };
    // Who sends another anything sends one message at least.
    const std::vector<int> held = bcast::blocks_held(tree);
    for (int to = 0; to < positions; ++to) {
        const int mine = held[static_cast<std::size_t>(to)];
        const long long part = begin(to + mine) - begin(to);
        if (to > 0) {
            predicted.scatter.messages += std::max(1LL, in_pieces(part, part));
            predicted.scatter.bytes += part;
        }
        long long round = 0;
        bool receives = false;
        for (int block = 0; block < positions; ++block) {
            const bool here = tuned ? block >= to && block < to + mine : block == to;
            if (here) continue;
            receives = true;
            const long long length = begin(block + 1) - begin(block);
            round += in_pieces(length, block_bytes);
            predicted.ring.bytes += length;
        }
        predicted.ring.messages += receives ? std::max(1LL, round) : 0;
    }
    return predicted;
}

/// The scatter's tree of a communicator, built anew from where its ranks are: positions are ranks, machine by machine.
bcast::Tree scatter_tree(MPI_Comm comm, const std::vector<std::string>& machines, bool tuned, int root) {
    if (!tuned) return bcast::binomial_scatter(checking::ranks_in(comm));
    std::vector<int> world_ranks(static_cast<std::size_t>(checking::ranks_in(comm)));
    const int mine = checking::world_rank();
    MPI_Allgather(&mine, 1, MPI_INT, world_ranks.data(), 1, MPI_INT, comm);
    std::vector<int> ranks_on(std::size(fixture::machine_switch), 0);
    std::vector<int> members;
    int root_machine = 0;
    for (std::size_t rank = 0; rank < world_ranks.size(); ++rank) {
        const std::string& name = machines[static_cast<std::size_t>(world_ranks[rank])];
        int machine = 0;
        for (const bcast::NamedMachine& named : fixture::machine_names) {
            if (name == named.name) machine = named.machine;
        }
        if (ranks_on[static_cast<std::size_t>(machine)]++ == 0) members.push_back(machine);
        if (static_cast<int>(rank) == root) root_machine = machine;
    }
    const bcast::Order order = bcast::depth_first_order(bcast::process().layout, members, root_machine);
    std::vector<int> begins{0};
    for (const int machine : order.machines) {
        begins.push_back(begins.back() + ranks_on[static_cast<std::size_t>(machine)]);
    }
    return bcast::tuned_scatter(bcast::process().layout, order, begins);
}

/// Sums each number over all ranks.
std::vector<long long> total(std::vector<long long> mine, MPI_Comm comm) {
    MPI_Allreduce(MPI_IN_PLACE, mine.data(), static_cast<int>(mine.size()), MPI_LONG_LONG, MPI_SUM, comm);
    return mine;
}

void check_communicator(MPI_Comm comm, const std::vector<std::string>& machines) {
    bcast::Communicator communicator(comm);
    communicator.set_up(true);
    lanes.clear();
    EXPECT(communicator.connect() && communicator.connect_for(Algorithm::scatter_ring));
    EXPECT(lanes.size() == 2);
    const auto ranks = static_cast<std::size_t>(checking::ranks_in(comm));
    std::uint64_t seed = std::uint64_t{ranks} << 32;
    std::vector<long long> counted;  // one broadcast after the other
    std::vector<long long> predicted;
    const auto broadcast = [&](bool tuned, std::size_t bytes, std::size_t piece_bytes, int root) {
        const checking::Content content(++seed);
        std::vector<char> buffer(bytes, '\x11');
        if (checking::rank_in(comm) == root) content.write(buffer.data(), 0, bytes);
        sent[scatter] = sent[ring] = Count{};
        bcast::Message* message = communicator.message(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 1);
        const Algorithm algorithm = tuned ? Algorithm::scatter_ring_tuned : Algorithm::scatter_ring;
        EXPECT(checking::run(communicator, {algorithm, piece_bytes}, *message, root) == MPI_SUCCESS);
        EXPECT(content.wrong(buffer.data(), 0, bytes) == 0);
        for (const Count& count : sent) counted.insert(counted.end(), {count.messages, count.bytes});
        const bcast::Tree tree = scatter_tree(comm, machines, tuned, root);
        const Predicted all = predict(tree, tuned, bytes, piece_bytes);
        predicted.insert(predicted.end(), {all.scatter.messages, all.scatter.bytes, all.ring.messages, all.ring.bytes});
        // Where no block is empty.
        if (bytes == 1009 && piece_bytes == 0) EXPECT(all.ring.messages == bcast::ring_transfers(tree, tuned));
    };
    for (const bool tuned : {false, true}) {
        for (int root = 0; root < static_cast<int>(ranks); ++root) broadcast(tuned, 1009, 0, root);
        for (const std::size_t bytes : {std::size_t{1}, ranks - 1, ranks, ranks + 1, 7 * ranks + 3}) {
            broadcast(tuned, bytes, 0, static_cast<int>(seed % ranks));
        }
        for (const std::size_t piece_bytes : {1, 50, 99}) {
            broadcast(tuned, 1009, piece_bytes, static_cast<int>(seed % ranks));
        }
    }
    EXPECT(total(std::move(counted), comm) == predicted);
}

int run(int argc, char** argv) {
    checking::start_library(argc, argv);
    uncounted = bcast::mpi.Isend;
    bcast::mpi.Isend = counting_isend;
    unnoticed = bcast::mpi.Comm_create;
    bcast::mpi.Comm_create = noticing_create;
    const std::vector<std::string> machines = bcast::process().environment.machines;
    checking::on_shuffled_communicators(6, [&](MPI_Comm comm, int /*ranks*/) { check_communicator(comm, machines); });
    return checking::finish();
}

}  // namespace ring_count
