// Who sends which block to whom where everyone sends and receives one block in each round: the circulant graph.
//
// After J. L. Träff, "Round-optimal n-block broadcast schedules in logarithmic time" (arXiv 2312.11236, 2407.18004).
// The rounds come in phases of q = ceil(log2 P). In round k of each phase position p sends to p + skip[k] and receives
// from p - skip[k], modulo P; the skips are P halved, rounded up, again and again.
//
//   P = 5, q = 3, skips 1 2 3       round 0   0 → 1             block 0 goes to 1,
//                                   round 1   0 → 2   1 → 3     block 1 to 2, and block 0 on to 3,
//                                   round 2   0 → 3   1 → 4 …   and from here on everybody gets a block each round
//
// Which block that is follows from ways from the root: every position is a sum of different skips, so every block has a
// tree over all positions, and in no round do two blocks want to be sent by the same position, or to it. n blocks are
// everywhere after n - 1 + q rounds, and no broadcast by machines that send and receive one block at a time takes
// fewer: the root sends the last block in round n - 1 at the earliest, and those who have it can only double.
//
// Where a block is longer on its way than its sender is busy with it, several broadcasts are dealt out to the rounds in
// turn: strand s of c has the blocks s, s + c, s + 2c … and the rounds that come at its turn. A block then has c rounds
// to get to the next machine; that costs (c - 1)(q - 1) rounds more.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "bcast/trees/tree.hpp"

namespace bcast {

/// What one position does in the q rounds of each phase. Blocks count from the phase's first, which is q more in each
/// phase; negative ones are of the phase before.
struct CirculantPlace {
    int positions = 1;
    int position = 0;           ///< the root's is 0
    std::vector<int> skips;     ///< by round, increasing
    std::vector<int> receives;  ///< by round
    std::vector<int> sends;

    /// q: the rounds of a phase. 0 among one position.
    [[nodiscard]] int phase() const { return static_cast<int>(skips.size()); }
    /// To whom it sends in round k of a phase; nobody sends to position 0.
    [[nodiscard]] int to(int k) const { return (position + skips[static_cast<std::size_t>(k)]) % positions; }
    [[nodiscard]] int from(int k) const {
        return (position - skips[static_cast<std::size_t>(k)] + positions) % positions;
    }
};

namespace detail {

/// The skips by round, and P behind them.
inline std::vector<int> circulant_skips(int positions) {
    std::vector<int> skips{positions};
    while (skips.back() > 1) skips.push_back((skips.back() + 1) / 2);
    std::reverse(skips.begin(), skips.end());
    return skips;
}

/// The round in which a position gets its first block: that of the first step on its way from the root, which takes the
/// largest skip that fits, last. q for the root itself.
inline int first_round(const std::vector<int>& skips, int position) {
    int round = static_cast<int>(skips.size()) - 1;
    for (int k = round - 1; k >= 0 && position > 0; --k) {
        const int skip = skips[static_cast<std::size_t>(k)];
        if (skip > position) continue;
        position -= skip;
        round = k;
    }
    return round;
}

/// Finds what a position receives in the rounds of a phase: in round k the first block of someone who is a skip away at
/// least, so that it has come there, and nearer than whoever was found for the round before. A way leads there by ever
/// smaller skips, and each block is found once. O(q): what cannot lead on is not tried.
class CirculantSearch {
  public:
    CirculantSearch(const std::vector<int>& skips, int position)
        : skips_(skips), phase_(static_cast<int>(skips.size()) - 1), goal_(position + skips.back()) {
        const int own = first_round(skips, position);
        nearest_ = 2 * skips.back();
        taken_.assign(skips.size(), 0);
        taken_[static_cast<std::size_t>(own)] = 1;
        go_on(0, phase_);
        for (int& block : found_) block = block == phase_ ? own : block - phase_;
    }

    /// By round.
    [[nodiscard]] std::vector<int>& found() { return found_; }

  private:
    [[nodiscard]] int skip(int k) const { return skips_[static_cast<std::size_t>(k)]; }
    [[nodiscard]] int round() const { return static_cast<int>(found_.size()); }

    /// Tries the ways that go on from `at` by this skip and smaller ones, the longest first.
    void go_on(int at, int largest) {
        for (int step = largest; step >= 0 && round() < phase_; --step) {
            const int next = at + skip(step);
            const auto is_new = [&] { return taken_[static_cast<std::size_t>(step)] == 0; };
            if (!is_new() || next > goal_ - skip(round()) || next >= nearest_) continue;
            if (next <= goal_ - skip(round() + 1)) {
                go_on(next, step);
                if (round() == phase_) return;
            }
            if (at > goal_ - skip(round() + 1)) return;
            if (!is_new() || next > goal_ - skip(round())) continue;
            nearest_ = next;
            taken_[static_cast<std::size_t>(step)] = 1;
            found_.push_back(step);
        }
    }

    const std::vector<int>& skips_;
    int phase_;
    int goal_;     // the receiver, once round the circle
    int nearest_;  // where the way found last ends
    std::vector<char> taken_;
    std::vector<int> found_;
};

}  // namespace detail

/// The place of one position among `positions`. What it receives takes O(log P) steps, what it sends as many for each
/// of its log P receivers.
inline CirculantPlace circulant_place(int positions, int position) {
    CirculantPlace place{positions, position, {}, {}, {}};
    if (positions < 2) return place;
    place.skips = detail::circulant_skips(positions);
    place.receives = std::move(detail::CirculantSearch(place.skips, position).found());
    for (std::size_t k = 0; k + 1 < place.skips.size(); ++k) {
        const int receiver = (position + place.skips[k]) % positions;
        place.sends.push_back(detail::CirculantSearch(place.skips, receiver).found()[k]);
    }
    place.skips.pop_back();
    return place;
}

/// What a position does in one round; a block of -1: nothing.
struct CirculantRound {
    int k = 0;  ///< the round of its phase: which skip
    std::int64_t send = -1;
    std::int64_t receive = -1;
};

/// Rounds of the first phase before that of the first block; its last phase is whole.
inline std::int64_t circulant_empty_rounds(std::int64_t blocks, std::int64_t phase) {
    return (phase - (blocks - 1) % phase) % phase;
}

/// Rounds that broadcasts of `blocks` blocks in so many strands take; (n - 1 + q) in one.
inline std::int64_t circulant_rounds(std::int64_t blocks, int phase, std::int64_t strands) {
    return blocks + strands * (phase - 1);
}

/// The blocks of a broadcast in rounds.
struct CirculantBlocks {
    std::int64_t count = 1;
    std::int64_t planned = 1;  ///< rounds are those of so many; those from count on do not exist, and nothing is sent
    std::int64_t strands = 1;  ///< 1 to planned
};

/// Tells `visit` the rounds of a broadcast of these blocks, in sequence, as `place` takes part in them. O(rounds).
template <class Visit>
void visit_circulant_rounds(const CirculantPlace& place, const CirculantBlocks& blocks, Visit visit) {
    const std::int64_t phase = place.phase();
    if (phase == 0) return;
    const std::int64_t longest = (blocks.planned + blocks.strands - 1) / blocks.strands;
    for (std::int64_t turn = 0; turn < longest - 1 + phase; ++turn) {
        for (std::int64_t strand = 0; strand < blocks.strands; ++strand) {
            const std::int64_t last =  // of this strand's blocks
                (blocks.planned - strand + blocks.strands - 1) / blocks.strands - 1;
            const std::int64_t empty = circulant_empty_rounds(last + 1, phase);
            const std::int64_t number = empty + turn;
            if (turn > last + phase - 1) continue;
            const auto k = static_cast<std::size_t>(number % phase);
            const std::int64_t first = number - number % phase - empty;
            const auto block = [&](int counted) -> std::int64_t {  // those after the last are the last
                const std::int64_t of_strand = std::min(first + counted, last);
                const std::int64_t of_all = of_strand * blocks.strands + strand;
                return of_strand < 0 || of_all >= blocks.count ? -1 : of_all;
            };
            CirculantRound round{static_cast<int>(k), -1, -1};
            if (place.to(round.k) != 0) round.send = block(place.sends[k]);
            if (place.position != 0) round.receive = block(place.receives[k]);
            visit(round);
        }
    }
}

/// How many of so many blocks, in one strand, a position receives in round k of all phases: of more blocks no fewer.
inline std::int64_t circulant_received(const CirculantPlace& place, std::int64_t blocks, int k) {
    const std::int64_t phase = place.phase();
    if (place.position == 0 || blocks == 0) return 0;
    const std::int64_t empty = circulant_empty_rounds(blocks, phase);
    const std::int64_t phases = (empty + blocks - 1) / phase + 1;
    const std::int64_t too_early = empty - place.receives[static_cast<std::size_t>(k)];
    return phases - std::max<std::int64_t>(0, (too_early + phase - 1) / phase);
}

/// The trees that blocks go down, tree i the blocks i, i + q, i + 2q … but for the last few: as many as a phase has
/// rounds, and each sends down each edge of the graph once in all. One among one position. O(P log^2 P).
inline std::vector<Tree> circulant_trees(int positions) {
    std::vector<CirculantPlace> places;
    for (int position = 0; position < positions; ++position) {
        places.push_back(circulant_place(positions, position));
    }
    const int phase = places.front().phase();
    std::vector<std::vector<std::vector<int>>> children(static_cast<std::size_t>(std::max(1, phase)));
    for (auto& tree : children) tree.resize(static_cast<std::size_t>(positions));
    for (int k = 0; k < phase; ++k) {
        for (const CirculantPlace& place : places) {
            if (place.to(k) == 0) continue;
            const int block = (place.sends[static_cast<std::size_t>(k)] + phase) % phase;
            children[static_cast<std::size_t>(block)][static_cast<std::size_t>(place.position)].push_back(place.to(k));
        }
    }
    std::vector<Tree> trees;
    for (auto& tree : children) trees.push_back(tree_of_children(std::move(tree)));
    return trees;
}

}  // namespace bcast
