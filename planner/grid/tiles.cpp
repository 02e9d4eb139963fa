#include "planner/grid/tiles.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <utility>

#include "base/index.hpp"

namespace bcastgen {

namespace {

/// A tile of cells. Tiles of the level below fill it row by row, or column by column.
struct Tile {
    int height;
    int width;
    bool by_columns;
};

/// The tiles of about so many cells, those first that lie in few rows and columns.
std::vector<Tile> tiles_of(const Grid& grid, const Weights& weights, const std::set<int>& cells) {
    std::set<std::pair<int, int>> shapes;
    for (const int area : cells) {
        for (int height = 1; height <= std::min(area, grid.rows); ++height) {
            for (const int width : {area / height, (area + height - 1) / height}) {
                shapes.emplace(height, std::min(width, grid.columns));
            }
        }
    }
    std::vector<Tile> tiles;
    for (const auto& [height, width] : shapes) {
        for (const bool by_columns : {false, true}) tiles.push_back({height, width, by_columns});
    }
    std::stable_sort(tiles.begin(), tiles.end(), [&weights](const Tile& x, const Tile& y) {
        return weights.rows * x.height + weights.columns * x.width <
               weights.rows * y.height + weights.columns * y.width;
    });
    return tiles;
}

/// By how far up they are, the places below switches; of each level those that are most common.
std::vector<std::set<int>> places_by_level(const Cuts& cuts, const Slots& slots) {
    constexpr std::size_t most_levels = 3;
    constexpr std::size_t most_sizes = 2;
    std::vector<std::map<int, std::set<int>>> cuts_by_places;  // by level, from the leaves up
    for (const int machine : slots.machines) {
        const std::vector<int>& above = cuts.above(machine);
        cuts_by_places.resize(std::max(cuts_by_places.size(), std::min(above.size(), most_levels)));
        for (std::size_t level = 0; level < std::min(above.size(), most_levels); ++level) {
            cuts_by_places[level][cuts.all()[at(above[level])].places].insert(above[level]);
        }
    }
    std::vector<std::set<int>> levels;
    for (const auto& by_places : cuts_by_places) {
        std::vector<std::pair<std::size_t, int>> common;
        for (const auto& [places, of_cuts] : by_places) common.emplace_back(of_cuts.size(), places);
        std::sort(common.rbegin(), common.rend());
        levels.emplace_back();
        for (std::size_t i = 0; i < std::min(common.size(), most_sizes); ++i) levels.back().insert(common[i].second);
    }
    return levels;
}

/// The ranks in the sequence of nested tiles, the smallest first in `tiles`.
std::vector<int> tiled_ranks(const Grid& grid, const std::vector<Tile>& tiles) {
    std::vector<std::pair<std::vector<int>, int>> keyed;
    for (int rank = 0; rank < grid.ranks(); ++rank) {
        int row = grid.row_of(rank);
        int column = grid.column_of(rank);
        std::vector<int> key;
        for (auto tile = tiles.rbegin(); tile != tiles.rend(); ++tile) {
            key.push_back(tile->by_columns ? column / tile->width : row / tile->height);
            key.push_back(tile->by_columns ? row / tile->height : column / tile->width);
            row %= tile->height;
            column %= tile->width;
        }
        keyed.emplace_back(std::move(key), rank);
    }
    std::sort(keyed.begin(), keyed.end());
    std::vector<int> ranks;
    for (const auto& [key, rank] : keyed) ranks.push_back(rank);
    return ranks;
}

/// Depth first, the places that are to have a rank: of every switch whole tiles if that is enough, and the first of
/// what is left over until it is.
std::vector<int> places_in_use(const Network& network, const std::vector<int>& machines, const Slots& slots, int ranks,
                               int tile) {
    std::map<int, int> places_of;  // by switch
    for (const int machine : machines) places_of[network.machines[at(machine)].sw] += slots.ranks_per_machine;
    int left_over = ranks;
    for (auto& [sw, places] : places_of) left_over -= places / tile * tile;
    std::vector<int> used;
    std::map<int, int> used_of;
    for (const int machine : machines) {
        const int sw = network.machines[at(machine)].sw;
        const int whole = places_of[sw] / tile * tile;
        for (int i = 0; i < slots.ranks_per_machine; ++i) {
            const bool take = used_of[sw] < whole || left_over > 0;
            if (!take || static_cast<int>(used.size()) == ranks) break;
            if (used_of[sw]++ >= whole) --left_over;
            used.push_back(machine);
        }
    }
    return used;
}

class TileSearch {
  public:
    TileSearch(const Network& network, const Cuts& cuts, const PlacementRequest& request)
        : network_(network), cuts_(cuts), request_(request) {
        const Grid& grid = request.grid;
        const Slots& slots = request.slots;
        const int first = in_natural_order(network, slots.machines).front();
        machines_ = bcast::depth_first_order(layout_of(network), slots.machines, first).machines;
        best_ = block_mapping(network, grid, slots);
        best_cost_ = cost_of(cuts, grid, best_).sum(request.weights);
        for (const std::set<int>& places : places_by_level(cuts, slots))
            levels_.push_back(tiles_of(grid, request.weights, places));
    }

    Mapping best() {
        budget_ = std::clamp<std::size_t>(4'000'000 / at(request_.grid.ranks()), 16, 4'000);
        std::size_t most = 0;
        for (const std::vector<Tile>& level : levels_) most += level.size() - 1;
        for (std::size_t sum = 0; sum <= most && budget_ > 0; ++sum) choose({}, sum);
        return best_;
    }

  private:
    /// Goes through the ways to choose the tiles of the further levels by numbers with this sum.
    void choose(std::vector<Tile> tiles, std::size_t sum) {
        if (tiles.size() == levels_.size()) {
            if (sum > 0 || budget_ == 0) return;
            --budget_;
            for (const int whole : {1, tiles.empty() ? 1 : tiles.front().height * tiles.front().width}) {
                try_tiles(tiles, whole);
            }
            return;
        }
        const std::vector<Tile>& level = levels_[tiles.size()];
        const bool last = tiles.size() + 1 == levels_.size();
        for (std::size_t number = last ? sum : 0; number <= sum && number < level.size() && budget_ > 0; ++number) {
            tiles.push_back(level[number]);
            choose(tiles, sum - number);
            tiles.pop_back();
        }
    }

    void try_tiles(const std::vector<Tile>& tiles, int whole) {
        const std::vector<int> places =
            places_in_use(network_, machines_, request_.slots, request_.grid.ranks(), whole);
        const std::vector<int> ranks = tiled_ranks(request_.grid, tiles);
        Mapping mapping(ranks.size());
        for (std::size_t i = 0; i < ranks.size(); ++i) mapping[at(ranks[i])] = places[i];
        const double cost = cost_of(cuts_, request_.grid, mapping).sum(request_.weights);
        if (cost >= best_cost_) return;
        best_cost_ = cost;
        best_ = std::move(mapping);
    }

    const Network& network_;
    const Cuts& cuts_;
    const PlacementRequest& request_;
    std::vector<int> machines_;              ///< depth first
    std::vector<std::vector<Tile>> levels_;  ///< from the leaves up: the tiles to choose from
    std::size_t budget_ = 0;                 ///< ways that are still looked at
    Mapping best_;
    double best_cost_ = 0;
};

}  // namespace

Mapping best_tiles(const Network& network, const Cuts& cuts, const PlacementRequest& request) {
    return TileSearch(network, cuts, request).best();
}

}  // namespace bcastgen
