// What a few measurements of a time tell, without assumptions on their distribution.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace bcastgen {

/// A median, and bounds between which the true one lies with the confidence asked for.
struct Estimate {
    std::size_t samples = 0;
    double median = 0;
    double low = 0;  ///< 0 and infinity while there are too few samples to say
    double high = std::numeric_limits<double>::infinity();
};

/// The middle value, or the mean of the middle two. 0 if there are none.
[[nodiscard]] double median(std::vector<double> values);

/// Bounds are order statistics: of n sorted values the k-th and the (n + 1 - k)-th hold the median between them with
/// probability P(k <= B <= n - k), B being binomial with n tosses of a fair coin. The largest k that reaches
/// `confidence` is taken; 0.95 takes six values at least. No value is left out.
[[nodiscard]] Estimate estimate(const std::vector<double>& values, double confidence = 0.95);

/// For something that repeats exactly: the bounds are the value itself.
[[nodiscard]] Estimate exact_estimate(const std::vector<double>& values);

/// Half the width of the bounds, relative to the median; infinity while there are none.
[[nodiscard]] double relative_half_width(const Estimate& estimate);

}  // namespace bcastgen
