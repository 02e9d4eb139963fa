// The two trees of a two-tree beside each other: one rank stays outside the broadcast until all others have told that
// they hold each half whose way to them does not lead through it. So no half waits for the other, and no child for one
// that is late. Only the order of events counts; time does where something is wrong and the late rank gives up waiting.
//
// Short segments need not wait for their receiver in the sender, but an MPI's memory for them is limited: when it is
// full, sends to the late rank may fill all places that its parent has in that tree, and hold up the parent's other
// children there, too. Of these nothing is asked then.
//
// Ranks wait inside the broadcast meanwhile. A thread of theirs watches the buffer.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "bcast/library/entry_points.hpp"
#include "tests/mpi/checking.hpp"
#include "tests/mpi/fixture_site/facts.hpp"
#include "tests/mpi/with_library/running.hpp"

namespace late_child {

constexpr std::size_t trees = 2;
constexpr std::size_t half_bytes = std::size_t{1} << 20;
constexpr std::size_t long_bytes = std::size_t{1} << 17;  // segments that every MPI keeps in the sender
constexpr std::chrono::seconds patience(60);
constexpr std::chrono::milliseconds pause(1);

/// A number that all ranks see without MPI's help, since some of them are not in MPI.
class SharedCount {
  public:
    SharedCount() {
        void* memory = nullptr;
        const MPI_Aint bytes = checking::world_rank() == 0 ? sizeof(std::atomic<int>) : 0;
        MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&memory), &window_);
        MPI_Aint size = 0;
        int unit = 0;
        MPI_Win_shared_query(window_, 0, &size, &unit, static_cast<void*>(&memory));
        count_ = static_cast<std::atomic<int>*>(memory);
    }
    SharedCount(const SharedCount&) = delete;
    SharedCount& operator=(const SharedCount&) = delete;
    ~SharedCount() { MPI_Win_free(&window_); }

    std::atomic<int>& operator*() { return *count_; }

    void clear() {
        MPI_Barrier(MPI_COMM_WORLD);
        if (checking::world_rank() == 0) count_->store(0);
        MPI_Barrier(MPI_COMM_WORLD);
    }

  private:
    MPI_Win window_ = MPI_WIN_NULL;
    std::atomic<int>* count_ = nullptr;
};

/// parents[t][r]: who sends to rank r in tree t of the two-tree from `root`; -1 for the root.
std::vector<std::vector<int>> parents_of_all(int root, int ranks) {
    std::vector<int> machines(static_cast<std::size_t>(ranks));
    const int mine = bcast::process().machine;
    MPI_Allgather(&mine, 1, MPI_INT, machines.data(), 1, MPI_INT, MPI_COMM_WORLD);
    const bcast::Placement placement = bcast::place(std::move(machines));
    bcast::Roles roles(bcast::site(), bcast::process().layout, placement, checking::world_rank());
    const bcast::Role& role = roles.role(bcast::Algorithm::two_tree, root, trees * half_bytes);
    EXPECT(role.trees.size() == trees);
    std::vector<std::vector<int>> parents(trees, std::vector<int>(static_cast<std::size_t>(ranks)));
    for (std::size_t tree = 0; tree < trees; ++tree) {
        MPI_Allgather(&role.trees[tree].parent, 1, MPI_INT, parents[tree].data(), 1, MPI_INT, MPI_COMM_WORLD);
    }
    return parents;
}

enum class Way { free, beside, through };

/// How rank gets its messages: by way of `late` (itself too), by way of its parent, or without either.
Way way_to(int rank, int late, const std::vector<int>& parents) {
    const int beside = parents[static_cast<std::size_t>(late)];
    Way way = Way::free;
    for (; rank >= 0; rank = parents[static_cast<std::size_t>(rank)]) {
        if (rank == late) return Way::through;
        if (parents[static_cast<std::size_t>(rank)] == beside) way = Way::beside;
    }
    return way;
}

/// The buffer before the broadcast: no byte is as it will be.
std::vector<char> unlike(const checking::Content& content) {
    std::vector<char> buffer(trees * half_bytes);
    content.write(buffer.data(), 0, buffer.size());
    for (char& byte : buffer) byte = static_cast<char>(~byte);
    return buffer;
}

/// Waits until the halves that are free are here and counts that; of those that come by way of the late rank nothing
/// may be here. Gives up when `over`.
void watch(const char* buffer, const checking::Content& content, const Way (&ways)[trees], std::atomic<int>& seen,
           const std::atomic<bool>& over) {
    for (std::size_t tree = 0; tree < trees; ++tree) {
        const char* half = buffer + tree * half_bytes;
        const auto last_is_missing = [&] {  // segments come in order
            const char last = *static_cast<const volatile char*>(half + half_bytes - 1);
            return content.wrong(&last, (tree + 1) * half_bytes - 1, 1) != 0;
        };
        while (ways[tree] == Way::free && last_is_missing()) {
            if (over) return;
            std::this_thread::sleep_for(pause);
        }
    }
    for (std::size_t tree = 0; tree < trees; ++tree) {
        const long wrong = content.wrong(buffer + tree * half_bytes, tree * half_bytes, half_bytes);
        EXPECT(ways[tree] != Way::free || wrong == 0);
        EXPECT(ways[tree] != Way::through || wrong == static_cast<long>(half_bytes));
    }
    ++seen;
}

struct Scene {
    int root;
    int late;
    std::size_t segment_bytes;
    std::uint64_t seed;
};

/// The late rank's wait, outside MPI; false if it gave up.
bool all_seen(const std::atomic<int>& seen, int ranks) {
    const auto give_up = std::chrono::steady_clock::now() + patience;
    while (seen < ranks && std::chrono::steady_clock::now() < give_up) std::this_thread::sleep_for(pause);
    return seen == ranks;
}

bool right_with_one_late(bcast::Communicator& communicator, const Scene& scene, SharedCount& seen,
                         const std::vector<std::vector<int>>& parents) {
    const int rank = checking::world_rank();
    const checking::Content content(scene.seed);
    std::vector<char> buffer = unlike(content);
    if (rank == scene.root) content.write(buffer.data(), 0, buffer.size());
    bcast::Message* message = communicator.message(buffer.data(), static_cast<int>(buffer.size()), MPI_BYTE, 1);
    seen.clear();
    std::atomic<bool> over{false};
    std::thread watcher;
    bool in_order = true;
    if (rank == scene.late) {
        in_order = all_seen(*seen, communicator.ranks() - 2);  // the root has no need to watch
    } else if (rank != scene.root) {
        watcher = std::thread([&] {
            Way ways[trees] = {way_to(rank, scene.late, parents[0]), way_to(rank, scene.late, parents[1])};
            for (Way& way : ways) way = way == Way::beside && scene.segment_bytes >= long_bytes ? Way::free : way;
            watch(buffer.data(), content, ways, *seen, over);
        });
    }
    const int error =
        checking::run(communicator, {bcast::Algorithm::two_tree, scene.segment_bytes}, *message, scene.root);
    over = true;
    if (watcher.joinable()) watcher.join();
    return in_order && error == MPI_SUCCESS && content.wrong(buffer.data(), 0, buffer.size()) == 0;
}

void check_every_late_rank(int root, SharedCount& seen) {
    bcast::Communicator communicator(MPI_COMM_WORLD);
    communicator.set_up(true);
    EXPECT(communicator.connect() && communicator.connect_for(bcast::Algorithm::two_tree));  // which takes all ranks
    const int ranks = communicator.ranks();
    const std::vector<std::vector<int>> parents = parents_of_all(root, ranks);
    bool feeds[trees] = {false, false};
    std::uint64_t seed = static_cast<std::uint64_t>(root) << 32;
    for (int late = 0; late < ranks; ++late) {
        if (late == root) continue;
        for (std::size_t tree = 0; tree < trees; ++tree) {
            feeds[tree] = feeds[tree] || std::count(parents[tree].begin(), parents[tree].end(), late) > 0;
        }
        for (const std::size_t segment_bytes : {long_bytes, std::size_t{4096}}) {
            const bool right = right_with_one_late(communicator, {root, late, segment_bytes, ++seed}, seen, parents);
            EXPECT(right);
            if (!right) {
                std::fprintf(stderr, "rank %d: root %d, late %d, segments of %zu\n", checking::world_rank(), root, late,
                             segment_bytes);
            }
        }
    }
    EXPECT(feeds[0] && feeds[1]);  // or there was nothing to see
}

int run(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    int nothing = 0;
    MPI_Bcast(&nothing, 1, MPI_INT, 0, MPI_COMM_WORLD);  // starts the library
    {
        SharedCount seen;
        for (const int root : {0, 3}) check_every_late_rank(root, seen);
    }
    return checking::finish();
}

}  // namespace late_child
