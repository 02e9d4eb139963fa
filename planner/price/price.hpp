// What a broadcast takes by each algorithm, predicted from the schedule of its own trees.
//
//   wires, segments      what messages cross, and how a message is cut and how much of it may be under way
//   shared_links         how fast messages are that meet on links
//   tree_schedule        a broadcast down trees, gone through segment by segment
//   ring_schedule        a scatter and a ring, piece by piece; step_schedule the same in steps
//   rounds_schedule      a broadcast in which everyone sends and receives a block in each round
//   native, floor        what the MPI's own broadcast takes, and what none can beat
//   price                asks these, and keeps what it will need again
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bcast/facts/algorithm.hpp"
#include "bcast/trees/hop.hpp"
#include "bcast/trees/order.hpp"
#include "bcast/trees/tree.hpp"
#include "planner/network/network.hpp"
#include "planner/price/rounds_schedule.hpp"
#include "planner/price/tree_schedule.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

/// A predicted time.
struct Price {
    bcast::Algorithm algorithm = bcast::usual::no_rule;
    std::size_t segment_bytes = 0;
    double time_s = 0;
    double steady_s = 0;   ///< of that, from the last machine's first segment to its last, without latency and software
    double latency_s = 0;  ///< less it would take if there were no latencies
    double software_s = 0;     ///< less it would take if software took no time
    bool lower_bound = false;  ///< nothing proves that its transmissions do not meet, so it may take longer

    /// Until the last machine has its first segment, the same way.
    [[nodiscard]] double fill_s() const { return time_s - steady_s - latency_s - software_s; }
};

/// Above how many bytes messages have the same rule, as bcast::Choice knows it: none is half of the message priced, as
/// in tables whose ranges double.
using RuleBegin = std::optional<std::size_t>;

/// Prices of broadcasts from one root to a group of machines.
class Prices {
  public:
    /// `network` must outlive it; `machines` as in PlanRequest, the root among them.
    Prices(const Network& network, const std::vector<int>& machines, int root, MessageCosts costs);
    Prices(const Prices&) = delete;
    Prices& operator=(const Prices&) = delete;

    [[nodiscard]] int machines() const { return order_.size(); }

    /// T(m): once to the next machine of the order, in one piece.
    [[nodiscard]] double once_s(std::size_t bytes);

    /// Whether there is a schedule to price it by.
    [[nodiscard]] static bool has_price(bcast::Algorithm algorithm);

    /// Whether broadcasts in rounds are gone through, with all that meets; among more machines that takes too long.
    [[nodiscard]] bool goes_through_rounds() const;

    /// Of an algorithm that has one. segment_bytes 0: in one piece.
    [[nodiscard]] double time_s(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes,
                                RuleBegin above = {});

    /// The same with every segment gone through, however many there are.
    [[nodiscard]] double whole_s(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes);

    /// Nearly the same, for many sizes of messages: from how one stream of such segments goes on.
    [[nodiscard]] double quick_s(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes,
                                 RuleBegin above = {});

    /// Less than it can take, and quick to tell. segment_bytes not 0.
    [[nodiscard]] double at_least_s(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes);

    /// What the MPI's own broadcast takes among ranks in the machines' natural order (native.hpp). 0 for one machine.
    [[nodiscard]] double native_s(std::size_t bytes);

    /// The same as time_s with where the time goes.
    [[nodiscard]] Price price(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes,
                              RuleBegin above = {});

    /// Segment sizes worth trying for a message: none larger, and not too many segments.
    [[nodiscard]] std::vector<std::size_t> segment_sizes_for(bcast::Algorithm algorithm, std::size_t bytes) const;

    /// At the segment size that does best of those that are tried for such a message.
    [[nodiscard]] Price best(bcast::Algorithm algorithm, std::size_t bytes);

  private:
    struct Streamed {
        double time_s = 0;
        double steady_s = 0;  ///< of that, after every machine has the first segment
    };
    /// When a stream of segments is over, whatever their number is.
    struct Course {
        struct End {
            std::int64_t count = 0;  ///< of segments
            double time_s = 0;
            double pace_s = 0;  ///< for each after those of the end before
        };
        std::vector<End> ends;
        double first_s = 0;  ///< every machine has the first segment
        double pace_s = 0;   ///< of further ones

        /// When so many are over, and what each of those about takes.
        [[nodiscard]] std::pair<double, double> at(std::int64_t count) const;
    };
    /// How far a course is followed.
    struct Pursuit {
        std::int64_t first;  ///< segments, before twice as many
        std::int64_t most;
        double tolerance;  ///< by which two paces may differ
    };
    /// What a stream takes at the least.
    struct Least {
        double first_s = 0;  ///< its first segment
        double pace_s = 0;   ///< each further one
    };

    [[nodiscard]] Sharing sharing() const;
    /// Of broadcasts in rounds among 2^q machines where ports send in turn: blocks that can be sent on just when 2, 3 …
    /// others have left the port, in two lengths each. Those keep all machines in step, while ports are busier than
    /// processors.
    [[nodiscard]] std::vector<std::size_t> blocks_in_step() const;
    [[nodiscard]] Streamed rounds_streamed(const Wires& wires, const RuledMessage& message,
                                           std::size_t segment_bytes) const;
    [[nodiscard]] double rounds_quick_s(bcast::Algorithm algorithm, const RuledMessage& message,
                                        std::size_t segment_bytes);
    [[nodiscard]] double rounds_at_least_s(std::size_t bytes, std::size_t segment_bytes) const;
    [[nodiscard]] std::vector<TreeStream> streams_of(const std::vector<bcast::Tree>& trees, std::size_t bytes,
                                                     std::size_t segment_bytes, RuleBegin above = {}) const;
    [[nodiscard]] Streamed streamed(const Wires& wires, bcast::Algorithm algorithm, std::size_t bytes,
                                    std::size_t segment_bytes, RuleBegin above);
    /// What a rule's shortest message changes: the length of the first segment, and how many are sure to come
    /// (sure_segments); in rounds 0 if blocks are heralded, else one more than are sure to come.
    struct Known {
        std::size_t first_bytes = 0;
        std::int64_t sure = 0;
    };
    [[nodiscard]] Known known_of(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes,
                                 RuleBegin above);
    /// The segments of the part that goes down one of `trees` trees.
    [[nodiscard]] bcast::SegmentLengths cut(std::size_t part_bytes, std::size_t segment_bytes, std::size_t trees,
                                            const RuledMessage& message) const;
    /// The length of a long stream's first segment.
    [[nodiscard]] std::size_t first_of_long(std::size_t segment_bytes, std::size_t trees) const;
    /// How a stream of at most `longest` goes on; `schedule(count)` goes through so many of it, each `hops` times.
    template <class Schedule>
    static Course course_of(std::int64_t longest, std::int64_t hops, const Pursuit& pursuit, Schedule schedule);
    [[nodiscard]] Course course_of(const Wires& wires, const std::vector<TreeStream>& streams,
                                   const Pursuit& pursuit) const;
    [[nodiscard]] double ring_s(const Wires& wires, bcast::Algorithm algorithm, std::size_t bytes,
                                std::size_t segment_bytes);
    [[nodiscard]] double ring_at_least_s(bcast::Algorithm algorithm, std::size_t bytes);
    [[nodiscard]] Least make_least(const std::vector<bcast::Tree>& trees, std::size_t segment_bytes) const;

    // Made when first asked for, and kept.
    const std::vector<bcast::Tree>& trees_of(bcast::Algorithm algorithm, std::size_t bytes);
    const Course& course(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes,
                         std::int64_t segments);
    const Least& least(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes);
    const Wires& rank_wires();

    const Network& network_;
    MessageCosts costs_;
    bcast::Layout layout_;
    bcast::Order order_;
    Wires wires_;
    bcast::Hop hop_;

    std::map<std::pair<bcast::Algorithm, std::size_t>, std::vector<bcast::Tree>>
        trees_;  // and by a latency tree's size
    std::map<std::tuple<bcast::Algorithm, std::size_t, std::int64_t, bool>, Course> courses_;  // by segment, by window
    std::map<std::pair<bcast::Algorithm, std::size_t>, Least> leasts_;                         // and by segment
    std::map<std::tuple<bcast::Algorithm, std::size_t, std::size_t, std::size_t, std::int64_t>, double>
        times_s_;  // by message, by segment, by what is known
    std::map<std::tuple<std::size_t, std::int64_t, std::int64_t, bool, bool, std::int64_t>, Course>
        rounds_courses_;                 // by block, strands, window, whether it is for many, heralded, and sure ones
    std::optional<bcast::Order> ranks_;  // the machines as an MPI numbers them
    std::optional<Wires> rank_wires_;    // between those
};

}  // namespace bcastgen
