// Events come out as from a heap of all of them.
#include "planner/price/event_queue.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <queue>
#include <random>
#include <vector>

namespace bcastgen {
namespace {

struct Timed {
    double time_s;
    std::uint32_t number;
};

struct ComesLater {
    bool operator()(const Timed& a, const Timed& b) const {
        return a.time_s != b.time_s ? a.time_s > b.time_s : a.number > b.number;
    }
};

RC_GTEST_PROP(EventQueue, GivesEventsInTheSequenceOfTheirTimes, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    const auto buckets = *rc::gen::element<std::size_t>(1, 16, 1000);
    const auto at_once = *rc::gen::element<std::uint32_t>(1, 20, 3000);
    const double ahead_s = *rc::gen::element(0.01, 1.0, 50.0);
    EventQueue<Timed, ComesLater> queue(1.0, buckets);
    std::priority_queue<Timed, std::vector<Timed>, ComesLater> heap;
    std::uniform_real_distribution<double> wait_s(0, ahead_s);
    std::uint32_t noted = 0;
    const auto note = [&](double time_s) {
        queue.push({time_s, noted});
        heap.push({time_s, noted++});
    };
    while (noted < at_once) note(wait_s(random));
    for (std::uint32_t taken = 0; !heap.empty(); ++taken) {
        RC_ASSERT(!queue.empty());
        const Timed found = queue.top();
        RC_ASSERT(found.number == heap.top().number);
        queue.pop();
        heap.pop();
        // Some follow at the same moment, some far away.
        for (auto more = random() % 3; more > 0 && noted < 3 * at_once; --more) {
            note(found.time_s + (random() % 4 == 0 ? 0 : wait_s(random)));
        }
    }
    RC_ASSERT(queue.empty());
}

}  // namespace
}  // namespace bcastgen
