// A broadcast in segments over a network, gone through transfer by transfer: what each hop's segments after the first
// take. Knows nothing of how lateness is explained (tuner/lateness/late_segments.hpp).
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "planner/network/paths.hpp"
#include "planner/plan/plan.hpp"
#include "tuner/lateness/late_segments.hpp"
#include "tuner/wiring/fair_rates.hpp"

namespace bcastgen::testing {

/// A hop sends its next segment when it has it and the one before is there; those under way share links fairly.
class SegmentStream {
  public:
    SegmentStream(const Network& network, const Plan& plan, double message_bytes, int segments)
        : capacities_(described_capacities(network)), segments_(segments) {
        const Paths paths(network);
        for (std::size_t tree = 0; tree < plan.trees.size(); ++tree) {
            const double bytes = plan.trees[tree].share * message_bytes;
            for (const auto& [from, to] : machine_edges(plan.order, plan.trees[tree].tree)) {
                hops_.push_back({from, to, static_cast<int>(tree), bytes * (segments - 1) / segments, 0});
                paths_.push_back(paths.between(from, to));
                left_.push_back(bytes / segments);
            }
        }
        for (const SegmentHop& hop : hops_) {
            const auto above = std::find_if(hops_.begin(), hops_.end(), [&](const SegmentHop& one) {
                return one.tree == hop.tree && one.to == hop.from;
            });
            above_.push_back(above == hops_.end() ? -1 : static_cast<int>(above - hops_.begin()));
        }
        arrived_.assign(hops_.size(), 0);
        first_s_.assign(hops_.size(), 0);
    }

    std::vector<SegmentHop> run() {
        const std::vector<double> whole = left_;
        for (double now_s = 0;;) {
            std::vector<std::size_t> sending;
            std::vector<std::vector<LinkId>> ways;
            for (std::size_t h = 0; h < hops_.size(); ++h) {
                if (arrived_[h] == segments_ || arrived_[h] >= here(h)) continue;
                sending.push_back(h);
                ways.push_back(paths_[h]);
            }
            if (sending.empty()) return hops_;
            const std::vector<double> rates_Bps = fair_rates(capacities_, ways);
            double step_s = std::numeric_limits<double>::infinity();
            for (std::size_t i = 0; i < sending.size(); ++i)
                step_s = std::min(step_s, left_[sending[i]] / rates_Bps[i]);
            now_s += step_s;
            for (std::size_t i = 0; i < sending.size(); ++i) {
                const std::size_t h = sending[i];
                left_[h] -= step_s * rates_Bps[i];
                if (left_[h] > 1e-6 * whole[h]) continue;
                left_[h] = whole[h];
                if (++arrived_[h] == 1) first_s_[h] = now_s;
                hops_[h].seconds = now_s - first_s_[h];
            }
        }
    }

  private:
    /// Segments that the sender of a hop has.
    [[nodiscard]] int here(std::size_t h) const {
        return above_[h] < 0 ? segments_ : arrived_[static_cast<std::size_t>(above_[h])];
    }

    Capacities capacities_;
    int segments_;
    std::vector<SegmentHop> hops_;
    std::vector<std::vector<LinkId>> paths_;
    std::vector<int> above_;    // the hop that feeds each, -1: the root does
    std::vector<double> left_;  // of the segment that comes next
    std::vector<int> arrived_;
    std::vector<double> first_s_;
};

}  // namespace bcastgen::testing
