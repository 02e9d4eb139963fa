#include "planner/print/tree_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/utf8.hpp"
#include "planner/network/paths.hpp"
#include "planner/picture/strands.hpp"
#include "planner/plan/load_proof.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t names_in_route = 6;
constexpr std::size_t names_in_strand = 8;  // more are cut in the middle
constexpr int most_levels = 16;             // of indentation
constexpr int most_children_abridged = 12;  // lines below one strand when not everything can be drawn
constexpr std::size_t switch_column_gap = 3;

class Drawing {
  public:
    Drawing(const Network& network, const bcast::Order& order, const bcast::Tree& tree)
        : network_(network), order_(order), tree_(tree), paths_(network), strands_(strands_of(tree, switches())) {}

    std::string draw(int most_lines) {
        choose_drawn(most_lines);
        write(0, "", "");
        std::size_t width = 0;
        for (const Line& line : lines_) width = std::max(width, line.width);
        std::string text;
        for (const Line& line : lines_) {
            text += line.left;
            if (!line.right.empty()) text += std::string(width - line.width + switch_column_gap, ' ') + line.right;
            text += '\n';
        }
        return text;
    }

  private:
    struct Line {
        std::string left;
        std::size_t width;  // of left, in columns
        std::string right;
    };

    /// By position.
    std::vector<int> switches() const {
        std::vector<int> on;
        for (const int machine : order_.machines) on.push_back(network_.machines[at(machine)].sw);
        return on;
    }

    /// Marks strands nearest to the root first, as far as the lines go and the page is wide.
    void choose_drawn(int most_lines) {
        const bool abridged = static_cast<int>(strands_.size()) > most_lines;
        drawn_.assign(strands_.size(), false);
        std::vector<int> level(strands_.size(), 0);
        drawn_[0] = true;
        int drawn = 1;
        for (std::size_t s = 0; s < strands_.size(); ++s) {
            if (!drawn_[s] || level[s] == most_levels) continue;
            int children = 0;
            for (const std::size_t below : strands_[s].below) {
                if (drawn == most_lines || (abridged && children == most_children_abridged)) break;
                drawn_[below] = true;
                level[below] = level[s] + 1;
                ++drawn;
                ++children;
            }
        }
    }

    /// The strand's line and those below it. Its own line begins with `head`, the lines below with `indent`. Recurses
    /// no deeper than the lines drawn.
    void write(std::size_t index, const std::string& head, const std::string& indent) {
        const Strand& strand = strands_[index];
        add_line(head, strand_names(strand), route(strand.positions.front()));
        std::size_t drawn = 0;
        while (drawn < strand.below.size() && drawn_[strand.below[drawn]]) ++drawn;
        for (std::size_t i = 0; i < drawn; ++i) {
            const bool last = i + 1 == strand.below.size();
            write(strand.below[i], indent + (last ? "└─ " : "├─ "), indent + (last ? "   " : "│  "));
        }
        if (drawn < strand.below.size()) add_line(indent, summary(strand, drawn), "");
    }

    std::string summary(const Strand& strand, std::size_t drawn) const {
        int machines = 0;
        int height = 0;
        for (std::size_t i = drawn; i < strand.below.size(); ++i) {
            const Strand& below = strands_[strand.below[i]];
            machines += static_cast<int>(below.positions.size()) + below.machines_below;
            height = std::max(height, static_cast<int>(below.positions.size()) + below.height_below);
        }
        const std::size_t children = strand.below.size() - drawn;
        return fmt::format("└─ … {} {}child{}, {} machine{}, height {}", children, drawn > 0 ? "more " : "",
                           children == 1 ? "" : "ren", machines, machines == 1 ? "" : "s", height);
    }

    std::string strand_names(const Strand& strand) const {
        std::vector<std::string> names;
        for (int position : strand.positions)
            names.push_back(network_.machines[at(order_.machines[at(position)])].name);
        return abridged(names, names_in_strand);
    }

    /// The switches on the way from the parent, or the root's own.
    std::string route(int position) const {
        const int machine = order_.machines[at(position)];
        const int parent = tree_.parent[at(position)];
        if (parent < 0) return network_.switches[at(network_.machines[at(machine)].sw)].name;
        const std::vector<LinkId> path = paths_.between(order_.machines[at(parent)], machine);
        std::vector<std::string> names;
        for (std::size_t i = 0; i + 1 < path.size(); ++i) names.push_back(link_to(network_, path[i]));
        return abridged(names, names_in_route);
    }

    /// "a → b → … 7 … → z": all names, or `most` of them.
    static std::string abridged(const std::vector<std::string>& names, std::size_t most) {
        std::string text;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (i > 0) text += " → ";
            if (names.size() > most && i == most / 2) {
                const std::size_t skipped = names.size() - most + 1;
                text += fmt::format("… {} … → ", skipped);
                i += skipped;
            }
            text += names[i];
        }
        return text;
    }

    void add_line(const std::string& head, const std::string& rest, const std::string& right) {
        std::string left = head + rest;
        const std::size_t columns = utf8_columns(left);
        lines_.push_back({std::move(left), columns, right});
    }

    const Network& network_;
    const bcast::Order& order_;
    const bcast::Tree& tree_;
    Paths paths_;
    std::vector<Strand> strands_;
    std::vector<bool> drawn_;  // by strand
    std::vector<Line> lines_;
};

}  // namespace

std::string_view tree_word(const Plan& plan) {
    const std::string_view name = bcast::tree_name_of(plan.request.tree);
    if (!bcast::uses_trees(plan.request.tree) || name.ends_with("tree")) return "";
    return plan.trees.size() == 1 ? " tree" : " trees";
}

std::string draw_tree(const Network& network, const bcast::Order& order, const bcast::Tree& tree, int most_lines) {
    return Drawing(network, order, tree).draw(most_lines);
}

}  // namespace bcastgen
