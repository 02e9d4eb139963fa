#include "tuner/wiring/fair_rates.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "base/index.hpp"

namespace bcastgen {

namespace {

constexpr double as_good_as_full = 1 + 1e-9;

}  // namespace

Capacities described_capacities(const Network& network) {
    Capacities capacities;
    const int machines = static_cast<int>(network.machines.size());
    for (LinkId link = 0; link < link_count(network); ++link) {
        const double cable_Bps = link_bandwidth_Bps(network, link);
        const bool is_port = link < 2 * machines;
        const int cables = is_port ? 1 : network.trunks[at(link / 2 - machines)].cables;
        capacities.link_Bps.push_back(cables * cable_Bps);
        capacities.stream_Bps.push_back(cable_Bps);
    }
    for (std::size_t t = 0; t < network.trunks.size(); ++t) {
        const Trunk& trunk = network.trunks[t];
        if (trunk.bounded_by < 0 || trunk.bounded_by == static_cast<int>(t)) continue;
        for (const bool from_a : {true, false}) {
            capacities.link_Bps[at(trunk_link(network, trunk.bounded_by, from_a))] +=
                trunk.cables * trunk.speed.bandwidth_Bps;
        }
    }
    return capacities;
}

/// The streams while they rise.
class FairStreams::Rising {
  public:
    Rising(const FairStreams& streams, const Capacities& capacities)
        : all_(streams), rates_(streams.fed_.size(), -1), bound_Bps_(streams.fed_.size()) {
        for (std::size_t one = 0; one < all_.links_.size(); ++one) {
            left_Bps_.push_back(capacities.link_Bps[at(all_.links_[one])]);
            rising_.push_back(static_cast<int>(all_.first_stream_[one + 1] - all_.first_stream_[one]));
            in_use_.push_back(one);
        }
        for (std::size_t i = 0; i < bound_Bps_.size(); ++i) {
            bound_Bps_[i] = std::numeric_limits<double>::infinity();
            for (std::size_t c = all_.first_link_[i]; c < all_.first_link_[i + 1]; ++c) {
                bound_Bps_[i] = std::min(bound_Bps_[i], capacities.stream_Bps[at(all_.links_[all_.crossed_[c]])]);
            }
            by_bound_.push_back(i);
        }
        std::sort(by_bound_.begin(), by_bound_.end(),
                  [&](std::size_t a, std::size_t b) { return bound_Bps_[a] < bound_Bps_[b]; });
    }

    std::vector<double> run() {
        while (true) {
            std::erase_if(in_use_, [&](std::size_t link) { return rising_[link] == 0; });
            if (in_use_.empty()) return std::move(rates_);
            double next_Bps = std::numeric_limits<double>::infinity();
            for (const std::size_t link : in_use_) next_Bps = std::min(next_Bps, share_Bps(link));
            if (!settle_bounded(next_Bps)) fill(next_Bps);
        }
    }

  private:
    [[nodiscard]] double share_Bps(std::size_t link) const { return std::max(left_Bps_[link], 0.0) / rising_[link]; }

    /// A stream that one of its links lets go no faster, if there is one.
    bool settle_bounded(double next_Bps) {
        while (bounded_ < by_bound_.size() && rates_[by_bound_[bounded_]] >= 0) ++bounded_;
        if (bounded_ == by_bound_.size()) return false;
        const double bound_Bps = bound_Bps_[by_bound_[bounded_]];
        if (bound_Bps > next_Bps * as_good_as_full) return false;
        settle(by_bound_[bounded_], bound_Bps);
        return true;
    }

    void fill(double next_Bps) {
        full_.clear();
        for (const std::size_t link : in_use_) {
            if (share_Bps(link) <= next_Bps * as_good_as_full) full_.push_back(link);
        }
        for (const std::size_t link : full_) {
            for (std::size_t s = all_.first_stream_[link]; s < all_.first_stream_[link + 1]; ++s) {
                const std::size_t stream = at(all_.streams_[s]);
                if (rates_[stream] < 0) settle(stream, next_Bps);
            }
        }
    }

    /// All rise together, so those that hand on what comes no faster have the same rate by then, or a lower one.
    void settle(std::size_t first, double rate_Bps) {
        settled_.assign(1, first);
        rates_[first] = rate_Bps;
        while (!settled_.empty()) {
            const std::size_t stream = settled_.back();
            settled_.pop_back();
            for (std::size_t c = all_.first_link_[stream]; c < all_.first_link_[stream + 1]; ++c) {
                left_Bps_[all_.crossed_[c]] -= rate_Bps;
                --rising_[all_.crossed_[c]];
            }
            for (const int next : all_.fed_[stream]) {
                if (rates_[at(next)] >= 0) continue;
                rates_[at(next)] = rate_Bps;
                settled_.push_back(at(next));
            }
        }
    }

    const FairStreams& all_;
    std::vector<double> rates_;  ///< below 0: not settled
    std::vector<double> bound_Bps_;
    std::vector<std::size_t> by_bound_;
    std::size_t bounded_ = 0;  ///< of by_bound_: those before it are settled
    std::vector<double> left_Bps_;
    std::vector<int> rising_;  ///< by link: streams whose rate is not settled
    std::vector<std::size_t> in_use_;
    std::vector<std::size_t> full_;
    std::vector<std::size_t> settled_;
};

FairStreams::FairStreams(const std::vector<std::vector<LinkId>>& paths, const std::vector<int>& fed_by)
    : fed_(paths.size()) {
    std::unordered_map<LinkId, std::size_t> index;
    std::vector<std::vector<int>> across;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        first_link_.push_back(crossed_.size());
        for (const LinkId link : paths[i]) {
            const auto [known, is_new] = index.try_emplace(link, links_.size());
            if (is_new) {
                links_.push_back(link);
                across.emplace_back();
            }
            across[known->second].push_back(static_cast<int>(i));
            crossed_.push_back(known->second);
        }
    }
    first_link_.push_back(crossed_.size());
    for (const std::vector<int>& streams : across) {
        first_stream_.push_back(streams_.size());
        streams_.insert(streams_.end(), streams.begin(), streams.end());
    }
    first_stream_.push_back(streams_.size());
    for (std::size_t i = 0; i < fed_by.size(); ++i) {
        if (fed_by[i] >= 0) fed_[at(fed_by[i])].push_back(static_cast<int>(i));
    }
}

std::vector<double> FairStreams::rates(const Capacities& capacities) const {
    return Rising(*this, capacities).run();
}

std::vector<double> fair_rates(const Capacities& capacities, const std::vector<std::vector<LinkId>>& paths,
                               const std::vector<int>& fed_by) {
    return FairStreams(paths, fed_by).rates(capacities);
}

}  // namespace bcastgen
