// How long after the root's entry each rank leaves a broadcast, all others having entered before it; and the floor: the
// bytes as bare datagrams to all ranks, each asleep in recv. For ranks that read one clock: an emulated cluster, a
// host.
//
//   mpiexec ... broadcast_times INTERFACE REPETITIONS BYTES[:REPETITIONS]...
//
// With BROADCAST_TIMES_LOSSY in the environment the floor is left out; BROADCAST_TIMES_SETTLE_MS is how long the root
// waits for the others to have entered (3). Prints, for the floor and for each size, a line:
// "floor|broadcast BYTES COMPLETION RANK0 RANK1 ..." in microseconds, all of them medians over the repetitions;
// completion is the last rank's exit in each of them. Preload a library to measure it. bench/scripts/multicast.py makes
// docs/multicast.md's figures of this.
#include <arpa/inet.h>
#include <mpi.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

int rank = 0;
int ranks = 1;

double now_us() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e6 * static_cast<double>(now.tv_sec) + 1e-3 * static_cast<double>(now.tv_nsec);
}

void sleep_until(double time_us) {
    const timespec time{
        static_cast<time_t>(time_us / 1e6),
        static_cast<long>((time_us - 1e6 * static_cast<double>(static_cast<long>(time_us / 1e6))) * 1e3)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

/// A socket on a group of the benchmark's own.
class Group {
  public:
    explicit Group(const char* interface) {
        const int index = static_cast<int>(if_nametoindex(interface));
        group_.sin_family = AF_INET;
        group_.sin_port = htons(47123);
        inet_pton(AF_INET, "239.255.47.1", &group_.sin_addr);
        file_ = socket(AF_INET, SOCK_DGRAM, 0);
        const ip_mreqn member{group_.sin_addr, {}, index};
        const bool good = bind(file_, reinterpret_cast<sockaddr*>(&group_), sizeof group_) == 0 &&
                          setsockopt(file_, IPPROTO_IP, IP_ADD_MEMBERSHIP, &member, sizeof member) == 0 &&
                          setsockopt(file_, IPPROTO_IP, IP_MULTICAST_IF, &member, sizeof member) == 0;
        if (!good) {
            std::fprintf(stderr, "no multicast on %s\n", interface);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    void send(std::size_t bytes) {
        for (std::size_t at = 0; at < bytes; at += most) {
            sendto(file_, memory_, std::min(most, bytes - at), 0, reinterpret_cast<sockaddr*>(&group_), sizeof group_);
        }
    }
    /// Sleeps until so many bytes have come, or none for a second.
    void receive(std::size_t bytes) {
        pollfd one{file_, POLLIN, 0};
        while (bytes > 0 && poll(&one, 1, 1000) == 1) {
            const ssize_t came = recv(file_, memory_, sizeof memory_, 0);
            bytes -= std::min(bytes, static_cast<std::size_t>(std::max<ssize_t>(came, 0)));
        }
    }

  private:
    static constexpr std::size_t most = 1424;  // as the library's fragments
    char memory_[most] = {};
    int file_ = -1;
    sockaddr_in group_{};
};

double settle_us() {
    const char* text = std::getenv("BROADCAST_TIMES_SETTLE_MS");
    return (text != nullptr ? 1000 * std::atof(text) : 3000) + 100.0 * ranks;
}

/// Runs `action` so many times, the root some time after the others, and prints what it took.
template <class Action>
void measure(const char* what, std::size_t bytes, int repetitions, Action action) {
    const auto number = static_cast<std::size_t>(repetitions);
    std::vector<double> entries;
    std::vector<double> exits;
    for (int repetition = -std::min(3, repetitions); repetition < repetitions; ++repetition) {
        MPI_Barrier(MPI_COMM_WORLD);
        // All are asleep in the action, or as near to that as their MPI lets them, when the root begins.
        if (rank == 0) sleep_until(now_us() + settle_us());
        const double entry = now_us();
        action();
        const double exit = now_us();
        // Machines of their own would not be disturbed by those that are done: these leave the processors to the rest.
        sleep_until(exit + settle_us());
        if (repetition < 0) continue;
        entries.push_back(entry);
        exits.push_back(exit);
    }
    std::vector<double> all(number * static_cast<std::size_t>(ranks));
    MPI_Gather(exits.data(), repetitions, MPI_DOUBLE, all.data(), repetitions, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rank != 0) return;
    std::vector<double> completion(number);
    std::string by_rank;
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
        std::vector<double> times;
        for (std::size_t i = 0; i < number; ++i) {
            times.push_back(all[r * number + i] - entries[i]);
            completion[i] = std::max(completion[i], times.back());
        }
        char text[32];
        std::snprintf(text, sizeof text, " %.1f", median(times));
        by_rank += text;
    }
    std::printf("%s %zu %.1f%s\n", what, bytes, median(completion), by_rank.c_str());
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 4) {
        if (rank == 0) std::fprintf(stderr, "usage: broadcast_times INTERFACE REPETITIONS BYTES[:REPETITIONS]...\n");
        MPI_Finalize();
        return 2;
    }
    Group group(argv[1]);
    const bool lossy = std::getenv("BROADCAST_TIMES_LOSSY") != nullptr;
    for (int i = 3; i < argc; ++i) {
        std::vector<char> memory(static_cast<std::size_t>(std::atol(argv[i])));
        const char* colon = std::strchr(argv[i], ':');
        const int repetitions = std::atoi(colon != nullptr ? colon + 1 : argv[2]);
        // Bare datagrams that get lost are waited for in vain.
        if (!lossy)
            measure("floor", memory.size(), repetitions,
                    [&] { rank == 0 ? group.send(memory.size()) : group.receive(memory.size()); });
        measure("broadcast", memory.size(), repetitions,
                [&] { MPI_Bcast(memory.data(), static_cast<int>(memory.size()), MPI_BYTE, 0, MPI_COMM_WORLD); });
    }
    MPI_Finalize();
    return 0;
}
