// A long run: broadcasts of mixed sizes from mixed roots, by the decision table and by every algorithm, on
// communicators that come and go, with ranks that come late; every byte is checked, and memory and descriptors are
// watched.
//
//     with_library soak BROADCASTS SEED [threads N] [spawn N] [abort N] [native 1]
//
// threads N: so many threads on every rank, each with communicators of its own, share the broadcasts. spawn N: after
// every so many broadcasts a process is spawned (Open MPI) or a session begun (MPICH), broadcasts, and ends. abort N:
// rank 1 calls MPI_Abort after so many. native 1: all of it without the library, to compare with. Rank 0 prints
// "broadcasts,rss_kB,heap_kB,descriptors,communicators" lines: the largest of any rank.
#pragma once

#include <dirent.h>
#include <malloc.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <thread>

#include "bcast/library/broadcast_by.hpp"
#include "bcast/library/entry_points.hpp"
#include "tests/mpi/checking.hpp"
#include "tests/mpi/fixture_site/facts.hpp"

namespace soak {

using checking::Content;

constexpr std::size_t most_communicators = 24;
constexpr int samples = 200;
bool without_library = false;

int mpi_bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    return (without_library ? PMPI_Bcast : MPI_Bcast)(buffer, count, type, root, comm);
}

long resident_kilobytes() {
    std::ifstream statm("/proc/self/statm");
    long total = 0;
    long resident = 0;
    statm >> total >> resident;
    return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/// Of the heap, what is in use.
long used_kilobytes() {
    const struct mallinfo2 heap = mallinfo2();
    return static_cast<long>((heap.uordblks + heap.hblkhd) / 1024);
}

long descriptors() {
    long count = -1;  // the one that counts them
    DIR* folder = opendir("/proc/self/fd");
    while (const dirent* entry = readdir(folder)) count += entry->d_name[0] != '.' ? 1 : 0;
    closedir(folder);
    return count;
}

/// What one thread of every rank does, all in the same sequence: its draws are the same on every rank.
class Soak {
  public:
    Soak(MPI_Comm base, std::uint64_t seed) : base_(base), random_(seed) {}

    void step() {
        if (draw(40) == 0) make();
        if (draw(40) == 0 && !comms_.empty()) end(draw(comms_.size()));
        if (draw(2000) == 0) broadcast_across();
        MPI_Comm comm = draw(3) == 0 || comms_.empty() ? base_ : comms_[draw(comms_.size())];
        broadcast_on(comm);
    }

    void finish() {
        while (!comms_.empty()) end(0);
    }

    [[nodiscard]] long wrong() const { return wrong_; }
    [[nodiscard]] long made() const { return made_; }

    /// The same draws on every rank, also on those that have no part in `comm`.
    void broadcast_on(MPI_Comm comm) {
        static constexpr std::size_t largest[] = {16, 600, 5000, 5000, 20000, 70000, 140000, 600000};
        const std::size_t top = largest[draw(200) == 0 ? 7 : draw(7)];
        const std::size_t bytes = draw(top + 1);
        const std::uint64_t root = draw(1 << 20);
        const std::uint64_t late = draw(64);
        const std::uint64_t late_us = draw(300);
        const auto algorithm = static_cast<bcast::Algorithm>(draw(bcast::algorithm_count));
        static constexpr std::size_t segments[] = {0, 512, 1000, 8192, 65536};
        const bcast::Choice choice{algorithm, segments[draw(5)]};
        const bool by_table = draw(2) == 0;
        const std::uint64_t seed = random_();
        if (comm == MPI_COMM_NULL) return;
        const int rank = checking::rank_in(comm);
        const auto ranks = static_cast<std::uint64_t>(checking::ranks_in(comm));
        if (late < ranks && static_cast<std::uint64_t>(rank) == late) usleep(static_cast<useconds_t>(late_us));
        const Content content(seed);
        buffer_.assign(bytes + 1, '\x5a');
        const int from = static_cast<int>(root % ranks);
        if (rank == from) content.write(buffer_.data(), 0, bytes);
        int error = MPI_SUCCESS;
        if (without_library || by_table || !bcast::set_up_for_choice(comm).empty()) {
            error = mpi_bcast(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, from, comm);
        } else {
            error = bcast::broadcast_by(choice, buffer_.data(), static_cast<int>(bytes), MPI_BYTE, from, comm);
        }
        const bool right =
            error == MPI_SUCCESS && content.wrong(buffer_.data(), 0, bytes) == 0 && buffer_[bytes] == '\x5a';
        wrong_ += right ? 0 : 1;
    }

  private:
    std::uint64_t draw(std::uint64_t below) { return random_() % below; }

    void make() {
        if (comms_.size() == most_communicators) end(draw(comms_.size()));
        const std::uint64_t number = random_();
        const int rank = checking::rank_in(base_);
        MPI_Comm comm = MPI_COMM_NULL;
        switch (draw(4)) {
            case 0:
                MPI_Comm_dup(base_, &comm);
                break;
            case 1:  // in parts, the ranks in another sequence
                MPI_Comm_split(base_, static_cast<int>(number >> (2 * rank)) & 1, (rank * 5 + 3) % 7, &comm);
                break;
            case 2: {  // without some
                const bool has_part = ((number >> rank) & 3) != 0;
                MPI_Comm_split(base_, has_part ? 0 : MPI_UNDEFINED, rank, &comm);
                break;
            }
            default: {
                MPI_Request request = MPI_REQUEST_NULL;
                MPI_Comm_idup(base_, &comm, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
        }
        comms_.push_back(comm);
        ++made_;
    }

    void end(std::size_t at) {
        const bool disconnect = draw(2) == 0;
        MPI_Comm comm = comms_[at];
        comms_.erase(comms_.begin() + static_cast<std::ptrdiff_t>(at));
        if (comm == MPI_COMM_NULL) return;
        if (disconnect) {
            MPI_Comm_disconnect(&comm);
        } else {
            MPI_Comm_free(&comm);
        }
    }

    /// From the first rank of one half to the other half, through an intercommunicator, and in what both halves make.
    void broadcast_across() {
        const int rank = checking::rank_in(base_);
        const int half = checking::ranks_in(base_) / 2;
        const std::uint64_t seed = random_();
        if (half == 0) return;
        const bool low = rank < half;
        MPI_Comm side = MPI_COMM_NULL;
        MPI_Comm across = MPI_COMM_NULL;
        MPI_Comm merged = MPI_COMM_NULL;
        MPI_Comm_split(base_, low ? 0 : 1, rank, &side);
        MPI_Intercomm_create(side, 0, base_, low ? half : 0, 3, &across);
        const Content content(seed);
        buffer_.assign(30000, '\0');
        if (rank == 0) content.write(buffer_.data(), 0, buffer_.size());
        const int root = low ? (rank == 0 ? MPI_ROOT : MPI_PROC_NULL) : 0;
        mpi_bcast(buffer_.data(), 30000, MPI_BYTE, root, across);
        if (!low && content.wrong(buffer_.data(), 0, buffer_.size()) != 0) ++wrong_;
        MPI_Intercomm_merge(across, low ? 0 : 1, &merged);
        broadcast_on(merged);
        for (MPI_Comm* comm : {&merged, &across, &side}) MPI_Comm_disconnect(comm);
    }

    MPI_Comm base_;
    std::mt19937_64 random_;
    std::vector<MPI_Comm> comms_;  // MPI_COMM_NULL: of others
    std::vector<char> buffer_;
    long wrong_ = 0;
    long made_ = 0;
};

constexpr int with_child = 20;  ///< broadcasts with a process that was spawned

/// Rank 0 prints what the ranks need at most.
void sample(long broadcasts, long made) {
    long mine[] = {resident_kilobytes(), used_kilobytes(), descriptors()};
    long most[] = {0, 0, 0};
    MPI_Reduce(mine, most, 3, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (checking::world_rank() != 0) return;
    std::printf("%ld,%ld,%ld,%ld,%ld\n", broadcasts, most[0], most[1], most[2], made);
    std::fflush(stdout);
}

long broadcast_with(MPI_Comm family, bool parent) {
    MPI_Comm all = MPI_COMM_NULL;
    MPI_Intercomm_merge(family, parent ? 0 : 1, &all);
    Soak soak(all, 77);
    for (int i = 0; i < with_child; ++i) soak.broadcast_on(all);
    MPI_Comm_free(&all);  // Open MPI 4.1 hangs where both are disconnected
    MPI_Comm_disconnect(&family);
    return soak.wrong();
}

#ifdef OPEN_MPI
long broadcast_with_a_spawned_process() {
    MPI_Comm family = MPI_COMM_NULL;
    char name[] = "soak";
    char* arguments[] = {name, nullptr};
    const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
    MPI_Comm_spawn(program.c_str(), arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &family, MPI_ERRCODES_IGNORE);
    return broadcast_with(family, true);
}
#else  // Debian's MPICH 4.0 cannot spawn
long broadcast_with_a_spawned_process() {
    return 0;
}
#endif

#if MPI_VERSION >= 4
/// On a communicator of another session's, beside MPI_COMM_WORLD.
long broadcast_in_a_session() {
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "soak", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    Soak soak(comm, 78);
    for (int i = 0; i < with_child; ++i) soak.broadcast_on(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return soak.wrong();
}
#endif

long in_one_thread(long broadcasts, std::uint64_t seed, long spawn, long abort_after) {
    Soak soak(MPI_COMM_WORLD, seed);
    long wrong = 0;
    for (long i = 1; i <= broadcasts; ++i) {
        soak.step();
        if (i == abort_after && checking::world_rank() == 1) MPI_Abort(MPI_COMM_WORLD, 3);
        if (spawn > 0 && i % spawn == 0) {
            wrong += broadcast_with_a_spawned_process();
#if MPI_VERSION >= 4
            wrong += broadcast_in_a_session();
#endif
        }
        if (i % std::max(1L, broadcasts / samples) != 0) continue;
        soak.finish();  // what is in use now is what was not given back
        sample(i, soak.made());
    }
    soak.finish();
    sample(broadcasts, soak.made());
    return wrong + soak.wrong();
}

long in_threads(long threads, long broadcasts, std::uint64_t seed) {
    std::vector<MPI_Comm> bases(static_cast<std::size_t>(threads), MPI_COMM_NULL);
    for (MPI_Comm& base : bases) MPI_Comm_dup(MPI_COMM_WORLD, &base);
    std::vector<long> wrong(bases.size(), 0);
    std::vector<std::thread> running;
    for (std::size_t t = 0; t < bases.size(); ++t) {
        running.emplace_back([&, t] {
            Soak soak(bases[t], seed + t);
            for (long i = 0; i < broadcasts / threads; ++i) soak.step();
            soak.finish();
            wrong[t] = soak.wrong();
        });
    }
    for (std::thread& thread : running) thread.join();
    sample(broadcasts, 0);
    for (MPI_Comm& base : bases) MPI_Comm_free(&base);
    return std::accumulate(wrong.begin(), wrong.end(), 0L);
}

int run(int argc, char** argv) {
    std::map<std::string, long> given;
    for (int i = 3; i + 1 < argc; i += 2) given[argv[i]] = std::atol(argv[i + 1]);
    without_library = given["native"] != 0;
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, given["threads"] > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        checking::failures = broadcast_with(parent, false);
        return checking::finish();
    }
    const long broadcasts = argc > 1 ? std::atol(argv[1]) : 1000;
    const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
    checking::failures = given["threads"] > 1 ? in_threads(given["threads"], broadcasts, seed)
                                              : in_one_thread(broadcasts, seed, given["spawn"], given["abort"]);
    return checking::finish();
}

}  // namespace soak
