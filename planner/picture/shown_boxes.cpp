#include "planner/picture/shown_boxes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/index.hpp"
#include "planner/network/switch_graph.hpp"
#include "planner/picture/strands.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_machines_by_name = 64;
constexpr std::size_t most_boxes_by_name = 28;
constexpr std::size_t most_boxes_alone = 18;    // of a tree by itself
constexpr std::size_t most_boxes_of_pair = 18;  // of each of two beside each other
constexpr std::size_t most_boxes_below_one = 8;
constexpr std::size_t least_parts = 4;  // coarser ones say nothing

struct Box {
    ShownBox::Kind kind;
    std::vector<int> positions;
    std::vector<std::size_t> below;
};

/// By position: its switch, but for the root, which stands alone.
std::vector<int> places_on(const Network& network, const bcast::Order& order, const std::vector<int>& of_switch) {
    std::vector<int> places;
    for (const int machine : order.machines) places.push_back(of_switch[at(network.machines[at(machine)].sw)]);
    places.front() = -1;
    return places;
}

/// Strands, and of a box's children those that send to nobody together by place.
std::vector<Box> boxes_by_name(const bcast::Tree& tree, const std::vector<int>& places) {
    const std::vector<Strand> strands = strands_of(tree, places);
    std::vector<Box> boxes(1, {ShownBox::Kind::chain, strands[0].positions, {}});
    std::vector<std::size_t> strand_of{0};
    for (std::size_t b = 0; b < strand_of.size(); ++b) {
        if (boxes[b].kind == ShownBox::Kind::leaves) continue;
        std::map<int, std::size_t> leaves_on;  // place -> box
        for (const std::size_t below : strands[strand_of[b]].below) {
            const Strand& strand = strands[below];
            const bool is_leaf = strand.below.empty() && strand.positions.size() == 1;
            const int place = places[at(strand.positions.front())];
            if (is_leaf && leaves_on.contains(place)) {
                Box& shared = boxes[leaves_on[place]];
                shared.kind = ShownBox::Kind::leaves;
                shared.positions.push_back(strand.positions.front());
                continue;
            }
            if (is_leaf) leaves_on[place] = boxes.size();
            boxes[b].below.push_back(boxes.size());
            boxes.push_back({ShownBox::Kind::chain, strand.positions, {}});
            strand_of.push_back(below);
        }
    }
    return boxes;
}

/// What hangs together in one place is a box.
std::vector<Box> boxes_by_place(const bcast::Tree& tree, const std::vector<int>& places) {
    std::vector<Box> boxes;
    std::vector<int> firsts{0};
    for (std::size_t b = 0; b < firsts.size(); ++b) {
        Box box{ShownBox::Kind::part, {firsts[b]}, {}};
        for (std::size_t i = 0; i < box.positions.size(); ++i) {
            for (const int child : tree.children[at(box.positions[i])]) {
                if (places[at(child)] == places[at(box.positions.front())]) {
                    box.positions.push_back(child);
                } else {
                    box.below.push_back(firsts.size());
                    firsts.push_back(child);
                }
            }
        }
        boxes.push_back(std::move(box));
    }
    return boxes;
}

/// By switch: the one at most `depth` trunks from the middle of the network that it hangs on.
std::vector<int> switches_at(const Network& network, const SwitchTree& tree, int depth) {
    std::vector<int> depths(network.switches.size(), 0);
    std::vector<int> shown(network.switches.size(), 0);
    for (const int sw : switches_top_down(tree)) {
        const int above = parent_of(network, tree, sw);
        depths[at(sw)] = above < 0 ? 0 : depths[at(above)] + 1;
        shown[at(sw)] = depths[at(sw)] > depth ? shown[at(above)] : sw;
    }
    return shown;
}

/// The finest division of the network that gives few enough boxes; where none does and still says something, the
/// finest; where that says nothing either, by name.
std::vector<Box> boxes_in_parts(const Network& network, const bcast::Order& order, const bcast::Tree& tree,
                                std::size_t most_boxes, std::vector<int>& of_switch) {
    const SwitchTree switches = shown_tree(network);
    std::vector<Box> finest;
    std::vector<int> finest_of_switch;
    for (int depth = switches.levels - 1; depth >= 1 || finest.empty(); --depth) {
        of_switch = switches_at(network, switches, depth);
        std::vector<Box> boxes = boxes_by_place(tree, places_on(network, order, of_switch));
        if (boxes.size() >= least_parts && boxes.size() <= most_boxes) return boxes;
        if (finest.empty()) {
            finest = std::move(boxes);
            finest_of_switch = of_switch;
        }
    }
    of_switch = finest_of_switch;
    return finest.size() < least_parts ? boxes_by_name(tree, places_on(network, order, of_switch)) : finest;
}

/// By box: the same number for those that look alike with all that is below them.
std::vector<int> looks_of(const std::vector<Box>& boxes) {
    std::map<std::pair<std::size_t, std::vector<int>>, int> numbers;
    std::vector<int> looks(boxes.size());
    for (std::size_t b = boxes.size(); b-- > 0;) {
        std::vector<int> below;
        for (const std::size_t child : boxes[b].below) below.push_back(looks[child]);
        std::sort(below.begin(), below.end());
        looks[b] = numbers.try_emplace({boxes[b].positions.size(), std::move(below)}, static_cast<int>(numbers.size()))
                       .first->second;
    }
    return looks;
}

class BoxFold {
  public:
    BoxFold(const Network& network, const bcast::Order& order, const bcast::Tree& tree, std::size_t most_boxes)
        : network_(network), order_(order), most_boxes_(most_boxes) {
        for (int sw = 0; at(sw) < network.switches.size(); ++sw) of_switch_.push_back(sw);
        if (order.machines.size() <= most_machines_by_name)
            boxes_ = boxes_by_name(tree, places_on(network, order, of_switch_));
        if (boxes_.empty() || boxes_.size() > most_boxes_by_name) {
            boxes_ = boxes_in_parts(network, order, tree, most_boxes, of_switch_);
            folds_ = boxes_.front().kind == ShownBox::Kind::part;
        } else {
            most_boxes_ = most_boxes_by_name;
        }
        count_below();
        looks_ = looks_of(boxes_);
    }

    std::vector<ShownBox> show() {
        std::vector<ShownBox> shown{box_of({0}, -1)};
        std::vector<std::vector<std::size_t>> behind{{0}};
        for (std::size_t i = 0; i < shown.size(); ++i) show_below(shown, behind, i);
        for (std::size_t i = 1; i < shown.size(); ++i) {
            const ShownBox& above = shown[at(shown[i].above)];
            const bool together = shown[i].switches == above.switches && above.switches.size() == 1;
            shown[i].group = together ? above.group : static_cast<int>(i);
        }
        return shown;
    }

  private:
    [[nodiscard]] ShownBox box_of(const std::vector<std::size_t>& alike, int above) const {
        ShownBox box{boxes_[alike.front()].kind, {}, alike.size(), {}, 0, above, 0};
        std::set<int> switches;
        for (const std::size_t b : alike) {
            for (const int position : boxes_[b].positions) {
                box.machines.push_back(order_.machines[at(position)]);
                switches.insert(of_switch_[at(network_.machines[at(box.machines.back())].sw)]);
            }
        }
        box.switches.assign(switches.begin(), switches.end());
        return box;
    }

    /// What hangs below the i-th that is shown: the first of those alike stands for them.
    void show_below(std::vector<ShownBox>& shown, std::vector<std::vector<std::size_t>>& behind, std::size_t i) {
        std::vector<std::vector<std::size_t>> groups;
        std::map<int, std::size_t> group_of;
        for (const std::size_t child : boxes_[behind[i].front()].below) {
            const auto [found, is_new] = group_of.try_emplace(looks_[child], groups.size());
            if (is_new || !folds_) groups.emplace_back();
            (folds_ ? groups[found->second] : groups.back()).push_back(child);
        }
        for (std::size_t g = 0; g < groups.size(); ++g) {
            if (g == most_boxes_below_one || shown.size() == most_boxes_) {
                for (; g < groups.size(); ++g)
                    shown[i].left_out += groups[g].size() * machines_below_[groups[g].front()];
                return;
            }
            shown.push_back(box_of(groups[g], static_cast<int>(i)));
            behind.push_back(groups[g]);
        }
    }

    /// By box: its machines and those below it.
    void count_below() {
        machines_below_.resize(boxes_.size());
        for (std::size_t b = boxes_.size(); b-- > 0;) {
            machines_below_[b] = boxes_[b].positions.size();
            for (const std::size_t below : boxes_[b].below) machines_below_[b] += machines_below_[below];
        }
    }

    const Network& network_;
    const bcast::Order& order_;
    std::vector<int> of_switch_;  // by switch: the one that it is shown as part of
    std::size_t most_boxes_;
    std::vector<std::size_t> machines_below_;
    bool folds_ = false;
    std::vector<Box> boxes_;
    std::vector<int> looks_;
};

}  // namespace

std::vector<ShownBox> shown_boxes(const Network& network, const Plan& plan, std::size_t tree) {
    const std::size_t most_boxes = plan.trees.size() > 1 ? most_boxes_of_pair : most_boxes_alone;
    return BoxFold(network, plan.order, plan.trees.at(tree).tree, most_boxes).show();
}

}  // namespace bcastgen
