// When broadcasts end in which every machine goes through steps: a send, a receive, or both at a time. Scatters, rings
// and exchanges are such, those of other MPIs too.
#pragma once

#include <cstddef>
#include <vector>

#include "bcast/trees/tree.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

/// What a machine does next: both parts begin together, and the step is over with the later one. Machines are positions
/// of an order; -1: there is no such part.
struct Exchange {
    int to = -1;
    std::size_t send_bytes = 0;
    int from = -1;
    std::size_t receive_bytes = 0;
};

/// By position: its steps. What one sends, the other has a step for, in the same sequence.
using Steps = std::vector<std::vector<Exchange>>;

/// When the last step is over, seconds after the first begins. A message goes once both ends have come to it; on links
/// it is as in shared_links.hpp.
[[nodiscard]] double schedule_steps(const Wires& wires, const Steps& steps);

/// A scatter in equal blocks down a tree in which everyone holds a row of them
/// (templates/bcast/trees/scatter_tree.hpp).
[[nodiscard]] Steps scatter_steps(const bcast::Tree& scatter, std::size_t bytes);

/// The first `rounds` rounds of a ring in which everyone hands on the block that came last.
void add_ring(Steps& steps, std::size_t bytes, int rounds);

/// Pairs exchange all they have, at distances 1, 2, 4 ...; for a power of two of machines.
void add_doubling(Steps& steps, std::size_t bytes);

}  // namespace bcastgen
