#include "planner/network/software.hpp"

namespace bcastgen {

namespace {

constexpr double copy_bandwidth_Bps = 80e9 / 8;
constexpr double copy_latency_s = 0.4e-6;

}  // namespace

Software usual_software(double port_bandwidth_Bps) {
    if (port_bandwidth_Bps <= gigabit_Bps) return {5e-6, 0, 0, copy_bandwidth_Bps, copy_latency_s};
    if (port_bandwidth_Bps <= fastest_tcp_Bps) return {5e-6, 4e-6, 0.1e-9, copy_bandwidth_Bps, copy_latency_s};
    return {0.4e-6, 0.4e-6, 0, copy_bandwidth_Bps, copy_latency_s};
}

}  // namespace bcastgen
