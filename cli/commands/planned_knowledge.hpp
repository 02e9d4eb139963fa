// What a tuning knows beforehand, from the plan and from prices.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/price/price.hpp"
#include "tuner/search/lower_bound.hpp"
#include "tuner/search/tuner.hpp"

namespace bcastgen {

/// By algorithm and machine count, each planned once. None where an algorithm goes down no trees.
class PlannedBounds {
  public:
    PlannedBounds(const Network& network, const TuneRequest& request) : network_(network), request_(request) {}

    std::optional<TreeBound> of(const std::string& algorithm, int count);

  private:
    [[nodiscard]] std::optional<TreeBound> planned(const std::string& name, int count) const;

    const Network& network_;
    const TuneRequest& request_;
    std::map<std::pair<std::string, int>, std::optional<TreeBound>> known_;
};

/// The choice of the table that is predicted from the topology, whose rows are for any number of ranks.
[[nodiscard]] MeasureCase predicted_choice(const DecisionTable& table, int machines, std::size_t message_bytes);

/// The same table's rules for larger messages, of which the first may begin below.
[[nodiscard]] std::vector<MessageRule> predicted_above(const DecisionTable& table, int machines,
                                                       std::size_t message_bytes);

/// Prices among the machines that so many ranks are put on first.
class CasePrices {
  public:
    CasePrices(const Network& network, const TuneRequest& request, MessageCosts costs);

    /// Microseconds, by a rule for messages above so many bytes. None where there is no price, or where it would take
    /// longer to work out than a budget of minutes allows: of many machines, of rings in very fine segments, and of
    /// what meets on trunks in every round.
    std::optional<double> of_us(int count, const MeasureCase& one, RuleBegin above);

    /// MayJoin for the rules of so many machines; where there are no prices all may.
    bool may_join(int count, const MessageRule& rule, std::size_t own_above, std::size_t above);

  private:
    Prices& among(int count);
    [[nodiscard]] bool has_price(int count, const MeasureCase& one) const;

    const Network& network_;
    const TuneRequest& request_;
    MessageCosts costs_;
    bool carries_all_;
    std::map<int, std::unique_ptr<Prices>> known_;
};

}  // namespace bcastgen
