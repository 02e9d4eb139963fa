// Three broadcasts by one algorithm, every byte checked, and one rank to which something happens at a given moment.
//
//     with_library faults ALGORITHM PHASE FAULT VICTIM BYTES
//
// PHASE: meeting (as the ranks agree), connecting (as the private communicator is made), first, middle or last (before
// that send or receive of the second broadcast), between (before the third). FAULT: none, kill, stop (continued after a
// second, or STOPPED_S), abort (MPI_Abort), exit (without MPI_Finalize), descriptors (none are left),
// memory (no more is to be had).
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "bcast/library/entry_points.hpp"
#include "tests/mpi/checking.hpp"
#include "tests/mpi/fixture_site/facts.hpp"

namespace faults {

using checking::Content;

int wake_up_call[2] = {-1, -1};  // a byte in it: somebody is about to stop

/// A process that continues this one a while after it has stopped. To be started before MPI is.
void start_alarm_clock() {
    const char* seconds = std::getenv("STOPPED_S");
    const pid_t sleeper = getpid();
    if (pipe2(wake_up_call, O_CLOEXEC) != 0 || fork() != 0) return;
    close(wake_up_call[1]);
    char byte = 0;
    if (read(wake_up_call[0], &byte, 1) == 1) {
        sleep(seconds != nullptr ? static_cast<unsigned>(std::atoi(seconds)) : 1);
        kill(sleeper, SIGCONT);
    }
    _exit(0);
}

/// Leaves no number for another file.
void use_up_descriptors() {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    const int next = dup(0);
    close(next);
    limit.rlim_cur = static_cast<rlim_t>(next);
    setrlimit(RLIMIT_NOFILE, &limit);
}

/// Leaves the program the memory that it has, and what malloc keeps for it.
void use_up_memory() {
    rlimit limit{};
    getrlimit(RLIMIT_AS, &limit);
    std::ifstream statm("/proc/self/statm");
    statm >> limit.rlim_cur;
    limit.rlim_cur *= static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    setrlimit(RLIMIT_AS, &limit);
    for (std::size_t bytes = std::size_t{1} << 20; bytes >= 16; bytes /= 2) {
        while (std::malloc(bytes) != nullptr) continue;
    }
}

void suffer(const std::string& fault) {
    if (fault == "kill") kill(getpid(), SIGKILL);
    if (fault == "abort") MPI_Abort(MPI_COMM_WORLD, 7);
    if (fault == "exit") std::exit(0);
    if (fault == "descriptors") use_up_descriptors();
    if (fault == "memory") use_up_memory();
    if (fault == "stop" && write(wake_up_call[1], "x", 1) == 1) raise(SIGSTOP);
}

struct {
    std::string fault;  // empty: none is due
    bool at_meeting = false;
    bool at_connecting = false;
    long at_call = 0;  // of those below; 0: none
    long calls = 0;    // so far
} plan;

void suffer_now() {
    const std::string fault = plan.fault;
    plan.fault.clear();
    suffer(fault);
}

enum class Kind { meeting, connecting, message };

void about_to_call(Kind kind) {
    if (kind == Kind::message) ++plan.calls;
    if (plan.fault.empty()) return;
    const bool due = kind == Kind::meeting      ? plan.at_meeting
                     : kind == Kind::connecting ? plan.at_connecting
                                                : plan.at_call != 0 && plan.calls >= plan.at_call;
    if (due) suffer_now();
}

/// Puts about_to_call() before a function of the library's table.
template <auto member, Kind kind>
struct Hook;
template <class... Values, int (*bcast::MpiLibrary::*member)(Values...), Kind kind>
struct Hook<member, kind> {
    static inline int (*real)(Values...) = nullptr;
    static int call(Values... values) {
        about_to_call(kind);
        return real(values...);
    }
    static void set() {
        real = bcast::mpi.*member;
        bcast::mpi.*member = call;
    }
};

void hook_calls() {
    using bcast::MpiLibrary;
    bcast::detail::standing();
    Hook<&MpiLibrary::Allgather, Kind::meeting>::set();
    Hook<&MpiLibrary::Comm_create, Kind::connecting>::set();
    Hook<&MpiLibrary::Irecv, Kind::message>::set();
    Hook<&MpiLibrary::Isend, Kind::message>::set();
    Hook<&MpiLibrary::Issend, Kind::message>::set();
    Hook<&MpiLibrary::Recv, Kind::message>::set();
    Hook<&MpiLibrary::Send, Kind::message>::set();
    Hook<&MpiLibrary::Sendrecv, Kind::message>::set();
}

void broadcast(bool native, std::size_t bytes, std::uint64_t seed) {
    const Content content(seed);
    std::vector<char> buffer(bytes, '\0');
    if (checking::world_rank() == 0) content.write(buffer.data(), 0, bytes);
    const auto function = native ? PMPI_Bcast : MPI_Bcast;
    const int error = function(buffer.data(), static_cast<int>(bytes), MPI_BYTE, 0, MPI_COMM_WORLD);
    EXPECT(error == MPI_SUCCESS && content.wrong(buffer.data(), 0, bytes) == 0);
}

/// The MPI has made its connections when something happens.
void have_everybody_talk_to_everybody() {
    const auto ranks = static_cast<std::size_t>(checking::ranks_in(MPI_COMM_WORLD));
    for (const std::size_t bytes : {std::size_t{100}, std::size_t{100000}}) {
        std::vector<char> out(bytes * ranks);
        std::vector<char> in(bytes * ranks);
        MPI_Alltoall(out.data(), static_cast<int>(bytes), MPI_BYTE, in.data(), static_cast<int>(bytes), MPI_BYTE,
                     MPI_COMM_WORLD);
    }
}

int run(int argc, char** argv) {
    if (argc != 6) return 2;
    const std::string phase = argv[2];
    const std::string fault = argv[3];
    const bool native = std::strcmp(argv[1], "native") == 0;  // without the library
    const std::size_t bytes = std::strtoull(argv[5], nullptr, 10);
    setenv("BCASTGEN_ALGORITHM", argv[1], 1);
    if (fault == "stop") start_alarm_clock();
    MPI_Init(&argc, &argv);
    have_everybody_talk_to_everybody();
    const bool victim = checking::world_rank() == std::atoi(argv[4]);
    if (victim && phase != "between") plan.fault = fault;
    plan.at_meeting = phase == "meeting";
    plan.at_connecting = phase == "connecting";
    if (native) {
        if (victim) suffer_now();
    } else {
        hook_calls();
    }
    broadcast(native, bytes, 1);
    const long calls = plan.calls;
    plan.calls = 0;
    plan.at_call = phase == "first" ? 1 : phase == "middle" ? (calls + 1) / 2 : phase == "last" ? calls : 0;
    broadcast(native, bytes, 2);
    if (victim && phase == "between") plan.fault = fault;
    if (!plan.fault.empty()) suffer_now();  // also what had no occasion
    broadcast(native, bytes, 3);
    const int code = checking::finish();
    if (code == 0) std::puts("right");
    return code;
}

}  // namespace faults
