// How likely it is that multicast groups collide which are drawn at random.
#pragma once

namespace bcastgen {

/// The probability that of `groups` groups in use at once, each drawn from `addresses` equally likely ones, no two are
/// the same: addresses! / (addresses^groups (addresses - groups)!), as in "A practically constant-time MPI broadcast
/// algorithm for large-scale InfiniBand clusters with multicast", section 3.1.
[[nodiscard]] double no_collision_probability(double groups, double addresses);

/// 1 - no_collision_probability(), exact even where it is tiny.
[[nodiscard]] double collision_probability(double groups, double addresses);

}  // namespace bcastgen
