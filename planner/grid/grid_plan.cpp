#include "planner/grid/grid_plan.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "base/index.hpp"
#include "planner/plan/load_proof.hpp"

namespace bcastgen {

namespace {

/// The plan for one line of the grid and one root position in it: between its machines, each once, as their leaders
/// carry the message.
Plan plan_of_line(const Network& network, const PlanRequest& like, std::vector<int> machines, int root_position,
                  const Routes* routes) {
    PlanRequest request = like;
    request.root = machines[at(root_position)];
    std::sort(machines.begin(), machines.end());
    machines.erase(std::unique(machines.begin(), machines.end()), machines.end());
    request.machines = std::move(machines);
    return make_plan(network, request, routes);
}

class LoadSums {
  public:
    LoadSums(const Network& network, const GridRequest& request, GridLine line, const Routes* routes)
        : network_(network),
          request_(request),
          line_(line),
          routes_(routes),
          reference_Bps_(reference_bandwidth_Bps(network, request.mapping)) {}

    SharedLoads sums() {
        const int length = length_of(request_.grid, line_);
        sums_.broadcasts = lines_of(request_.grid, line_);
        sums_.loads.assign(at(link_count(network_)), 0);
        sums_.shared_by.assign(at(link_count(network_)), 0);
        if (request_.root_position) {
            add(*request_.root_position % length);
        } else {
            for (int root = 0; root < length; ++root) add(root);
        }
        return sums_;
    }

  private:
    void add(int root_position) {
        std::vector<double> loads(sums_.loads.size(), 0);
        std::vector<int> shared_by(sums_.loads.size(), 0);
        sums_.across_machines = 0;
        for (int number = 0; number < sums_.broadcasts; ++number) {
            const Plan plan =
                plan_of_line(network_, request_.plan, machines_of_line(request_.grid, request_.mapping, line_, number),
                             root_position, routes_);
            if (plan.order.size() > 1) ++sums_.across_machines;
            for (std::size_t link = 0; link < loads.size(); ++link) {
                loads[link] += plan.loads[link];
                shared_by[link] += plan.loads[link] > 0 ? 1 : 0;
            }
            sums_.stage_alone = std::max(sums_.stage_alone, stage_of(plan.loads));
        }
        const double stage = stage_of(loads);
        constexpr double rounding = 1e-9;
        if (stage > sums_.stage * (1 + rounding)) {
            sums_.stage = stage;
            sums_.worst_root = root_position;
        }
        for (std::size_t link = 0; link < loads.size(); ++link) {
            sums_.loads[link] = std::max(sums_.loads[link], loads[link]);
            sums_.shared_by[link] = std::max(sums_.shared_by[link], shared_by[link]);
        }
    }

    /// With one reference for all broadcasts, however fast the ports of one row's machines are.
    [[nodiscard]] double stage_of(const std::vector<double>& loads) const {
        const std::vector<double> stages = link_stages(network_, loads, reference_Bps_);
        return *std::max_element(stages.begin(), stages.end());
    }

    const Network& network_;
    const GridRequest& request_;
    GridLine line_;
    const Routes* routes_;
    double reference_Bps_;
    SharedLoads sums_;
};

}  // namespace

GridPlan plan_grid(const Network& network, const GridRequest& request, const Routes* routes) {
    if (request.mapping.size() != at(request.grid.ranks())) {
        throw std::invalid_argument("the mapping has not as many ranks as the grid");
    }
    return {request, LoadSums(network, request, GridLine::row, routes).sums(),
            LoadSums(network, request, GridLine::column, routes).sums()};
}

}  // namespace bcastgen
