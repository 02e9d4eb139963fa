#include "tuner/wiring/discovery/distances.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/index.hpp"
#include "tuner/wiring/middle.hpp"

namespace bcastgen {

namespace {

constexpr double clear_gap = 1;          // a gap is clear if it is so many times what lies below it
constexpr double near_over_scatter = 3;  // switches that are no further apart than so many times that are one
constexpr std::size_t most_near = 16;
constexpr int passes = 3;                   // from the lengths of cables to who is near, and back
constexpr double least_of_gap = 0.25;       // a trunk is that long at least
constexpr double good_fit = 0.3;            // of a trunk's length: times so near to a tree's are its
constexpr double least_gap_of_trip = 0.05;  // and so much of the shortest round trip

/// By machine: the distance to where the ways to others part, as the nearest of them show it: times over long ways are
/// disturbed more. Those are nearest whose way is short without their own cable, of which `known` is what is known so
/// far.
std::vector<double> cable_lengths(const Distances& d, const std::vector<double>& known) {
    const std::size_t n = d.size();
    std::vector<double> lengths(n, 0);
    std::vector<std::size_t> others(n);
    for (std::size_t i = 0; i < n; ++i) {
        std::iota(others.begin(), others.end(), std::size_t{0});
        std::sort(others.begin(), others.end(), [&](std::size_t a, std::size_t b) {
            return std::pair(a != i, d[i][a] - known[a]) < std::pair(b != i, d[i][b] - known[b]);
        });
        const std::size_t nearest = others[1];  // after i itself
        double least = d[i][nearest] / 2;
        if (n > 2) least = std::numeric_limits<double>::infinity();
        for (std::size_t at_k = 2; at_k < std::min(n, most_near); ++at_k) {
            const std::size_t k = others[at_k];
            least = std::min(least, (d[i][nearest] + d[i][k] - d[nearest][k]) / 2);
        }
        lengths[i] = least;
    }
    return lengths;
}

/// The lengths tell which machines are near, and those how long the cables are: a machine whose port or software is
/// slow is far from its neighbours, and nearer to fast ones behind a trunk.
std::vector<double> cable_lengths(const Distances& d) {
    std::vector<double> lengths(d.size(), 0);
    for (int pass = 0; pass < passes; ++pass) lengths = cable_lengths(d, lengths);
    return lengths;
}

/// Between the switches of machines.
Distances between_switches(const Distances& d, const std::vector<double>& cables) {
    Distances t = d;
    for (std::size_t i = 0; i < d.size(); ++i) {
        for (std::size_t j = 0; j < d.size(); ++j) t[i][j] = i == j ? 0 : d[i][j] - cables[i] - cables[j];
    }
    return t;
}

struct Gap {
    double below_s = 0;  ///< the longest distance of machines of one switch
    double above_s = 0;  ///< the shortest between two switches; infinite: there are no two
};

/// Where machines of one switch may end and those of several begin, the shortest first; the last: all are on one.
std::vector<Gap> clear_gaps(const Distances& t, double shortest_trip_s) {
    std::vector<double> values;
    for (std::size_t i = 0; i < t.size(); ++i) {
        for (std::size_t j = i + 1; j < t.size(); ++j) values.push_back(std::max(0.0, t[i][j]));
    }
    std::sort(values.begin(), values.end());
    const double least_s = least_gap_of_trip * shortest_trip_s;
    std::vector<Gap> gaps;
    double below_s = 0;
    for (const double value : values) {
        if (value - below_s > std::max(least_s, clear_gap * below_s)) gaps.push_back({below_s, value});
        below_s = value;
    }
    gaps.push_back({below_s, std::numeric_limits<double>::infinity()});
    return gaps;
}

/// The machines of each switch.
std::vector<std::vector<int>> groups_of(const Distances& t, const Gap& gap) {
    const double limit_s = std::isinf(gap.above_s) ? gap.above_s : (gap.below_s + gap.above_s) / 2;
    std::vector<std::vector<int>> groups;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const auto mine = std::find_if(groups.begin(), groups.end(), [&](const std::vector<int>& group) {
            return t[i][at(group.front())] < limit_s;
        });
        if (mine == groups.end()) {
            groups.push_back({static_cast<int>(i)});
        } else {
            mine->push_back(static_cast<int>(i));
        }
    }
    return groups;
}

/// The same as cable_lengths, nearer to the truth, of machines that have others on their switch: those tell.
std::vector<double> refined_lengths(const Distances& d, const std::vector<std::vector<int>>& groups,
                                    std::vector<double> lengths) {
    for (const std::vector<int>& group : groups) {
        if (group.size() < 2) continue;
        for (const int i : group) {
            std::vector<double> found;
            for (const int j : group) {
                if (i == j) continue;
                for (std::size_t k = 0; k < d.size(); ++k) {
                    const bool other = static_cast<int>(k) != i && static_cast<int>(k) != j;
                    // Machines of the same switch tell best; with two of them the others must do.
                    if (!other || (group.size() > 2 &&
                                   std::find(group.begin(), group.end(), static_cast<int>(k)) == group.end())) {
                        continue;
                    }
                    found.push_back((d[at(i)][at(j)] + d[at(i)][k] - d[at(j)][k]) / 2);
                }
            }
            if (!found.empty()) lengths[at(i)] = middle_of(std::move(found));
        }
    }
    return lengths;
}

/// What disturbs adds mostly, so the shorter ones count; but not the very shortest of many, which a machine with a slow
/// port can make too short.
double usual_between(const Distances& t, const std::vector<int>& a, const std::vector<int>& b) {
    std::vector<double> all;
    for (const int i : a) {
        for (const int j : b) all.push_back(t[at(i)][at(j)]);
    }
    const auto quarter = all.begin() + static_cast<std::ptrdiff_t>((all.size() - 1) / 4);
    std::nth_element(all.begin(), quarter, all.end());
    return *quarter;
}

/// Builds the switches below one at `depth_s` from the first group.
class TreeBuilder {
  public:
    TreeBuilder(const Distances& between, const std::vector<std::vector<int>>& groups, double near_s)
        : between_(between), groups_(groups), near_s_(near_s) {}

    std::vector<FoundSwitch> build() {
        std::vector<int> all(groups_.size());
        for (std::size_t g = 0; g < all.size(); ++g) all[g] = static_cast<int>(g);
        add(-1, 0, 0, all);
        return std::move(switches_);
    }

  private:
    /// How long two groups' ways from the first one are the same; of one group with itself: its depth.
    [[nodiscard]] double together_s(int g, int h) const {
        return (between_[0][at(g)] + between_[0][at(h)] - between_[at(g)][at(h)]) / 2;
    }

    /// A switch for `groups`, whose ways are the same up to it.
    void add(int above, double above_depth_s, double depth_s, const std::vector<int>& groups) {
        const int own = static_cast<int>(switches_.size());
        switches_.push_back({above, depth_s - above_depth_s, {}});
        std::vector<std::vector<int>> classes;
        for (const int g : groups) {
            if (together_s(g, g) < depth_s + near_s_) {
                std::vector<int>& here = switches_[at(own)].machines;
                here.insert(here.end(), groups_[at(g)].begin(), groups_[at(g)].end());
                continue;
            }
            const auto mine = std::find_if(classes.begin(), classes.end(), [&](const std::vector<int>& others) {
                return together_s(g, others.front()) > depth_s + near_s_;
            });
            if (mine == classes.end()) {
                classes.push_back({g});
            } else {
                mine->push_back(g);
            }
        }
        for (const std::vector<int>& others : classes) {
            double next_s = std::numeric_limits<double>::infinity();
            for (const int g : others) {
                for (const int h : others) next_s = std::min(next_s, together_s(g, h));
            }
            add(own, depth_s, std::max(next_s, depth_s + near_s_), others);  // noise must not keep it here
        }
    }

    const Distances& between_;
    const std::vector<std::vector<int>>& groups_;
    double near_s_;
    std::vector<FoundSwitch> switches_;
};

/// The longest difference between the shortest time between two groups and what the tree makes of it.
double worst_misfit_s(const Distances& between, const std::vector<std::vector<int>>& groups, const FoundTree& tree) {
    const std::size_t switches = tree.switches.size();
    Distances way(switches, std::vector<double>(switches, 0));
    std::vector<std::size_t> on(groups.size(), 0);
    for (std::size_t s = 0; s < switches; ++s) {
        for (std::size_t g = 0; g < groups.size(); ++g) {
            const std::vector<int>& here = tree.switches[s].machines;
            if (std::find(here.begin(), here.end(), groups[g].front()) != here.end()) on[g] = s;
        }
        if (tree.switches[s].above < 0) continue;
        const auto above = at(tree.switches[s].above);
        for (std::size_t other = 0; other < s; ++other) {
            way[s][other] = way[other][s] = way[above][other] + tree.switches[s].trunk_s;
        }
    }
    double worst_s = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        for (std::size_t h = 0; h < g; ++h) worst_s = std::max(worst_s, std::abs(between[g][h] - way[on[g]][on[h]]));
    }
    return worst_s;
}

FoundTree tree_with_gap(const Distances& round_trips, const Distances& t, const std::vector<double>& cables,
                        const Gap& gap) {
    FoundTree tree;
    const std::vector<std::vector<int>> groups = groups_of(t, gap);
    tree.ports_s = refined_lengths(round_trips, groups, cables);
    const Distances refined = between_switches(round_trips, tree.ports_s);
    Distances between(groups.size(), std::vector<double>(groups.size(), 0));
    double least_s = std::numeric_limits<double>::infinity();
    for (std::size_t g = 0; g < groups.size(); ++g) {
        for (std::size_t h = 0; h < groups.size(); ++h) {
            if (g == h) continue;
            between[g][h] = usual_between(refined, groups[g], groups[h]);
            least_s = std::min(least_s, between[g][h]);
        }
        for (const int i : groups[g]) {
            for (const int j : groups[g]) tree.scatter_s = std::max(tree.scatter_s, std::abs(refined[at(i)][at(j)]));
        }
    }
    if (groups.size() == 1) {
        tree.switches.push_back({-1, 0, groups.front()});
        return tree;
    }
    tree.gap_s = least_s;
    tree.misfit = std::numeric_limits<double>::infinity();
    // Far shorter ones than the gap promised would be no trunks, and steps of their length would never end.
    if (least_s < least_of_gap * gap.above_s) return tree;
    if (least_s <= tree.scatter_s) return tree;  // machines of one switch are as far apart as those of two
    const double near_s = std::clamp(near_over_scatter * tree.scatter_s, tree.gap_s / 12, tree.gap_s / 3);
    tree.switches = TreeBuilder(between, groups, near_s).build();
    tree.misfit = worst_misfit_s(between, groups, tree) / tree.gap_s;
    return tree;
}

}  // namespace

FoundTree tree_of_distances(const Distances& round_trips) {
    const std::vector<double> cables = cable_lengths(round_trips);
    const Distances t = between_switches(round_trips, cables);
    double shortest_s = std::numeric_limits<double>::infinity();
    for (std::size_t i = 1; i < round_trips.size(); ++i) shortest_s = std::min(shortest_s, round_trips[0][i]);
    FoundTree tree;
    for (const Gap& gap : clear_gaps(t, shortest_s)) {
        const bool first = tree.ports_s.empty();
        const bool one_switch = std::isinf(gap.above_s);
        if (one_switch && !first) break;  // some gap is clear, but no tree has these times
        FoundTree next = tree_with_gap(round_trips, t, cables, gap);
        if (first || next.misfit < tree.misfit) tree = std::move(next);
        if (tree.misfit < good_fit) break;
    }
    return tree;
}

}  // namespace bcastgen
