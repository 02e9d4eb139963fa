// From Slurm's switches, children and nodes to links.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>

#include "base/names.hpp"
#include "planner/formats/slurm/slurm_reader.hpp"

namespace bcastgen {

namespace {

using SwitchIndex = std::unordered_map<std::string, std::size_t>;

/// "0x155dfffd33ff7d": what some tools write in place of host names.
bool is_guid(const std::string& name) {
    constexpr std::size_t shortest = 10;
    return name.size() >= shortest && name.starts_with("0x") &&
           std::all_of(name.begin() + 2, name.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

SwitchIndex index_of(const std::vector<SlurmSwitch>& switches, const Report& report, const NameLine& name_line) {
    SwitchIndex index;
    for (std::size_t sw = 0; sw < switches.size(); ++sw) {
        const SlurmName& name = switches[sw].name;
        const auto [known, added] = index.emplace(name.name, sw);
        if (added) continue;
        report(name.place, fmt::format("switch {} is described twice (first on {})", name.name,
                                       name_line(switches[known->second].name.place.line)));
    }
    return index;
}

/// Child switches that are their own ancestors.
void refuse_loops(const std::vector<SlurmSwitch>& switches, const SwitchIndex& index, const Report& report) {
    enum class State : char { fresh, open, done };
    std::vector<State> state(switches.size(), State::fresh);
    for (std::size_t start = 0; start < switches.size(); ++start) {
        if (state[start] != State::fresh) continue;
        std::vector<std::pair<std::size_t, std::size_t>> path{{start, 0}};  // switch, next child
        state[start] = State::open;
        while (!path.empty()) {
            const std::size_t sw = path.back().first;
            if (path.back().second == switches[sw].children.size()) {
                state[sw] = State::done;
                path.pop_back();
                continue;
            }
            const SlurmName& child = switches[sw].children[path.back().second++];
            const auto known = index.find(child.name);
            if (known == index.end()) continue;
            if (state[known->second] == State::open) {
                report(child.place, fmt::format("switch {} is above switch {} already; a switch cannot be below itself",
                                                child.name, switches[sw].name.name));
            } else if (state[known->second] == State::fresh) {
                state[known->second] = State::open;
                path.emplace_back(known->second, 0);
            }
        }
    }
}

void refuse_guids(const std::vector<SlurmSwitch>& switches, const Report& report) {
    const SlurmName* first = nullptr;
    std::size_t count = 0;
    for (const SlurmSwitch& sw : switches) {
        for (const SlurmName& node : sw.nodes) {
            if (!is_guid(node.name)) continue;
            if (first == nullptr) first = &node;
            ++count;
        }
    }
    if (first == nullptr) return;
    report(first->place,
           fmt::format("{} is the GUID of an InfiniBand port, not a host name{}; a machine is found by the "
                       "name that `hostname` prints",
                       first->name, count > 1 ? fmt::format(" ({} such names)", count) : ""));
}

/// Machines that are also on a second switch stay on the first.
void place_nodes(const SlurmSwitch& sw, Wiring& wiring, std::map<std::string, std::vector<std::string>>& elsewhere) {
    const int here = wiring.find_switch(sw.name.name);
    for (const SlurmName& node : sw.nodes) {
        if (wiring.add_machine(node.name, here, slurm_link)) continue;
        elsewhere[fmt::format("on switch {}, not also on {}", wiring.switch_name(wiring.switch_of(node.name)),
                              sw.name.name)]
            .push_back(node.name);
    }
}

}  // namespace

std::string line_of_file(int line) {
    return fmt::format("line {}", line);
}

std::vector<int> wire_slurm(const std::vector<SlurmSwitch>& switches, Wiring& wiring, const Report& report,
                            const NameLine& name_line) {
    const SwitchIndex index = index_of(switches, report, name_line);
    std::vector<std::string> names;
    for (const SlurmSwitch& sw : switches) names.push_back(sw.name.name);
    std::size_t suggestions_left = most_shown_errors;  // each one looks at all names
    std::vector<char> is_child(switches.size(), 0);
    for (const SlurmSwitch& sw : switches) {
        for (const SlurmName& child : sw.children) {
            const auto known = index.find(child.name);
            if (known != index.end()) {
                is_child[known->second] = 1;
            } else {
                report(child.place,
                       fmt::format("switch {} is described nowhere{}", child.name,
                                   suggestions_left > 0 ? did_you_mean(child.name, names) : std::string()));
                if (suggestions_left > 0) --suggestions_left;
            }
        }
    }
    refuse_loops(switches, index, report);
    refuse_guids(switches, report);
    for (const SlurmSwitch& sw : switches) wiring.add_switch(sw.name.name);
    std::map<std::string, std::vector<std::string>> elsewhere;
    std::vector<int> tops;
    for (std::size_t sw = 0; sw < switches.size(); ++sw) {
        place_nodes(switches[sw], wiring, elsewhere);
        const int here = wiring.find_switch(switches[sw].name.name);
        if (is_child[sw] == 0) tops.push_back(here);
        for (const SlurmName& child : switches[sw].children) {
            const int below = wiring.find_switch(child.name);
            if (below < 0 || below == here || wiring.add_cables(here, below, slurm_link, 1)) continue;
            report(child.place, fmt::format("more than {} links between {} and {}", most_cables, switches[sw].name.name,
                                            child.name));
        }
    }
    std::vector<std::string> notes;
    for (const auto& [where, machines] : elsewhere) {
        notes.push_back(
            fmt::format("assumed: {} {} {}", some_names(machines), machines.size() == 1 ? "is" : "are", where));
    }
    wiring.note_some(notes);
    return tops;
}

}  // namespace bcastgen
