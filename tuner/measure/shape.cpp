#include "tuner/measure/shape.hpp"

#include <algorithm>

#include "bcast/trees/order.hpp"

namespace bcastgen {

Placement near_placement(const Network& network, const std::vector<int>& machines, int root, int count) {
    const bcast::Order order = bcast::depth_first_order(layout_of(network), machines, root);
    std::vector<int> first(order.machines.begin(), order.machines.begin() + count);
    return {"near", in_natural_order(network, first)};
}

Placement spread_placement(const Network& network, const std::vector<int>& machines, int root, int count) {
    std::vector<int> by_name = in_natural_order(network, machines);
    std::rotate(by_name.begin(), std::find(by_name.begin(), by_name.end(), root), by_name.end());
    by_name.resize(static_cast<std::size_t>(count));
    return {"spread", in_natural_order(network, by_name)};
}

std::vector<int> usual_machine_counts(int machines) {
    std::vector<int> counts;
    for (const int count : {2, 3, 5}) {
        if (count < machines) counts.push_back(count);
    }
    for (int count = 8; count < machines; count *= 2) counts.push_back(count);
    counts.push_back(machines);
    return counts;
}

ArrivalPattern arrival_pattern(const std::string& arrival) {
    ArrivalPattern pattern;
    if (arrival == "imbalanced") {
        pattern.kind = ArrivalPattern::Kind::random;
        pattern.most_if = imbalanced_if;
    }
    return pattern;
}

}  // namespace bcastgen
