#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "codegen/audit/site_facts.hpp"

namespace bcastgen {

namespace {

using Show = Expectation::Show;

std::int64_t signed_size(std::size_t bytes) {
    return static_cast<std::int64_t>(bytes);
}

}  // namespace

Expectation expect_machine_names(const Network& network, const SitePlan& plan) {
    std::vector<std::pair<std::string, int>> names;
    for (std::size_t number = 0; number < plan.machines.size(); ++number) {
        names.emplace_back(network.machines[static_cast<std::size_t>(plan.machines[number])].name,
                           static_cast<int>(number));
    }
    std::sort(names.begin(), names.end());
    std::vector<Expectation> rows;
    for (std::size_t row = 0; row < names.size(); ++row) {
        rows.push_back(expect_list(fmt::format("[{}]", row), {expect_text(".name", names[row].first),
                                                              expect_number(".machine", names[row].second)}));
    }
    return expect_list("", std::move(rows));
}

Expectation expect_sets(const SitePlan& plan) {
    std::vector<Expectation> sets;
    for (std::size_t set = 0; set < plan.sets.size(); ++set) {
        std::vector<Expectation> roots;
        for (std::size_t at = 0; at < plan.sets[set].roots.size(); ++at) {
            const BakedRootPlan& root = plan.sets[set].roots[at];
            std::vector<Expectation> trees;
            for (std::size_t tree = 0; tree < root.trees.size(); ++tree) {
                const BakedTreePlan& baked = root.trees[tree];
                trees.push_back(
                    expect_list(fmt::format("[{}]", tree),
                                {expect_number(".algorithm", static_cast<int>(baked.algorithm), Show::algorithm),
                                 expect_numbers(".parent", baked.parent), expect_numbers(".turn", baked.turn)}));
            }
            roots.push_back(expect_list(fmt::format("[{}]", at),
                                        {expect_number(".sw", root.sw), expect_numbers(".order", root.order),
                                         expect_list(".trees", std::move(trees))}));
        }
        const std::string& called = plan.sets[set].name;
        sets.push_back(expect_list(fmt::format("[{}]", set),
                                   {expect_text(".name", called.empty() ? "all machines" : "partition " + called),
                                    expect_list(".roots", std::move(roots))}));
    }
    return expect_list("", std::move(sets));
}

Expectation expect_links(const SitePlan& plan) {
    std::vector<Expectation> links;
    for (std::size_t link = 0; link < plan.switch_links.size(); ++link) {
        const auto& [a, b] = plan.switch_links[link];
        links.push_back(expect_list(
            fmt::format("[{}]", link),
            {expect_number(".a", a), expect_number(".b", b), expect_number(".speed", plan.switch_link_speed[link])}));
    }
    return expect_list("", std::move(links));
}

Expectation expect_speeds(const SitePlan& plan) {
    std::vector<Expectation> speeds;
    for (std::size_t speed = 0; speed < plan.link_speeds.size(); ++speed) {
        speeds.push_back(expect_list(fmt::format("[{}]", speed),
                                     {expect_number(".bandwidth_Bps", plan.link_speeds[speed].bandwidth_Bps),
                                      expect_number(".latency_ns", plan.link_speeds[speed].latency_ns)}));
    }
    return expect_list("", std::move(speeds));
}

/// No table if all ports have the first speed.
Expectation expect_port_speeds(const SitePlan& plan) {
    const bool first =
        std::all_of(plan.port_speed.begin(), plan.port_speed.end(), [](int speed) { return speed == 0; });
    return expect_numbers("", first ? std::vector<int>{} : plan.port_speed);
}

Expectation expect_rules(const DecisionTable& table) {
    std::vector<Expectation> rows;
    for (std::size_t number = 0; number < table.rules.size(); ++number) {
        const Rule& rule = table.rules[number];
        std::vector<Expectation> messages;
        for (std::size_t at = 0; at < rule.messages.size(); ++at) {
            const MessageRule& message = rule.messages[at];
            messages.push_back(
                expect_list(fmt::format("[{}]", at),
                            {expect_number(".up_to", signed_size(message.up_to)),
                             expect_number(".algorithm", static_cast<int>(message.algorithm), Show::algorithm),
                             expect_number(".segment_bytes", signed_size(message.segment_bytes)),
                             expect_number(".hand_on", static_cast<int>(message.hand_on))}));
        }
        rows.push_back(expect_list(
            fmt::format("[{}]", number),
            {expect_number(".machines_from", rule.machines_from), expect_number(".machines_to", rule.machines_to),
             expect_number(".ranks_per_machine_from", rule.ranks_per_machine_from),
             expect_number(".ranks_per_machine_to", rule.ranks_per_machine_to),
             expect_number(".arrival", static_cast<int>(rule.arrival)),
             expect_list(".messages", std::move(messages))}));
    }
    return expect_list("", std::move(rows));
}

Expectation expect_sends(const DecisionTable& table) {
    return expect_list(
        "",
        {expect_number(".overhead_ns", table.sends.overhead_ns), expect_number(".latency_ns", table.sends.latency_ns),
         expect_number(".answer_ns", table.sends.answer_ns), expect_number(".receive_ns", table.sends.receive_ns)});
}

}  // namespace bcastgen
