#include "patience.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

#ifndef STAGE_PATIENCE_S
#define STAGE_PATIENCE_S 300  // file systems of clusters stand still for minutes, now and then
#endif

namespace stage {

namespace {

/// A launcher whose host is busy may end a job that aborts before it has passed on what its ranks said last.
constexpr std::chrono::seconds words_travel(1);

}  // namespace

Patience::Patience(const Machines& machines, std::string path, std::uint64_t chunks)
    : machines_(machines), path_(std::move(path)), chunks_(chunks) {
    thread_ = std::thread([this] { watch(); });
}

Patience::~Patience() {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        over_ = true;
    }
    changed_.notify_all();
    thread_.join();
    if (machines_.is_root()) silent_machines();  // takes what has been sent
}

bool Patience::over_within(double seconds) {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return over_; });
}

/// Whoever waits for so long tells rank 0 that it is there; who then has not is what all wait for.
void Patience::watch() {
    for (std::uint64_t before = moved_; !over_within(STAGE_PATIENCE_S); before = moved_) {
        if (moved_ != before) continue;
        const MPI_Comm calls = machines_.calls();
        if (!machines_.is_root()) {
            if (calls != MPI_COMM_NULL) MPI_Send(nullptr, 0, MPI_BYTE, 0, 0, calls);
            continue;
        }
        if (over_within(STAGE_PATIENCE_S) || moved_ != before) continue;  // others began to wait somewhat later
        std::fprintf(stderr,
                     "bcastgen-stage: %s: nothing has moved for %d s, after %llu of %llu chunks; no answer from %s\n",
                     path_.c_str(), 2 * STAGE_PATIENCE_S, static_cast<unsigned long long>(before),
                     static_cast<unsigned long long>(chunks_), silent_machines().c_str());
        std::this_thread::sleep_for(words_travel);
        if (calls != MPI_COMM_NULL) MPI_Abort(MPI_COMM_WORLD, 1);
        std::_Exit(1);  // the launcher then ends the others
    }
}

std::string Patience::silent_machines() const {
    if (machines_.calls() == MPI_COMM_NULL) return "some machine";
    std::vector<bool> answered(static_cast<std::size_t>(machines_.count()));
    answered[0] = true;
    for (int there = 1; there != 0;) {
        MPI_Status status;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, machines_.calls(), &there, &status);
        if (there == 0) break;
        MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, 0, machines_.calls(), MPI_STATUS_IGNORE);
        answered[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
    }
    std::string silent;
    for (int machine = 0; machine < machines_.count(); ++machine) {
        if (!answered[static_cast<std::size_t>(machine)])
            silent += (silent.empty() ? "" : ", ") + machines_.name(machine);
    }
    return silent.empty() ? "the disk of some machine" : silent;
}

}  // namespace stage
