#include "planner/grid/grid.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <string>
#include <utility>

#include "base/index.hpp"
#include "base/parse_error.hpp"

namespace bcastgen {

namespace {

int parse_side(std::string_view text, std::size_t& offset, const char* what) {
    int value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data() + offset, end, value);
    if (error != std::errc{} || value < 1 || value > most_grid_ranks) {
        throw ParseError(fmt::format("expected a number of {} from 1 to {}, as in 4x8", what, most_grid_ranks), offset);
    }
    offset = static_cast<std::size_t>(rest - text.data());
    return value;
}

/// The places of machines in this sequence, each machine's together.
std::vector<int> filled(const std::vector<int>& machines, int ranks_per_machine) {
    std::vector<int> places;
    for (const int machine : machines) places.insert(places.end(), at(ranks_per_machine), machine);
    return places;
}

Mapping first_of(std::vector<int> places, const Grid& grid) {
    places.resize(at(grid.ranks()));
    return places;
}

}  // namespace

Grid parse_grid(std::string_view text) {
    Grid grid;
    std::size_t offset = 0;
    grid.rows = parse_side(text, offset, "rows");
    if (offset == text.size() || text[offset] != 'x') {
        throw ParseError("expected x between the number of rows and the number of columns, as in 4x8", offset);
    }
    ++offset;
    grid.columns = parse_side(text, offset, "columns");
    if (offset != text.size()) throw ParseError("expected nothing after the number of columns, as in 4x8", offset);
    if (grid.rows > most_grid_ranks / grid.columns) {
        throw ParseError(fmt::format("the grid has more than {} ranks", most_grid_ranks));
    }
    return grid;
}

int lines_of(const Grid& grid, GridLine line) {
    return line == GridLine::row ? grid.rows : grid.columns;
}

int length_of(const Grid& grid, GridLine line) {
    return line == GridLine::row ? grid.columns : grid.rows;
}

std::vector<int> machines_of_line(const Grid& grid, const Mapping& mapping, GridLine line, int number) {
    std::vector<int> machines;
    for (int i = 0; i < length_of(grid, line); ++i) {
        machines.push_back(mapping[at(line == GridLine::row ? number * grid.columns + i : i * grid.columns + number)]);
    }
    return machines;
}

Mapping mapping_by_name(const Network& network, const Grid& grid, const Slots& slots) {
    return first_of(filled(in_natural_order(network, slots.machines), slots.ranks_per_machine), grid);
}

Mapping block_mapping(const Network& network, const Grid& grid, const Slots& slots) {
    const bcast::Order order =
        bcast::depth_first_order(layout_of(network), slots.machines, in_natural_order(network, slots.machines).front());
    return first_of(filled(order.machines, slots.ranks_per_machine), grid);
}

Mapping cyclic_mapping(const Network& network, const Grid& grid, const Slots& slots) {
    const bcast::Order order =
        bcast::depth_first_order(layout_of(network), slots.machines, in_natural_order(network, slots.machines).front());
    std::vector<std::vector<int>> on_switch;  // in the order's sequence, as a switch's machines stand together in it
    int latest = -1;
    for (const int machine : order.machines) {
        const int sw = network.machines[at(machine)].sw;
        if (std::exchange(latest, sw) != sw) on_switch.emplace_back();
        on_switch.back().insert(on_switch.back().end(), at(slots.ranks_per_machine), machine);
    }
    std::vector<int> dealt;
    for (std::size_t round = 0; dealt.size() < at(slots.count()); ++round) {
        for (const std::vector<int>& places : on_switch) {
            if (round < places.size()) dealt.push_back(places[round]);
        }
    }
    return first_of(std::move(dealt), grid);
}

}  // namespace bcastgen
