// From a tree over machines to what one rank does.
//
//   machines        n0 ----> n1          the leader of a machine speaks for it: the root on its own machine,
//   ranks         0 1 2 3   4 5 6 7      the lowest rank elsewhere
//   rank tree     0 ----> 4              children on other machines first, they wait longest;
//                 0 -> 1, 2   1 -> 3     then a binary tree over the machine's other ranks
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bcast/facts/algorithm.hpp"
#include "bcast/facts/site.hpp"
#include "bcast/facts/tree_builders.hpp"
#include "bcast/roles/placement.hpp"
#include "bcast/roles/role.hpp"
#include "bcast/roles/send_window.hpp"
#include "bcast/trees/latency_tree.hpp"
#include "bcast/trees/order.hpp"
#include "bcast/trees/scatter_cost.hpp"
#include "bcast/trees/tree.hpp"
#include "bcast/trees/wide_trunks.hpp"

namespace bcast {

/// An algorithm's trees (one, or the two of a two-tree) and their order, for all roots on one switch, or for one root
/// where the machines of its switch differ.
struct PlannedTrees {
    std::vector<int> order;     ///< position -> machine
    std::vector<int> position;  ///< member (placement.hpp) -> position
    int on_root_switch = 0;     ///< the first so many machines of the order may take turns at being the root
    std::vector<Tree> trees;
};

/// The tree in a baked table.
inline Tree unbake(const BakedTree& baked) {
    std::vector<std::vector<int>> children(baked.parent.size());
    for (std::size_t position = 1; position < children.size(); ++position) {
        std::vector<int>& siblings = children[static_cast<std::size_t>(baked.parent[position])];
        const auto turn = static_cast<std::size_t>(baked.turn[position]);
        if (siblings.size() <= turn) siblings.resize(turn + 1);
        siblings[turn] = static_cast<int>(position);
    }
    return tree_of_children(std::move(children));
}

/// The roles of one rank in a communicator, built when first asked for and kept.
class Roles {
  public:
    /// `rank` is this process's rank among those of `placement`. All arguments must outlive this object.
    Roles(const Site& site, const Layout& layout, const Placement& placement, int rank)
        : site_(site), layout_(layout), placement_(placement), rank_(rank), baked_(matching_baked_set()) {
        if (has_wide_trunks(layout, placement.machines)) {
            narrow_ = without_wide_trunks(layout, placement.machines);
        }
    }

    /// What this rank does in a broadcast of so many bytes from `root` by a tree algorithm.
    const Role& role(Algorithm algorithm, int root, std::size_t bytes) {
        return kept_role(algorithm, root, bytes, false);
    }

    /// The same among machines alone, of a rank that leads.
    const Role& leaders_role(Algorithm algorithm, int root, std::size_t bytes) {
        return kept_role(algorithm, root, bytes, true);
    }

    /// The rank that leads this one's machine in broadcasts from `root`.
    [[nodiscard]] int leader(int root) const { return leader_of(machine_of(rank_), root); }

    /// This rank's place in a scatter-ring broadcast from `root`, tuned or plain: machine after machine along the
    /// order, the root first.
    const RingRole& ring_role(bool tuned, int root) {
        std::vector<std::unique_ptr<RingRole>>& by_root = ring_roles_[tuned ? 1 : 0];
        if (by_root.empty()) by_root.resize(static_cast<std::size_t>(placement_.ranks()));
        std::unique_ptr<RingRole>& role = by_root[static_cast<std::size_t>(root)];
        if (!role) role = std::make_unique<RingRole>(make_ring_role(tuned, root));
        return *role;
    }

    /// This rank's place in a broadcast in rounds from `root`.
    const RoundsRole& rounds_role(int root) {
        if (rounds_roles_.empty()) rounds_roles_.resize(static_cast<std::size_t>(placement_.ranks()));
        std::unique_ptr<RoundsRole>& role = rounds_roles_[static_cast<std::size_t>(root)];
        if (!role) role = std::make_unique<RoundsRole>(make_rounds_role(root));
        return *role;
    }

    /// This rank's part in a multicast broadcast from `root`.
    const MulticastRole& multicast_role(int root) {
        if (multicast_roles_.empty()) multicast_roles_.resize(static_cast<std::size_t>(placement_.ranks()));
        std::unique_ptr<MulticastRole>& role = multicast_roles_[static_cast<std::size_t>(root)];
        if (!role) role = std::make_unique<MulticastRole>(make_multicast_role(root));
        return *role;
    }

  private:
    static constexpr std::size_t narrow_trees = 1;  // of algorithms that use wide trunks: the trees that do not

    /// Which trees: an algorithm's, of the latency trees those for messages of latency_tree_bytes[size].
    struct Kind {
        Algorithm algorithm;
        std::size_t size;
        bool operator==(const Kind& other) const { return algorithm == other.algorithm && size == other.size; }
    };

    const Role& kept_role(Algorithm algorithm, int root, std::size_t bytes, bool leaders) {
        const Kind kind{algorithm, class_of(algorithm, root, bytes)};
        auto& by_root = roles_[leaders ? 1 : 0][static_cast<std::size_t>(algorithm)][kind.size];
        if (by_root.empty()) by_root.resize(static_cast<std::size_t>(placement_.ranks()));
        std::unique_ptr<Role>& role = by_root[static_cast<std::size_t>(root)];
        if (!role) role = std::make_unique<Role>(make_role(kind, root, leaders));
        return *role;
    }

    /// Kind::size for a message.
    [[nodiscard]] std::size_t class_of(Algorithm algorithm, int root, std::size_t bytes) {
        if (has(algorithm, trait::by_size)) return latency_tree_size(bytes);
        if (!narrow_ || !has(algorithm, trait::spare_bandwidth)) return 0;
        return bytes > wide_up_to(algorithm, planned_root(algorithm, machine_of(root))) ? narrow_trees : 0;
    }

    /// Messages of up to this many bytes take the trees that use wide trunks.
    [[nodiscard]] std::size_t wide_up_to(Algorithm algorithm, int planned_root) {
        for (const WideUpTo& known : wide_up_to_) {
            if (known.algorithm == algorithm && known.planned_root == planned_root) return known.bytes;
        }
        constexpr std::size_t segment_bytes = 8192;  // the usual one
        constexpr std::int64_t many_segments = 1000;
        const Order order = depth_first_order(layout_, placement_.machines, planned_root);
        StreamTime times[2];
        std::size_t trees = 1;
        for (const std::size_t narrow : {std::size_t{0}, narrow_trees}) {
            const PlannedTrees& planned = planned_trees({algorithm, narrow}, planned_root);
            trees = planned.trees.size();
            const std::int64_t under_way =
                std::max<std::int64_t>(usual_send_window(many_segments, trees).to_all,
                                       hop_of(layout_, placement_.machines).covering(segment_bytes));
            for (const Tree& tree : planned.trees) {
                const StreamTime time = stream_time(layout_, order, tree, segment_bytes, under_way);
                times[narrow].first_ns = std::max(times[narrow].first_ns, time.first_ns);
                times[narrow].further_ns = std::max(times[narrow].further_ns, time.further_ns);
            }
        }
        const std::size_t bytes = quicker_up_to(times[0], times[narrow_trees], segment_bytes, trees, no_limit);
        wide_up_to_.push_back({algorithm, planned_root, bytes});
        return bytes;
    }

    [[nodiscard]] int machine_of(int rank) const { return placement_.machine_of_rank[static_cast<std::size_t>(rank)]; }

    [[nodiscard]] const BakedSet* matching_baked_set() const {
        for (const BakedSet& set : site_.baked_sets) {
            if (set.roots.size() == 0) continue;
            std::vector<int> machines(set.roots[0].order.begin(), set.roots[0].order.end());
            std::sort(machines.begin(), machines.end());
            if (machines == placement_.machines) return &set;
        }
        return nullptr;
    }

    /// The baked trees of an algorithm, if any: linear, flat and binomial trees are arithmetic over the order.
    [[nodiscard]] static std::vector<Tree> baked_trees(const BakedRoot* root, Algorithm algorithm) {
        std::vector<Tree> trees;
        if (root == nullptr) return trees;
        for (const BakedTree& tree : root->trees) {
            if (tree.algorithm == algorithm) trees.push_back(unbake(tree));
        }
        return trees;
    }

    /// The root for which the trees of a root are planned: the first machine on its switch. With the machines rotated,
    /// its trees serve all roots there, unless the ports differ or the algorithm is blind to switches.
    [[nodiscard]] int planned_root(Algorithm algorithm, int root) const {
        if (has(algorithm, trait::blind)) return root;
        int first = root;
        for (const int machine : placement_.machines) {
            if (switch_of(machine) != switch_of(root)) continue;
            first = std::min(first, machine);
            if (layout_.port(machine).bandwidth_Bps != layout_.port(root).bandwidth_Bps) return root;
        }
        return first;
    }

    [[nodiscard]] const BakedRoot* find_root(int planned_root) const {
        if (baked_ == nullptr) return nullptr;
        for (const BakedRoot& root : baked_->roots) {
            if (root.order[0] == planned_root) return &root;
        }
        return nullptr;
    }

    [[nodiscard]] PlannedTrees plan(const Kind& kind, int planned_root) const {
        PlannedTrees planned;
        const BakedRoot* root = find_root(planned_root);
        const bool narrow = narrow_ && has(kind.algorithm, trait::spare_bandwidth) && kind.size == narrow_trees;
        if (!narrow) planned.trees = baked_trees(root, kind.algorithm);
        if (!planned.trees.empty()) {
            planned.order.assign(root->order.begin(), root->order.end());
        } else {
            Order order = has(kind.algorithm, trait::blind)
                              ? rotated_order(placement_.machines_by_rank(), planned_root)
                              : depth_first_order(layout_, placement_.machines, planned_root);
            planned.trees = build_trees(
                kind.algorithm,
                {narrow ? *narrow_ : layout_, order, row_of(kind.algorithm).children, latency_tree_bytes[kind.size]});
            planned.order = std::move(order.machines);
        }
        planned.position.resize(planned.order.size());
        for (std::size_t position = 0; position < planned.order.size(); ++position) {
            planned.position[placement_.member(planned.order[position])] = static_cast<int>(position);
            if (switch_of(planned.order[position]) == switch_of(planned_root)) ++planned.on_root_switch;
        }
        if (has(kind.algorithm, trait::blind)) planned.on_root_switch = 1;
        return planned;
    }

    [[nodiscard]] int switch_of(int machine) const { return layout_.machine_switch[static_cast<std::size_t>(machine)]; }

    const PlannedTrees& planned_trees(const Kind& kind, int planned_root) {
        constexpr std::size_t most_kept = 64;  // roles are kept for good; these only speed up new roots
        for (const auto& [key, tree] : planned_) {
            if (key == std::make_pair(kind, planned_root)) return *tree;
        }
        if (planned_.size() == most_kept) planned_.erase(planned_.begin());
        planned_.emplace_back(std::make_pair(kind, planned_root),
                              std::make_unique<PlannedTrees>(plan(kind, planned_root)));
        return *planned_.back().second;
    }

    [[nodiscard]] Role make_role(const Kind& kind, int root, bool leaders) {
        Role role;
        const PlannedTrees& planned = planned_trees(kind, planned_root(kind.algorithm, machine_of(root)));
        for (const Tree& tree : planned.trees) {
            role.trees.push_back(leaders ? leader_role(planned, tree, machine_of(rank_), root)
                                         : tree_role(planned, tree, root));
        }
        return role;
    }

    [[nodiscard]] RingRole make_ring_role(bool tuned, int root) const {
        const Order order = depth_first_order(layout_, placement_.machines, machine_of(root));
        std::vector<int> rank_at;  // by position
        std::vector<int> begins;   // by machine of the order
        for (const int machine : order.machines) {
            begins.push_back(static_cast<int>(rank_at.size()));
            const int leader = leader_of(machine, root);
            rank_at.push_back(leader);
            for (const int rank : placement_.ranks_on[placement_.member(machine)]) {
                if (rank != leader) rank_at.push_back(rank);
            }
        }
        const auto positions = static_cast<int>(rank_at.size());
        begins.push_back(positions);
        const Tree scatter = tuned ? tuned_scatter(layout_, order, begins) : binomial_scatter(positions);
        const std::vector<int> held = blocks_held(scatter);
        const auto mine = static_cast<std::size_t>(std::find(rank_at.begin(), rank_at.end(), rank_) - rank_at.begin());
        const std::size_t right = (mine + 1) % rank_at.size();
        RingRole role;
        role.position = static_cast<int>(mine);
        role.positions = positions;
        role.held = held[mine];
        if (mine > 0) role.parent = rank_at[static_cast<std::size_t>(scatter.parent[mine])];
        for (const int child : scatter.children[mine]) {
            const auto at = static_cast<std::size_t>(child);
            role.children.push_back({rank_at[at], child, held[at]});
        }
        role.left = rank_at[(mine + rank_at.size() - 1) % rank_at.size()];
        role.right = rank_at[right];
        role.right_held = held[right];
        return role;
    }

    [[nodiscard]] RoundsRole make_rounds_role(int root) const {
        const int machine = machine_of(rank_);
        const std::vector<int> order = depth_first_order(layout_, placement_.machines, machine_of(root)).machines;
        const auto position = static_cast<int>(std::find(order.begin(), order.end(), machine) - order.begin());
        RoundsRole role;
        role.leads = leader_of(machine, root) == rank_;
        role.place = circulant_place(static_cast<int>(order.size()), position);
        role.machine = add_machine_links({}, root);
        if (!role.leads) return role;
        const auto leader_at = [&](int at) { return leader_of(order[static_cast<std::size_t>(at)], root); };
        for (int k = 0; k < role.place.phase(); ++k) {
            role.to.push_back(role.place.to(k) == 0 ? -1 : leader_at(role.place.to(k)));
            if (position > 0) role.from.push_back(leader_at(role.place.from(k)));
        }
        return role;
    }

    [[nodiscard]] MulticastRole make_multicast_role(int root) const {
        MulticastRole role;
        const int machine = machine_of(rank_);
        role.leads = leader_of(machine, root) == rank_;
        role.machine.trees.push_back(add_machine_links({}, root));
        if (!role.leads) return role;
        for (const int other : depth_first_order(layout_, placement_.machines, machine_of(root)).machines) {
            if (other == machine) role.place.position = static_cast<int>(role.place.rank_at.size());
            role.place.rank_at.push_back(leader_of(other, root));
        }
        return role;
    }

    [[nodiscard]] TreeRole tree_role(const PlannedTrees& planned, const Tree& tree, int root) const {
        const int machine = machine_of(rank_);
        const bool leads = leader_of(machine, root) == rank_;
        return add_machine_links(leads ? leader_role(planned, tree, machine, root) : TreeRole{}, root);
    }

    /// A leader's links to other machines, followed by those to the ranks of its own machine.
    [[nodiscard]] TreeRole add_machine_links(TreeRole role, int root) const {
        const int machine = machine_of(rank_);
        const std::vector<int>& here = placement_.ranks_on[placement_.member(machine)];
        const int leader = leader_of(machine, root);
        // This rank's number among the machine's ranks, with the leader put first.
        const int at = static_cast<int>(std::find(here.begin(), here.end(), rank_) - here.begin());
        const int leader_at = static_cast<int>(std::find(here.begin(), here.end(), leader) - here.begin());
        const auto rank_numbered = [&](int number) {
            if (number == 0) return leader;
            return here[static_cast<std::size_t>(number <= leader_at ? number - 1 : number)];
        };
        int number = at < leader_at ? at + 1 : at;
        if (rank_ == leader) number = 0;

        if (number > 0) role.parent = rank_numbered((number - 1) / 2);
        for (int child = 2 * number + 1; child <= 2 * number + 2; ++child) {
            if (child < static_cast<int>(here.size())) role.children.push_back(rank_numbered(child));
        }
        return role;
    }

    /// The links to other machines' leaders.
    [[nodiscard]] TreeRole leader_role(const PlannedTrees& planned, const Tree& tree, int machine, int root) const {
        const int on_switch = planned.on_root_switch;
        const int root_at = planned.position[placement_.member(machine_of(root))];
        // Rotating the root switch's machines puts the root at position 0.
        const int stored = planned.position[placement_.member(machine)];
        const int position = stored < on_switch ? (stored - root_at + on_switch) % on_switch : stored;
        const auto machine_at = [&](int other) {
            const int from = other < on_switch ? (other + root_at) % on_switch : other;
            return planned.order[static_cast<std::size_t>(from)];
        };
        const auto leader_at = [&](int other) { return leader_of(machine_at(other), root); };
        TreeRole role;
        role.together = tree.together;
        const int parent = tree.parent[static_cast<std::size_t>(position)];
        if (parent >= 0) {
            role.parent = leader_at(parent);
            role.parent_is_far = is_far(layout_, machine, machine_at(parent));
        }
        for (int child : tree.children[static_cast<std::size_t>(position)]) {
            role.children.push_back(leader_at(child));
            role.far.push_back(is_far(layout_, machine, machine_at(child)) ? 1 : 0);
            const LinkSpeed port = layout_.port(machine_at(child));
            role.has_slow_child |= port.bandwidth_Bps < layout_.port(machine).bandwidth_Bps;
        }
        role.waits = waiting_children(tree, position);
        return role;
    }

    [[nodiscard]] int leader_of(int machine, int root) const {
        return machine == machine_of(root) ? root : placement_.ranks_on[placement_.member(machine)].front();
    }

    const Site& site_;
    const Layout& layout_;
    const Placement& placement_;
    int rank_;
    const BakedSet* baked_;
    std::optional<Layout> narrow_;  // if there are wide trunks: as if there were none
    struct WideUpTo {
        Algorithm algorithm;
        int planned_root;
        std::size_t bytes;
    };
    std::vector<WideUpTo> wide_up_to_;
    std::vector<std::unique_ptr<Role>> roles_[2][algorithm_count][latency_tree_sizes];  // [leaders][][][root rank]
    std::vector<std::unique_ptr<RingRole>> ring_roles_[2];                              // [tuned][root rank]
    std::vector<std::unique_ptr<RoundsRole>> rounds_roles_;                             // [root rank]
    std::vector<std::unique_ptr<MulticastRole>> multicast_roles_;                       // [root rank]
    std::vector<std::pair<std::pair<Kind, int>, std::unique_ptr<PlannedTrees>>> planned_;
};

}  // namespace bcast
