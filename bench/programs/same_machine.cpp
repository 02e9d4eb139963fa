// How a machine's leader should hand a message on to the machine's other ranks: the library's three ways, and the MPI's
// own broadcast of the same message.
//
//   mpiexec -n RANKS same_machine [SLOTS SLOT_BYTES]     all ranks on one machine; the ring of the window
//
// All ways take turns, every byte is checked and is another each time. Medians and lowest tenths, of each way in its
// best segments. Figures are in docs/on-one-machine.md.
#include <mpi.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "bcast/library/broadcast_by.hpp"
#include "bcast/library/entry_points.hpp"
#include "bench/programs/timing.hpp"

namespace {

constexpr bcast::NamedMachine machine_names[] = {{"here", 0}};
constexpr int machine_switch[] = {0};

}  // namespace

const bcast::Site& bcast::site() {
    static const Site here{"here", 1, 1, machine_names, machine_switch, 1, {}, {}, {}};
    return here;
}

namespace {

/// What takes turns.
struct Way {
    std::string name;
    bcast::Choice choice;
    std::vector<double> times_s;

    [[nodiscard]] double at(double share) {
        std::sort(times_s.begin(), times_s.end());
        return 1e6 * times_s[static_cast<std::size_t>(share * static_cast<double>(times_s.size() - 1))];
    }
};

double time_s(std::vector<char>& buffer, const bcast::Choice& choice) {
    const int bytes = static_cast<int>(buffer.size());
    return timing::checked_s(
        buffer.size(), [&](std::size_t i) -> char& { return buffer[i]; },
        [&] {
            if (bcast::is_native(choice.algorithm)) {
                PMPI_Bcast(buffer.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
            } else {
                bcast::broadcast_by(choice, buffer.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
            }
        });
}

}  // namespace

int main(int argc, char** argv) {
    using bcast::HandOn;
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    std::string played = "here";
    for (int other = 1; other < ranks; ++other) played += ",here";
    setenv("BCASTGEN_MACHINES", played.c_str(), 1);
    if (argc > 2) bcast::process().ring = {std::atoi(argv[1]), static_cast<std::size_t>(std::atol(argv[2]))};
    const std::string problem = bcast::set_up_for_choice(MPI_COMM_WORLD);
    if (!problem.empty()) {
        std::fprintf(stderr, "same_machine: %s\n", problem.c_str());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0) {
        std::printf("%d ranks; us, median and lowest tenth\n%9s %19s %28s %19s %19s\n", ranks, "bytes", "native",
                    "messages (segments)", "window", "native chunks");
    }
    for (const std::size_t bytes :
         {1U, 64U, 1U << 10, 8U << 10, 64U << 10, 256U << 10, 1U << 20, 4U << 20, 16U << 20}) {
        std::vector<Way> ways = {{"native", {}, {}}};
        for (const std::size_t segment : {0U, 8U << 10, 32U << 10, 128U << 10}) {
            if (segment < bytes) ways.push_back({"messages", {bcast::usual::chain, segment, HandOn::messages}, {}});
        }
        ways.push_back({"window", {bcast::usual::chain, 0, HandOn::window}, {}});
        ways.push_back({"chunks", {bcast::usual::chain, 0, HandOn::native}, {}});
        std::vector<char> buffer(bytes);
        const int repetitions = bytes > (1U << 20) ? 30 : 100;
        for (int i = -1; i < repetitions; ++i) {
            for (Way& way : ways) {
                const double took = time_s(buffer, way.choice);
                if (i >= 0) way.times_s.push_back(took);
            }
        }
        if (rank != 0) continue;
        Way* messages = &ways[1];
        for (std::size_t i = 2; i + 2 < ways.size(); ++i) {
            if (ways[i].at(0.5) < messages->at(0.5)) messages = &ways[i];
        }
        Way& window = ways[ways.size() - 2];
        Way& chunks = ways.back();
        std::printf("%9zu %9.2f %9.2f %9.2f %9.2f (%6zu) %9.2f %9.2f %9.2f %9.2f\n", bytes, ways[0].at(0.5),
                    ways[0].at(0.1), messages->at(0.5), messages->at(0.1), messages->choice.segment_bytes,
                    window.at(0.5), window.at(0.1), chunks.at(0.5), chunks.at(0.1));
    }
    MPI_Finalize();
    return 0;
}
