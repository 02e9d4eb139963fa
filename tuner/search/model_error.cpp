#include "tuner/search/model_error.hpp"

#include <algorithm>

namespace bcastgen {

void ModelError::add(const std::string& algorithm, double predicted_us, double measured_us) {
    if (predicted_us <= 0 || measured_us <= 0) return;
    const double error = measured_us / predicted_us;
    Errors& own = errors_[algorithm];
    own.least = own.seen == 0 ? error : std::min(own.least, error);
    own.largest = std::max(own.largest, error);
    ++own.seen;
}

void ModelError::add_choice(const std::string& algorithm, double chosen_us, double native_us) {
    if (chosen_us <= 0 || native_us <= 0) return;
    double& worst = worst_choice_[algorithm];
    worst = std::max(worst, chosen_us / native_us);
    ++choices_;
}

bool ModelError::choices_hold(const std::string& algorithm, double margin) const {
    const auto holds = [&](const auto& seen) { return seen.second <= 1 + margin; };
    const auto own = worst_choice_.find(algorithm);
    const bool all = own == worst_choice_.end();
    return choices_ >= enough && (all ? std::all_of(worst_choice_.begin(), worst_choice_.end(), holds) : holds(*own));
}

double ModelError::hardly_less_us(const std::string& algorithm, double predicted_us) const {
    constexpr double margin = 0.1;
    const auto own = errors_.find(algorithm);
    if (own == errors_.end() || own->second.seen < enough) return 0;
    return (1 - margin) * predicted_us * own->second.least;
}

bool ModelError::beats(const Price& one, const Price& other, double margin) const {
    const auto ours = errors_.find(one.algorithm);
    const auto theirs = errors_.find(other.algorithm);
    if (ours == errors_.end() || theirs == errors_.end()) return false;
    if (ours->second.seen < enough || theirs->second.seen < enough) return false;
    return one.us * ours->second.largest * (1 + margin) <= other.us * theirs->second.least;
}

}  // namespace bcastgen
