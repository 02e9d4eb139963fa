// What the choices of a decision table take, by prices.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include "planner/decision/decision_table.hpp"
#include "planner/network/network.hpp"
#include "planner/price/price.hpp"
#include "planner/price/segments.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

/// An algorithm and its segments. segment_bytes 0: in one piece. As made: the MPI's own broadcast.
struct Choice {
    bcast::Algorithm algorithm = bcast::usual::no_rule;
    std::size_t segment_bytes = 0;
    bool operator==(const Choice&) const = default;
};

/// Prices, seconds, among some machines, and from them what as many more machines take as trees grow higher.
class Pricing {
  public:
    /// `network` must outlive it. Broadcasts are from the first of the machines by name: from rank 0, as most are.
    Pricing(const Network& network, const std::vector<int>& machines, const MessageCosts& costs);

    /// Rings have a price, too, but move everything twice. Among many machines none sends to all others in turn, and
    /// among few a tree of more children is one of fewer.
    [[nodiscard]] bool may_choose(bcast::Algorithm algorithm) const;

    /// From now on for these machines, of which the former are the first: every further step down a tree takes as long
    /// as a segment to the next machine. If there are too many of them for messages in one piece as well, those and
    /// native take as many further rounds as any broadcast needs.
    void stretch_to(const std::vector<int>& machines);

    [[nodiscard]] std::vector<std::size_t> segment_sizes_for(bcast::Algorithm algorithm, std::size_t bytes) const;

    /// What is at most so many times the quickest is as good as that.
    [[nodiscard]] double nearly_as_good() const { return nearly_as_good_; }

    /// Whether so many bytes are few segments, on links that serve in turn.
    [[nodiscard]] bool takes_steps(const Choice& choice, std::size_t bytes) const;

    /// docs/algorithms.md, "In step".
    [[nodiscard]] bool may_fall_out_of_step(const Choice& choice) const;

    /// Of a long stream from how one of such segments goes on (Prices::quick_s).
    [[nodiscard]] double quick_s(const Choice& choice, const RuledMessage& message);
    /// Of small messages among all machines, whatever their segments: these may meet on trunks that the first machines
    /// do not share, and are soon gone through.
    [[nodiscard]] double exact_s(const Choice& choice, const RuledMessage& message);
    /// No less than this, found in no time.
    [[nodiscard]] double at_least_s(const Choice& choice, std::size_t bytes);
    [[nodiscard]] double native_s(std::size_t bytes);

    [[nodiscard]] bool begins_as_well_at(const MessageRule& rule, std::size_t own_above, std::size_t above);

  private:
    [[nodiscard]] bool may_meet(bcast::Algorithm algorithm) const;
    [[nodiscard]] bool knows_what_meets() const;
    [[nodiscard]] double allowance(const Choice& choice) const;
    [[nodiscard]] bool is_whole(const Choice& choice) const { return whole_ && choice.segment_bytes == 0; }
    [[nodiscard]] double height_among(const bcast::Layout& layout, const std::vector<int>& machines,
                                      bcast::Algorithm algorithm) const;
    [[nodiscard]] double once_s(std::size_t bytes);
    [[nodiscard]] double more_s(const Choice& choice, std::size_t bytes);

    const Network& network_;
    MessageCosts costs_;
    Prices prices_;
    std::optional<Prices> whole_;  // among all, once stretched
    std::vector<int> machines_;
    bool full_bisection_;
    bool is_tree_;
    double nearly_as_good_;
    std::map<bcast::Algorithm, double> more_steps_;  // once stretched, by algorithm
    std::map<std::size_t, double> once_s_;           // asked for the same few sizes again and again
    double more_rounds_ = 0;
};

}  // namespace bcastgen
