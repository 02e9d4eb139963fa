// Three broadcasts by one algorithm, every byte checked, and one rank to which something happens at a given moment.
//
//     faults ALGORITHM PHASE FAULT VICTIM BYTES
//
// PHASE: meeting (as the ranks agree), connecting (as the private communicator is made), first, middle or last (before
// that send or receive of the second broadcast), between (before the third). FAULT: none, kill, stop (continued after a
// second, or BCASTGEN_TEST_STOPPED_S), abort (MPI_Abort), exit (without MPI_Finalize), descriptors (none are left),
// memory (no more is to be had).
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "bcast/library/broadcast_by.hpp"
#include "bcast/library/entry_points.hpp"
#include "tests/mpi/checking.hpp"
#include "tests/mpi/fixture_site/facts.hpp"

namespace {

using checking::Content;

int wake_up_call[2] = {-1, -1};  // a byte in it: somebody is about to stop

/// A process that continues this one a while after it has stopped. To be started before MPI is.
void start_alarm_clock() {
    const char* seconds = std::getenv("BCASTGEN_TEST_STOPPED_S");
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

/// Takes what is left of a resource.
void use_up(int resource) {
    rlimit limit{};
    getrlimit(resource, &limit);
    limit.rlim_cur = 0;
    if (resource == RLIMIT_AS) {
        std::ifstream statm("/proc/self/statm");
        statm >> limit.rlim_cur;
        limit.rlim_cur *= static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
    }
    setrlimit(resource, &limit);
}

void suffer(const std::string& fault) {
    if (fault == "kill") kill(getpid(), SIGKILL);
    if (fault == "abort") MPI_Abort(MPI_COMM_WORLD, 7);
    if (fault == "exit") std::exit(0);
    if (fault == "descriptors") use_up(RLIMIT_NOFILE);
    if (fault == "memory") use_up(RLIMIT_AS);
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
    bcast::bind_mpi();
    Hook<&MpiLibrary::Allgather, Kind::meeting>::set();
    Hook<&MpiLibrary::Comm_create, Kind::connecting>::set();
    Hook<&MpiLibrary::Irecv, Kind::message>::set();
    Hook<&MpiLibrary::Isend, Kind::message>::set();
    Hook<&MpiLibrary::Issend, Kind::message>::set();
    Hook<&MpiLibrary::Recv, Kind::message>::set();
    Hook<&MpiLibrary::Send, Kind::message>::set();
    Hook<&MpiLibrary::Sendrecv, Kind::message>::set();
}

/// Set up without set_up_for_choice(), which would bind MPI's functions anew.
bool set_up(MPI_Comm comm) {
    bcast::Communicator* communicator = bcast::communicators().find(comm, 0);
    return communicator != nullptr && communicator->machines() > 0 && communicator->connect();
}

void broadcast(const bcast::Choice& choice, std::size_t bytes, std::uint64_t seed) {
    const Content content(seed);
    std::vector<char> buffer(bytes, '\0');
    if (checking::world_rank() == 0) content.write(buffer.data(), 0, bytes);
    const int count = static_cast<int>(bytes);
    const int error = bcast::is_native(choice.algorithm)
                          ? PMPI_Bcast(buffer.data(), count, MPI_BYTE, 0, MPI_COMM_WORLD)
                          : bcast::broadcast_by(choice, buffer.data(), count, MPI_BYTE, 0, MPI_COMM_WORLD);
    EXPECT(error == MPI_SUCCESS && content.wrong(buffer.data(), 0, bytes) == 0);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 6) return 2;
    const std::string phase = argv[2];
    const std::string fault = argv[3];
    const auto algorithm = bcast::parse_algorithm(argv[1]);
    const std::size_t bytes = std::strtoull(argv[5], nullptr, 10);
    if (!algorithm) return 2;
    if (fault == "stop") start_alarm_clock();
    MPI_Init(&argc, &argv);
    const bool victim = checking::world_rank() == std::atoi(argv[4]);
    const bcast::Choice choice{*algorithm, bcast::usual_segment_bytes(*algorithm)};
    const bool native = bcast::is_native(*algorithm);

    if (victim && phase != "between") plan.fault = fault;
    plan.at_meeting = phase == "meeting";
    plan.at_connecting = phase == "connecting";
    if (native) {
        if (victim) suffer_now();
    } else {
        bcast::take_handles();
        hook_calls();
        EXPECT(set_up(MPI_COMM_WORLD));
    }
    broadcast(choice, bytes, 1);
    const long calls = plan.calls;
    plan.calls = 0;
    plan.at_call = phase == "first" ? 1 : phase == "middle" ? (calls + 1) / 2 : phase == "last" ? calls : 0;
    broadcast(choice, bytes, 2);
    if (victim && phase == "between") plan.fault = fault;
    if (!plan.fault.empty()) suffer_now();  // also what had no occasion
    broadcast(choice, bytes, 3);
    const int code = checking::finish();
    if (code == 0) std::puts("right");
    return code;
}
