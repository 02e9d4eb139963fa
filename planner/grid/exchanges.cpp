#include "planner/grid/exchanges.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "base/index.hpp"

namespace bcastgen {

namespace {

constexpr double rounding_error = 1e-9;

double eighth_power(double x) {
    const double fourth = (x * x) * (x * x);
    return fourth * fourth;
}

double eighth_root(double x) {
    return std::sqrt(std::sqrt(std::sqrt(std::max(x, 0.0))));
}

/// How many rows, or columns, cross each cut, kept up to date while ranks move.
class Crossed {
  public:
    Crossed(const Cuts& cuts, const Grid& grid, GridLine line)
        : cuts_(cuts),
          lines_(at(lines_of(grid, line))),
          length_(length_of(grid, line)),
          below_(cuts.all().size() * lines_, 0),
          crossing_(cuts.all().size(), 0),
          powers_(static_cast<double>(cuts.all().size())) {}

    /// A rank of line `number` comes below the cut, or (-1) is no longer there.
    void add(int cut, int number, int ranks) {
        int& below = below_[at(cut) * lines_ + at(number)];
        const int before = crosses(below);
        below += ranks;
        const int change = crosses(below) - before;
        if (change == 0) return;
        int& crossing = crossing_[at(cut)];
        powers_ -= eighth_power(cost(cut));
        crossing += change;
        powers_ += eighth_power(cost(cut));
    }

    /// A little above the largest, and smaller the fewer cuts are near it.
    [[nodiscard]] double smoothed() const { return eighth_root(powers_); }

    [[nodiscard]] double largest() const {
        double most = 1;
        for (int cut = 0; at(cut) < crossing_.size(); ++cut) most = std::max(most, cost(cut));
        return most;
    }

  private:
    [[nodiscard]] int crosses(int below) const { return below > 0 && below < length_ ? 1 : 0; }
    [[nodiscard]] double cost(int cut) const { return std::max(1.0, crossing_[at(cut)] / cuts_.all()[at(cut)].width); }

    const Cuts& cuts_;
    std::size_t lines_;
    int length_;
    std::vector<int> below_;     ///< by cut and line: ranks below it
    std::vector<int> crossing_;  ///< by cut: lines on both sides
    double powers_;              ///< sum of the eighth powers of the costs
};

class Exchanges {
  public:
    Exchanges(const Cuts& cuts, const PlacementRequest& request, const Mapping& mapping)
        : cuts_(cuts),
          grid_(request.grid),
          weights_(request.weights),
          rows_(cuts, request.grid, GridLine::row),
          columns_(cuts, request.grid, GridLine::column) {
        const Slots& slots = request.slots;
        std::map<int, int> free;
        for (const int machine : slots.machines) free[machine] = slots.ranks_per_machine;
        for (std::size_t rank = 0; rank < mapping.size(); ++rank) {
            place_of_.push_back(machines_.size());
            machines_.push_back(mapping[rank]);
            ranks_.push_back(static_cast<int>(rank));
            --free[mapping[rank]];
            add(static_cast<int>(rank), mapping[rank], 1);
        }
        for (const auto& [machine, places] : free) {
            machines_.insert(machines_.end(), at(places), machine);
            ranks_.insert(ranks_.end(), at(places), -1);
        }
        best_ = mapping;
        best_cost_ = cost();
    }

    Mapping improve(double enough, double first_temperature, std::uint64_t seed) {
        const std::size_t work = cuts_.all().size() + 16;
        const auto moves = std::clamp<std::size_t>(30'000'000 / work, 1'000, 300'000);
        constexpr double last_temperature = 0.0005;  // over the smoothed cost
        std::mt19937_64 random(seed);
        double temperature = first_temperature * smoothed();
        const double cooling = std::pow(last_temperature / first_temperature, 1.0 / static_cast<double>(moves));
        for (std::size_t move = 0; move < moves && best_cost_ > enough * (1 + rounding_error); ++move) {
            const std::size_t a = place_of_[random() % place_of_.size()];
            const std::size_t b = random() % machines_.size();
            const double chance = static_cast<double>(random() >> 11U) * 0x1p-53;
            temperature *= cooling;
            if (&cuts_.above(machines_[a]) == &cuts_.above(machines_[b])) continue;  // on the same switch
            const double before = smoothed();
            exchange(a, b);
            const double more = smoothed() - before;
            if (more > 0 && chance >= std::exp(-more / temperature)) {
                exchange(a, b);
                continue;
            }
            keep_if_best();
        }
        return best_;
    }

  private:
    [[nodiscard]] double cost() const { return GridCost{rows_.largest(), columns_.largest()}.sum(weights_); }
    [[nodiscard]] double smoothed() const { return GridCost{rows_.smoothed(), columns_.smoothed()}.sum(weights_); }

    void keep_if_best() {
        if (const double now = cost(); now < best_cost_ * (1 - rounding_error)) {
            best_cost_ = now;
            for (std::size_t rank = 0; rank < best_.size(); ++rank) best_[rank] = machines_[place_of_[rank]];
        }
    }

    void add(int rank, int machine, int ranks) {
        for (const int cut : cuts_.above(machine)) {
            rows_.add(cut, grid_.row_of(rank), ranks);
            columns_.add(cut, grid_.column_of(rank), ranks);
        }
    }

    void exchange(std::size_t a, std::size_t b) {
        for (const auto& [from, to] : {std::pair(a, b), std::pair(b, a)}) {
            const int rank = ranks_[from];
            if (rank < 0) continue;
            add(rank, machines_[from], -1);
            add(rank, machines_[to], 1);
            place_of_[at(rank)] = to;
        }
        std::swap(ranks_[a], ranks_[b]);
    }

    const Cuts& cuts_;
    Grid grid_;
    Weights weights_;
    Crossed rows_;
    Crossed columns_;
    std::vector<int> machines_;          ///< by place
    std::vector<int> ranks_;             ///< by place: its rank, -1 for a free one
    std::vector<std::size_t> place_of_;  ///< by rank
    Mapping best_;
    double best_cost_ = 0;
};

}  // namespace

Mapping improve_by_exchanges(const Cuts& cuts, const PlacementRequest& request, Mapping mapping, double enough,
                             double temperature) {
    if (cuts.all().empty()) return mapping;
    return Exchanges(cuts, request, mapping).improve(enough, temperature, request.seed);
}

}  // namespace bcastgen
