// How soon a switch whose machines broadcast in rounds can hand each block on to another switch: docs/algorithms.md,
// "Rounds inside switches".
//
//   round_relays [MOST]                             switches of 2 to MOST machines; 40 if it is not given
//
// The machines of the switch are the positions 1 to p of a circulant graph of p + 1. Position 0 is whatever lies
// outside: in each round it gives one of them a block, and one of them, which would send to position 0, is free to send
// a block out. A row for each p: the least number of rounds after which it can be each block's turn to go out again.
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

#include "bcast/trees/circulant.hpp"

namespace {

constexpr int never = std::numeric_limits<int>::max();

/// In which round each block of a broadcast among `positions` comes to each of them, by position and block; at the
/// root: is first sent.
std::vector<std::vector<int>> rounds_of_blocks(int positions, int blocks) {
    std::vector<std::vector<int>> rounds;
    for (int position = 0; position < positions; ++position) {
        std::vector<int> first(static_cast<std::size_t>(blocks), never);
        int round = 0;
        const bcast::CirculantPlace place = bcast::circulant_place(positions, position);
        bcast::visit_circulant_rounds(place, {blocks, blocks, 1}, [&](const bcast::CirculantRound& now) {
            const std::int64_t block = position == 0 ? now.send : now.receive;
            if (block >= 0 && first[static_cast<std::size_t>(block)] == never) {
                first[static_cast<std::size_t>(block)] = round;
            }
            ++round;
        });
        rounds.push_back(std::move(first));
    }
    return rounds;
}

/// The least delay after which, in every round, the machine that is free to send out has the block whose turn it is.
int least_delay(int machines) {
    const bcast::CirculantPlace outside = bcast::circulant_place(machines + 1, 0);
    const int phase = outside.phase();
    const int blocks = 12 * phase;  // far more than the delay, so that the stream is under way
    const auto rounds = rounds_of_blocks(machines + 1, blocks);
    std::vector<int> skips;
    bcast::visit_circulant_rounds(outside, {blocks, blocks, 1}, [&](const bcast::CirculantRound& now) {
        skips.push_back(outside.skips[static_cast<std::size_t>(now.k)]);
    });
    const auto can_be = [&](int delay) {
        for (int block = 3 * phase; block < 4 * phase; ++block) {
            const int turn = rounds[0][static_cast<std::size_t>(block)] + delay;
            const int free = machines + 1 - skips[static_cast<std::size_t>(turn)];
            if (rounds[static_cast<std::size_t>(free)][static_cast<std::size_t>(block)] >= turn) return false;
        }
        return true;
    };
    int delay = 1;
    while (!can_be(delay)) ++delay;
    return delay;
}

}  // namespace

int main(int argc, char** argv) {
    const int most = argc > 1 ? std::atoi(argv[1]) : 40;
    std::puts("machines,phase,delay");
    for (int machines = 2; machines <= most; ++machines) {
        std::printf("%d,%d,%d\n", machines, bcast::circulant_place(machines + 1, 0).phase(), least_delay(machines));
    }
}
