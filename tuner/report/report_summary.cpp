// What a reader in a hurry wants: is it faster, where, by how much, and may I believe it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/units.hpp"
#include "base/wording.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/report/report_parts.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_columns = 14;
constexpr std::size_t large_message = 64 << 10;  // from here on the wiring decides

/// How much faster than native a broadcast of a shape is, the least of its sets of machines.
struct Gain {
    enum class Kind { none, native, validated, lost, searched };
    Kind kind = Kind::none;
    double speed_up = 0;
    double low = 0;
    double high = 0;
    std::size_t message_bytes = 0;
    std::string choice;
};

bool is_of(const StoredValidation& one, const Shape& shape) {
    return one.machines == shape.machines && one.ranks_per_machine == shape.ranks_per_machine &&
           one.arrival == shape.arrival;
}

Gain searched_gain(const RunView& view, const Shape& shape, std::size_t bytes) {
    Gain gain;
    const Findings* findings = find(view.findings, shape, "near");
    if (findings == nullptr) return gain;
    const MeasuredCase* native = best_of(*findings, measured::native, bytes);
    const MeasuredCase* best = best_of_all(*findings, bytes);
    if (native == nullptr || best == nullptr) return gain;
    gain.kind = best == native ? Gain::Kind::native : Gain::Kind::searched;
    gain.speed_up = native->time_us.median / best->time_us.median;
    gain.choice = best->one.algorithm;
    return gain;
}

/// Validated gains at one message size; what the table says where nothing was validated; of a run without a table what
/// the search has found so far.
Gain gain_at(const RunView& view, const Shape& shape, std::size_t bytes) {
    Gain gain;
    gain.message_bytes = bytes;
    for (const StoredValidation& one : view.stored.validations) {
        if (!is_of(one, shape) || one.message_bytes != bytes) continue;
        if (gain.kind != Gain::Kind::none && one.speed_up >= gain.speed_up) continue;
        gain = {one.kept ? Gain::Kind::validated : Gain::Kind::lost,
                one.speed_up,
                one.speed_up_low,
                one.speed_up_high,
                bytes,
                one.algorithm};
    }
    if (gain.kind != Gain::Kind::none) return gain;
    if (!view.finished()) {
        gain = searched_gain(view, shape, bytes);
        gain.message_bytes = bytes;
        return gain;
    }
    const auto choice = chosen(view.table, shape, bytes);
    if (choice) gain.choice = choice->algorithm;
    if (choice && is_native(choice->algorithm)) gain.kind = Gain::Kind::native;
    return gain;
}

std::vector<std::size_t> validated_sizes(const RunView& view, const Shape& shape) {
    std::vector<std::size_t> sizes;
    for (const StoredValidation& one : view.stored.validations) {
        if (is_of(one, shape)) sizes.push_back(static_cast<std::size_t>(one.message_bytes));
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
}

/// The sizes that the search began with, thinned out to fit the page.
std::vector<std::size_t> columns_of(const RunView& view) {
    std::vector<std::size_t> sizes;
    for (const Findings& findings : view.findings) {
        for (const std::size_t bytes : sizes_of(findings)) {
            if (best_of(findings, measured::ping_pong, bytes) != nullptr) sizes.push_back(bytes);
        }
    }
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    const std::size_t step = sizes.size() / (most_columns + 1) + 1;
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < sizes.size(); i += step) columns.push_back(sizes[sizes.size() - 1 - i]);
    std::reverse(columns.begin(), columns.end());
    return columns;
}

Facts cell_facts(const Gain& gain) {
    Facts cell;
    const bool has_ratio = gain.kind == Gain::Kind::validated || gain.kind == Gain::Kind::searched;
    cell.set("kind", gain.kind == Gain::Kind::native || gain.kind == Gain::Kind::lost ? "native"
                     : gain.kind == Gain::Kind::searched                              ? "guess"
                                                                                      : "");
    cell.set("text", has_ratio                         ? ratio_text(gain.speed_up)
                     : gain.kind == Gain::Kind::native ? "native"
                     : gain.kind == Gain::Kind::lost   ? "native ✗"
                                                       : "–");
    cell.set("size", format_size(gain.message_bytes));
    if (gain.kind == Gain::Kind::lost)
        cell.set("bounds",
                 printable(fmt::format("{} was {} as fast: rejected", gain.choice, ratio_text(gain.speed_up))));
    if (has_ratio) {
        constexpr double deepest = 16;  // times faster
        const double depth = std::clamp(std::log(gain.speed_up) / std::log(deepest), 0.0, 1.0);
        cell.set("kind", gain.kind == Gain::Kind::searched ? "guess won" : "won");
        cell.set("shade", fmt::format("{:.2f}", 0.06 + 0.4 * depth));
        std::string bounds = gain.choice;
        if (gain.kind == Gain::Kind::validated && gain.high > gain.low)
            bounds += fmt::format(", {} to {}", ratio_text(gain.low), ratio_text(gain.high));
        cell.set("bounds", printable(bounds));
    }
    return cell;
}

Facts matrix_facts(const RunView& view, const std::vector<std::size_t>& columns) {
    Facts matrix;
    matrix.set("caption", view.finished()
                              ? "How many times faster than the MPI's own broadcast, as validated; native: left to it; "
                                "✗: another was tried and rejected"
                              : "How many times faster than the MPI's own broadcast is the best found so far; not "
                                "validated");
    Facts sizes{Facts::type::list};
    for (const std::size_t bytes : columns) {
        Facts size;
        size.set("size", format_size(bytes));
        sizes << size;
    }
    Facts rows{Facts::type::list};
    for (const Shape& shape : view.shapes) {
        Facts row;
        row.set("shape", shape_text(shape));
        Facts cells{Facts::type::list};
        bool any = false;
        for (const std::size_t bytes : columns) {
            const Gain gain = gain_at(view, shape, bytes);
            any = any || gain.kind != Gain::Kind::none;
            cells << cell_facts(gain);
        }
        row.set("cells", cells);
        if (any) rows << row;
    }
    matrix.set("sizes", sizes);
    matrix.set("rows", rows);
    return matrix;
}

void add_tile(Facts& tiles, const std::string& value, const std::string& text) {
    Facts tile;
    tile.set("value", value);
    tile.set("text", printable(text));
    tiles << tile;
}

struct Gains {
    std::vector<Gain> won;
    std::size_t looked_at = 0;
    double geometric_mean_of_large = 0;
    std::size_t large = 0;
};

Gains gains_of(const RunView& view, const Shape& shape, const std::vector<std::size_t>& columns) {
    Gains gains;
    double logarithms = 0;
    const std::vector<std::size_t> validated = validated_sizes(view, shape);
    for (const std::size_t bytes : view.finished() && !validated.empty() ? validated : columns) {
        const Gain gain = gain_at(view, shape, bytes);
        if (gain.kind == Gain::Kind::none) continue;
        ++gains.looked_at;
        if (gain.kind != Gain::Kind::validated && gain.kind != Gain::Kind::searched) continue;
        gains.won.push_back(gain);
        if (bytes < large_message) continue;
        logarithms += std::log(gain.speed_up);
        ++gains.large;
    }
    if (gains.large > 0) gains.geometric_mean_of_large = std::exp(logarithms / static_cast<double>(gains.large));
    return gains;
}

/// For those who read sentences: "22.6K" where it is an odd number of bytes.
std::string about_text(std::size_t bytes) {
    const std::string exact = message_text(bytes);
    if (bytes < (10 << 10) || !exact.ends_with(" B")) return exact;
    const double in_k = static_cast<double>(bytes) / 1024;
    return in_k < 1000 ? fmt::format("{:.3g}K", in_k) : fmt::format("{:.3g}M", in_k / 1024);
}

bool less_gained(const Gain& a, const Gain& b) {
    return a.speed_up < b.speed_up;
}

std::string headline_of(const RunView& view, const Shape& shape, const Gains& gains) {
    const std::string who = mpi_text(view.stored.run.conditions);
    if (view.shapes.empty()) return "Nothing has been measured yet.";
    if (gains.won.empty()) {
        return fmt::format("With {} nothing {} over the broadcast of {} itself: all messages stay with it.",
                           shape_text(shape), view.finished() ? "wins" : "has won so far", who);
    }
    const auto [least, most] = std::minmax_element(gains.won.begin(), gains.won.end(), less_gained);
    return fmt::format(
        "With {} the {} is faster than the broadcast of {} itself at {} of {} message sizes{}: {} at {} at "
        "the least, {} at {} at the most.",
        shape_text(shape), view.finished() ? "tuned broadcast" : "best found so far", who, gains.won.size(),
        gains.looked_at, view.finished() ? " that were validated" : "", ratio_text(least->speed_up),
        about_text(least->message_bytes), ratio_text(most->speed_up), about_text(most->message_bytes));
}

/// How near the tuned broadcast of the largest message comes to sending it once.
void add_nearness(Facts& tiles, const RunView& view, const Shape& shape) {
    const Findings* findings = find(view.findings, shape, "near");
    if (findings == nullptr || !judged_by_completion(shape)) return;
    const std::vector<std::size_t> sizes = sizes_of(*findings);
    for (auto bytes = sizes.rbegin(); bytes != sizes.rend(); ++bytes) {
        const MeasuredCase* once = best_of(*findings, measured::ping_pong, *bytes);
        const auto choice = chosen(view.table, shape, *bytes);
        const MeasuredCase* best =
            choice ? best_of(*findings, choice->algorithm, *bytes) : best_of_all(*findings, *bytes);
        if (once == nullptr || best == nullptr) continue;
        add_tile(tiles, fmt::format("{:.2f} T(m)", best->time_us.median / once->time_us.median),
                 fmt::format("for {}: one message to one machine takes T(m)", message_text(*bytes)));
        if (const auto floor = findings->floor_us.find(*bytes); floor != findings->floor_us.end()) {
            add_tile(tiles, fmt::format("{:.2f} × floor", best->time_us.median / floor->second),
                     fmt::format("for {}: no broadcast sent from machine to machine is quicker than the floor",
                                 message_text(*bytes)));
        }
        return;
    }
}

void add_warning(Facts& warnings, const std::string& text) {
    Facts warning;
    warning.set("text", printable(text));
    warnings << warning;
}

}  // namespace

void add_summary(Facts& facts, const RunView& view) {
    const std::vector<std::size_t> columns = columns_of(view);
    const Shape shape = view.shapes.empty() ? Shape{} : view.shapes.front();
    const Gains gains = gains_of(view, shape, columns);
    Facts warnings{Facts::type::list};
    if (!view.finished()) {
        add_warning(warnings,
                    "This tuning has not come to its end: figures are those of the search so far, and nothing "
                    "has been validated. Go on with bcastgen tune … --resume.");
    }
    for (const Findings& findings : view.findings) {
        for (const MeasuredCase& one : findings.cases) {
            if (!one.bytes_ok)
                add_warning(warnings, fmt::format("{} delivered wrong bytes ({} in segments of {}, {}).",
                                                  one.one.algorithm, message_text(one.one.message_bytes),
                                                  one.one.segment_bytes, shape_text(findings.shape)));
        }
    }
    facts.set("warnings", warnings);
    facts.set("headline", printable(headline_of(view, shape, gains)));
    Facts tiles{Facts::type::list};
    if (!gains.won.empty()) {
        const Gain& most = *std::max_element(gains.won.begin(), gains.won.end(), less_gained);
        add_tile(tiles, ratio_text(most.speed_up),
                 fmt::format("as fast as native at {}, by {}", about_text(most.message_bytes), most.choice));
    }
    if (gains.large > 0) {
        add_tile(
            tiles, ratio_text(gains.geometric_mean_of_large),
            fmt::format("geometric mean of {} from 64K up", counted(gains.large, "message size", "message sizes")));
    }
    add_nearness(tiles, view, shape);
    if (!view.shapes.empty()) {
        add_tile(
            tiles, fmt::format("{}", view.stored.samples.size()),
            fmt::format("broadcasts measured, {} of communicator", counted(view.shapes.size(), "shape", "shapes")));
    }
    facts.set("tiles", tiles);
    if (!columns.empty()) facts.set("matrix", matrix_facts(view, columns));
}

}  // namespace bcastgen
