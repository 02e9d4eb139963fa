// Where several machines get parts of a message from one, over links whose messages share a port, the receivers answer:
// most sends of a two-tree and of rounds are synchronous, and none of a chain. Every byte is checked. Each rank is on a
// machine of its own.
#pragma once

#include "bcast/library/entry_points.hpp"
#include "tests/mpi/checking.hpp"
#include "tests/mpi/with_library/running.hpp"

namespace answers {

using bcast::Algorithm;

long long sends = 0;
long long answered = 0;
decltype(bcast::mpi.Isend) uncounted = nullptr;
decltype(bcast::mpi.Issend) uncounted_answered = nullptr;

int counting_isend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                   MPI_Request* request) {
    ++sends;
    return uncounted(buffer, count, type, to, tag, comm, request);
}

int counting_issend(const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                    MPI_Request* request) {
    ++sends;
    ++answered;
    return uncounted_answered(buffer, count, type, to, tag, comm, request);
}

/// Of a broadcast's messages, at all ranks together, the share that is answered.
double answered_share(bcast::Communicator& communicator, Algorithm algorithm, int root) {
    constexpr std::size_t bytes = 700001;
    constexpr std::size_t segment_bytes = 8192;
    static std::uint64_t seed = 0;
    const checking::Content content(++seed);
    std::vector<char> buffer(bytes, '\x11');
    if (checking::world_rank() == root) content.write(buffer.data(), 0, bytes);
    sends = answered = 0;
    bcast::Message* message = communicator.message(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 1);
    EXPECT(checking::run(communicator, {algorithm, segment_bytes}, *message, root) == MPI_SUCCESS);
    EXPECT(content.wrong(buffer.data(), 0, bytes) == 0);
    long long mine[] = {sends, answered};
    long long all[] = {0, 0};
    MPI_Allreduce(mine, all, 2, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(all[0] >= (checking::ranks_in(MPI_COMM_WORLD) - 1) * static_cast<long long>(bytes / segment_bytes));
    return static_cast<double>(all[1]) / static_cast<double>(all[0]);
}

/// All links of this bandwidth, in bytes per second.
void make_links(bcast::Layout& layout, std::int64_t bandwidth_Bps) {
    const bcast::LinkSpeed link{bandwidth_Bps, 20'000};
    layout.ports.assign(layout.machine_switch.size(), link);
    layout.trunks.clear();
    for (const auto& list : layout.neighbours) layout.trunks.emplace_back(list.size(), link);
}

/// By links of this bandwidth: the share of answered messages of a two-tree and of rounds, from several roots.
void check_links(std::int64_t bandwidth_Bps, bool answers) {
    make_links(bcast::process().layout, bandwidth_Bps);
    bcast::Communicator communicator(MPI_COMM_WORLD);
    communicator.set_up(true);
    EXPECT(communicator.connect());
    for (const int root : {0, 3, 5}) {
        for (const Algorithm algorithm : {Algorithm::two_tree, Algorithm::circulant}) {
            const double share = answered_share(communicator, algorithm, root);
            EXPECT(answers ? share > 0.8 : share == 0);
        }
        EXPECT(answered_share(communicator, Algorithm::linear, root) == 0);
    }
}

int run(int argc, char** argv) {
    checking::start_library(argc, argv);
    uncounted = bcast::mpi.Isend;
    bcast::mpi.Isend = counting_isend;
    uncounted_answered = bcast::mpi.Issend;
    bcast::mpi.Issend = counting_issend;
    check_links(12'500'000, true);
    check_links(1'250'000'000, false);
    return checking::finish();
}

}  // namespace answers
