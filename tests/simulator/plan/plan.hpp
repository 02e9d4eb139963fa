// What happens in one simulated job, drawn from a seed; and how to make less of it happen.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bcast/facts/decision.hpp"
#include "bcast/hand_on/ring.hpp"
#include "tests/simulator/area.hpp"
#include "tests/simulator/fake_mpi/job.hpp"
#include "world.hpp"

namespace simulator {

/// What of a job is left out, to find the least that still fails; and how its ranks take turns.
struct Reduction {
    int most_ranks = 0;             ///< 0: all
    std::size_t most_bytes = 0;     ///< of a message; 0: as drawn
    std::vector<int> broadcasts{};  ///< only these; empty: all
    bool plain_types = false;
    bool no_delays = false;
    bool even_network = false;  ///< the same delay for everything, nothing by rendezvous
    std::uint64_t turns = 0;    ///< another sequence of turns and delays
    bool faults = false;        ///< something fails in every job

    /// As words for a command line, and back. False if they cannot be read.
    [[nodiscard]] std::string words() const;
    bool read(const std::string& words);
};

struct CommunicatorPlan {
    std::vector<int> members;  ///< world ranks in the order of their ranks in it
    int first = 0;             ///< made before this broadcast
    int last = 0;              ///< freed after this one
};

struct BroadcastPlan {
    int number = 0;
    int communicator = 0;
    int root = 0;
    bool by_choice = false;  ///< by this algorithm, else as MPI_Bcast decides
    bcast::Choice choice;
    Signature signature;
    std::vector<int> counts;       ///< by rank of the communicator, where the program is wrong: else as the signature's
    std::uint64_t seed = 0;        ///< of content and layouts
    std::vector<double> delays_s;  ///< by rank of the communicator: how long it stays away

    [[nodiscard]] int count_of(std::size_t rank) const { return counts.empty() ? signature.count : counts[rank]; }
    /// Of the shortest message that a rank passes.
    [[nodiscard]] std::size_t least_bytes() const {
        const int least = counts.empty() ? signature.count : *std::min_element(counts.begin(), counts.end());
        return static_cast<std::size_t>(least) * signature.base_bytes();
    }
};

/// The settings of one rank's process.
struct RankPlan {
    int machine = 0;
    bool unknown_machine = false;
    bool renewed_library = false;
    std::vector<std::pair<std::string, std::string>> variables;
};

struct Plan {
    std::unique_ptr<World> world;
    std::vector<RankPlan> ranks;
    std::vector<CommunicatorPlan> communicators;
    std::vector<BroadcastPlan> broadcasts;
    Habits habits;
    std::uint64_t turns_seed = 0;
    int window = 0;                 ///< BCASTGEN_IN_FLIGHT; 0: not set
    std::size_t segment_bytes = 0;  ///< BCASTGEN_SEGMENT; 0: not set, or in one piece
    bcast::RingShape ring;          ///< of shared memory
    bool trouble = false;           ///< the set-up goes wrong somewhere
    bool wrong_lengths = false;     ///< ranks pass different ones to some broadcasts
    bool faulty = false;            ///< the MPI's calls fail, memory is refused, or a rank stops
    bool may_abort = false;         ///< so much of it that a rank may have to end the job
    std::size_t refused_bytes = 0;  ///< memory of so many bytes and more is refused; 0: it is not
    bool spares_segments = false;   ///< and segments need less
    bool plain_types = false;

    Plan(std::uint64_t seed, const Reduction& reduction);
    /// A few lines for people.
    [[nodiscard]] std::string description() const;

  private:
    void draw_ranks(Random& random);
    void draw_communicators(Random& random, int broadcasts);
    void draw_habits(Random& random);
    void draw_windows();
    void draw_variables(Random& random);
    void draw_trouble(Random& random);
    void draw_faults(Random& random, bool by_choice);
    void draw_failing_calls(Random& random);
    void draw_bad_ends(Random& random);
    void draw_refusals(Random& random, bool by_choice);
    void draw_losses(Random random);
    [[nodiscard]] int draw_victim(Random& random) const;
    void draw_broadcast(Random& random, int number, bool by_choice);
    [[nodiscard]] int parent_of(int rank, const CommunicatorPlan& communicator, bcast::Algorithm algorithm,
                                int root) const;
    void draw_absence(Random& random, BroadcastPlan& broadcast);
    void stay_away(BroadcastPlan& broadcast) const;
    void draw_lengths(Random& random, BroadcastPlan& broadcast, std::size_t ranks) const;
    static void draw_above(Random random, BroadcastPlan& broadcast);
    void draw_delays(Random& random, BroadcastPlan& broadcast, std::size_t ranks);
    void keep_ranks(int most);
    void reduce(const Reduction& reduction);

    /// A rank stays away from a broadcast whose root need not wait for it, while the others go on with the next two.
    struct Absence {
        int begun = none;  ///< with this broadcast
        int communicator = 0;
        int root = 0;
        int late = 0;  ///< its rank in the communicator
        bcast::Choice next;
        int next_root = 0;
    };
    static constexpr int none = -1;
    /// Every fourth job hands on within machines in all ways. What is drawn for that is drawn apart, so that the other
    /// jobs are those that they were.
    Random apart_{0};
    bool hands_on_ = false;
    Absence absence_;  // while broadcasts are drawn
};

/// `bytes` bytes that no other broadcast has.
std::vector<char> content_of(std::uint64_t seed, std::size_t bytes);

}  // namespace simulator
