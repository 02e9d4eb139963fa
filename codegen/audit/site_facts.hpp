// The facts of a site in its library: what they should be, and what they are.
#pragma once

#include "codegen/audit/expectation.hpp"
#include "codegen/audit/fact.hpp"
#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/site_plan.hpp"

namespace bcastgen {

/// The fields of bcast::Site, in its order (templates/bcast/facts/site.hpp).
struct SiteField {
    enum Index : std::size_t {
        name,
        plan_hash,
        tuning_hash,
        machine_names,
        machine_switch,
        switches,
        switch_links,
        baked_sets,
        rules,
        link_speeds,
        port_speed,
        multicast_groups,
        multicast_interface,
        sends,
        more_send_ns,
        more_receive_ns,
        count
    };
};

/// A list of this many entries.
[[nodiscard]] bool is_row(const Fact& fact, std::size_t fields);

[[nodiscard]] Expectation expect_machine_names(const Network& network, const SitePlan& plan);
[[nodiscard]] Expectation expect_links(const SitePlan& plan);
[[nodiscard]] Expectation expect_sets(const SitePlan& plan);
[[nodiscard]] Expectation expect_speeds(const SitePlan& plan);
[[nodiscard]] Expectation expect_port_speeds(const SitePlan& plan);
[[nodiscard]] Expectation expect_rules(const DecisionTable& table);
[[nodiscard]] Expectation expect_sends(const DecisionTable& table);

/// The plan that the code holds, for facts of the right shape, without its hash.
[[nodiscard]] SitePlan plan_of(const Fact& site, const Network& network);

/// The decision table; values that no table can have are reported.
[[nodiscard]] DecisionTable read_table(const Fact& fact, const ReportFact& report);

}  // namespace bcastgen
