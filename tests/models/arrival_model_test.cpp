#include "arrival_model.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace bcastgen {
namespace {

using Broadcast = ModelledBroadcast;

constexpr double message_s = 2;  // T; not 1, so that a forgotten factor shows
constexpr double tiny = 1e-9;
constexpr SendModel models[] = {SendModel::blocking, SendModel::non_blocking};

PerNodeTime time_of(Broadcast broadcast, SendModel model, const ArrivalTimes& arrivals, int parts = 16) {
    return per_node_time(arrivals, exit_times(broadcast, model, arrivals, message_s, parts));
}

/// At least so many times the optimum: against Lemma 1's upper bound of it.
double ratio_at_least(Broadcast broadcast, SendModel model, const ArrivalTimes& arrivals) {
    return time_of(broadcast, model, arrivals).average_s / optimum_at_most_s(model, arrivals, message_s);
}

/// At most so many times the optimum: against Lemma 2's lower bound of it.
double ratio_at_most(Broadcast broadcast, SendModel model, const ArrivalTimes& arrivals, int parts = 16) {
    return time_of(broadcast, model, arrivals, parts).average_s / optimum_at_least_s(model, arrivals, message_s);
}

/// Patterns that proofs and benchmarks use, and others: ranks together, just after a multiple of T (just missing a
/// round), spread over less or much more than T, late by very much.
ArrivalTimes any_pattern() {
    const int others = *rc::gen::inRange(1, 40);
    const double spread = *rc::gen::element(0.0, 0.5, 3.0, 40.0, 1000.0);
    ArrivalTimes arrivals{*rc::gen::element(0.0, 7.0)};
    for (int i = 0; i < others; ++i) {
        const double fraction = *rc::gen::inRange(0, 1000) / 1000.0;
        const double uniform = arrivals[0] + fraction * spread * message_s;
        const double just_missing = arrivals[0] + std::floor(fraction * 20) * message_s + tiny;
        arrivals.push_back(*rc::gen::element(uniform, just_missing, arrivals.back(), arrivals.back() + message_s / 16,
                                             arrivals[0], arrivals[0] + tiny, arrivals[0] + spread * message_s));
        arrivals.back() = std::max(arrivals.back(), arrivals[0]);
    }
    return arrivals;
}

RC_GTEST_PROP(ArrivalModel, NobodyLeavesEarlierThanPossible, ()) {
    const ArrivalTimes arrivals = any_pattern();
    for (const SendModel model : models) {
        for (const Broadcast broadcast :
             {Broadcast::nearopt, Broadcast::flat, Broadcast::binomial, Broadcast::linear, Broadcast::scatter_allgather,
              Broadcast::arrival_b, Broadcast::arrival_nb, Broadcast::arrival_live}) {
            const std::vector<double> exits = exit_times(broadcast, model, arrivals, message_s);
            for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
                RC_ASSERT(exits[rank] >= std::max(arrivals[rank], arrivals[0] + message_s - tiny));
                const bool waits = model == SendModel::blocking && rank > 0;
                RC_ASSERT(!waits || exits[rank] >= arrivals[rank] + message_s - tiny);
            }
            RC_ASSERT(time_of(broadcast, model, arrivals).average_s >=
                      optimum_at_least_s(model, arrivals, message_s) - tiny);
        }
    }
}

// Lemma 1: nearopt takes exactly delta/n + T, and T in the non-blocking model, where the paper counts the last rank's
// exit as if it sent, too, and the message as if it never came before its receiver.
RC_GTEST_PROP(ArrivalModel, NearoptTakesWhatLemma1Says, ()) {
    const ArrivalTimes arrivals = any_pattern();
    RC_ASSERT(std::abs(time_of(Broadcast::nearopt, SendModel::blocking, arrivals).average_s -
                       optimum_at_most_s(SendModel::blocking, arrivals, message_s)) < 1e-6);
    RC_ASSERT(time_of(Broadcast::nearopt, SendModel::non_blocking, arrivals).average_s <=
              optimum_at_most_s(SendModel::non_blocking, arrivals, message_s) + tiny);
}

// Theorem 1: balanced arrivals are flat's worst; (n-1)T + sum of iT among n ranks, in both models.
TEST(ArrivalModel, Theorem1FlatTakesLinearlyManyTimesTheOptimum) {
    for (const std::size_t ranks : {2U, 3U, 16U, 128U}) {
        const ArrivalTimes arrivals(ranks, 0.0);
        const auto n = static_cast<double>(ranks);
        for (const SendModel model : models) {
            EXPECT_NEAR(time_of(Broadcast::flat, model, arrivals).average_s, (n - 1 + n * (n - 1) / 2) * message_s / n,
                        tiny);
            EXPECT_GE(ratio_at_least(Broadcast::flat, model, arrivals), (n - 1) / 2);
        }
    }
}

// Theorem 2: the root's children come late. The blocking ratio grows with n, the other with the lateness.
TEST(ArrivalModel, Theorem2BinomialWaitsForTheRootsChildren) {
    for (const std::size_t ranks : {16U, 128U, 1024U}) {
        const auto n = static_cast<double>(ranks);
        for (const double late : {n, 100 * n}) {  // times T
            ArrivalTimes arrivals(ranks, 0.0);
            for (std::size_t child = 1; child < ranks; child *= 2) arrivals[child] = late * message_s;
            EXPECT_GE(ratio_at_least(Broadcast::binomial, SendModel::blocking, arrivals), n / 4);
            EXPECT_GE(ratio_at_least(Broadcast::binomial, SendModel::non_blocking, arrivals), late / n);
        }
    }
}

// Theorems 3 and 4: one rank comes late.
TEST(ArrivalModel, Theorems3And4LinearAndScatterAllgatherWaitForOneRank) {
    for (const std::size_t ranks : {4U, 16U, 128U}) {
        const auto n = static_cast<double>(ranks);
        for (const double late : {n, 100 * n}) {
            ArrivalTimes arrivals(ranks, 0.0);
            arrivals[1] = late * message_s;
            for (const Broadcast broadcast : {Broadcast::linear, Broadcast::scatter_allgather}) {
                EXPECT_GE(ratio_at_least(broadcast, SendModel::blocking, arrivals), n / 4);
            }
            EXPECT_GE(ratio_at_least(Broadcast::linear, SendModel::non_blocking, arrivals), late / n);
            EXPECT_GE(ratio_at_least(Broadcast::scatter_allgather, SendModel::non_blocking, arrivals), late / 2);
        }
    }
}

// Theorem 5, over random and adversarial patterns.
RC_GTEST_PROP(ArrivalModel, Theorem5ArrivalNbTakesAtMostThreeTimesTheOptimum, ()) {
    RC_ASSERT(ratio_at_most(Broadcast::arrival_nb, SendModel::non_blocking, any_pattern()) <= 3 + tiny);
}

// Theorem 6.
RC_GTEST_PROP(ArrivalModel, Theorem6ArrivalBTakesAtMostThreeTimesTheOptimum, ()) {
    RC_ASSERT(ratio_at_most(Broadcast::arrival_b, SendModel::blocking, any_pattern()) <= 3 + tiny);
}

// docs/arrival.md: n / (n - 1) + 1 / parts, and 2 for two ranks.
RC_GTEST_PROP(ArrivalModel, ArrivalLiveTakesAtMostTwiceTheOptimum, ()) {
    const ArrivalTimes arrivals = any_pattern();
    const int parts = *rc::gen::inRange(2, 17);
    const double ratio = ratio_at_most(Broadcast::arrival_live, SendModel::blocking, arrivals, parts);
    const auto n = static_cast<double>(arrivals.size());
    RC_ASSERT(ratio <= 2 + tiny);
    RC_ASSERT(arrivals.size() < 3 || ratio <= n / (n - 1) + 1.0 / parts + tiny);
    for (const SendModel model : models) {  // and nobody who comes waits longer than for one part
        const std::vector<double> exits = exit_times(Broadcast::arrival_live, model, arrivals, message_s, parts);
        for (std::size_t rank = 1; rank < arrivals.size(); ++rank) {
            RC_ASSERT(exits[rank] <= arrivals[rank] + message_s * (1 + 1.0 / parts) + tiny);
        }
    }
}

// What the root loses by gathering before it begins is within the same bounds, given four parts.
RC_GTEST_PROP(ArrivalModel, GatheringKeepsTheBounds, ()) {
    const ArrivalTimes arrivals = any_pattern();
    const int parts = *rc::gen::inRange(4, 17);
    const auto ratio = [&](Broadcast broadcast, SendModel model) {
        const std::vector<double> exits = exit_times(broadcast, model, arrivals, message_s, parts, Beginning::gathered);
        return per_node_time(arrivals, exits).average_s / optimum_at_least_s(model, arrivals, message_s);
    };
    RC_ASSERT(ratio(Broadcast::arrival_b, SendModel::blocking) <= 3 + tiny);
    RC_ASSERT(ratio(Broadcast::arrival_nb, SendModel::non_blocking) <= 3 + tiny);
    const double live = ratio(Broadcast::arrival_live, SendModel::blocking);
    const auto n = static_cast<double>(arrivals.size());
    RC_ASSERT(live <= 2 + tiny);
    RC_ASSERT(arrivals.size() < 3 || live <= n / (n - 1) * (1 + 1.0 / 8) + 1.0 / parts + tiny);
}

// Two come a sixteenth of T after each other, a third much later: the root waits for the second, and T/16 in vain.
TEST(ArrivalModel, GathersWhoComesTogether) {
    const ArrivalTimes arrivals{0, 0, message_s / 16, 9 * message_s};
    const std::vector<double> exits =
        exit_times(Broadcast::arrival_b, SendModel::blocking, arrivals, message_s, 1, Beginning::gathered);
    EXPECT_DOUBLE_EQ(exits[1], message_s * (1 + 2.0 / 16));
    EXPECT_DOUBLE_EQ(exits[2], message_s * (1 + 2.0 / 16));
    EXPECT_DOUBLE_EQ(exits[3], message_s * 10);  // nobody else is to come
}

// One comes first and starts a round that all others just miss.
TEST(ArrivalModel, RanksThatJustMissARoundDoNotMissAPart) {
    ArrivalTimes arrivals(128, tiny);
    arrivals[0] = arrivals[1] = 0;
    EXPECT_GT(ratio_at_most(Broadcast::arrival_b, SendModel::blocking, arrivals), 1.99);
    EXPECT_LT(ratio_at_most(Broadcast::arrival_live, SendModel::blocking, arrivals), 1.08);
    // Every round is missed by a few: the worst for rounds.
    for (std::size_t rank = 2; rank < arrivals.size(); ++rank) {
        const std::size_t pair = rank / 2 - 1;
        arrivals[rank] = static_cast<double>(pair) * message_s + tiny;
    }
    EXPECT_GT(ratio_at_most(Broadcast::arrival_b, SendModel::blocking, arrivals), 1.66);
}

TEST(ArrivalModel, RefusesWhatIsNoPattern) {
    EXPECT_THROW((void)exit_times(Broadcast::flat, SendModel::blocking, {0}, 1), std::invalid_argument);
    EXPECT_THROW((void)exit_times(Broadcast::flat, SendModel::blocking, {1, 0}, 1), std::invalid_argument);
    EXPECT_THROW((void)exit_times(Broadcast::flat, SendModel::blocking, {0, 0}, 0), std::invalid_argument);
}

}  // namespace
}  // namespace bcastgen
