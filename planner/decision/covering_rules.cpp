#include "planner/decision/covering_rules.hpp"

#include <algorithm>

namespace bcastgen {

namespace {

/// Counts of machines × ranks per machine; ends included.
struct Area {
    int machines_from;
    int machines_to;
    int ranks_from;
    int ranks_to;

    [[nodiscard]] bool empty() const { return machines_from > machines_to || ranks_from > ranks_to; }
};

Area area_of(const Rule& rule) {
    return {rule.machines_from, rule.machines_to, rule.ranks_per_machine_from, rule.ranks_per_machine_to};
}

Area common(const Area& a, const Area& b) {
    return {std::max(a.machines_from, b.machines_from), std::min(a.machines_to, b.machines_to),
            std::max(a.ranks_from, b.ranks_from), std::min(a.ranks_to, b.ranks_to)};
}

/// What is left of an area without a part of it, in up to four pieces: fewer machines, more machines, and of the part's
/// own counts of machines fewer ranks and more ranks.
void add_rest(const Area& area, const Area& part, std::vector<Area>& pieces) {
    const auto add = [&](const Area& piece) {
        if (!piece.empty()) pieces.push_back(piece);
    };
    // Written so that no end, which may be the largest int, is counted up.
    if (part.machines_from > area.machines_from) {
        add({area.machines_from, part.machines_from - 1, area.ranks_from, area.ranks_to});
    }
    if (part.machines_to < area.machines_to) {
        add({part.machines_to + 1, area.machines_to, area.ranks_from, area.ranks_to});
    }
    if (part.ranks_from > area.ranks_from) {
        add({part.machines_from, part.machines_to, area.ranks_from, part.ranks_from - 1});
    }
    if (part.ranks_to < area.ranks_to) {
        add({part.machines_from, part.machines_to, part.ranks_to + 1, area.ranks_to});
    }
}

}  // namespace

std::vector<std::size_t> covering_rules(const std::vector<Rule>& rules, std::size_t at) {
    std::vector<Area> left = {area_of(rules[at])};
    std::vector<std::size_t> taking;
    for (std::size_t before = 0; before < at; ++before) {
        if (rules[before].arrival != rules[at].arrival) continue;
        std::vector<Area> still_left;
        bool takes = false;
        for (const Area& area : left) {
            const Area part = common(area, area_of(rules[before]));
            takes = takes || !part.empty();
            if (part.empty()) {
                still_left.push_back(area);
            } else {
                add_rest(area, part, still_left);
            }
        }
        if (!takes) continue;
        std::vector<Area> rest_of_all;
        add_rest(area_of(rules[at]), common(area_of(rules[at]), area_of(rules[before])), rest_of_all);
        if (rest_of_all.empty()) return {before};
        taking.push_back(before);
        left = std::move(still_left);
    }
    if (!left.empty()) taking.clear();
    return taking;
}

}  // namespace bcastgen
