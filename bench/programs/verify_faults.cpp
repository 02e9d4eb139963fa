// How many faults a verification locates, and how many alarms it gives where there is none: random topologies with one
// fault each, against a max-min fair model with noise (docs/wiring.md).
//
//   verify_faults [TRIALS] [FIRST_SEED] [rates]
//
// rates: round trips tell nothing, and of two streams that fill a trunk one has up to 30 % more, as over TCP.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>
#include <numeric>

#include "bench/programs/numbered_trials.hpp"
#include "tests/tuner/wiring/located.hpp"
#include "tests/tuner/wiring/true_network.hpp"
#include "tuner/wiring/verdict_formats.hpp"
#include "tuner/wiring/verification.hpp"

namespace bcastgen {

namespace {

using testing::Difference;
using testing::Fault;

constexpr int kinds = static_cast<int>(Fault::count);
constexpr const char* fault_names[kinds] = {"slow port", "slow trunk", "machine moved", "machines swapped",
                                            "cable missing"};

struct Case {
    Network described;
    Network there;
    Difference fault;
    std::vector<int> machines;
};

/// 16 to 1024 machines, their number's logarithm uniform.
Case random_case(unsigned seed) {
    std::mt19937 random(seed);
    int count = 16 << (random() % 6);
    count = std::min(1024, count + static_cast<int>(random() % static_cast<unsigned>(count)));
    Case one;
    do {
        one.described = testing::random_wiring(count, random);
        one.there = one.described;
    } while (!testing::break_one(one.there, static_cast<Fault>(seed % kinds), one.fault, random));
    one.machines.resize(static_cast<std::size_t>(count));
    std::iota(one.machines.begin(), one.machines.end(), 0);
    return one;
}

int run(const NumberedTrials& trials, const testing::Noise& noise) {
    int located[kinds] = {};
    int all[kinds] = {};
    int alarms = 0;
    int most_rounds = 0;
    for (unsigned seed = trials.first; seed < trials.first + trials.count; ++seed) {
        const Case one = random_case(seed);
        const auto with = [&](const Network& there, unsigned noise_seed) {
            return verify_network(one.described, one.machines, testing::instrument_of(there, noise, noise_seed), seed);
        };
        const WiringVerdict broken = with(one.there, seed);
        const WiringVerdict whole = with(one.described, seed + 1);
        const bool found = testing::is_located(one.there, one.fault, broken);
        ++all[seed % kinds];
        located[seed % kinds] += found ? 1 : 0;
        if (!found) fmt::print("missed, seed {}: {}\n", seed, verdict_text(one.described, broken));
        if (!whole.findings.empty() || !whole.unclear.empty()) {
            ++alarms;
            fmt::print("alarm, seed {}: {}\n", seed, verdict_text(one.described, whole));
        }
        most_rounds = std::max(most_rounds, broken.rounds);
    }
    for (int kind = 0; kind < kinds; ++kind) {
        fmt::print("{:17} {} of {}\n", fault_names[kind], located[kind], all[kind]);
    }
    fmt::print("located {} of {}, {} alarms in {} clean runs, {} rounds at most\n",
               std::accumulate(std::begin(located), std::end(located), 0), trials.count, alarms, trials.count,
               most_rounds);
    return 0;
}

}  // namespace

}  // namespace bcastgen

int main(int argc, char** argv) {
    const bool rates = argc > 3 && std::strcmp(argv[3], "rates") == 0;
    const bcastgen::testing::Noise noise = rates ? bcastgen::testing::rates_alone() : bcastgen::testing::Noise();
    return bcastgen::run(bcastgen::NumberedTrials(argc, argv, 200), noise);
}
