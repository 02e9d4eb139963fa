// BCASTGEN_ARRIVAL=auto: one rank comes late every time, and all ranks go over to the rules for imbalanced arrivals, at
// the same broadcast.
#include <chrono>
#include <thread>

#include "checking.hpp"

namespace {

/// The traced algorithms of this rank, in one text.
std::string algorithms() {
    std::string text;
    for (const std::string& line : checking::trace()) {
        const std::size_t begin = line.find(" algorithm=");
        text += line.substr(begin, line.find(" segment=") - begin);
    }
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int late = 1;  // from root 0 a chain leads through it: it keeps others waiting
    for (int i = 0; i < 40; ++i) {
        // Sizes that stay native in between are not watched.
        EXPECT(checking::broadcast_bytes(MPI_COMM_WORLD, i % 3, 10, static_cast<std::uint64_t>(2 * i)));
        if (checking::world_rank() == late) std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT(checking::broadcast_bytes(MPI_COMM_WORLD, 0, 100000, static_cast<std::uint64_t>(2 * i + 1)));
    }
    const std::string mine = algorithms();
    std::vector<char> roots(mine.begin(), mine.end());
    auto length = static_cast<int>(roots.size());
    PMPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
    roots.resize(static_cast<std::size_t>(length));
    PMPI_Bcast(roots.data(), length, MPI_BYTE, 0, MPI_COMM_WORLD);
    EXPECT(mine == std::string(roots.begin(), roots.end()));  // the same at every broadcast
    EXPECT(mine.find("=linear") != std::string::npos);        // begins as if arrivals were balanced
    EXPECT(mine.find("=arrival-live") != std::string::npos);  // and finds out that they are not
    const std::vector<std::string> lines = checking::trace();
    EXPECT(lines.back().find(" imbalance=-") == std::string::npos);
    return checking::finish();
}
