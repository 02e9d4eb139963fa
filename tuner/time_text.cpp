#include "tuner/time_text.hpp"

#include <fmt/format.h>

namespace bcastgen {

std::string time_text(double microseconds) {
    const auto digits = [](double value) {
        return fmt::format("{:.{}f}", value, value < 10 ? 2 : value < 100 ? 1 : 0);
    };
    if (microseconds < 999.5) return digits(microseconds) + " us";
    if (microseconds < 999.5e3) return digits(microseconds / 1e3) + " ms";
    return digits(microseconds / 1e6) + " s";
}

}  // namespace bcastgen
