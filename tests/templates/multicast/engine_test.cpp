// The multicast protocol over a network in this process: whatever happens to datagrams, every rank gets every byte, and
// nobody waits for ever.
#include "bcast/multicast/engine.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>

#include "fake_network.hpp"

namespace bcast {
namespace {

using testing::FakeNetwork;
using testing::Faults;

struct Scenario {
    int ranks = 6;
    int broadcasts = 30;
    std::size_t least_bytes = 1;
    std::size_t small_bytes = 2000;  ///< two of three broadcasts have up to so many
    std::size_t most_bytes = 40000;
    RootWait root_wait = RootWait::automatic;
    std::size_t room_bytes = 20000;
    std::vector<int> without_socket;
    int odd = -1;  ///< a rank that passes other lengths to every other broadcast
    Faults faults;
};

/// What a broadcast's bytes are, by its number.
std::string content(int broadcast, std::size_t bytes) {
    std::string text(bytes, ' ');
    std::mt19937 random(static_cast<unsigned>(broadcast));
    for (char& c : text) c = static_cast<char>(random());
    return text;
}

/// Ranks that broadcast one message after the other from changing roots, each at its own speed.
class Job {
  public:
    Job(const Scenario& scenario, unsigned seed)
        : scenario_(scenario), network_(scenario.ranks, scenario.faults, seed) {
        terms_.key = {seed, 77};
        terms_.seed = seed;
        terms_.fragment_bytes = 400;
        terms_.room_bytes = scenario.room_bytes;
        terms_.root_wait = scenario.root_wait;
        terms_.delay_us = 50;
        for (int broadcast = 1; broadcast <= scenario.broadcasts; ++broadcast) {
            // Many small ones, some of an odd number of fragments, some of several messages along the chain.
            const std::size_t most = broadcast % 3 == 0 ? scenario.most_bytes : scenario.small_bytes;
            contents_.push_back(content(broadcast, scenario.least_bytes + network_.random() % most));
            std::vector<int> order(static_cast<std::size_t>(scenario.ranks));
            std::iota(order.begin(), order.end(), 0);
            std::shuffle(order.begin(), order.end(), network_.random);
            orders_.push_back(order);
        }
        ranks_.resize(static_cast<std::size_t>(scenario.ranks));
        for (int rank = 0; rank < scenario.ranks; ++rank) {
            const bool deaf = std::count(scenario.without_socket.begin(), scenario.without_socket.end(), rank) > 0;
            ranks_[static_cast<std::size_t>(rank)].engine = std::make_unique<MulticastEngine>(
                terms_, deaf ? nullptr : network_.sockets[static_cast<std::size_t>(rank)].get(),
                *network_.links[static_cast<std::size_t>(rank)]);
        }
    }

    /// Runs until all ranks have done all broadcasts, in random steps. False if that takes for ever.
    bool run() {
        constexpr int most_steps = 4000000;
        int left = scenario_.ranks;
        for (int step = 0; step < most_steps; ++step) {
            Rank& rank = ranks_[network_.random() % ranks_.size()];
            if (rank.broadcast == scenario_.broadcasts) {
                // Whoever is done computes, and does nothing for the others; unless MPI always waits for receivers.
                bool some = false;
                if (scenario_.faults.eager_bytes == 0) {
                    network_.links[static_cast<std::size_t>(&rank - ranks_.data())]->progress(some);
                }
                continue;
            }
            if (!rank.running) begin(rank);
            bool done = false;
            bool moved = false;
            if (rank.engine->step(done, moved) != 0) return false;
            check_what_is_here(rank, done);
            if (!done) continue;
            end(rank);
            if (rank.broadcast == scenario_.broadcasts && --left == 0) {
                for (Rank& one : ranks_) EXPECT_EQ(one.engine->finish(), 0);
                return true;
            }
        }
        return false;
    }

    struct Totals {
        std::uint64_t taken = 0;
        std::uint64_t duplicate = 0;
        std::uint64_t stale = 0;
        std::uint64_t foreign = 0;
        std::uint64_t damaged = 0;
        std::uint64_t fragments = 0;
        std::uint64_t truncated = 0;
        std::uint64_t partly_here = 0;  ///< steps after which a leading part is known to be here, and not all
        double rounds = 0;              ///< mean over receivers and broadcasts
    };
    Totals totals;
    [[nodiscard]] FakeNetwork& network() { return network_; }

  private:
    struct Rank {
        std::unique_ptr<MulticastEngine> engine;
        int broadcast = 0;  // done
        bool running = false;
        bool odd = false;
        ChainPlace place;
        std::string memory;
    };

    void begin(Rank& rank) {
        rank.running = true;
        const auto at = static_cast<std::size_t>(rank.broadcast);
        const int number = static_cast<int>(&rank - ranks_.data());
        rank.place.rank_at = orders_[at];
        const auto found = std::find(orders_[at].begin(), orders_[at].end(), number);
        rank.place.position = static_cast<int>(found - orders_[at].begin());
        rank.memory = rank.place.position == 0 ? contents_[at] : std::string(contents_[at].size(), '?');
        rank.odd = number == scenario_.odd && at % 2 == 0;
        if (rank.odd) rank.memory.resize(at % 4 == 0 ? rank.memory.size() + 1 : (rank.memory.size() + 1) / 2, '?');
        ASSERT_EQ(rank.engine->start(rank.place, rank.memory.data(), rank.memory.size(), at + 1), 0);
    }

    /// What is said to be here may go on to the machine's other ranks.
    void check_what_is_here(const Rank& rank, bool done) {
        const std::string& wanted = contents_[static_cast<std::size_t>(rank.broadcast)];
        const std::size_t here = rank.engine->here_bytes();
        std::size_t other_bytes = 0;
        if (rank.odd || rank.engine->truncated(other_bytes)) return;
        EXPECT_EQ(rank.memory.compare(0, here, wanted, 0, here), 0);
        EXPECT_TRUE(!done || here == wanted.size());
        if (here > 0 && here < wanted.size()) ++totals.partly_here;
    }

    void end(Rank& rank) {
        const std::string& wanted = contents_[static_cast<std::size_t>(rank.broadcast)];
        std::size_t other_bytes = 0;
        const bool truncated = rank.engine->truncated(other_bytes);
        const bool odd = rank.memory.size() != wanted.size();
        totals.truncated += truncated ? 1 : 0;
        EXPECT_TRUE(truncated || odd || rank.memory == wanted)
            << "broadcast " << rank.broadcast << " at position " << rank.place.position;
        EXPECT_TRUE(rank.place.position == 0 || !odd || truncated);
        EXPECT_TRUE(!truncated || scenario_.odd >= 0);
        const MulticastCounts& counts = rank.engine->counts();
        totals.taken += counts.taken;
        totals.duplicate += counts.duplicate;
        totals.stale += counts.stale;
        totals.foreign += counts.foreign;
        totals.damaged += counts.damaged;
        totals.fragments += counts.fragments;
        totals.rounds += counts.rounds / (static_cast<double>(scenario_.ranks - 1) * scenario_.broadcasts);
        rank.running = false;
        ++rank.broadcast;
    }

    const Scenario scenario_;
    FakeNetwork network_;
    MulticastTerms terms_;
    std::vector<std::string> contents_;
    std::vector<std::vector<int>> orders_;
    std::vector<Rank> ranks_;
};

Job::Totals run(const Scenario& scenario) {
    Job::Totals totals;
    for (unsigned seed = 1; seed <= 6; ++seed) {
        Job job(scenario, seed);
        EXPECT_TRUE(job.run()) << "hangs, seed " << seed;
        totals.taken += job.totals.taken;
        totals.duplicate += job.totals.duplicate;
        totals.stale += job.totals.stale;
        totals.foreign += job.totals.foreign;
        totals.damaged += job.totals.damaged;
        totals.fragments += job.totals.fragments;
        totals.partly_here += job.totals.partly_here;
        totals.truncated += job.totals.truncated;
        totals.rounds += job.totals.rounds / 6;
    }
    return totals;
}

TEST(MulticastEngine, DeliversWithoutFaults) {
    for (const int ranks : {2, 3, 9}) {
        Scenario scenario;
        scenario.ranks = ranks;
        const Job::Totals totals = run(scenario);
        EXPECT_GT(totals.taken, 0U);
        EXPECT_GT(totals.partly_here, 0U);
        EXPECT_EQ(totals.foreign + totals.damaged, 0U);
    }
}

TEST(MulticastEngine, DeliversAtAnyLossRate) {
    std::uint64_t taken_before = ~std::uint64_t{0};
    for (const double lost : {0.001, 0.1, 0.5, 0.9, 1.0}) {
        Scenario scenario;
        scenario.faults.lost = lost;
        const Job::Totals totals = run(scenario);
        EXPECT_LT(totals.taken, taken_before);
        taken_before = totals.taken;
    }
    EXPECT_EQ(taken_before, 0U);
}

TEST(MulticastEngine, DeliversThroughEveryFaultAtOnce) {
    Scenario scenario;
    scenario.faults.lost = scenario.faults.damaged = 0.2;
    scenario.faults.doubled = scenario.faults.swapped = scenario.faults.forged = scenario.faults.replayed = 0.3;
    const Job::Totals totals = run(scenario);
    EXPECT_GT(totals.foreign, 0U);
    EXPECT_GT(totals.damaged, 0U);
    EXPECT_GT(totals.stale, 0U);
    EXPECT_GT(totals.duplicate, 0U);
}

TEST(MulticastEngine, DeliversWithLittleRoomForDatagrams) {
    Scenario scenario;
    scenario.faults.room = 3;
    run(scenario);
}

TEST(MulticastEngine, DeliversToRanksThatNothingReaches) {
    Scenario scenario;
    scenario.faults.deaf = {0, 3, 4};
    run(scenario);
    scenario.faults.deaf.clear();
    scenario.without_socket = {1, 2, 5};
    run(scenario);
    scenario.without_socket = {0, 1, 2, 3, 4, 5};
    EXPECT_EQ(run(scenario).taken, 0U);
}

TEST(MulticastEngine, DeliversHoweverTheRootWaits) {
    for (const RootWait wait : {RootWait::none, RootWait::one_rank, RootWait::delay}) {
        Scenario scenario;
        scenario.root_wait = wait;
        scenario.faults.lost = 0.1;
        scenario.broadcasts = 60;
        run(scenario);
    }
}

TEST(MulticastEngine, DeliversWhetherOrNotMessagesWaitForTheirReceiver) {
    for (const std::size_t eager_bytes : {std::size_t{0}, std::size_t{1} << 20}) {
        Scenario scenario;
        scenario.faults.eager_bytes = eager_bytes;
        scenario.faults.lost = 0.3;
        run(scenario);
    }
}

/// Whoever passes another length than the root is told so; of the others all have the right bytes or are told.
TEST(MulticastEngine, TellsWhoPassesAnotherLength) {
    for (const double lost : {0.0, 0.3, 1.0}) {
        Scenario scenario;
        scenario.odd = 2;
        scenario.most_bytes = scenario.small_bytes;  // which go along the chain whole
        scenario.faults.lost = lost;
        EXPECT_GT(run(scenario).truncated, 0U);
        scenario.least_bytes = 5000;  // of which only what is missing does
        scenario.most_bytes = scenario.small_bytes = 10000;
        EXPECT_GT(run(scenario).truncated, 0U);
    }
}

/// "A practically constant-time MPI broadcast algorithm", section 2.2: with half of the datagrams lost, a message of
/// one datagram takes 1.0 penalty rounds on average, however many ranks there are.
TEST(MulticastEngine, TakesOnePenaltyRoundOnAverageIfHalfIsLost) {
    Scenario scenario;
    scenario.ranks = 60;
    scenario.broadcasts = 60;
    scenario.small_bytes = scenario.most_bytes = 400;  // a fragment
    scenario.faults.lost = 0.5;
    Job job(scenario, 4);
    ASSERT_TRUE(job.run());
    EXPECT_NEAR(job.totals.rounds, 1.0, 0.15);
}

/// Without loss the chain of a larger message carries two short messages for each rank and no fragment.
TEST(MulticastEngine, ServesOnlyWhatIsMissing) {
    Scenario scenario;
    scenario.ranks = 10;
    scenario.broadcasts = 1;
    scenario.root_wait = RootWait::none;
    for (unsigned seed = 1; seed < 20; ++seed) {
        Job job(scenario, seed);
        ASSERT_TRUE(job.run());
        EXPECT_LE(job.network().messages, 2 * (scenario.ranks - 1));
    }
}

TEST(MulticastEngine, AwaitsEveryRankEquallyOften) {
    constexpr int last = 7;
    std::vector<int> times(last + 1, 0);
    for (std::uint64_t broadcast = 1; broadcast <= 7000; ++broadcast) {
        ++times.at(static_cast<std::size_t>(awaited_position(99, broadcast, last)));
    }
    EXPECT_EQ(times[0], 0) << "the root waits for another";
    for (int position = 1; position <= last; ++position) {
        EXPECT_NEAR(times[static_cast<std::size_t>(position)], 1000, 150);
    }
    EXPECT_EQ(awaited_position(1, 2, 1), 1);
}

}  // namespace
}  // namespace bcast
