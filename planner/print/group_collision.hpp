// How likely it is that multicast groups which are drawn at random collide.
#pragma once

namespace bcastgen {

/// The probability that of `groups` groups in use at once, each drawn from `addresses` equally likely ones, no two are
/// the same: addresses! / (addresses^groups (addresses - groups)!), as "A practically constant-time MPI broadcast
/// algorithm for large-scale InfiniBand clusters with multicast", section 3.1, has it.
[[nodiscard]] double no_collision_probability(double groups, double addresses);

/// 1 - no_collision_probability(), exact also where it is tiny.
[[nodiscard]] double collision_probability(double groups, double addresses);

}  // namespace bcastgen
