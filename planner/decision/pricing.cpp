#include "planner/decision/pricing.hpp"

#include <algorithm>
#include <cmath>

#include "bcast/facts/tree_builders.hpp"
#include "planner/decision/prediction.hpp"
#include "planner/plan/load_proof.hpp"

namespace bcastgen {

namespace {

// Rounds whose sends may meet on trunks are only for messages that are soon through, and may take so many times their
// price, which is of the very moments at which sends meet.
constexpr std::size_t most_meeting_bytes = 131072;
constexpr double if_they_meet = 1.02;
// Over real sockets what answers and the MPI's own headers take of short segments is not known to the percent.
constexpr double usually_near = 1.01;
constexpr double near_on_sockets = 1.04;

int usual_root(const Network& network, const std::vector<int>& machines) {
    return in_natural_order(network, machines).front();
}

bool sends_to_all(bcast::Algorithm algorithm) {
    return bcast::row_of(algorithm).children == bcast::everyone && !bcast::has(algorithm, bcast::trait::by_size);
}

}  // namespace

Pricing::Pricing(const Network& network, const std::vector<int>& machines, const MessageCosts& costs)
    : network_(network),
      costs_(costs),
      prices_(network, machines, usual_root(network, machines), costs),
      machines_(machines),
      full_bisection_(carries_all(network)),
      is_tree_(std::all_of(network.trunks.begin(), network.trunks.end(), [](const Trunk& t) { return t.in_tree; })),
      nearly_as_good_(costs.framing == Framing::sockets ? near_on_sockets : usually_near) {}

bool Pricing::may_choose(bcast::Algorithm algorithm) const {
    if (may_meet(algorithm) && !knows_what_meets()) return false;
    if (more_rounds_ > 0 && sends_to_all(algorithm)) return false;
    return Prices::has_price(algorithm) && !bcast::scatters(algorithm) &&
           !bcast::has(algorithm, bcast::trait::only_if_asked) &&
           bcast::row_of(algorithm).children < static_cast<int>(machines_.size());
}

void Pricing::stretch_to(const std::vector<int>& machines) {
    if (static_cast<int>(machines.size()) <= most_priced_whole) {
        whole_.emplace(network_, machines, usual_root(network_, machines), costs_);
    } else {
        whole_.reset();
    }
    more_steps_.clear();
    const bcast::Layout layout = layout_of(network_);
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (!may_choose(row.algorithm) || !bcast::pipelines(row.algorithm)) continue;
        more_steps_[row.algorithm] =
            height_among(layout, machines, row.algorithm) - height_among(layout, machines_, row.algorithm);
    }
    more_rounds_ = std::log2(static_cast<double>(machines.size()) / static_cast<double>(machines_.size()));
}

std::vector<std::size_t> Pricing::segment_sizes_for(bcast::Algorithm algorithm, std::size_t bytes) const {
    if (may_meet(algorithm) && bytes > most_meeting_bytes) return {};
    return prices_.segment_sizes_for(algorithm, bytes);
}

bool Pricing::takes_steps(const Choice& choice, std::size_t bytes) const {
    constexpr std::size_t few = 8;
    return costs_.in_turn && choice.segment_bytes > 0 && bytes <= few * choice.segment_bytes;
}

bool Pricing::may_fall_out_of_step(const Choice& choice) const {
    return costs_.in_turn && bcast::goes_in_rounds(choice.algorithm);
}

double Pricing::quick_s(const Choice& choice, const RuledMessage& message) {
    if (is_whole(choice)) return whole_->quick_s(choice.algorithm, message.bytes, 0);
    const double time_s = prices_.quick_s(choice.algorithm, message.bytes, choice.segment_bytes, message.above_bytes);
    return time_s * allowance(choice) + more_s(choice, message.bytes);
}

double Pricing::exact_s(const Choice& choice, const RuledMessage& message) {
    constexpr std::size_t small_bytes = 16384;
    const auto& [bytes, above_bytes] = message;
    if (is_whole(choice) || (whole_ && bytes <= small_bytes)) {
        return whole_->time_s(choice.algorithm, bytes, choice.segment_bytes, above_bytes);
    }
    const double time_s = prices_.time_s(choice.algorithm, bytes, choice.segment_bytes, above_bytes);
    return time_s * allowance(choice) + more_s(choice, bytes);
}

double Pricing::at_least_s(const Choice& choice, std::size_t bytes) {
    const double least_s = prices_.at_least_s(choice.algorithm, bytes, choice.segment_bytes);
    return least_s * allowance(choice) + more_s(choice, bytes);
}

double Pricing::native_s(std::size_t bytes) {
    if (whole_) return whole_->native_s(bytes);
    return prices_.native_s(bytes) + (more_rounds_ > 0 ? more_rounds_ * once_s(1) : 0);
}

bool Pricing::begins_as_well_at(const MessageRule& rule, std::size_t own_above, std::size_t above) {
    return bcastgen::begins_as_well_at(prices_, rule, own_above, above);
}

/// Whether sends of some machines of the site may meet on a trunk.
bool Pricing::may_meet(bcast::Algorithm algorithm) const {
    return !full_bisection_ && bcast::has(algorithm, bcast::trait::full_bisection);
}

/// Whether the price says what it takes where sends meet: all machines of a tree of switches load its trunks about as
/// much as any of them do, and what waits for a port waits for a trunk alike.
bool Pricing::knows_what_meets() const {
    return costs_.in_turn && more_rounds_ == 0 && prices_.goes_through_rounds() && is_tree_ &&
           machines_.size() == network_.machines.size();
}

double Pricing::allowance(const Choice& choice) const {
    return may_meet(choice.algorithm) ? if_they_meet : 1;
}

double Pricing::height_among(const bcast::Layout& layout, const std::vector<int>& machines,
                             bcast::Algorithm algorithm) const {
    const bcast::Order order = bcast::depth_first_order(layout, machines, usual_root(network_, machines));
    int height = 0;
    for (const bcast::Tree& tree :
         bcast::build_trees(algorithm, {layout, order, bcast::row_of(algorithm).children, 0})) {
        height = std::max(height, height_of(tree));
    }
    return height;
}

double Pricing::once_s(std::size_t bytes) {
    const auto [at, made] = once_s_.try_emplace(bytes);
    if (made) at->second = prices_.once_s(bytes);
    return at->second;
}

double Pricing::more_s(const Choice& choice, std::size_t bytes) {
    if (more_rounds_ == 0) return 0;
    if (choice.segment_bytes > 0) return more_steps_.at(choice.algorithm) * once_s(choice.segment_bytes);
    return more_rounds_ * once_s(bytes);
}

}  // namespace bcastgen
