// Multicast broadcasts (BCASTGEN_ALGORITHM=multicast) as programs meet them.
//
//     multicast broadcasts NUMBER [LARGEST]      mixed sizes and roots, ranks that are late now and then; then each
//     rank
//                                                tells the most memory that it had: "peak KILOBYTES"
//     multicast communicators NUMBER             made and freed, and many at once: descriptors and groups stay few
#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>

#include "checking.hpp"

namespace {

constexpr int most_groups = 16;  // that a process is in at once

/// Small messages as often as large ones, in sizes of every order of magnitude.
std::size_t random_bytes(std::mt19937& random, double largest) {
    const double fraction = std::uniform_real_distribution<double>(0, 1)(random);
    return static_cast<std::size_t>(std::exp(fraction * std::log(largest)));
}

void check_broadcasts(int number, double largest) {
    std::mt19937 random(11);  // the same on every rank
    for (int i = 0; i < number; ++i) {
        const std::size_t bytes = random_bytes(random, largest);
        const int root = static_cast<int>(random() % static_cast<unsigned>(checking::ranks_in(MPI_COMM_WORLD)));
        const int late = static_cast<int>(random() % static_cast<unsigned>(20 * checking::ranks_in(MPI_COMM_WORLD)));
        if (checking::world_rank() == late) usleep(3000);
        EXPECT(checking::broadcast_bytes(MPI_COMM_WORLD, root, bytes, static_cast<std::uint64_t>(i)));
    }
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    std::printf("peak %ld\n", used.ru_maxrss);
}

/// Open descriptors of this process.
int descriptors() {
    int count = 0;
    DIR* directory = opendir("/proc/self/fd");
    while (readdir(directory) != nullptr) ++count;
    closedir(directory);
    return count;
}

/// Sockets of this process on a multicast group's port: those of groups that it is in.
int sockets() {
    int count = 0;
    DIR* directory = opendir("/proc/self/fd");
    while (const dirent* entry = readdir(directory)) {
        const std::string name = std::string("/proc/self/fd/") + entry->d_name;
        char target[64] = {};
        if (readlink(name.c_str(), target, sizeof target - 1) > 0 && std::strncmp(target, "socket:", 7) == 0) ++count;
    }
    closedir(directory);
    return count;
}

void check_communicators(int number) {
    EXPECT(checking::broadcast_bytes(MPI_COMM_WORLD, 0, 100, 1));  // connections are made
    std::vector<MPI_Comm> comms(40, MPI_COMM_NULL);
    const int sockets_before = sockets();
    const std::size_t traced = checking::trace().size();
    for (MPI_Comm& comm : comms) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        EXPECT(checking::broadcast_bytes(comm, 0, 3000, 2));
    }
    EXPECT(sockets() - sockets_before <= most_groups);
    const std::vector<std::string> lines = checking::trace();
    const auto by_multicast =
        std::count_if(lines.begin() + static_cast<std::ptrdiff_t>(traced), lines.end(),
                      [](const std::string& line) { return line.find("algorithm=multicast ") != std::string::npos; });
    EXPECT(by_multicast == most_groups - 1);  // MPI_COMM_WORLD has one
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
    EXPECT(sockets() <= sockets_before);

    int before = 0;
    for (int i = 0; i < number; ++i) {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        EXPECT(checking::broadcast_bytes(comm, i % checking::ranks_in(comm), 500, static_cast<std::uint64_t>(i)));
        MPI_Comm_free(&comm);
        if (i == number / 10) before = descriptors();
    }
    EXPECT(descriptors() <= before);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const std::string what = argc > 1 ? argv[1] : "broadcasts";
    const int number = argc > 2 ? std::atoi(argv[2]) : 100;
    if (what == "communicators") {
        check_communicators(number);
    } else {
        check_broadcasts(number, argc > 3 ? std::atof(argv[3]) : 200000);
    }
    return checking::finish();
}
