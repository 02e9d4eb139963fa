#include "tuner/wiring/usual_speed.hpp"

#include <cmath>

namespace bcastgen {

namespace {

constexpr double usual_digits[] = {1, 2, 2.5, 4, 5, 8, 10};
constexpr double near_enough = 0.05;

}  // namespace

double usual_speed_Bps(double measured_Bps) {
    const double measured_bps = 8 * measured_Bps;
    const double power = std::pow(10, std::floor(std::log10(measured_bps)));
    double best = std::round(10 * measured_bps / power) / 10;
    double best_off = near_enough;
    for (const double digits : usual_digits) {
        const double off = std::abs(measured_bps / power / digits - 1);
        if (off > best_off) continue;
        best_off = off;
        best = digits;
    }
    return best * power / 8;
}

}  // namespace bcastgen
