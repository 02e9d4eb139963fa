#include "planner/formats/lldp_roles.hpp"

#include <algorithm>
#include <map>

namespace bcastgen {

namespace {

class Decision {
  public:
    explicit Decision(const LldpDevices& devices) : devices_(devices) {
        for (const LldpSight& sight : devices.sights) {
            described_.insert(sight.neighbour);
            joined_[sight.host].insert(sight.neighbour);
            joined_[sight.neighbour].insert(sight.host);
        }
        roles_.switches = devices.bridges;
    }

    LldpRoles decide() {
        for (const auto& [name, neighbours] : joined_) {
            const bool may_be_switch = is_router(name) || !described_.contains(name);
            if (may_be_switch && std::any_of(neighbours.begin(), neighbours.end(),
                                             [this](const std::string& other) { return says_neither(other); })) {
                take_as_switch(name);
            }
        }
        decide_beside_unknown_hosts();
        decide_among_routers();
        for (const LldpSight& sight : devices_.sights) {
            if (!described_.contains(sight.host) && !is_switch(sight.neighbour)) roles_.switches.insert(sight.host);
        }
        return std::move(roles_);
    }

  private:
    [[nodiscard]] bool is_switch(const std::string& name) const { return roles_.switches.contains(name); }
    [[nodiscard]] bool is_router(const std::string& name) const {
        return devices_.routers.contains(name) && !devices_.bridges.contains(name);
    }
    /// Somebody sees it, and it neither bridges nor routes: a machine.
    [[nodiscard]] bool says_neither(const std::string& name) const {
        return described_.contains(name) && !devices_.routers.contains(name) && !devices_.bridges.contains(name);
    }
    [[nodiscard]] std::size_t degree(const std::string& name) const { return joined_.at(name).size(); }

    void take_as_switch(const std::string& name) {
        if (roles_.switches.insert(name).second && is_router(name)) roles_.routing_switches.push_back(name);
    }

    /// Routers that are seen by hosts whose files are here and whom nobody describes: the hosts are machines, unless
    /// one of them has more neighbours than any router that it sees, as switches have.
    void decide_beside_unknown_hosts() {
        std::map<std::string, std::size_t> unknown;  // with the sight of a router
        for (std::size_t i = 0; i < devices_.sights.size(); ++i) {
            const LldpSight& sight = devices_.sights[i];
            if (described_.contains(sight.host) || is_switch(sight.host) || !is_router(sight.neighbour)) continue;
            unknown.emplace(sight.host, i);
        }
        for (const auto& [host, sight] : unknown) {
            const std::set<std::string>& seen = joined_.at(host);
            const bool as_wide = std::any_of(seen.begin(), seen.end(), [&](const std::string& other) {
                return is_router(other) && (degree(other) >= seen.size() || is_switch(other));
            });
            if (!as_wide) roles_.undecided.push_back(sight);
        }
        for (const auto& [host, sight] : unknown) {
            for (const std::string& other : joined_.at(host)) {
                if (is_router(other)) take_as_switch(other);
            }
        }
    }

    /// The other routers see only switches and each other.
    void decide_among_routers() {
        std::vector<std::string> ends;
        for (const auto& [name, neighbours] : joined_) {
            if (!is_router(name) || is_switch(name)) continue;
            if (neighbours.size() > 1) {
                take_as_switch(name);
            } else {
                ends.push_back(name);
            }
        }
        std::set<std::string> pairs;
        for (const std::string& name : ends) {
            if (is_switch(*joined_.at(name).begin())) {
                roles_.routing_machines.push_back(name);
                continue;
            }
            pairs.insert(name);  // two routers, and nothing else
        }
        for (std::size_t i = 0; i < devices_.sights.size(); ++i) {
            if (pairs.contains(devices_.sights[i].host)) roles_.undecided.push_back(i);
        }
    }

    const LldpDevices& devices_;
    std::set<std::string> described_;
    std::map<std::string, std::set<std::string>> joined_;
    LldpRoles roles_;
};

}  // namespace

LldpRoles roles_of(const LldpDevices& devices) {
    return Decision(devices).decide();
}

}  // namespace bcastgen
