#include "planner/print/group_collision.hpp"

#include <cmath>
#include <limits>

namespace bcastgen {

namespace {

/// The logarithm of the probability that nothing collides: the sum of log(1 - i / addresses) for i below `groups`.
double log_no_collision(double groups, double addresses) {
    if (groups > addresses) return -std::numeric_limits<double>::infinity();
    double sum = 0;
    for (double i = 1; i < groups; ++i) sum += std::log1p(-i / addresses);
    return sum;
}

}  // namespace

double no_collision_probability(double groups, double addresses) {
    return std::exp(log_no_collision(groups, addresses));
}

double collision_probability(double groups, double addresses) {
    return -std::expm1(log_no_collision(groups, addresses));
}

}  // namespace bcastgen
