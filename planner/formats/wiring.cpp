#include "planner/formats/wiring.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/diagnostic.hpp"
#include "base/hostlist.hpp"
#include "base/index.hpp"
#include "base/names.hpp"
#include "base/wording.hpp"

namespace bcastgen {

std::string some_names(std::vector<std::string> names) {
    constexpr std::size_t most = 8;
    std::sort(names.begin(), names.end(), name_before);
    const std::string folded = fold_hostlist(names);
    constexpr std::size_t longest = 60;
    if (folded.size() <= longest || names.size() <= 1) return folded;
    const std::vector<std::string> first(names.begin(),
                                         names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
    if (first.size() == names.size()) return folded;
    return fmt::format("{} and {} more", fold_hostlist(first), names.size() - first.size());
}

std::string safe_name(const std::string& text) {
    std::string name;
    for (const char c : text) {
        if (is_name_character(c)) {
            name += c;
        } else if (!name.empty() && name.back() != '-') {
            name += '-';
        }
    }
    const auto letter_or_digit = [](char c) { return is_safe_name(std::string_view(&c, 1)); };
    name.erase(name.begin(), std::find_if(name.begin(), name.end(), letter_or_digit));
    while (!name.empty() && !letter_or_digit(name.back())) name.pop_back();
    return name.substr(0, longest_name);
}

void check_machine_count(const Network& network, const std::string& file, const std::string& none) {
    if (network.machines.empty()) throw InputErrors({{file, 0, 0, none, ""}});
    if (network.machines.size() <= most_topology_machines) return;
    throw InputErrors({{file, 0, 0, fmt::format("describes more than {} machines", most_topology_machines), ""}});
}

std::string library_name(const std::string& text) {
    constexpr std::size_t longest = 64;
    std::string name = safe_name(text);
    std::replace(name.begin(), name.end(), '.', '-');
    if (!is_library_name(name.substr(0, 1))) name = "cluster" + (name.empty() ? "" : "-" + name);
    return name.substr(0, longest);
}

int Wiring::add_switch(const std::string& name) {
    const auto [known, added] = switch_index_.emplace(name, static_cast<int>(network_.switches.size()));
    if (added) network_.switches.push_back({name, default_priority});
    return known->second;
}

int Wiring::find_switch(const std::string& name) const {
    const auto known = switch_index_.find(name);
    return known == switch_index_.end() ? -1 : known->second;
}

const std::string& Wiring::switch_name(int sw) const {
    return network_.switches[at(sw)].name;
}

bool Wiring::add_machine(const std::string& name, int sw, LinkSpeed port) {
    const auto [known, added] = machine_index_.emplace(name, static_cast<int>(network_.machines.size()));
    if (added) network_.machines.push_back({name, sw, port, 1});
    return added || network_.machines[at(known->second)].sw == sw;
}

int Wiring::switch_of(const std::string& machine) const {
    const auto known = machine_index_.find(machine);
    return known == machine_index_.end() ? -1 : network_.machines[at(known->second)].sw;
}

bool Wiring::add_cables(int a, int b, LinkSpeed speed, int cables) {
    const auto [known, added] = trunk_index_.emplace(std::minmax(a, b), static_cast<int>(network_.trunks.size()));
    if (added) {
        network_.trunks.push_back({a, b, speed, cables, true});
        return true;
    }
    Trunk& trunk = network_.trunks[at(known->second)];
    if (trunk.cables + cables > most_cables) return false;
    trunk.cables += cables;
    if (trunk.speed.bandwidth_Bps != speed.bandwidth_Bps) {
        const std::string pair = fmt::format("{}-{}", switch_name(trunk.a), switch_name(trunk.b));
        if (uneven_.insert(known->second).second) uneven_names_.push_back(pair);
        if (speed.bandwidth_Bps < trunk.speed.bandwidth_Bps) trunk.speed = speed;
    }
    return true;
}

void Wiring::note_some(const std::vector<std::string>& notes) {
    constexpr std::size_t most = 10;
    for (std::size_t i = 0; i < std::min(notes.size(), most); ++i) note(notes[i]);
    if (notes.size() > most) note(fmt::format("… and {} more of this kind", notes.size() - most));
}

void Wiring::sort_by_name() {
    std::vector<int> order(network_.switches.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [this](int a, int b) { return name_before(switch_name(a), switch_name(b)); });
    std::vector<int> place(order.size());
    std::vector<Switch> switches;
    for (std::size_t i = 0; i < order.size(); ++i) {
        place[at(order[i])] = static_cast<int>(i);
        switches.push_back(network_.switches[at(order[i])]);
    }
    network_.switches = std::move(switches);
    for (Machine& machine : network_.machines) machine.sw = place[at(machine.sw)];
    for (Trunk& trunk : network_.trunks)
        std::tie(trunk.a, trunk.b) = std::minmax({place[at(trunk.a)], place[at(trunk.b)]});
    std::sort(network_.trunks.begin(), network_.trunks.end(),
              [](const Trunk& a, const Trunk& b) { return std::tie(a.a, a.b) < std::tie(b.a, b.b); });
    std::sort(network_.machines.begin(), network_.machines.end(),
              [](const Machine& a, const Machine& b) { return name_before(a.name, b.name); });
    number_switches();
}

void Wiring::number_switches() {
    switch_index_.clear();
    for (std::size_t at = 0; at < network_.switches.size(); ++at) {
        switch_index_[network_.switches[at].name] = static_cast<int>(at);
    }
}

std::vector<int> Wiring::pieces() const {
    std::vector<int> piece(network_.switches.size());
    std::iota(piece.begin(), piece.end(), 0);
    const auto find = [&piece](int sw) {
        while (piece[at(sw)] != sw) sw = piece[at(sw)] = piece[at(piece[at(sw)])];
        return sw;
    };
    for (const Trunk& trunk : network_.trunks) {
        const auto [low, high] = std::minmax({find(trunk.a), find(trunk.b)});
        piece[at(high)] = low;
    }
    for (std::size_t sw = 0; sw < piece.size(); ++sw) piece[sw] = find(static_cast<int>(sw));
    return piece;
}

void Wiring::keep_switches(const std::vector<char>& kept) {
    std::vector<int> place(kept.size(), -1);
    std::vector<Switch> switches;
    for (std::size_t sw = 0; sw < kept.size(); ++sw) {
        if (kept[sw] == 0) continue;
        place[sw] = static_cast<int>(switches.size());
        switches.push_back(network_.switches[sw]);
    }
    network_.switches = std::move(switches);
    std::erase_if(network_.trunks,
                  [&](const Trunk& trunk) { return place[at(trunk.a)] < 0 || place[at(trunk.b)] < 0; });
    for (Trunk& trunk : network_.trunks) trunk.a = place[at(trunk.a)], trunk.b = place[at(trunk.b)];
    for (Machine& machine : network_.machines) machine.sw = place[at(machine.sw)];
}

void Wiring::drop_pieces_without_machines() {
    const std::vector<int> piece = pieces();
    std::vector<char> used(piece.size(), 0);
    for (const Machine& machine : network_.machines) used[at(piece[at(machine.sw)])] = 1;
    std::vector<char> kept(piece.size());
    std::vector<std::string> dropped;
    for (std::size_t sw = 0; sw < piece.size(); ++sw) {
        kept[sw] = used[at(piece[sw])];
        if (kept[sw] == 0) dropped.push_back(network_.switches[sw].name);
    }
    if (dropped.empty()) return;
    note(fmt::format("left out: {} that no machine can be reached from: {}",
                     counted(dropped.size(), "switch", "switches"), some_names(dropped)));
    keep_switches(kept);
}

void Wiring::join_pieces(const std::vector<int>& tops, LinkSpeed speed) {
    const std::vector<int> piece = pieces();
    std::map<int, int> top_of;  // by piece; pieces are named by their first switch
    for (const int top : tops) top_of.emplace(piece[at(top)], top);
    for (const int first : piece) top_of.emplace(first, first);
    if (top_of.size() < 2) return;
    std::string name = "top";
    for (int number = 2; switch_index_.contains(name) || machine_index_.contains(name); ++number) {
        name = fmt::format("top{}", number);
    }
    const int joint = add_switch(name);
    std::vector<std::string> joined;
    for (const auto& [first, top] : top_of) {
        (void)add_cables(joint, top, speed, 1);  // the first
        joined.push_back(switch_name(top));
    }
    note(fmt::format("assumed: a switch {} above {}, which nothing in the file joins", name, some_names(joined)));
}

void Wiring::rename_shared_names() {
    std::vector<std::string> notes;
    for (Switch& sw : network_.switches) {
        if (!machine_index_.contains(sw.name)) continue;
        std::string name;
        for (int number = 1; name.empty() || machine_index_.contains(name) || switch_index_.contains(name); ++number) {
            const std::string end = number == 1 ? "-switch" : fmt::format("-switch{}", number);
            name = sw.name.substr(0, longest_name - end.size()) + end;
        }
        notes.push_back(fmt::format("renamed: switch {} is {} here, as a machine has its name", sw.name, name));
        sw.name = name;
        switch_index_.emplace(name, -1);  // is taken
    }
    note_some(notes);
}

Imported Wiring::finish(const std::string& name, const std::vector<int>& tops, LinkSpeed speed) {
    std::vector<std::string> uneven;
    for (const std::string& pair : uneven_names_) {
        uneven.push_back(fmt::format("assumed: the cables of {} all have the speed of the slowest of them", pair));
    }
    note_some(uneven);
    std::vector<std::string> top_names;
    for (const int top : tops) top_names.push_back(switch_name(top));
    drop_pieces_without_machines();
    number_switches();
    trunk_index_.clear();
    std::vector<int> kept_tops;
    for (const std::string& top : top_names) {
        if (find_switch(top) >= 0) kept_tops.push_back(find_switch(top));
    }
    join_pieces(kept_tops, speed);
    rename_shared_names();
    std::stable_sort(network_.machines.begin(), network_.machines.end(),
                     [](const Machine& a, const Machine& b) { return a.sw < b.sw; });
    network_.name = library_name(name);
    return {network_, notes_};
}

}  // namespace bcastgen
