#include <fmt/format.h>

#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>

#include "codegen/audit/site_facts.hpp"

namespace bcastgen {

namespace {

std::vector<int> numbers_of(const Fact& fact) {
    std::vector<int> numbers;
    for (const Fact& item : fact.items) numbers.push_back(static_cast<int>(item.number));
    return numbers;
}

/// A message rule; what makes no sense is reported.
MessageRule read_message(const Fact& row, std::size_t smallest, const std::string& where, const ReportFact& report) {
    MessageRule message;
    message.up_to = static_cast<std::size_t>(row.items[0].number);
    if (message.up_to < smallest) {
        report(row.items[0].place,
               fmt::format("{}.up_to: expected at least {}, found {}: no message is left for this rule", where,
                           smallest, message.up_to));
    }
    const std::int64_t algorithm = row.items[1].number;
    if (algorithm < 0 || algorithm >= static_cast<std::int64_t>(bcast::algorithm_count)) {
        report(row.items[1].place, fmt::format("{}.algorithm: expected an algorithm, found {}", where, algorithm));
    } else {
        message.algorithm = static_cast<bcast::Algorithm>(algorithm);
    }
    message.segment_bytes = static_cast<std::size_t>(row.items[2].number);
    if (message.segment_bytes > message.up_to) {
        report(row.items[2].place, fmt::format("{}.segment_bytes: expected at most the largest message, {}, found {}",
                                               where, message.up_to, message.segment_bytes));
    }
    const std::int64_t hand_on = row.items[3].number;
    if (hand_on < 0 || hand_on > static_cast<std::int64_t>(bcast::HandOn::native)) {
        report(row.items[3].place, fmt::format("{}.hand_on: expected a way to hand on, found {}", where, hand_on));
    } else {
        message.hand_on = static_cast<bcast::HandOn>(hand_on);
    }
    return message;
}

}  // namespace

bool is_row(const Fact& fact, std::size_t fields) {
    return fact.kind == Fact::Kind::list && fact.items.size() == fields;
}

SitePlan plan_of(const Fact& site, const Network& network) {
    std::unordered_map<std::string, int> machine_index;
    for (const Machine& machine : network.machines)
        machine_index.emplace(machine.name, static_cast<int>(machine_index.size()));
    SitePlan plan;
    plan.machines.resize(site.items[SiteField::machine_names].items.size());
    for (const Fact& row : site.items[SiteField::machine_names].items) {
        plan.machines.at(static_cast<std::size_t>(row.items[1].number)) = machine_index.at(row.items[0].text);
    }
    plan.machine_switch = numbers_of(site.items[SiteField::machine_switch]);
    for (const Fact& link : site.items[SiteField::switch_links].items) {
        plan.switch_links.emplace_back(link.items[0].number, link.items[1].number);
        plan.switch_link_speed.push_back(static_cast<int>(link.items[2].number));
    }
    for (const Fact& speed : site.items[SiteField::link_speeds].items) {
        plan.link_speeds.push_back({speed.items[0].number, speed.items[1].number});
    }
    plan.port_speed = numbers_of(site.items[SiteField::port_speed]);
    plan.port_speed.resize(plan.machines.size(), 0);
    plan.more_send_ns = numbers_of(site.items[SiteField::more_send_ns]);
    plan.more_receive_ns = numbers_of(site.items[SiteField::more_receive_ns]);
    plan.layout = site_layout(plan, network.switches.size());
    for (const Fact& set : site.items[SiteField::baked_sets].items) {
        BakedSetPlan baked{set.items[0].text == "all machines" ? "" : set.items[0].text, {}};
        for (const Fact& root : set.items[1].items) {
            BakedRootPlan from{static_cast<int>(root.items[0].number), numbers_of(root.items[1]), {}};
            for (const Fact& tree : root.items[2].items) {
                from.trees.push_back({static_cast<bcast::Algorithm>(tree.items[0].number), numbers_of(tree.items[1]),
                                      numbers_of(tree.items[2])});
            }
            baked.roots.push_back(std::move(from));
        }
        plan.sets.push_back(std::move(baked));
    }
    return plan;
}

DecisionTable read_table(const Fact& fact, const ReportFact& report) {
    DecisionTable table;
    for (std::size_t number = 0; number < fact.items.size(); ++number) {
        const Fact& row = fact.items[number];
        if (!is_row(row, 6) || row.items[5].items.empty()) {
            report(row.place, fmt::format("rules[{}]: expected a row with messages, found none", number));
            continue;
        }
        Rule rule;
        rule.machines_from = static_cast<int>(row.items[0].number);
        rule.machines_to = static_cast<int>(row.items[1].number);
        rule.ranks_per_machine_from = static_cast<int>(row.items[2].number);
        rule.ranks_per_machine_to = static_cast<int>(row.items[3].number);
        const std::int64_t arrival = row.items[4].number;
        if (arrival < 0 || arrival >= static_cast<std::int64_t>(std::size(bcast::arrival_names))) {
            report(row.items[4].place,
                   fmt::format("rules[{}].arrival: expected an arrival, found {}", number, arrival));
        } else {
            rule.arrival = static_cast<bcast::Arrival>(arrival);
        }
        if (rule.machines_to < rule.machines_from || rule.ranks_per_machine_to < rule.ranks_per_machine_from) {
            report(row.place,
                   fmt::format("rules[{}]: expected ranges that end after they start, found {} to {} machines "
                               "and {} to {} ranks",
                               number, rule.machines_from, rule.machines_to, rule.ranks_per_machine_from,
                               rule.ranks_per_machine_to));
        }
        std::size_t smallest = 1;
        for (std::size_t at = 0; at < row.items[5].items.size(); ++at) {
            const std::string where = fmt::format("rules[{}].messages[{}]", number, at);
            const Fact& message = row.items[5].items[at];
            if (!is_row(message, 4)) {
                report(message.place, where + ": expected a rule, found none");
                continue;
            }
            rule.messages.push_back(read_message(message, smallest, where, report));
            const std::size_t up_to = rule.messages.back().up_to;
            smallest = up_to == bcast::no_limit ? up_to : up_to + 1;
        }
        if (!rule.messages.empty() && rule.messages.back().up_to != bcast::no_limit) {
            report(row.items[5].items.back().place,
                   fmt::format("rules[{}].messages: expected a last rule for any size, found one up to {}", number,
                               rule.messages.back().up_to));
        }
        table.rules.push_back(std::move(rule));
    }
    return table;
}

}  // namespace bcastgen
