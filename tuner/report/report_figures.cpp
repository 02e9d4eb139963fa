// The pictures of a report: charts of every shape, and the trees that the table takes.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/hostlist.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "base/wording.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/plan/plan.hpp"
#include "tuner/measure/named_rules.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/report/report_charts.hpp"
#include "tuner/report/report_parts.hpp"
#include "tuner/report/tree_picture.hpp"

namespace bcastgen {

namespace {

/// The charts of one shape, by their numbers in the list.
struct ShapeCharts {
    const Findings* findings = nullptr;
    std::size_t time = 0;
    std::size_t ratio = 0;
    std::vector<std::pair<std::size_t, std::string>> segments;  ///< and the message size
};

struct GroupChart {
    std::size_t chart = 0;
    std::string caption;
};

/// One chart of speed-ups for each number of ranks per machine and each arrival.
std::vector<GroupChart> list_speed_ups(const RunView& view, ChartList& charts) {
    std::map<std::pair<std::string, int>, std::vector<Findings>> groups;
    for (const Findings& findings : view.findings) {
        groups[{findings.shape.arrival, findings.shape.ranks_per_machine}].push_back(findings);
    }
    std::vector<GroupChart> list;
    for (const auto& [key, group] : groups) {
        std::string caption =
            view.finished() ? "How many times faster than native, as validated, with the bounds at 95 % confidence; "
                              "above the broken line at 1 it is faster."
                            : "How many times faster than native the best found so far is; not validated.";
        if (groups.size() > 1) {
            caption = fmt::format("{}{}: {}", counted(key.second, "rank per machine", "ranks per machine"),
                                  key.first == "balanced" ? "" : ", " + printable(key.first) + " arrival", caption);
        }
        list.push_back({charts.add(speed_up_chart(group, view.stored.validations)), caption});
    }
    return list;
}

std::vector<ShapeCharts> list_shapes(const RunView& view, ChartList& charts) {
    std::vector<ShapeCharts> list;
    for (const Shape& shape : view.shapes) {
        ShapeCharts one;
        one.findings = find(view.findings, shape, "near");
        if (one.findings == nullptr) continue;
        one.time = charts.add(time_chart(*one.findings, view.table));
        one.ratio = charts.add(ratio_chart(*one.findings, view.table));
        for (Chart& chart : segment_charts(*one.findings, view.table)) {
            const std::string size = chart.title;
            chart.title = "Time against segment size, messages of " + size;
            one.segments.emplace_back(charts.add(std::move(chart)), size);
        }
        list.push_back(std::move(one));
    }
    return list;
}

std::string machines_of(const RunView& view, const Findings& findings) {
    for (const StoredPlacement& one : view.stored.placements) {
        if (one.machines != findings.shape.machines || one.placement != findings.placement) continue;
        return fmt::format("{}, root {}", printable(one.machine_list), printable(view.stored.run.conditions.root));
    }
    return "";
}

Facts shape_facts(const RunView& view, const ShapeCharts& shape, const ChartList& charts, bool open) {
    Facts facts;
    const Findings& findings = *shape.findings;
    facts.set("shape", shape_text(findings.shape));
    facts.set("machines", machines_of(view, findings));
    if (open) facts.set("open", Facts::type::bool_true);
    facts.set("time", charts.picture(shape.time));
    facts.set("time_caption",
              judged_by_completion(findings.shape)
                  ? "Completion: from the root's entry to the last rank's exit."
                  : "The mean over the ranks of their time in the call; all but the root enter at random.");
    if (!charts.picture(shape.ratio).empty()) facts.set("ratio", charts.picture(shape.ratio));
    Facts segments{Facts::type::list};
    for (const auto& [chart, size] : shape.segments) {
        Facts segment;
        segment.set("svg", charts.picture(chart));
        segment.set("size", size);
        segments << segment;
    }
    facts.set("segments", segments);
    facts.set("has_segments", !shape.segments.empty());
    return facts;
}

/// The machines that the largest tuned count stands for; the root first.
std::vector<int> machines_drawn(const RunView& view, const Network& network) {
    const std::string& list = view.stored.run.conditions.machine_list;
    std::map<std::string, int> by_name;
    for (int m = 0; m < static_cast<int>(network.machines.size()); ++m) {
        by_name.emplace(network.machines[static_cast<std::size_t>(m)].name, m);
    }
    std::vector<int> machines;
    for (const std::string& name : expand_hostlist(list)) {
        const auto found = by_name.find(name);
        if (found == by_name.end()) throw std::invalid_argument(name + " is not a machine of the store's topology");
        machines.push_back(found->second);
    }
    return machines;
}

std::string network_text(const Network& network) {
    return printable(fmt::format(
        "{}: {} on {}, the fastest port {}.", network.name, counted(network.machines.size(), "machine", "machines"),
        counted(network.switches.size(), "switch", "switches"), format_bandwidth(reference_bandwidth_Bps(network))));
}

/// Message sizes above one and up to another; no upper end, 0: all above.
struct SizeRange {
    std::uint64_t above = 0;
    std::uint64_t up_to = 0;
};

std::string text_of(const SizeRange& range) {
    const std::string from = "above " + message_text(range.above);
    const std::string to = "up to " + message_text(range.up_to);
    if (range.up_to == 0) return range.above == 0 ? "all" : from;
    return range.above == 0 ? to : from + " " + to;
}

/// What to draw, and why.
struct DrawnAlgorithm {
    std::string name;
    std::string reason;
};

/// The algorithms of the table for a shape, with the messages that each is taken for.
std::vector<DrawnAlgorithm> tabled_algorithms(const Rule& row) {
    std::vector<std::pair<std::string, std::vector<SizeRange>>> found;
    std::uint64_t above = 0;
    for (const MessageRule& message : row.messages) {
        const std::string name = measured_name(message);
        auto at = std::find_if(found.begin(), found.end(), [&](const auto& one) { return one.first == name; });
        if (at == found.end()) at = found.insert(found.end(), {name, {}});
        std::vector<SizeRange>& ranges = at->second;
        // The same algorithm with another segment size goes on where it ended.
        if (ranges.empty() || ranges.back().up_to != above || above == 0) ranges.push_back({above, 0});
        ranges.back().up_to = message.up_to == bcast::no_limit ? 0 : message.up_to;
        above = message.up_to;
    }
    std::vector<DrawnAlgorithm> list;
    for (const auto& [algorithm, ranges] : found) {
        std::string text;
        for (const SizeRange& range : ranges) text += (text.empty() ? "messages " : ", ") + text_of(range);
        list.push_back({algorithm, text});
    }
    return list;
}

std::vector<DrawnAlgorithm> best_algorithms(const Findings& findings) {
    std::vector<DrawnAlgorithm> list;
    for (const std::size_t bytes : sizes_of(findings)) {
        const MeasuredCase* best = best_of_all(findings, bytes);
        if (best == nullptr) continue;
        const auto at = std::find_if(list.begin(), list.end(),
                                     [&](const DrawnAlgorithm& one) { return one.name == best->one.algorithm; });
        if (at == list.end()) {
            list.push_back({best->one.algorithm, "the best so far at " + message_text(bytes)});
        } else {
            at->reason += ", " + message_text(bytes);
        }
    }
    return list;
}

/// Those of the table for the first shape, or the best found so far at each size; where none of them has a tree, the
/// order that plans start from.
std::vector<DrawnAlgorithm> drawn_algorithms(const RunView& view) {
    std::vector<DrawnAlgorithm> list;
    if (!view.network) return list;
    if (!view.shapes.empty()) {
        if (const Rule* row = row_for(view.table, view.shapes.front())) list = tabled_algorithms(*row);
        const Findings* findings = find(view.findings, view.shapes.front(), "near");
        if (view.stored.rules.empty() && findings != nullptr) list = best_algorithms(*findings);
    }
    std::erase_if(list, [](const DrawnAlgorithm& one) { return !tree_of(one.name); });
    if (list.empty()) {
        list.push_back({bcast::name_of(bcast::usual::chain),
                        view.finished() ? "not chosen, but the order that all plans start from"
                                        : "nothing is chosen yet; the order that all plans start from"});
    }
    return list;
}

TreePicture drawn_tree(const RunView& view, const Network& network, PlanRequest request) {
    TreePicture picture;
    try {
        request.machines = machines_drawn(view, network);
        if (request.machines.size() > most_machines_planned) {
            picture.caption =
                fmt::format("{} are too many to draw.", counted(request.machines.size(), "machine", "machines"));
            return picture;
        }
        request.root = request.machines.front();
        for (const int machine : request.machines) {
            if (network.machines[static_cast<std::size_t>(machine)].name == view.stored.run.conditions.root)
                request.root = machine;
        }
        return tree_picture(network, make_plan(network, request));
    } catch (const ParseError& wrong) {
        picture.caption = fmt::format("Not drawn: the store's list of machines cannot be read: {}.", wrong.what());
    } catch (const std::invalid_argument& wrong) {
        picture.caption = fmt::format("Not drawn: {}.", wrong.what());
    }
    return picture;
}

}  // namespace

void add_charts(Facts& facts, const RunView& view, const std::filesystem::path& directory) {
    ChartList charts;
    const std::vector<GroupChart> speed_ups = list_speed_ups(view, charts);
    const std::vector<ShapeCharts> shapes = list_shapes(view, charts);
    charts.draw(directory);
    Facts figures{Facts::type::list};
    for (const GroupChart& one : speed_ups) {
        if (charts.picture(one.chart).empty()) continue;
        Facts figure;
        figure.set("svg", charts.picture(one.chart));
        figure.set("caption", one.caption);
        figures << figure;
    }
    facts.set("speed_ups", figures);
    Facts list{Facts::type::list};
    for (const ShapeCharts& shape : shapes) list << shape_facts(view, shape, charts, &shape == shapes.data());
    facts.set("shapes", list);
}

void add_trees(Facts& facts, const RunView& view) {
    Facts trees{Facts::type::list};
    facts.set("network", view.network ? network_text(*view.network)
                                      : "The store's topology cannot be read, so nothing is drawn: " +
                                            printable(view.network_problem));
    const std::vector<DrawnAlgorithm> algorithms = drawn_algorithms(view);
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
        const std::optional<PlanRequest> request = tree_of(algorithms[i].name);
        if (!request) continue;
        const TreePicture picture = drawn_tree(view, *view.network, *request);
        Facts tree;
        tree.set("algorithm", printable(algorithms[i].name));
        tree.set("messages", algorithms[i].reason);
        const std::optional<bcast::Algorithm> known = algorithm_called(algorithms[i].name);
        if (known) tree.set("purpose", fmt::format("What it is: {}.", bcast::purpose_of(*known)));
        tree.set("caption", printable(picture.caption));
        Facts svgs{Facts::type::list};
        for (std::size_t part = 0; part < picture.svgs.size(); ++part) {
            const std::string& file = picture.svgs[part];
            Facts svg;
            svg.set("svg",
                    inline_svg(file, fmt::format("tree{}-{}-", i, part), algorithms[i].name + " over the topology"));
            svg.set("natural", natural_width(file));
            svgs << svg;
        }
        tree.set("svgs", svgs);
        trees << tree;
    }
    facts.set("trees", trees);
}

}  // namespace bcastgen
