#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/hostlist.hpp"
#include "base/index.hpp"
#include "base/wording.hpp"
#include "planner/picture/graphviz_svg.hpp"
#include "planner/picture/shown_boxes.hpp"
#include "planner/picture/shown_switches.hpp"
#include "planner/print/plan_formats.hpp"
#include "planner/print/proof_scope.hpp"
#include "planner/print/tree_drawing.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t names_in_box = 4;   // more are cut in the middle
constexpr std::size_t widest_names = 22;  // columns of a hostlist in a box

struct TreeLook {
    const char* colour;  // Okabe and Ito's, for colour-blind readers
    const char* style;
    const char* css_class;  // for pages that have looks of their own
};
constexpr std::array<TreeLook, 2> looks{{{"#0072B2", "solid", "first"}, {"#D55E00", "dashed", "second"}}};

using Lines = std::vector<std::string>;

/// A label of several lines.
std::string label(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) {
        const std::string quoted = dot_string(line);
        text += (text.empty() ? "" : "\\n") + quoted.substr(1, quoted.size() - 2);
    }
    return '"' + text + '"';
}

/// "n[0-3]"; where that is too long the first of them, and that there are more.
std::string short_hostlist(const std::vector<std::string>& names) {
    std::string folded = fold_hostlist(names);
    return folded.size() <= widest_names ? folded : names.front() + ", …";
}

// ---- the switches

Lines switch_lines(const ShownSwitch& one, bool below_several) {
    const std::string each = one.alike > 1 ? " each" : "";
    if (one.names.empty()) {
        return {fmt::format("… {} more", counted(one.alike, "switch", "switches")),
                counted(one.below, "machine", "machines")};
    }
    Lines lines{short_hostlist(one.names)};
    if (one.alike == 1 && lines.front().ends_with(", …"))
        lines.push_back(counted(one.names.size(), "switch", "switches"));
    if (one.alike > 1) {
        lines.push_back(counted(one.alike, "switch", "switches") + " alike" + (below_several ? ", on each" : ""));
    }
    if (one.machines > 0) lines.push_back(counted(one.machines, "machine", "machines") + each);
    return lines;
}

std::string switch_node(const ShownSwitches& all, int index) {
    const ShownSwitch& one = all.shown[at(index)];
    return dot_string(one.names.empty() ? fmt::format("switches below {}", all.shown[at(one.above)].names.front())
                                        : "switch " + one.names.front());
}

std::string switches(const Network& network, const Plan& plan) {
    const ShownSwitches all = shown_switches(network, plan);
    std::vector<bool> several(all.shown.size(), false);
    std::string text = "  // switches, and trunks with their load away from the root and back\n";
    for (int i = 0; at(i) < all.shown.size(); ++i) {
        const ShownSwitch& one = all.shown[at(i)];
        const bool below_several = i > 0 && several[at(one.above)];
        several[at(i)] = below_several || one.alike > 1;
        text += fmt::format("  {} [shape=box, class=switch, fillcolor=\"{}\", label={}{}];\n", switch_node(all, i),
                            one.names.empty() ? "white" : "#dddddd", label(switch_lines(one, below_several)),
                            i == 0 ? ", penwidth=3" : "");
        if (i == 0) continue;
        text += fmt::format("  {} -> {} [dir=none, class=trunk, color=\"#999999\"", switch_node(all, one.above),
                            switch_node(all, i));
        text += one.names.empty() ? ", style=dotted];\n"
                                  : fmt::format(", penwidth=3, fontcolor=\"#555555\", label={}];\n",
                                                label({" " + one.speed, " load " + one.load}));
    }
    for (const auto& [a, b] : all.idle) {
        text += fmt::format("  {} -> {} [dir=none, class=trunk, style=dotted, color=\"#999999\", constraint=false];\n",
                            switch_node(all, a), switch_node(all, b));
    }
    return text;
}

// ---- the trees

const std::string& name_of(const Network& network, int machine) {
    return network.machines[at(machine)].name;
}

std::string abridged(const std::vector<std::string>& names, std::string_view between) {
    if (names.size() <= names_in_box) return fmt::format("{}", fmt::join(names, between));
    return fmt::format("{}{}{}{}… {} …{}{}", names[0], between, names[1], between, names.size() - 3, between,
                       names.back());
}

Lines lines_without_rest(const Network& network, const ShownBox& box, bool with_switch) {
    std::vector<std::string> names;
    for (const int machine : box.machines) names.push_back(name_of(network, machine));
    const std::string count = counted(names.size(), "machine", "machines");
    const std::string switch_count = counted(box.switches.size(), "switch", "switches");
    if (box.kind == ShownBox::Kind::part) {
        const std::string& first = network.switches[at(box.switches.front())].name;
        if (box.switches.size() == 1) return {first, box.alike > 1 ? count + ", alike" : count};
        if (box.switches.size() == box.alike) {
            return {switch_count + " alike", counted(names.size() / box.alike, "machine", "machines") + " each"};
        }
        return {count + ", alike", "on " + switch_count};
    }
    Lines lines{abridged(names, box.kind == ShownBox::Kind::chain ? " → " : ", ")};
    if (with_switch) lines.push_back("on " + network.switches[at(box.switches.front())].name);
    return lines;
}

Lines box_lines(const Network& network, const ShownBox& box, bool with_switch) {
    Lines lines = lines_without_rest(network, box, with_switch);
    if (box.left_out > 0) lines.push_back(fmt::format("… {} below{}", box.left_out, box.alike > 1 ? " each" : ""));
    return lines;
}

/// One tree: boxes with a look.
class TreeDot {
  public:
    TreeDot(const Network& network, const Plan& plan, std::size_t tree)
        : network_(network),
          look_(looks.at(tree)),
          boxes_(shown_boxes(network, plan, tree)),
          tree_(plan.trees.size() > 1 ? fmt::format(" ({} half)", tree == 0 ? "first" : "second") : "") {}

    /// What is drawn but the root, which all trees share.
    [[nodiscard]] std::string boxes() const {
        std::map<int, std::vector<std::size_t>> groups;
        for (std::size_t i = 1; i < boxes_.size(); ++i) groups[boxes_[i].group].push_back(i);
        std::string text;
        for (const auto& [group, members] : groups) {
            const bool framed =
                boxes_[members.front()].kind != ShownBox::Kind::part && (members.size() > 1 || group == 0);
            if (framed) text += frame(group, members.front());
            for (const std::size_t i : members) {
                text += fmt::format("  {}{} [class=machine, label={}];\n", framed ? "  " : "", node(i),
                                    label(box_lines(network_, boxes_[i], !framed)));
            }
            if (framed) text += "  }\n";
        }
        return text;
    }

    [[nodiscard]] std::string sends() const {
        std::string text;
        for (std::size_t i = 1; i < boxes_.size(); ++i) {
            text += fmt::format("  {} -> {} [class={}, color=\"{}\", style={}];\n", node(at(boxes_[i].above)), node(i),
                                look_.css_class, look_.colour, look_.style);
        }
        return text;
    }

    [[nodiscard]] std::string root() const {
        const std::string& name = name_of(network_, boxes_[0].machines.front());
        const bool framed = boxes_[0].kind == ShownBox::Kind::chain;
        Lines lines =
            framed
                ? Lines{name}
                : Lines{name, "on " + network_.switches[at(network_.machines[at(boxes_[0].machines.front())].sw)].name};
        if (boxes_[0].left_out > 0) lines.push_back(fmt::format("… {} below", boxes_[0].left_out));
        const std::string text = fmt::format("  {} [class=machine, penwidth=3, label={}];\n", node(0), label(lines));
        return framed ? frame(0, 0) + "  " + text + "  }\n" : text;
    }

  private:
    /// The root's switch has one frame for both trees.
    [[nodiscard]] std::string frame(int group, std::size_t first) const {
        const std::string& name = network_.switches[at(boxes_[first].switches.front())].name;
        const std::string id =
            group == 0 ? "cluster root" : fmt::format("cluster {}{}{}", name, tree_, boxes_[first].machines.front());
        return fmt::format("  subgraph {} {{\n    label={};\n", dot_string(id), dot_string(name));
    }

    [[nodiscard]] std::string node(std::size_t index) const {
        if (index == 0) return dot_string("root " + name_of(network_, boxes_[0].machines.front()));
        const ShownBox& box = boxes_[index];
        std::vector<std::string> names;
        for (const int machine : box.machines) names.push_back(name_of(network_, machine));
        return dot_string((box.kind == ShownBox::Kind::chain ? abridged(names, " → ") : short_hostlist(names)) +
                          " on " + network_.switches[at(box.switches.front())].name + tree_);
    }

    const Network& network_;
    const TreeLook& look_;
    std::vector<ShownBox> boxes_;
    std::string tree_;
};

/// Of the trees from one to before another.
std::string trees(const Network& network, const Plan& plan, std::size_t from, std::size_t to) {
    std::string text = "  // who sends to whom\n";
    std::string sends;
    for (std::size_t i = from; i < to; ++i) {
        const TreeDot tree(network, plan, i);
        if (i == from) text += tree.root();
        text += tree.boxes();
        sends += tree.sends();
    }
    return text + sends;
}

// ---- the whole

std::string title(const Network& network, const Plan& plan) {
    std::string heights;
    int widest = 0;
    for (const ShareTree& tree : plan.trees) {
        heights += (heights.empty() ? "" : " and ") + std::to_string(height_of(tree.tree));
        widest = std::max(widest, fanout(tree.tree));
    }
    return fmt::format("{}: {}{} from {} to {}, {} {}, fan-out {}, stage {:.4g}, {}", network.name,
                       bcast::tree_name_of(plan.request.tree), tree_word(plan), name_of(network, plan.request.root),
                       counted(plan.order.size(), "machine", "machines"), plan.trees.size() > 1 ? "heights" : "height",
                       heights, widest, plan.stage, plan.contention_free ? "contention-free" : "NOT contention-free");
}

Lines legend(const Network& network, const Plan& plan, std::size_t all_trees) {
    Lines lines{plan.trees.size() > 1 ? "blue: the first half of the message; orange, dashed: the second half"
                                      : "blue: who sends to whom"};
    if (bcast::goes_in_rounds(plan.request.tree)) lines = {fmt::format("blue: how every {}. block goes", all_trees)};
    if (bcast::scatters(plan.request.tree)) lines = {"blue: the scatter, before the blocks go round the ring"};
    if (!network.trunks.empty()) lines.push_back("grey: trunks, with their load away from the root and back");
    if (has_idle_trunks(network)) lines.back() += " (dotted: idle)";
    return lines;
}

/// A graph of what is in it, with `more` attributes of its own.
std::string graph(const Network& network, const std::string& more, const std::string& content) {
    std::string text = fmt::format("digraph {} {{\n", dot_string(network.name));
    text += fmt::format("  graph [{}fontname=\"sans-serif\", fontsize=12,\n", more);
    text +=
        "         style=\"rounded,filled\", color=\"#bbbbbb\", fillcolor=\"#f4f4f4\", ranksep=0.35, nodesep=0.15];\n";
    text += "  node [fontname=\"sans-serif\", fontsize=12, shape=box, style=\"rounded,filled\", fillcolor=white,\n";
    text += "        height=0.3, width=0.4, margin=\"0.07,0.03\"];\n";
    text += "  edge [fontname=\"sans-serif\", fontsize=11, arrowsize=0.7, penwidth=1.6];\n";
    return text + content + "}\n";
}

}  // namespace

std::string plan_dot(const Network& network, const Plan& whole) {
    const Plan plan = as_shown(whole);
    Lines heading = legend(network, plan, whole.trees.size());
    heading.insert(heading.begin(), title(network, plan));
    heading.emplace_back();
    return graph(network, fmt::format("label={}, labelloc=t, ", label(heading)),
                 (network.trunks.empty() ? "" : switches(network, plan)) + trees(network, plan, 0, plan.trees.size()));
}

std::vector<std::string> plan_dots(const Network& network, const Plan& whole) {
    const Plan plan = as_shown(whole);
    std::vector<std::string> dots;
    const std::string on_a_page = "bgcolor=transparent, ";
    if (!network.trunks.empty()) dots.push_back(graph(network, on_a_page, switches(network, plan)));
    for (std::size_t i = 0; i < plan.trees.size(); ++i) {
        dots.push_back(graph(network, on_a_page, trees(network, plan, i, i + 1)));
    }
    return dots;
}

}  // namespace bcastgen
