#include "tuner/measure/savings.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "planner/decision/prediction.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/price/price.hpp"
#include "planner/price/wires.hpp"
#include "tuner/measure/shape.hpp"

namespace bcastgen {

namespace {

constexpr double price_error = 0.1;  // docs/predictions.md: so far off are hardly any
constexpr int most_saving_machines = 512;

/// Prices among the machines of one placement, made when they are asked for.
class PlacedPrices {
  public:
    explicit PlacedPrices(const Network& network) : network_(network), all_(network.machines.size()) {
        std::iota(all_.begin(), all_.end(), 0);
    }

    Prices& among(int count, bool spread) {
        std::unique_ptr<Prices>& prices = known_[{count, spread}];
        if (!prices) {
            const Placement placement = spread ? spread_placement(network_, all_, all_.front(), count)
                                               : near_placement(network_, all_, all_.front(), count);
            prices = std::make_unique<Prices>(network_, placement.machines, all_.front(), message_costs(network_));
        }
        return *prices;
    }

  private:
    const Network& network_;
    std::vector<int> all_;
    std::map<std::pair<int, bool>, std::unique_ptr<Prices>> known_;
};

/// Of the cell's native broadcasts, by the prices of one placement.
Saving priced(const WorkloadCell& cell, const bcast::Choice& choice, Prices& prices) {
    Saving saving{cell, 1e6 * prices.native_s(cell.message_bytes), 0, {}};
    saving.chosen_us = saving.native_us;
    if (bcast::is_native(choice.algorithm) || !Prices::has_price(choice.algorithm)) return saving;
    saving.chosen_us =
        1e6 * prices.quick_s(choice.algorithm, cell.message_bytes, choice.segment_bytes, choice.above_bytes);
    const double scale = 1e-6 * cell.native_broadcasts;
    const double native = saving.native_us;
    const double chosen = saving.chosen_us;
    saving.saved = {scale * (native - chosen), scale * ((1 - price_error) * native - (1 + price_error) * chosen),
                    scale * ((1 + price_error) * native - (1 - price_error) * chosen)};
    return saving;
}

}  // namespace

Seconds sum_of(const std::vector<Saving>& savings) {
    Seconds sum;
    for (const Saving& saving : savings) {
        sum.likely += saving.saved.likely;
        sum.low += saving.saved.low;
        sum.high += saving.saved.high;
    }
    return sum;
}

std::vector<Saving> predicted_savings(const Network& network, const Workload& workload) {
    const DecisionTable table = default_table(network, make_site_plan(network));
    const int most = std::min(most_saving_machines, static_cast<int>(network.machines.size()));
    PlacedPrices prices(network);
    std::vector<Saving> savings;
    for (const WorkloadCell& cell : workload.cells) {
        if (cell.machines > most || cell.native_broadcasts <= 0) continue;
        const bcast::Choice choice = bcast::look_up(table.rules, {cell.machines, cell.ranks_per_machine,
                                                                  bcast::Arrival::balanced, cell.message_bytes})
                                         .choice;
        Saving near = priced(cell, choice, prices.among(cell.machines, false));
        const Saving spread = priced(cell, choice, prices.among(cell.machines, true));
        near.native_us = (near.native_us + spread.native_us) / 2;
        near.chosen_us = (near.chosen_us + spread.chosen_us) / 2;
        near.saved = {(near.saved.likely + spread.saved.likely) / 2, std::min(near.saved.low, spread.saved.low),
                      std::max(near.saved.high, spread.saved.high)};
        savings.push_back(near);
    }
    return savings;
}

}  // namespace bcastgen
