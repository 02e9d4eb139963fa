#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "base/wording.hpp"
#include "bcast/trees/circulant.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/print/plan_formats.hpp"
#include "planner/print/tree_drawing.hpp"

namespace bcastgen {

namespace {

constexpr int most_tree_lines = 64;
constexpr std::size_t most_hot_links = 6;
constexpr std::size_t most_trunks = 12;

/// A load or stage, with no more digits than it needs, and never so many that they show a rounding error.
std::string figure(double value) {
    return fmt::format("{:.4g}", value);
}

std::string heading(const Network& network, const Plan& plan) {
    const bcast::Algorithm tree = plan.request.tree;
    std::string kind = bcast::has(tree, bcast::trait::any_radix) ? fmt::format("{}-ary", plan.request.radix)
                                                                 : bcast::tree_name_of(tree);
    kind += tree_word(plan);
    return fmt::format("{}: {} from {} to {} on {} (algorithm: {})\n", network.name, kind,
                       network.machines[static_cast<std::size_t>(plan.request.root)].name,
                       counted(plan.order.size(), "machine", "machines"),
                       counted(network.switches.size(), "switch", "switches"), name_of(plan.request.builder));
}

/// By which routes the loads hold, where that is not the switch tree alone.
std::string routes_text(const Network& network, const Plan& plan) {
    if (plan.routes_known) return "  routes   loads follow the forwarding tables\n";
    if (has_idle_trunks(network)) {
        return "  routes   loads hold where messages keep to the spanning tree (Ethernet, 802.1D); --routes computes "
               "them for "
               "other routing\n";
    }
    if (!is_folded_clos(network)) return "";
    return "  routes   folded Clos: loads hold for every shortest up/down routing, on each of several ways\n";
}

std::string_view proof_text(const Network& network, const Plan& plan) {
    const bool rounds = bcast::goes_in_rounds(plan.request.tree);
    const bool pair = plan.trees.size() == 2 && !rounds;
    if (rounds && plan.contention_free) return "contention-free: in no round do two senders share a directed link";
    if (!plan.contention_free) {
        return pair ? "NOT contention-free: a directed link carries more than the message once"
                    : "NOT contention-free: different senders share a directed link";
    }
    if (bcast::scatters(plan.request.tree)) return "contention-free: no phase has two senders on a directed link";
    const double wide_Bps = 2 * reference_bandwidth_Bps(network, plan.order.machines);
    const bool wide_trunks = std::any_of(network.trunks.begin(), network.trunks.end(),
                                         [wide_Bps](const Trunk& t) { return t.speed.bandwidth_Bps >= wide_Bps; });
    const auto ports = plan.loads.begin() + 2 * static_cast<std::ptrdiff_t>(network.machines.size());
    const bool fast_send_more = pair && std::any_of(plan.loads.begin(), ports, [](double load) { return load > 1; });
    if (fast_send_more) {
        return wide_trunks ? "contention-free: no trunk is asked for more than it can carry at once, and no machine "
                             "sends for longer than the slowest receives"
                           : "contention-free: no trunk carries more than the message once, and no machine sends for "
                             "longer than the slowest receives";
    }
    if (pair && !wide_trunks) return "contention-free: no directed link carries more than the message once";
    return wide_trunks ? "contention-free: no directed link is asked for more than it can carry at once"
                       : "contention-free: no two senders share a directed link";
}

/// "  height   6", or of a pair "  height   6 and 5".
std::string of_each_tree(const Plan& plan, const char* name, int (*figure_of)(const bcast::Tree&)) {
    std::string text = fmt::format("  {}  ", name);
    for (std::size_t i = 0; i < plan.trees.size(); ++i) {
        text += fmt::format("{}{}", i == 0 ? "" : " and ", figure_of(plan.trees[i].tree));
    }
    return text;
}

std::string figures(const Network& network, const Plan& plan) {
    std::string text;
    if (bcast::goes_in_rounds(plan.request.tree)) {
        const std::vector<int> skips = bcast::circulant_place(plan.order.size(), 0).skips;
        text += fmt::format("  rounds   n + {} for n blocks; in turn each machine sends to the {} next of the order\n",
                            static_cast<int>(skips.size()) - 1, fmt::join(skips, ", "));
    }
    text +=
        of_each_tree(plan, "height ", bcast::height_of) + fmt::format(" (lower bound {})\n", plan.height_lower_bound);
    text += of_each_tree(plan, "fan-out", fanout) + "\n";
    if (bcast::scatters(plan.request.tree)) {
        text += fmt::format("  ring     {} of 1/{} of the message, each machine to the next, the last to the root\n",
                            counted(static_cast<std::size_t>(plan.ring_transfers), "transfer", "transfers"),
                            plan.order.size());
    }
    text +=
        fmt::format("  stage    {}: one large message takes about {} x T(m)\n", figure(plan.stage), figure(plan.stage));
    text += fmt::format("  root     sends {} x the message\n", figure(root_sends(plan)));
    text += fmt::format("  proof    {}\n", proof_text(network, plan));
    return text;
}

/// Links by falling stage, then by number.
std::vector<LinkId> hottest_first(const Network& network, const std::vector<double>& stages) {
    std::vector<LinkId> links(static_cast<std::size_t>(link_count(network)));
    std::iota(links.begin(), links.end(), 0);
    std::stable_sort(links.begin(), links.end(), [&stages](LinkId a, LinkId b) {
        return stages[static_cast<std::size_t>(a)] > stages[static_cast<std::size_t>(b)];
    });
    return links;
}

std::string hot_links(const Network& network, const Plan& plan) {
    const std::vector<double> stages =
        link_stages(network, plan.loads, reference_bandwidth_Bps(network, plan.order.machines));
    std::vector<std::string> names;
    std::size_t hottest = 0;
    for (LinkId link : hottest_first(network, stages)) {
        if (stages[static_cast<std::size_t>(link)] < plan.stage || plan.stage == 0) break;
        if (++hottest > most_hot_links) continue;
        names.push_back(fmt::format("{} → {}", link_from(network, link), link_to(network, link)));
    }
    if (names.empty()) return "";
    std::string text = fmt::format("  hottest  {}", fmt::join(names, ", "));
    if (hottest > names.size()) text += fmt::format(" and {} more", hottest - names.size());
    return text + "\n";
}

/// The trunks and their loads each way, the most loaded first when there are too many to list.
std::string trunk_table(const Network& network, const Plan& plan) {
    struct Carried {
        std::string a;
        std::string b;
        double forth;
        double back;
    };
    std::vector<Carried> rows;
    for (int t = 0; t < static_cast<int>(network.trunks.size()); ++t) {
        if (!network.trunks[static_cast<std::size_t>(t)].in_tree && !plan.routes_known) continue;
        const LinkId forth = trunk_link(network, t, true);
        const LinkId back = trunk_link(network, t, false);
        rows.push_back({link_from(network, forth), link_to(network, forth), plan.loads[static_cast<std::size_t>(forth)],
                        plan.loads[static_cast<std::size_t>(back)]});
    }
    if (rows.empty()) return "";
    const std::size_t all = rows.size();
    if (all > most_trunks) {
        std::stable_sort(rows.begin(), rows.end(), [](const Carried& x, const Carried& y) {
            return std::max(x.forth, x.back) > std::max(y.forth, y.back);
        });
        rows.resize(most_trunks);
    }
    std::size_t width_a = 5;
    std::size_t width_b = 1;
    for (const Carried& row : rows) {
        width_a = std::max(width_a, row.a.size());
        width_b = std::max(width_b, row.b.size());
    }
    std::string text = fmt::format("\n  {:<{}}   {:<{}}  load → {:>7}\n", "trunk", width_a, "", width_b, "←");
    for (const Carried& row : rows) {
        text += fmt::format("  {:<{}} ─ {:<{}}  {:>6} {:>7}\n", row.a, width_a, row.b, width_b, figure(row.forth),
                            figure(row.back));
    }
    if (all > rows.size()) text += fmt::format("  … {} more trunks, none with more load\n", all - rows.size());
    return text;
}

}  // namespace

std::string plan_text(const Network& network, const Plan& whole) {
    const Plan plan = as_shown(whole);
    std::string text = heading(network, plan) + figures(network, plan) + routes_text(network, plan) +
                       hot_links(network, plan) + trunk_table(network, plan);
    for (std::size_t i = 0; i < plan.trees.size(); ++i) {
        text += "\n";
        if (whole.trees.size() > plan.trees.size()) {
            text += fmt::format("every {}. block\n", whole.trees.size());
        }
        if (plan.trees.size() > 1) text += fmt::format("the {} half\n", i == 0 ? "first" : "second");
        text += draw_tree(network, plan.order, plan.trees[i].tree, most_tree_lines);
    }
    return text;
}

}  // namespace bcastgen
