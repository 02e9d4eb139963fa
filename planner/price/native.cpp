#include "planner/price/native.hpp"

#include "bcast/trees/scatter_tree.hpp"
#include "bcast/trees/tree.hpp"
#include "planner/price/step_schedule.hpp"

namespace bcastgen {

namespace {

// MPICH's defaults: MPIR_CVAR_BCAST_SHORT_MSG_SIZE, MPIR_CVAR_BCAST_LONG_MSG_SIZE, MPIR_CVAR_BCAST_MIN_PROCS.
constexpr std::size_t short_bytes = 12288;
constexpr std::size_t long_bytes = 524288;
constexpr int few_ranks = 8;

// Rounds of a ring that are gone through, twice: the difference is what so many further ones take.
constexpr int gone_through = 16;

/// Each send is waited for before the next. The tree is that of the scatter.
double binomial_s(const Wires& wires, Sharing sharing, std::size_t bytes) {
    const bcast::Tree tree = bcast::binomial_scatter(wires.positions());
    return schedule_trees(wires, {{&tree, {bytes, bytes, bytes, 1}, Window()}}, sharing).end_s;
}

/// What has been scattered goes round.
double ring_s(const Wires& wires, Steps steps, std::size_t bytes) {
    const int rounds = wires.positions() - 1;
    if (rounds <= 2 * gone_through) {
        add_ring(steps, bytes, rounds);
        return schedule_steps(wires, steps);
    }
    Steps longer = steps;
    add_ring(steps, bytes, gone_through);
    add_ring(longer, bytes, 2 * gone_through);
    const double some_s = schedule_steps(wires, steps);
    const double more_s = schedule_steps(wires, longer);
    return more_s + (more_s - some_s) / gone_through * (rounds - 2 * gone_through);
}

}  // namespace

double native_broadcast_s(const Wires& wires, Sharing sharing, std::size_t bytes) {
    const int ranks = wires.positions();
    if (ranks < 2) return 0;
    if (bytes < short_bytes || ranks < few_ranks) return binomial_s(wires, sharing, bytes);
    Steps steps = scatter_steps(bcast::binomial_scatter(ranks), bytes);
    const bool power_of_two = (ranks & (ranks - 1)) == 0;
    if (bytes >= long_bytes || !power_of_two) return ring_s(wires, std::move(steps), bytes);
    add_doubling(steps, bytes);
    return schedule_steps(wires, steps);
}

}  // namespace bcastgen
