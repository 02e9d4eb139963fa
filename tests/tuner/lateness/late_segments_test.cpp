#include "tuner/lateness/late_segments.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <random>

#include "segment_stream.hpp"
#include "tests/tuner/wiring/true_network.hpp"

namespace bcastgen {
namespace {

using bcast::Algorithm;

constexpr int segments = 16;
constexpr unsigned seeds = 60;

/// What of a job's broadcasts stays the same.
struct LateJob {
    std::vector<PlanRequest> kinds;  // in turn
    int broadcasts = 40;
    int faulty_from = 0;
    std::uint64_t seed = 1;
};

/// Hops are slower or faster than the wire by up to a tenth, each by as much every time; by up to a tenth now and then;
/// and one in thirty is held up.
class LateNoise {
  public:
    explicit LateNoise(std::uint64_t seed) : random_(seed) {}

    void disturb(std::vector<SegmentHop>& hops) {
        for (SegmentHop& hop : hops) {
            std::mt19937_64 own(static_cast<std::uint64_t>(hop.from * 4096 + hop.to * 2 + hop.tree));
            hop.seconds *= 1.1 + 0.1 * either_way(own) + 0.1 * either_way(random_);
            if (random_() % 30 == 0) hop.seconds *= 1 + 2 * (1 + either_way(random_));
        }
    }

  private:
    static double either_way(std::mt19937_64& random) { return std::uniform_real_distribution<double>(-1, 1)(random); }
    std::mt19937_64 random_;
};

std::vector<BroadcastHops> traced(const Network& before, const Network& after, const LateJob& job) {
    LateNoise noise(job.seed);
    std::vector<BroadcastHops> broadcasts;
    std::vector<std::vector<SegmentHop>> usual;
    std::vector<std::vector<SegmentHop>> later;
    for (const PlanRequest& kind : job.kinds) {
        const Plan plan = make_plan(before, kind);
        usual.push_back(testing::SegmentStream(before, plan, 262144, segments).run());
        later.push_back(testing::SegmentStream(after, plan, 262144, segments).run());
    }
    for (int b = 0; b < job.broadcasts; ++b) {
        const std::size_t kind = static_cast<std::size_t>(b) % job.kinds.size();
        BroadcastHops one{std::to_string(static_cast<int>(job.kinds[kind].tree)),
                          b < job.faulty_from ? usual[kind] : later[kind]};
        noise.disturb(one.hops);
        broadcasts.push_back(std::move(one));
    }
    return broadcasts;
}

Network row_of_four() {
    std::vector<int> machine_switch;
    for (int m = 0; m < 16; ++m) machine_switch.push_back(m / 4);
    return testing::make_network(4, {{0, 1}, {1, 2}, {2, 3}}, machine_switch);
}

PlanRequest request(Algorithm algorithm, int root) {
    PlanRequest one = request_of(algorithm);
    one.root = root;
    return one;
}

TEST(LateSegments, NamesAPortThatIsHalvedInTheMiddleOfAJob) {
    const Network before = row_of_four();
    Network after = before;
    after.machines[5].port.bandwidth_Bps /= 2;
    const LateSegments late = late_segments(before, traced(before, after, {{request(Algorithm::two_tree, 0)}, 40, 20}));
    ASSERT_TRUE(late.slow);
    const SlowCable& slow = *late.slow;
    EXPECT_EQ(late.broadcasts, 40);
    EXPECT_EQ(slow.machine, 5);
    EXPECT_NEAR(slow.carries_Bps, 6.25e6, 1e6);
    EXPECT_EQ(slow.first, 20);
    EXPECT_EQ(slow.last, 39);
    EXPECT_GE(slow.broadcasts, 18);
    EXPECT_NEAR(slow.costs_s, 0.021, 0.006);  // of 262144 bytes at half of 12.5 MB/s
}

TEST(LateSegments, NamesATrunkByBroadcastsFromSeveralRoots) {
    const Network before = row_of_four();
    Network after = before;
    after.trunks[1].speed.bandwidth_Bps /= 4;
    LateJob job{{}, 60, 30};
    for (const int root : {0, 3, 7, 9, 14}) job.kinds.push_back(request(Algorithm::binary, root));
    const LateSegments late = late_segments(before, traced(before, after, job));
    ASSERT_TRUE(late.slow);
    EXPECT_EQ(late.slow->trunk, 1);
    EXPECT_TRUE(late.slow->also.empty());
    EXPECT_NEAR(late.slow->carries_Bps, 3.125e6, 0.5e6);
}

// It was there before the job began, and no broadcast shows what it was like without.
TEST(LateSegments, NamesAPortThatHasAlwaysBeenSlow) {
    const Network before = row_of_four();
    Network after = before;
    after.machines[9].port.bandwidth_Bps /= 3;
    const LateSegments late = late_segments(before, traced(before, after, {{request(Algorithm::two_tree, 2)}, 30, 0}));
    ASSERT_TRUE(late.slow);
    EXPECT_EQ(late.slow->machine, 9);
    EXPECT_NEAR(late.slow->carries_Bps, 12.5e6 / 3, 1e6);
}

TEST(LateSegments, SaysWhichCablesItCannotTellApart) {
    // Whatever goes to m2, and on from there, crosses the trunk.
    const Network before = testing::make_network(2, {{0, 1}}, {0, 0, 1});
    Network after = before;
    after.trunks[0].speed.bandwidth_Bps /= 2;
    const LateSegments late = late_segments(before, traced(before, after, {{request(Algorithm::linear, 0)}, 40, 20}));
    ASSERT_TRUE(late.slow);
    std::vector<std::string> names = late.slow->also;
    names.push_back(late.slow->trunk == 0 ? "trunk s0 - s1" : "port of m2 on s1");
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"port of m2 on s1", "trunk s0 - s1"}));
    const std::string text = late_segments_text(before, late);
    EXPECT_NE(text.find("these broadcasts cannot tell"), std::string::npos) << text;
}

TEST(LateSegments, SaysNothingWhereEverythingIsLate) {
    const Network before = row_of_four();
    Network after = before;
    for (Machine& machine : after.machines) machine.port.bandwidth_Bps /= 2;
    for (Trunk& trunk : after.trunks) trunk.speed.bandwidth_Bps /= 2;
    const LateSegments late = late_segments(before, traced(before, after, {{request(Algorithm::two_tree, 0)}, 40, 20}));
    EXPECT_FALSE(late.slow);
    EXPECT_EQ(late_segments_text(before, late),
              "no cable explains what is late in 40 broadcasts whose segments were timed");
    EXPECT_EQ(late_segments_text(before, {}), "");
}

struct LateTrial {
    Network before;
    Network after;
    LateJob job;
    int machine = -1;
    int trunk = -1;
};

/// Random wiring, algorithms and roots; one cable at half or less, from the middle or from the first broadcast on.
LateTrial random_trial(unsigned seed) {
    constexpr Algorithm algorithms[] = {Algorithm::linear, Algorithm::binary, Algorithm::kary3, Algorithm::two_tree};
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    LateTrial trial;
    const int machines = 8 + below(16);
    trial.before = testing::random_wiring(machines, random);
    const int roots = 1 + below(4);
    for (int r = 0; r < roots; ++r) trial.job.kinds.push_back(request(algorithms[below(4)], below(machines)));
    trial.job.faulty_from = below(3) == 0 ? 0 : 20;
    trial.job.seed = seed;
    trial.after = trial.before;
    const double factor = 1.0 / (2 + below(5));
    if (below(2) == 0) {
        trial.machine = below(machines);
        trial.after.machines[static_cast<std::size_t>(trial.machine)].port.bandwidth_Bps *= factor;
    } else {
        trial.trunk = below(static_cast<int>(trial.before.trunks.size()));
        trial.after.trunks[static_cast<std::size_t>(trial.trunk)].speed.bandwidth_Bps *= factor;
    }
    return trial;
}

TEST(LateSegments, NamesNoWrongCableOfRandomNetworks) {
    int named = 0;
    for (unsigned seed = 0; seed < seeds; ++seed) {
        const LateTrial trial = random_trial(seed);
        EXPECT_FALSE(late_segments(trial.before, traced(trial.before, trial.before, trial.job)).slow) << seed;
        const LateSegments late = late_segments(trial.before, traced(trial.before, trial.after, trial.job));
        if (!late.slow) continue;
        const SlowCable& slow = *late.slow;
        const std::string right =
            trial.machine >= 0
                ? "port of m" + std::to_string(trial.machine) + " on "
                : "trunk s" + std::to_string(trial.before.trunks[static_cast<std::size_t>(trial.trunk)].a);
        const bool among = std::any_of(slow.also.begin(), slow.also.end(),
                                       [&](const std::string& one) { return one.rfind(right, 0) == 0; });
        EXPECT_TRUE(among || (slow.machine == trial.machine && slow.trunk == trial.trunk))
            << seed << ": " << late_segments_text(trial.before, late) << " and not " << right;
        ++named;
    }
    EXPECT_GE(named, 30);  // many a cable is not what holds a broadcast up
}

}  // namespace
}  // namespace bcastgen
