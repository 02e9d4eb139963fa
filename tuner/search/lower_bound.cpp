#include "tuner/search/lower_bound.hpp"

#include <algorithm>

namespace bcastgen {

double lower_bound_us(const TreeBound& tree, const WireSpeed& wire, const MeasureCase& one) {
    const auto passing_s = [&](double bytes) { return std::max(0.0, bytes - wire.burst_bytes) / wire.bandwidth_Bps; };
    const auto message = static_cast<double>(one.message_bytes);
    // With several trees the last byte of a part is somebody's last byte, whenever the others' are sent.
    const double part = std::max(1.0, message * tree.share);
    const double segment = one.segment_bytes == 0 ? part : std::min(part, static_cast<double>(one.segment_bytes));
    const double whole_segments = static_cast<double>(static_cast<long long>(part / segment));
    const double rest = part - whole_segments * segment;
    const double last = rest > 0 ? rest : segment;
    const double hops = std::max(0, tree.height - 1);
    const double by_load_s = passing_s(message * tree.stage);
    const double by_last_s = passing_s(part) + hops * passing_s(last);
    const double by_whole_s = passing_s(part - rest) + hops * passing_s(segment);
    return 1e6 * std::max({by_load_s, by_last_s, by_whole_s});
}

}  // namespace bcastgen
