// Tells, as JSON on stdout, what the generated headers of a site say. Compiled by emitted_code_test.cpp against each
// site's headers.
#include <cstdio>
#include <cstring>

#include "bcast/facts/site.hpp"
#include "site_plan.hpp"
#include "site_tuning.hpp"

namespace {

using bcast::Span;

/// "[a,b,c]" of `tell(item)` for each item.
template <class T, class Tell>
void tell_list(Span<T> items, Tell tell) {
    std::printf("[");
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0) std::printf(",");
        tell(items[i]);
    }
    std::printf("]");
}

void tell_number(int number) {
    std::printf("%d", number);
}

void tell_root(const bcast::BakedRoot& root) {
    std::printf("{\"switch\":%d,\"order\":", root.sw);
    tell_list(root.order, tell_number);
    std::printf(",\"trees\":{");
    for (std::size_t i = 0; i < root.trees.size(); ++i) {
        std::printf("%s\"%s\":{\"parent\":", i > 0 ? "," : "", name_of(root.trees[i].algorithm));
        tell_list(root.trees[i].parent, tell_number);
        std::printf(",\"turn\":");
        tell_list(root.trees[i].turn, tell_number);
        std::printf("}");
    }
    std::printf("}}");
}

void tell_rule(const bcast::Rule& rule) {
    std::printf("{\"machines\":[%d,%d],\"ranks_per_machine\":[%d,%d],\"imbalanced\":%s,\"messages\":",
                rule.machines_from, rule.machines_to, rule.ranks_per_machine_from, rule.ranks_per_machine_to,
                rule.arrival == bcast::Arrival::imbalanced ? "true" : "false");
    tell_list(rule.messages, [](const bcast::MessageRule& message) {
        std::printf("[%zu,\"%s\",%zu,\"%s\"]", message.up_to, name_of(message.algorithm), message.segment_bytes,
                    name_of(message.hand_on));
    });
    std::printf("}");
}

void tell_plan(const bcast::Site& facts) {
    std::printf("{\"plan_hash\":%llu,\"switches\":%d,\"machines\":{", static_cast<unsigned long long>(facts.plan_hash),
                facts.switches);
    for (std::size_t i = 0; i < facts.machine_names.size(); ++i) {
        std::printf("%s\"%s\":%d", i > 0 ? "," : "", facts.machine_names[i].name, facts.machine_names[i].machine);
    }
    std::printf("},\"machine_switch\":");
    tell_list(facts.machine_switch, tell_number);
    std::printf(",\"switch_links\":");
    tell_list(facts.switch_links, [](const bcast::SwitchPair& link) { std::printf("[%d,%d]", link.a, link.b); });
    std::printf(",\"sets\":");
    tell_list(facts.baked_sets, [](const bcast::BakedSet& set) {
        std::printf("{\"name\":\"%s\",\"roots\":", set.name);
        tell_list(set.roots, tell_root);
        std::printf("}");
    });
    std::printf("}");
}

bool sorted(Span<bcast::NamedMachine> names) {
    for (std::size_t i = 1; i < names.size(); ++i) {
        if (std::strcmp(names[i - 1].name, names[i].name) >= 0) return false;
    }
    return true;
}

}  // namespace

int main() {
    constexpr bcast::Site facts{"",
                                site::plan_hash,
                                site::tuning_hash,
                                site::machine_names,
                                site::machine_switch,
                                site::switches,
                                site::switch_links,
                                site::baked_sets,
                                site::rules};
    std::printf("{\"plan\":");
    tell_plan(facts);
    std::printf(",\"rules\":");
    tell_list(facts.rules, tell_rule);
    std::printf(",\"names_sorted\":%s}\n", sorted(facts.machine_names) ? "true" : "false");
    return 0;
}
