// Why a broadcast goes the way it goes: what the decision table says of it, the plan, and how long it should take.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"
#include "planner/price/price.hpp"

namespace bcastgen {

/// A broadcast that someone asks about.
struct AskedBroadcast {
    PlanRequest plan;  ///< root and machines; its tree is the decision table's to say
    std::size_t bytes = 0;
    int ranks_per_machine = 1;
    bcast::Arrival arrival = bcast::Arrival::balanced;
};

/// What a broadcast takes by an algorithm in a simulation.
struct Simulated {
    bcast::Choice choice;
    double time_s = 0;
};

struct Explanation {
    AskedBroadcast asked;              ///< all machines named
    bcast::Answer<Rule> answer;        ///< points into the table that was asked
    double once_s = 0;                 ///< T(m), predicted
    double floor_s = 0;                ///< no broadcast can be quicker (price/floor.hpp)
    std::optional<Price> predicted;    ///< of the choice; none: there is no schedule to price
    std::vector<Price> others;         ///< of other algorithms, at their best segment sizes, by time
    std::optional<Plan> plan;          ///< of the choice; none if it has no tree
    std::vector<Simulated> simulated;  ///< beside the prices of some, if that was asked for
    std::string simulated_network;     ///< the model of their simulation (docs/clusters-simulated.md)

    /// Left to the MPI's own broadcast although no rule says so, or within one machine. There are no times and no plan.
    [[nodiscard]] bool needs_no_plan() const { return others.empty(); }
    /// Seconds that it takes in simulation; none: it was not simulated.
    [[nodiscard]] std::optional<double> simulated_s(const bcast::Choice& choice) const;
};

/// What the table says of a broadcast whose machines are all named. It points into the table.
[[nodiscard]] bcast::Answer<Rule> answer_to(const Network& network, const DecisionTable& table,
                                            const AskedBroadcast& asked);

/// The same with plan, and with prices by what messages cost. `table` must outlive what is returned. Throws as
/// make_plan does.
[[nodiscard]] Explanation explain(const Network& network, const DecisionTable& table, const AskedBroadcast& asked,
                                  const MessageCosts& costs);

}  // namespace bcastgen
