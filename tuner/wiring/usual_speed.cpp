#include "tuner/wiring/usual_speed.hpp"

#include <cmath>

namespace bcastgen {

namespace {

constexpr double usual_digits[] = {1, 2, 2.5, 4, 5, 8, 10};
constexpr double near_enough = 0.05;

constexpr double least_left_by_protocols = 0.85;
constexpr double usually_left = 0.94;
constexpr double just_above = 1.03;  // a rate may be, by chance

}  // namespace

double line_speed_Bps(double rate_Bps) {
    const double rate_bps = 8 * rate_Bps;
    const double power = std::pow(10, std::floor(std::log10(rate_bps)));
    for (const double digits : usual_digits) {
        const double speed_bps = digits * power;
        if (rate_bps <= just_above * speed_bps && rate_bps >= least_left_by_protocols * speed_bps) return speed_bps / 8;
    }
    return usual_speed_Bps(rate_Bps / usually_left);
}

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
