#include "planner/picture/shown_switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "base/index.hpp"
#include "base/units.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_switches_unfolded = 10;  // switches that are each shown, however alike
constexpr std::size_t most_switches_shown = 16;
constexpr std::size_t most_switches_below_one = 7;
constexpr int not_shown = -1;

/// By switch: the one that stands for its virtual switch (folded_clos.hpp), elsewhere itself.
std::vector<int> virtual_switches(const Network& network) {
    std::vector<int> stands_for(network.switches.size());
    std::iota(stands_for.begin(), stands_for.end(), 0);
    const auto find = [&stands_for](int sw) {
        while (stands_for[at(sw)] != sw) sw = stands_for[at(sw)] = stands_for[at(stands_for[at(sw)])];
        return sw;
    };
    const auto level = [&network](int sw) { return network.switches[at(sw)].level; };
    const auto merge = [&](int a, int b) { stands_for[at(std::max(find(a), find(b)))] = std::min(find(a), find(b)); };
    for (const Trunk& trunk : network.trunks) {
        if (trunk.bounded_by < 0) continue;
        const Trunk& bound = network.trunks[at(trunk.bounded_by)];
        const bool a_is_lower = level(trunk.a) < level(trunk.b);
        const bool bounds_a_is_lower = level(bound.a) < level(bound.b);
        merge(a_is_lower ? trunk.a : trunk.b, bounds_a_is_lower ? bound.a : bound.b);
        merge(a_is_lower ? trunk.b : trunk.a, bounds_a_is_lower ? bound.b : bound.a);
    }
    std::vector<int> result;
    for (int sw = 0; at(sw) < stands_for.size(); ++sw) result.push_back(find(sw));
    return result;
}

/// All trunks from one virtual switch down to another.
struct Bundle {
    int trunks = 0;
    std::set<int> cables;
    double slowest_Bps = 0;
    double fastest_Bps = 0;
    double down = 0;  // load away from the root, and back
    double up = 0;
    bool bounds = false;  // the loads are at most these
};

std::string speed_text_of(const Bundle& bundle) {
    std::string text = format_bandwidth(bundle.fastest_Bps);
    if (bundle.slowest_Bps < bundle.fastest_Bps) text = format_bandwidth(bundle.slowest_Bps) + " to " + text;
    const int cables = bundle.cables.size() == 1 ? *bundle.cables.begin() : 1;
    const int all = bundle.trunks * cables;
    return all == 1 ? text : fmt::format("{} × {}", all, text);
}

class SwitchFold {
  public:
    SwitchFold(const Network& network, const Plan& plan)
        : network_(network), plan_(plan), class_of_(virtual_switches(network)) {
        machines_.resize(class_of_.size(), 0);
        for (const int machine : plan.order.machines) ++machines_[at(class_of(machine_switch(machine)))];
        names_.resize(class_of_.size());
        for (std::size_t sw = 0; sw < class_of_.size(); ++sw) {
            names_[at(class_of_[sw])].push_back(network.switches[sw].name);
            if (class_of_[sw] == static_cast<int>(sw)) ++virtual_count_;
        }
        hang();
        look_alike();
    }

    [[nodiscard]] ShownSwitches show() {
        shown_as_.assign(class_of_.size(), not_shown);
        ShownSwitches all;
        const int root = class_of(machine_switch(plan_.request.root));
        all.shown.push_back({names_[at(root)], 1, machines_[at(root)], 0, -1, "", ""});
        shown_as_[at(root)] = 0;
        std::vector<int> shown{root};
        for (int i = 0; at(i) < shown.size(); ++i) {
            if (shown[at(i)] != not_shown) show_below(all, shown, i);
        }
        add_idle(all);
        return all;
    }

  private:
    [[nodiscard]] int class_of(int sw) const { return class_of_[at(sw)]; }
    [[nodiscard]] int machine_switch(int machine) const { return network_.machines[at(machine)].sw; }

    static bool is_used(const Trunk& trunk) { return trunk.in_tree || trunk.bounded_by >= 0; }

    /// Fills in children_ and bundle_ from the root's switch down.
    void hang() {
        std::vector<std::vector<int>> trunks_of(class_of_.size());
        for (int t = 0; at(t) < network_.trunks.size(); ++t) {
            if (!is_used(network_.trunks[at(t)])) continue;
            trunks_of[at(class_of(network_.trunks[at(t)].a))].push_back(t);
            trunks_of[at(class_of(network_.trunks[at(t)].b))].push_back(t);
        }
        children_.resize(class_of_.size());
        bundle_.resize(class_of_.size());
        std::vector<int> above(class_of_.size(), -1);
        const int root = class_of(machine_switch(plan_.request.root));
        above[at(root)] = root;
        top_down_ = {root};
        for (std::size_t i = 0; i < top_down_.size(); ++i) {
            const int sw = top_down_[i];
            for (const int t : trunks_of[at(sw)]) {
                const bool from_a = class_of(network_.trunks[at(t)].a) == sw;
                const int other = class_of(from_a ? network_.trunks[at(t)].b : network_.trunks[at(t)].a);
                if (above[at(other)] < 0) {
                    above[at(other)] = sw;
                    children_[at(sw)].push_back(other);
                    top_down_.push_back(other);
                }
                if (above[at(other)] == sw && other != root) take(bundle_[at(other)], t, from_a);
            }
        }
    }

    void take(Bundle& bundle, int t, bool down_from_a) const {
        const Trunk& trunk = network_.trunks[at(t)];
        bundle.slowest_Bps =
            bundle.trunks == 0 ? trunk.speed.bandwidth_Bps : std::min(bundle.slowest_Bps, trunk.speed.bandwidth_Bps);
        bundle.fastest_Bps = std::max(bundle.fastest_Bps, trunk.speed.bandwidth_Bps);
        bundle.cables.insert(trunk.cables);
        ++bundle.trunks;
        int known = t;
        if (!plan_.routes_known && trunk.bounded_by >= 0) {
            known = trunk.bounded_by;
            bundle.bounds = bundle.trunks > 1;
            // Levels say which end of the other trunk is which.
            const bool same_way = upper_is_a(network_.trunks[at(known)]) == upper_is_a(trunk);
            down_from_a = same_way == down_from_a;
        }
        bundle.down = std::max(bundle.down, plan_.loads[at(trunk_link(network_, known, down_from_a))]);
        bundle.up = std::max(bundle.up, plan_.loads[at(trunk_link(network_, known, !down_from_a))]);
    }

    [[nodiscard]] bool upper_is_a(const Trunk& trunk) const {
        return network_.switches[at(trunk.a)].level > network_.switches[at(trunk.b)].level;
    }

    /// looks_[sw]: the same number for switches that look the same with all that hangs below them.
    void look_alike() {
        using Look = std::tuple<std::size_t, std::size_t, std::string, std::string, std::vector<int>>;
        std::map<Look, int> numbers;
        looks_.assign(class_of_.size(), -1);
        machines_below_.assign(class_of_.size(), 0);
        for (auto sw = top_down_.rbegin(); sw != top_down_.rend(); ++sw) {
            std::vector<int> below;
            machines_below_[at(*sw)] = machines_[at(*sw)];
            for (const int child : children_[at(*sw)]) {
                below.push_back(looks_[at(child)]);
                machines_below_[at(*sw)] += machines_below_[at(child)];
            }
            std::sort(below.begin(), below.end());
            const Bundle& bundle = bundle_[at(*sw)];
            const Look look{machines_[at(*sw)], names_[at(*sw)].size(), speed_text_of(bundle), load_text(bundle),
                            std::move(below)};
            looks_[at(*sw)] = numbers.try_emplace(look, static_cast<int>(numbers.size())).first->second;
        }
    }

    static std::string load_text(const Bundle& bundle) {
        return fmt::format("{}{:.4g} / {:.4g}", bundle.bounds ? "≤ " : "", bundle.down, bundle.up);
    }

    /// What hangs on the i-th that is shown, the alike together, as far as there is place.
    void show_below(ShownSwitches& all, std::vector<int>& shown, int i) {
        const bool folds = virtual_count_ > most_switches_unfolded;
        std::vector<std::vector<int>> groups;
        std::map<int, std::size_t> group_of;
        for (const int child : children_[at(shown[at(i)])]) {
            const auto [found, is_new] = group_of.try_emplace(looks_[at(child)], groups.size());
            if (is_new || !folds) groups.emplace_back();
            (folds ? groups[found->second] : groups.back()).push_back(child);
        }
        ShownSwitch rest{{}, 0, 0, 0, i, "", ""};
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const std::vector<int>& group = groups[g];
            const bool last_place = g + 1 == most_switches_below_one || all.shown.size() + 1 == most_switches_shown;
            if (folds && (g >= most_switches_below_one || all.shown.size() >= most_switches_shown ||
                          (last_place && g + 1 < groups.size()))) {
                rest.alike += group.size();
                for (const int sw : group) rest.below += machines_below_[at(sw)];
                continue;
            }
            ShownSwitch one{{},
                            group.size(),
                            machines_[at(group.front())],
                            0,
                            i,
                            speed_text_of(bundle_[at(group.front())]),
                            load_text(bundle_[at(group.front())])};
            for (const int sw : group) {
                one.names.insert(one.names.end(), names_[at(sw)].begin(), names_[at(sw)].end());
                shown_as_[at(sw)] = static_cast<int>(all.shown.size());
            }
            all.shown.push_back(std::move(one));
            shown.push_back(group.front());
        }
        if (rest.alike == 0) return;
        all.shown.push_back(std::move(rest));
        shown.push_back(not_shown);
    }

    void add_idle(ShownSwitches& all) const {
        std::set<std::pair<int, int>> pairs;
        for (const Trunk& trunk : network_.trunks) {
            if (is_used(trunk)) continue;
            const int a = shown_as_[at(class_of(trunk.a))];
            const int b = shown_as_[at(class_of(trunk.b))];
            if (a != not_shown && b != not_shown && a != b) pairs.emplace(std::min(a, b), std::max(a, b));
        }
        all.idle.assign(pairs.begin(), pairs.end());
    }

    const Network& network_;
    const Plan& plan_;
    std::vector<int> class_of_;  // by switch: its virtual switch
    std::size_t virtual_count_ = 0;
    // By virtual switch:
    std::vector<std::size_t> machines_;
    std::vector<std::size_t> machines_below_;
    std::vector<std::vector<std::string>> names_;
    std::vector<std::vector<int>> children_;
    std::vector<Bundle> bundle_;  // to the one above
    std::vector<int> looks_;
    std::vector<int> shown_as_;
    std::vector<int> top_down_;
};

}  // namespace

ShownSwitches shown_switches(const Network& network, const Plan& plan) {
    return SwitchFold(network, plan).show();
}

}  // namespace bcastgen
