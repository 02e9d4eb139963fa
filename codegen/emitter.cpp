#include "emitter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <kainjow/mustache.hpp>
#include <map>
#include <stdexcept>

#include "embedded_templates.hpp"
#include "hash.hpp"
#include "plan.hpp"
#include "site_plan.hpp"
#include "site_tables.hpp"

namespace bcastgen {

namespace {

using kainjow::mustache::data;
using kainjow::mustache::list;
using kainjow::mustache::mustache;

std::uint64_t hash_of(const DecisionTable& table) {
    Hash hash;
    for (const TableRule& rule : table.rules) {
        hash.add(rule.machines_from);
        hash.add(rule.machines_to);
        hash.add(rule.ranks_per_machine_from);
        hash.add(rule.ranks_per_machine_to);
        hash.add(static_cast<int>(rule.arrival));
        for (const MessageRule& message : rule.messages) {
            hash.add(static_cast<std::int64_t>(message.up_to));
            hash.add(bcast::name_of(message.algorithm));
            hash.add(static_cast<std::int64_t>(message.segment_bytes));
        }
    }
    return hash.value();
}

/// The planner's request that builds an algorithm's tree; native has none.
PlanRequest request_for(bcast::Algorithm algorithm) {
    PlanRequest request;
    switch (algorithm) {
        case bcast::Algorithm::flat:
            request.tree = TreeKind::flat;
            break;
        case bcast::Algorithm::binomial:
            request.tree = TreeKind::binomial;
            break;
        case bcast::Algorithm::linear:
            request.tree = TreeKind::linear;
            break;
        case bcast::Algorithm::binary:
            request.tree = TreeKind::binary;
            break;
        case bcast::Algorithm::kary3:
            request.tree = TreeKind::kary;
            request.radix = 3;
            break;
        case bcast::Algorithm::native:
            throw std::logic_error("native has no tree");
    }
    return request;
}

/// Above a routine: what its tree is when all machines take part and the root is the first of them.
std::string routine_comment(const Network& network, const SitePlan& site, const MessageRule& rule) {
    PlanRequest request = request_for(rule.algorithm);
    request.root = site.machines.front();
    const Plan plan = make_plan(network, request);
    const bcast::Tree& tree = plan.trees.front().tree;
    const std::string pieces =
        rule.segment_bytes == 0 ? "in one piece" : fmt::format("in segments of {} bytes", rule.segment_bytes);
    std::string text = fmt::format(
        "// The {} tree {}. All {} machines, root {}: height {}, fan-out {}, stage {:g};\n"
        "// {} times the message leaves the root.\n",
        bcast::name_of(rule.algorithm), pieces, plan.order.size(),
        network.machines[static_cast<std::size_t>(request.root)].name, height(tree), fanout(tree), plan.stage,
        tree.children.front().size());
    text.pop_back();
    return text;
}

std::vector<MessageRule> routines_of(const DecisionTable& table) {
    std::vector<MessageRule> routines;
    for (const TableRule& rule : table.rules) {
        for (MessageRule message : rule.messages) {
            if (message.algorithm == bcast::Algorithm::native) continue;
            message.up_to = 0;
            if (std::find(routines.begin(), routines.end(), message) == routines.end()) routines.push_back(message);
        }
    }
    std::sort(routines.begin(), routines.end(), [](const MessageRule& a, const MessageRule& b) {
        return std::tie(a.algorithm, a.segment_bytes) < std::tie(b.algorithm, b.segment_bytes);
    });
    return routines;
}

data routine_list(const Network& network, const SitePlan& site, const DecisionTable& table) {
    list routines;
    for (const MessageRule& routine : routines_of(table)) {
        data entry;
        entry.set("algorithm", std::string(bcast::name_of(routine.algorithm)));
        entry.set("segment_bytes", std::to_string(routine.segment_bytes));
        entry.set("name", fmt::format("{}_{}", bcast::name_of(routine.algorithm),
                                      routine.segment_bytes == 0 ? "whole" : size_text(routine.segment_bytes)));
        entry.set("comment", routine_comment(network, site, routine));
        routines.push_back(entry);
    }
    return routines;
}

data table_rows(const DecisionTable& table) {
    list rows;
    for (const TableRule& rule : table.rules) {
        for (const MessageRule& message : rule.messages) {
            data row;
            row.set("machines", range_text(rule.machines_from, rule.machines_to));
            row.set("ranks_per_machine", range_text(rule.ranks_per_machine_from, rule.ranks_per_machine_to));
            row.set("arrival", rule.arrival == bcast::Arrival::balanced ? "balanced" : "imbalanced");
            row.set("up_to", size_text(message.up_to));
            row.set("algorithm", std::string(bcast::name_of(message.algorithm)));
            row.set("segment", message.segment_bytes == 0 ? "-" : size_text(message.segment_bytes));
            rows.push_back(row);
        }
    }
    return rows;
}

std::string first_machines(const Network& network, const SitePlan& site) {
    std::string text;
    for (std::size_t number = 0; number < std::min<std::size_t>(site.machines.size(), 4); ++number) {
        text += (number == 0 ? "" : ",") + network.machines[static_cast<std::size_t>(site.machines[number])].name;
    }
    return text;
}

data facts_for_templates(const Network& network, const DecisionTable& table, const std::string& command) {
    const SitePlan site = make_site_plan(network);
    data facts;
    facts.set("version", BCASTGEN_VERSION);
    facts.set("command", command);
    facts.set("site", network.name);
    facts.set("site_literal", quoted(network.name));
    facts.set("machines", std::to_string(site.machines.size()));
    facts.set("switches", std::to_string(network.switches.size()));
    facts.set("plan_hash", fmt::format("{:016x}", site.hash));
    facts.set("tuning_hash", fmt::format("{:016x}", hash_of(table)));
    facts.set("origin", table.origin);
    facts.set("baked", data(site.sets.empty() ? data::type::bool_false : data::type::bool_true));
    facts.set("machine_tables", machine_tables(network, site));
    facts.set("tree_tables", tree_tables(network, site));
    facts.set("rule_tables", rule_tables(table));
    facts.set("switch_links", site.switch_links.empty() ? "{}" : "::site::switch_links");
    facts.set("baked_sets", site.sets.empty() ? "{}" : "::site::baked_sets");
    facts.set("first_machines", first_machines(network, site));
    facts.set("table", table_rows(table));
    const data routines = routine_list(network, site, table);
    facts.set("any_routine", data(routines.list_value().empty() ? data::type::bool_false : data::type::bool_true));
    facts.set("routines", routines);
    return facts;
}

}  // namespace

std::vector<EmittedFile> emit_library(const Network& network, const DecisionTable& table, const std::string& command) {
    const data facts = facts_for_templates(network, table, command);
    constexpr std::string_view suffix = ".mustache";
    std::vector<EmittedFile> files;
    for (const EmbeddedFile& embedded : embedded_templates()) {
        if (!embedded.name.ends_with(suffix)) {
            files.push_back({std::string(embedded.name), std::string(embedded.text)});
            continue;
        }
        mustache text{std::string(embedded.text)};
        if (!text.is_valid())
            throw std::logic_error(fmt::format("template {}: {}", embedded.name, text.error_message()));
        const std::string_view name = embedded.name.substr(0, embedded.name.size() - suffix.size());
        files.push_back({std::string(name), text.render(facts)});
    }
    return files;
}

}  // namespace bcastgen
