#include "tuner/search/model_error.hpp"

#include <algorithm>

#include "tuner/program/measured.hpp"

namespace bcastgen {

void ModelError::add(const std::string& algorithm, double predicted_us, double measured_us) {
    if (predicted_us <= 0 || measured_us <= 0) return;
    const double error = measured_us / predicted_us;
    Errors& own = errors_[algorithm];
    own.least = own.seen == 0 ? error : std::min(own.least, error);
    own.largest = std::max(own.largest, error);
    ++own.seen;
}

double ModelError::hardly_less_us(const std::string& algorithm, double predicted_us) const {
    constexpr double margin = 0.1;
    const auto own = errors_.find(algorithm);
    if (own == errors_.end() || own->second.seen < enough) return 0;
    return (1 - margin) * predicted_us * own->second.least;
}

bool ModelError::wins(const std::string& algorithm, double predicted_us, double predicted_native_us,
                      double margin) const {
    const auto ours = errors_.find(algorithm);
    const auto native = errors_.find(measured::native);
    if (ours == errors_.end() || native == errors_.end()) return false;
    if (ours->second.seen < enough || native->second.seen < enough) return false;
    return predicted_us * ours->second.largest * (1 + margin) <= predicted_native_us * native->second.least;
}

}  // namespace bcastgen
