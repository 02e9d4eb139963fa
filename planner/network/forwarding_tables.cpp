#include "planner/network/forwarding_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/index.hpp"

namespace bcastgen {

namespace {

constexpr int most_lids = 0xC000;  // unicast addresses
constexpr int no_route = 255;

/// The text after `before` up to `end`, if both are there.
std::optional<std::string> between_marks(const std::string& line, std::string_view before, std::string_view end) {
    const std::size_t found = line.find(before);
    if (found == std::string::npos) return std::nullopt;
    const std::size_t first = found + before.size();
    const std::size_t last = line.find(end, first);
    if (last == std::string::npos) return std::nullopt;
    return line.substr(first, last - first);
}

/// "0x0000000002000000" or "0000000002000000" as 16 digits.
std::string guid_digits(std::string guid) {
    if (guid.starts_with("0x")) guid.erase(0, 2);
    return std::string(guid.size() < 16 ? 16 - guid.size() : 0, '0') + guid;
}

/// Whether a number may end before this character.
bool is_end(char c) {
    return c == '\0' || c == ' ' || c == '\t' || c == '\r';
}

std::string first_word(const std::string& text) {
    return text.substr(0, text.find_first_of(" :/;"));
}

/// The name that a managed switch was given: "ib5" of "MF0;ib5:SX6036/U1". Empty if it has none.
std::string managed_name(const std::string& description) {
    if (!description.starts_with("MF0;")) return "";
    return between_marks(description, ";", ":").value_or("");
}

}  // namespace

class ForwardingTablesReader {
  public:
    ForwardingTablesReader(ForwardingTables& tables, const std::string& name, const Network& network)
        : tables_(tables), errors_(name), network_(network) {
        for (std::size_t m = 0; m < network.machines.size(); ++m) {
            machines_.emplace(network.machines[m].name, static_cast<int>(m));
        }
        for (std::size_t s = 0; s < network.switches.size(); ++s) {
            switches_.emplace(network.switches[s].name, static_cast<int>(s));
        }
        tables_.beginnings_.resize(network.switches.size());
        tables_.ports_.resize(network.switches.size());
        tables_.outs_.resize(network.switches.size());
        tables_.machine_lid_.assign(network.machines.size(), -1);
        switch_lid_.assign(network.switches.size(), -1);
        trunks_of_.resize(network.switches.size());
        for (std::size_t t = 0; t < network.trunks.size(); ++t) {
            for (const int sw : {network.trunks[t].a, network.trunks[t].b}) {
                trunks_of_[at(sw)].push_back(static_cast<int>(t));
            }
        }
    }

    void read(const std::string& text) {
        std::istringstream stream(text);
        for (std::string line; std::getline(stream, line);) {
            ++line_number_;
            if (line.starts_with("Unicast lids")) {
                begin_table(line);
            } else if (line.starts_with("0x")) {
                read_route(line);
            }
        }
        for (ForwardingTables::Ports& ports : tables_.ports_) ports.sort();
        check_complete();
        if (errors_.empty()) find_neighbours();
        errors_.throw_if_any();
    }

  private:
    void complain(const std::string& message, const std::string& line = "") {
        errors_.add(line.empty() ? 0 : line_number_, line.empty() ? 0 : 1, message, line);
    }

    static int find(const std::unordered_map<std::string, int>& known, const std::string& description,
                    const std::string& guid, std::string_view prefix) {
        for (const std::string& name :
             {description, first_word(description), managed_name(description),
              managed_name(description) + "-" + description.substr(description.rfind('/') + 1),
              std::string(prefix) + guid_digits(guid)}) {
            if (const auto found = known.find(name); found != known.end()) return found->second;
        }
        return -1;
    }

    void begin_table(const std::string& line) {
        const auto guid = between_marks(line, "guid ", " ");
        const std::size_t open = line.find('(');
        const std::size_t close = line.rfind(')');
        if (!guid || open == std::string::npos || close == std::string::npos || close < open) {
            current_ = -1;
            complain("a table begins without the switch's guid and (description)", line);
            return;
        }
        current_ = find(switches_, line.substr(open + 1, close - open - 1), *guid, "S-");
        if (current_ < 0) return;
        tables_.ports_[at(current_)].clear();
        constexpr std::size_t shown = 200;
        tables_.beginnings_[at(current_)] = {line_number_, line.substr(0, shown)};
    }

    void read_route(const std::string& line) {
        char* lid_end = nullptr;
        char* port_end = nullptr;
        const long lid = std::strtol(line.c_str(), &lid_end, 16);
        const long port = std::strtol(lid_end, &port_end, 10);
        const bool complete = is_end(*lid_end) && port_end != lid_end && is_end(*port_end);
        if (!complete || lid <= 0 || lid >= most_lids || port < 0 || port > no_route) {
            complain("not a route: an address from 0x0001 to 0xbfff and a port from 0 to 255 are needed", line);
            return;
        }
        const auto description = between_marks(line, ": '", "')");
        const auto guid = between_marks(line, "portguid ", ":");
        if (description && guid) {
            const bool to_switch = line.find("(Switch") != std::string::npos;
            const int found = find(to_switch ? switches_ : machines_, *description, *guid, to_switch ? "S-" : "H-");
            std::vector<int>& lids = to_switch ? switch_lid_ : tables_.machine_lid_;
            if (found >= 0 && lids[at(found)] < 0) lids[at(found)] = static_cast<int>(lid);
        }
        if (current_ < 0) return;
        tables_.ports_[at(current_)].set(static_cast<int>(lid), port == no_route ? -1 : static_cast<int>(port));
    }

    void check_complete() {
        const auto is_empty = [](const ForwardingTables::Ports& ports) { return ports.empty(); };
        if (std::all_of(tables_.ports_.begin(), tables_.ports_.end(), is_empty)) {
            complain(
                "no forwarding table of any switch of the topology; as dump_lfts prints them, they begin with "
                "\"Unicast lids\"");
            return;
        }
        for (std::size_t s = 0; s < network_.switches.size(); ++s) {
            if (tables_.ports_[s].empty()) complain("no table of switch " + network_.switches[s].name);
        }
        for (std::size_t m = 0; m < network_.machines.size(); ++m) {
            if (tables_.machine_lid_[m] < 0) complain("no route to machine " + network_.machines[m].name);
        }
    }

    [[nodiscard]] int port_for(int sw, int lid) const { return tables_.ports_[at(sw)].to(lid); }

    void plug(int sw, int port, ForwardingTables::Out out) {
        std::vector<ForwardingTables::Out>& outs = tables_.outs_[at(sw)];
        if (outs.size() <= at(port)) outs.resize(at(port) + 1);
        if (outs[at(port)].trunk < 0 && outs[at(port)].machine < 0) outs[at(port)] = out;
    }

    void find_neighbours() {
        for (std::size_t m = 0; m < network_.machines.size(); ++m) {
            const int sw = network_.machines[m].sw;
            const int port = port_for(sw, tables_.machine_lid_[m]);
            if (port > 0) plug(sw, port, {-1, static_cast<int>(m), 0});
        }
        for (std::size_t t = 0; t < network_.trunks.size(); ++t) {
            const Trunk& trunk = network_.trunks[t];
            for (const auto& [sw, other] : {std::pair(trunk.a, trunk.b), std::pair(trunk.b, trunk.a)}) {
                const int port = port_for(sw, switch_lid_[at(other)]);
                if (port > 0) plug(sw, port, {static_cast<int>(t), -1, 0});
            }
        }
        std::vector<char> is_machine(most_lids, 0);  // by address
        for (const int lid : tables_.machine_lid_) is_machine[at(lid)] = 1;
        for (int sw = 0; at(sw) < network_.switches.size(); ++sw) find_other_ports(sw, is_machine);
        for (int sw = 0; at(sw) < network_.switches.size(); ++sw) number_cables(sw);
    }

    /// Ports that are used by routes to machines and not by any neighbour's own address: further cables of a trunk.
    void find_other_ports(int sw, const std::vector<char>& is_machine) {
        std::map<int, std::vector<int>> lids;  // port -> machines' addresses
        for (const auto& [lid, port] : tables_.ports_[at(sw)].routes()) {
            if (port <= 0 || is_machine[at(lid)] == 0) continue;
            const std::vector<ForwardingTables::Out>& outs = tables_.outs_[at(sw)];
            const bool known = at(port) < outs.size() && (outs[at(port)].trunk >= 0 || outs[at(port)].machine >= 0);
            if (!known) lids[port].push_back(lid);
        }
        for (const auto& [port, routed] : lids) {
            std::vector<int> fitting;
            long long fewest = std::numeric_limits<long long>::max();
            for (const int t : trunks_of_[at(sw)]) {
                const Trunk& trunk = network_.trunks[at(t)];
                if (trunk.cables < 2) continue;
                long long hops = 0;  // routes are shortest ones
                for (const int lid : routed) hops += hops_from(across(trunk, sw), lid, sw);
                if (hops < fewest) fitting.clear();
                fewest = std::min(fewest, hops);
                if (hops == fewest && hops < dead_end) fitting.push_back(t);
            }
            if (fitting.size() == 1) {
                plug(sw, port, {fitting.front(), -1, 0});
            } else {
                complain(
                    fmt::format("what is plugged into port {} of {} does not follow from the topology: {} trunks "
                                "of several cables fit",
                                port, network_.switches[at(sw)].name, fitting.empty() ? "no" : "several"));
            }
        }
    }

    static constexpr int dead_end = 1'000'000;

    /// Trunks on the way from `sw` to an address, as far as it is known; dead_end if it passes `avoided` or ends.
    [[nodiscard]] int hops_from(int sw, int lid, int avoided) const {
        for (int hops = 0; hops <= static_cast<int>(network_.switches.size()); ++hops) {
            const int port = port_for(sw, lid);
            if (port <= 0 || sw == avoided) return dead_end;
            const std::vector<ForwardingTables::Out>& outs = tables_.outs_[at(sw)];
            if (at(port) >= outs.size() || outs[at(port)].trunk < 0) return hops;  // a machine, or not known yet
            const Trunk& trunk = network_.trunks[at(outs[at(port)].trunk)];
            sw = across(trunk, sw);
        }
        return dead_end;
    }

    void number_cables(int sw) {
        std::map<int, int> cables;  // trunk -> how many
        for (ForwardingTables::Out& out : tables_.outs_[at(sw)]) {
            if (out.trunk >= 0) out.cable = cables[out.trunk]++;
        }
        for (const auto& [trunk, count] : cables) {
            const Trunk& t = network_.trunks[at(trunk)];
            if (count <= t.cables) continue;
            complain(fmt::format("{} sends to {} by {} ports, but the topology has {} cables between them",
                                 network_.switches[at(sw)].name, network_.switches[at(t.a == sw ? t.b : t.a)].name,
                                 count, t.cables));
        }
    }

    ForwardingTables& tables_;
    ErrorList errors_;
    const Network& network_;
    std::vector<std::vector<int>> trunks_of_;  // by switch
    std::unordered_map<std::string, int> machines_;
    std::unordered_map<std::string, int> switches_;
    std::vector<int> switch_lid_;
    int line_number_ = 0;
    int current_ = -1;
};

void ForwardingTables::Ports::sort() {
    std::stable_sort(routes_.begin(), routes_.end(), [](const Route& a, const Route& b) { return a.lid < b.lid; });
    const auto same = [](const Route& a, const Route& b) { return a.lid == b.lid; };
    const auto first_kept = std::unique(routes_.rbegin(), routes_.rend(), same).base();
    routes_.erase(routes_.begin(), first_kept);
}

int ForwardingTables::Ports::to(int lid) const {
    const auto before = [](const Route& route, int address) { return route.lid < address; };
    const auto found = std::lower_bound(routes_.begin(), routes_.end(), lid, before);
    return found != routes_.end() && found->lid == lid ? found->port : -1;
}

ForwardingTables::ForwardingTables(const std::string& text, const std::string& name, const Network& network)
    : network_(network), name_(name) {
    ForwardingTablesReader(*this, name, network).read(text);
}

std::vector<Crossing> ForwardingTables::between(int from, int to) const {
    std::vector<Crossing> crossings{{port_out(from), 0}};
    const int lid = machine_lid_[at(to)];
    int sw = network_.machines[at(from)].sw;
    for (std::size_t hops = 0; hops <= network_.switches.size(); ++hops) {
        const int port = ports_[at(sw)].to(lid);
        if (port <= 0 || at(port) >= outs_[at(sw)].size()) break;
        const Out& out = outs_[at(sw)][at(port)];
        if (out.machine == to) {
            crossings.push_back({port_in(to), 0});
            return crossings;
        }
        if (out.trunk < 0) break;
        const Trunk& trunk = network_.trunks[at(out.trunk)];
        crossings.push_back({trunk_link(network_, out.trunk, trunk.a == sw), out.cable});
        sw = across(trunk, sw);
    }
    const Beginning& table = beginnings_[at(sw)];
    throw InputErrors(
        {{name_, table.line, 1,
          fmt::format("the forwarding tables lead nowhere from {} to {}: at switch {}, whose table "
                      "begins here, the way ends or goes in a circle",
                      network_.machines[at(from)].name, network_.machines[at(to)].name, network_.switches[at(sw)].name),
          table.text}});
}

}  // namespace bcastgen
