#include "planner/print/switch_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/hostlist.hpp"
#include "base/index.hpp"
#include "base/units.hpp"
#include "base/utf8.hpp"
#include "base/wording.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_switch_lines = 200;
constexpr std::size_t widest_hostlist = 60;  // columns

}  // namespace

std::string speed_text(const LinkSpeed& speed) {
    return fmt::format("{} {}", format_bandwidth(speed.bandwidth_Bps), format_latency(speed.latency_s));
}

std::string trunk_text(const Trunk& trunk) {
    const std::string speed = speed_text(trunk.speed);
    return trunk.cables == 1 ? speed : fmt::format("{} cables of {}", trunk.cables, speed);
}

std::string hostlist_text(const std::vector<std::string>& names) {
    std::string folded = fold_hostlist(names);
    if (folded.size() > widest_hostlist) {
        folded.resize(folded.rfind(',', widest_hostlist - 2) + 1);
        folded += "…";
    }
    return folded;
}

std::string text_table(const std::vector<Row>& rows) {
    std::vector<std::size_t> widths;
    for (const Row& row : rows) {
        widths.resize(std::max(widths.size(), row.size()), 0);
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], utf8_columns(row[i]));
    }
    std::string text;
    for (const Row& row : rows) {
        std::string line = " ";
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (widths[i] == 0) continue;
            line += " " + row[i] + std::string(widths[i] - utf8_columns(row[i]) + 1, ' ');
        }
        line.resize(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

std::string draw_switches(const Network& network, const SwitchTree& tree,
                          const std::vector<std::vector<std::string>>& remarks) {
    std::vector<std::vector<std::string>> machines(network.switches.size());
    for (const Machine& machine : network.machines) machines[at(machine.sw)].push_back(machine.name);
    struct Pending {
        int sw;
        std::string head;    // drawn before its own name
        std::string indent;  // drawn before its children's
    };
    std::vector<Row> rows;
    std::vector<Pending> pending{{tree.root, "", ""}};
    while (!pending.empty() && rows.size() < most_switch_lines) {
        const Pending next = std::move(pending.back());
        pending.pop_back();
        const int uplink = tree.parent_trunk[at(next.sw)];
        const std::vector<std::string>& names = machines[at(next.sw)];
        rows.push_back(
            {next.head + network.switches[at(next.sw)].name, uplink < 0 ? "" : trunk_text(network.trunks[at(uplink)]),
             names.empty() ? "no machines" : counted(names.size(), "machine", "machines"), hostlist_text(names)});
        const std::vector<int>& children = tree.children[at(next.sw)];
        if (!remarks.empty()) {
            const std::vector<std::string>& own = remarks[at(next.sw)];
            for (std::size_t i = 0; i < own.size(); ++i) {
                if (i > 0) rows.push_back({next.indent + (children.empty() ? "" : "│"), "", "", ""});
                rows.back().push_back(own[i]);
            }
        }
        for (std::size_t i = children.size(); i-- > 0;) {
            const bool last = i + 1 == children.size();
            pending.push_back(
                {children[i], next.indent + (last ? "└─ " : "├─ "), next.indent + (last ? "   " : "│  ")});
        }
    }
    if (rows.size() < network.switches.size()) {
        rows.push_back(
            {fmt::format("… {} more switches (all with --format json)", network.switches.size() - rows.size())});
    }
    return text_table(rows);
}

}  // namespace bcastgen
