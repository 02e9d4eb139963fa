#include "tuner/measure/statistics.hpp"

#include <algorithm>
#include <cmath>

namespace bcastgen {

namespace {

/// The largest k of estimate(), 0 if even the extremes do not reach the confidence.
std::size_t rank_of_bound(std::size_t n, double confidence) {
    // P(B < k) for growing k; both tails together may hold 1 - confidence. Logarithms: 2^-n is not a double for large
    // n.
    const auto tosses = static_cast<double>(n);
    double tail = 0;
    std::size_t k = 0;
    while (2 * (k + 1) <= n) {
        const auto heads = static_cast<double>(k);
        tail += std::exp(std::lgamma(tosses + 1) - std::lgamma(heads + 1) - std::lgamma(tosses - heads + 1) -
                         tosses * std::log(2.0));
        if (2 * tail > 1 - confidence) break;
        ++k;
    }
    return k;
}

}  // namespace

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

Estimate estimate(const std::vector<double>& values, double confidence) {
    Estimate result;
    result.samples = values.size();
    result.median = median(values);
    const std::size_t k = rank_of_bound(values.size(), confidence);
    if (k == 0) return result;
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    result.low = sorted[k - 1];
    result.high = sorted[sorted.size() - k];
    return result;
}

Estimate exact_estimate(const std::vector<double>& values) {
    Estimate result;
    result.samples = values.size();
    if (values.empty()) return result;
    result.median = result.low = result.high = median(values);
    return result;
}

double relative_half_width(const Estimate& estimate) {
    if (!std::isfinite(estimate.high) || estimate.median <= 0) return std::numeric_limits<double>::infinity();
    return (estimate.high - estimate.low) / 2 / estimate.median;
}

}  // namespace bcastgen
