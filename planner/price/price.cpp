#include "planner/price/price.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "bcast/facts/tree_builders.hpp"
#include "bcast/roles/send_window.hpp"
#include "bcast/trees/latency_tree.hpp"
#include "planner/price/native.hpp"
#include "planner/price/ring_schedule.hpp"
#include "planner/price/rounds_schedule.hpp"

namespace bcastgen {

namespace {

// Streams of so many segments are gone through first, then of twice as many, until each further segment takes as long
// as those before; all further ones are taken to do so. The same where many prices are to come of it.
constexpr std::int64_t first_simulated = 24;
constexpr std::int64_t first_of_many = 8;  // where there are many machines
constexpr std::int64_t most_simulated = 768;
constexpr std::int64_t first_of_course = 6;
constexpr std::int64_t most_of_course = 96;
// By how much one half of the segments may take longer than the other then.
constexpr double same_pace = 0.005;
constexpr double nearly_same_pace = 0.02;
// Segments of all machines: so many are gone through whatever they are, and no more if it can be helped.
constexpr std::int64_t few_hops = 16384;
constexpr std::int64_t most_hops = 2000000;
// Streams that are not worth more than going through them.
constexpr std::int64_t few_segments = 3;
// Blocks of a strand that are gone through before their pace is taken to last: those of more hardly change it. And how
// many are gone through first, and always where there are no more.
constexpr std::int64_t few_blocks = 128;
constexpr std::int64_t first_blocks = 8;

RuledMessage ruled(std::size_t bytes, RuleBegin above) {
    return {bytes, above.value_or(bytes / 2)};
}

/// So many blocks, all so long, of a broadcast in rounds.
RoundsCase part_of(const RoundsCase& one, std::int64_t blocks, std::size_t block_bytes) {
    RoundsCase part = one;
    part.cut = bcast::BlockCut(static_cast<std::size_t>(blocks) * block_bytes, block_bytes, true);
    part.planned = bcast::planned_blocks(part.cut, part.strands, part.phase);
    part.sure = std::min(part.sure, blocks);
    return part;
}

}  // namespace

Prices::Prices(const Network& network, const std::vector<int>& machines, int root, MessageCosts costs)
    : network_(network),
      costs_(std::move(costs)),
      layout_(layout_of(network)),
      order_(bcast::depth_first_order(layout_, machines, root)),
      wires_(network, order_, costs_),
      hop_(bcast::hop_of(layout_, order_.machines)) {}

bool Prices::goes_through_rounds() const {
    constexpr int most_on_one_switch = 1024;
    constexpr int most_where_rounds_meet = 256;
    return machines() <= (network_.switches.size() == 1 ? most_on_one_switch : most_where_rounds_meet);
}

bool Prices::has_price(bcast::Algorithm algorithm) {
    const bool is_scheduled =
        bcast::uses_trees(algorithm) || bcast::scatters(algorithm) || bcast::goes_in_rounds(algorithm);
    return is_scheduled && !bcast::has(algorithm, bcast::trait::blind);
}

Sharing Prices::sharing() const {
    constexpr int most_shared = 4096;  // among more machines the quick way has to do
    return machines() <= most_shared ? Sharing::fair : Sharing::in_order;
}

const std::vector<bcast::Tree>& Prices::trees_of(bcast::Algorithm algorithm, std::size_t bytes) {
    const bool by_size = bcast::has(algorithm, bcast::trait::by_size);
    const std::size_t of_size = by_size ? bcast::latency_tree_bytes[bcast::latency_tree_size(bytes)] : 0;
    const auto [at, made] = trees_.try_emplace({algorithm, of_size});
    if (made) at->second = bcast::build_trees(algorithm, {layout_, order_, bcast::row_of(algorithm).children, of_size});
    return at->second;
}

std::vector<TreeStream> Prices::streams_of(const std::vector<bcast::Tree>& trees, std::size_t bytes,
                                           std::size_t segment_bytes, RuleBegin above) const {
    std::vector<TreeStream> streams;
    const RuledMessage message = ruled(bytes, above);
    for (std::size_t tree = 0; tree < trees.size(); ++tree) {
        const std::size_t each = bytes / trees.size();
        const std::size_t part = tree + 1 == trees.size() ? bytes - tree * each : each;
        const bcast::SegmentLengths segments = cut(part, segment_bytes, trees.size(), message);
        Window window = window_of(segments, segment_bytes == 0, message, trees.size(), hop_, trees[tree].together);
        // In order, links are taken when a segment is handed over, and what waits for its port would keep a trunk from
        // others meanwhile.
        if (sharing() == Sharing::in_order) window.more_follow = false;
        streams.push_back({&trees[tree], segments, window});
    }
    return streams;
}

std::pair<double, double> Prices::Course::at(std::int64_t count) const {
    const auto after = std::lower_bound(ends.begin(), ends.end(), count,
                                        [](const End& end, std::int64_t wanted) { return end.count < wanted; });
    const double pace = after == ends.end() ? pace_s : after->pace_s;
    const End from = after == ends.begin() ? End() : *(after - 1);
    return {from.time_s + static_cast<double>(count - from.count) * pace, pace};
}

template <class Schedule>
Prices::Course Prices::course_of(std::int64_t longest, std::int64_t hops, const Pursuit& pursuit, Schedule schedule) {
    Course course;
    for (std::int64_t count = std::min(pursuit.first, longest);; count = std::min(2 * count, longest)) {
        const auto whole = schedule(count);
        if (course.ends.empty()) course.first_s = whole.first_s;
        const Course::End before = course.ends.empty() ? Course::End() : course.ends.back();
        const double pace_s = (whole.end_s - before.time_s) / static_cast<double>(count - before.count);
        course.ends.push_back({count, whole.end_s, pace_s});
        const bool settled = course.ends.size() > 2 && std::abs(pace_s / before.pace_s - 1) <= pursuit.tolerance;
        const bool enough = course.ends.size() > 1 && (2 * count > pursuit.most || 2 * count * hops > most_hops);
        course.pace_s = pace_s;
        if (settled || enough || count == longest) return course;
    }
}

/// Of a pair of trees one may go ahead and the other have its turn only later, and a stream's last segments have the
/// links for themselves. So streams of several lengths are gone through to their ends.
Prices::Course Prices::course_of(const Wires& wires, const std::vector<TreeStream>& streams,
                                 const Pursuit& pursuit) const {
    std::int64_t longest = 0;
    for (const TreeStream& stream : streams) longest = std::max(longest, stream.segments.count);
    const std::int64_t hops = machines() * static_cast<std::int64_t>(streams.size());
    return course_of(longest, hops, pursuit,
                     [&](std::int64_t count) { return schedule_trees(wires, streams, sharing(), count); });
}

/// Of many blocks two numbers are gone through, and the rest follows at the pace between them. Among so many machines
/// that this takes long, nothing is gone through: a block takes as many hops as a phase has rounds, the others follow
/// it.
Prices::Streamed Prices::rounds_streamed(const Wires& wires, const RuledMessage& message,
                                         std::size_t segment_bytes) const {
    const RoundsCase all = rounds_case(machines(), message, segment_bytes, hop_);
    const std::int64_t blocks = all.cut.count();
    if (!goes_through_rounds()) {
        const Software& software = wires.software(0);
        const Wires::Link& port = wires.link(port_out(wires.machine(0)));
        const auto& [bytes_carried, latencies] = wires.carried(all.cut.usual_bytes());
        const double port_s = bytes_carried * port.busy_per_byte;
        const double pace_s = std::max(port_s, software.send_s + software.receive_s);
        const double hop_s = software.send_s + port_s + 2 * latencies * port.latency_s + software.receive_s;
        const double first_s = std::ceil(std::log2(machines())) * hop_s;
        const double steady_s = static_cast<double>(blocks - 1) * pace_s;
        return {first_s + steady_s, steady_s};
    }
    if (blocks <= few_blocks || blocks * machines() <= few_hops) {
        const RoundsSchedule schedule = schedule_rounds(wires, all);
        return {schedule.end_s, schedule.end_s - schedule.first_s};
    }
    const std::int64_t most_blocks = std::max(few_blocks, most_hops / 4 / machines());
    const std::int64_t whole = all.strands * std::max(1, all.phase);  // so many fill a phase
    const std::int64_t most = std::min({few_blocks * all.strands, blocks / 2, most_blocks});
    const std::int64_t some = most < whole ? most : most / whole * whole;
    const RoundsSchedule first = schedule_rounds(wires, part_of(all, some, all.cut.usual_bytes()));
    const RoundsSchedule second = schedule_rounds(wires, part_of(all, 2 * some, all.cut.usual_bytes()));
    const double pace_s = (second.end_s - first.end_s) / static_cast<double>(some);
    const double end_s = second.end_s + static_cast<double>(blocks - 2 * some) * pace_s;
    return {end_s, end_s - second.first_s};
}

/// From the course of the longest blocks that there are for such segments: where there are several, they are hardly
/// shorter than that.
double Prices::rounds_quick_s(bcast::Algorithm algorithm, const RuledMessage& message, std::size_t segment_bytes) {
    const RoundsCase all = rounds_case(machines(), message, segment_bytes, hop_);
    const std::int64_t blocks = all.cut.count();
    // Each number of strands has its own course, and of few blocks there are as many strands as blocks.
    const bool is_short = blocks <= std::max(first_blocks, 2 * all.strands);
    if (is_short || !goes_through_rounds()) {
        return time_s(algorithm, message.bytes, segment_bytes, message.above_bytes);
    }
    // Long streams may have another window than short ones, and end otherwise.
    const bool is_long = blocks >= bcast::long_stream;
    const auto [at, made] =
        rounds_courses_.try_emplace({segment_bytes, all.strands, all.window, is_long, all.heralded, all.sure});
    Course& course = at->second;
    if (made) {
        const std::int64_t last = is_long ? 2 * few_blocks * all.strands : bcast::long_stream;
        const Pursuit whole{is_long ? bcast::long_stream : first_blocks, last, 0};
        course = course_of(last, machines(), whole, [&](std::int64_t count) {
            return schedule_rounds(wires_, part_of(all, count, all.longest_bytes));
        });
    }
    const double whole_s = course.at(blocks).first;
    return whole_s * static_cast<double>(all.cut.usual_bytes()) / static_cast<double>(all.longest_bytes);
}

/// Every machine but the root receives each block, and most send about as many. The last block to leave the root does
/// so after all others, and it takes the time of a send for each doubling of those that have it; it may be shorter.
/// Blocks are as the one or the other kind of rule has them.
double Prices::rounds_at_least_s(std::size_t bytes, std::size_t segment_bytes) const {
    const Software& software = wires_.software(0);
    const double doublings = std::max(0.0, std::ceil(std::log2(machines())) - 1);
    const auto port_s = [&](int position, std::size_t block_bytes) {
        return wires_.carried(block_bytes).bytes * wires_.link(port_out(wires_.machine(position))).busy_per_byte;
    };
    double least_s = std::numeric_limits<double>::infinity();
    for (const std::size_t above_bytes : {std::size_t{0}, bytes}) {
        const bcast::BlockCut cut = rounds_case(machines(), {bytes, above_bytes}, segment_bytes, hop_).cut;
        const std::int64_t others = cut.count() - 1;
        const std::size_t last_bytes = cut.length(others);
        double last_s = port_s(0, last_bytes);
        for (int position = 1; position < machines(); ++position)
            last_s = std::min(last_s, port_s(position, last_bytes));
        const double other_s = std::max(port_s(0, cut.usual_bytes()), software.receive_s);
        least_s = std::min(least_s, static_cast<double>(others) * other_s + doublings * last_s);
    }
    return least_s;
}

Prices::Streamed Prices::streamed(const Wires& wires, bcast::Algorithm algorithm, std::size_t bytes,
                                  std::size_t segment_bytes, RuleBegin above) {
    if (bcast::goes_in_rounds(algorithm)) return rounds_streamed(wires, ruled(bytes, above), segment_bytes);
    if (bcast::scatters(algorithm)) return {ring_s(wires, algorithm, bytes, segment_bytes), 0};
    const std::vector<TreeStream> streams = streams_of(trees_of(algorithm, bytes), bytes, segment_bytes, above);
    std::int64_t longest = 0;
    for (const TreeStream& stream : streams) longest = std::max(longest, stream.segments.count);
    const bool all = longest <= 2 * first_simulated || longest * machines() <= few_hops;
    const bool many = first_simulated * machines() > most_hops;
    const std::int64_t first = all ? longest : many ? first_of_many : first_simulated;
    const Course course = course_of(wires, streams, {first, most_simulated, same_pace});
    // Where one machine falls behind further and further, the last segments gone through come quicker than it can.
    const double busiest_s =
        segment_bytes == 0 || &wires != &wires_ ? 0 : least(algorithm, bytes, segment_bytes).pace_s;
    const double left = static_cast<double>(longest - course.ends.back().count);
    const double time_s = course.ends.back().time_s + left * std::max(course.pace_s, busiest_s);
    return {time_s, time_s - course.first_s};
}

double Prices::ring_s(const Wires& wires, bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes) {
    if (machines() < 2) return 0;
    const bool tuned = bcast::has(algorithm, bcast::trait::skips_held);
    return ring_broadcast_s(wires, {&trees_of(algorithm, bytes).front(), tuned, bytes, segment_bytes});
}

double Prices::once_s(std::size_t bytes) {
    const bcast::Tree pair = bcast::flat_tree(std::min(2, order_.size()));
    const bcast::SegmentLengths whole{bytes, bytes, bytes, 1};
    const std::vector<TreeStream> streams{{&pair, whole, window_of(whole, true, {bytes, 0}, 1, hop_)}};
    return schedule_trees(wires_, streams, sharing()).end_s;
}

Prices::Known Prices::known_of(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes,
                               RuleBegin above) {
    if (bcast::goes_in_rounds(algorithm)) {
        const RoundsCase one = rounds_case(machines(), ruled(bytes, above), segment_bytes, hop_);
        return {0, one.heralded ? 0 : 1 + one.sure};
    }
    if (bcast::scatters(algorithm)) return {};
    const std::size_t trees = trees_of(algorithm, bytes).size();
    const RuledMessage message = ruled(bytes, above);
    const bcast::SegmentLengths segments = cut(bytes / trees, segment_bytes, trees, message);
    return {segments.first_bytes, sure_segments(segments, message, trees, hop_)};
}

double Prices::time_s(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes, RuleBegin above) {
    const auto [first_bytes, sure] = known_of(algorithm, bytes, segment_bytes, above);
    const auto [at, made] = times_s_.try_emplace({algorithm, bytes, segment_bytes, first_bytes, sure});
    if (made) at->second = streamed(wires_, algorithm, bytes, segment_bytes, above).time_s;
    return at->second;
}

double Prices::whole_s(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes) {
    if (bcast::goes_in_rounds(algorithm)) {
        return schedule_rounds(wires_, rounds_case(machines(), ruled(bytes, {}), segment_bytes, hop_)).end_s;
    }
    if (bcast::scatters(algorithm)) return time_s(algorithm, bytes, segment_bytes);
    return schedule_trees(wires_, streams_of(trees_of(algorithm, bytes), bytes, segment_bytes), sharing()).end_s;
}

bcast::SegmentLengths Prices::cut(std::size_t part_bytes, std::size_t segment_bytes, std::size_t trees,
                                  const RuledMessage& message) const {
    return segments_of(part_bytes, segment_bytes, trees, least_known(message, trees, hop_));
}

std::size_t Prices::first_of_long(std::size_t segment_bytes, std::size_t trees) const {
    return bcast::follow_at_once(trees, hop_) ? segment_bytes : std::min(segment_bytes, most_first_bytes);
}

const Prices::Course& Prices::course(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes,
                                     std::int64_t segments) {
    // The longest stream that has the same send window (templates/bcast/roles/send_window.hpp).
    constexpr std::int64_t some_heights = 15;
    const std::vector<bcast::Tree>& trees = trees_of(algorithm, bytes);
    const std::int64_t longest = segments >= bcast::long_stream ? bcast::long_stream + most_of_course
                                 : bcast::covers_far(segments)  ? bcast::long_stream - 1
                                                                : some_heights;
    const bool sure = window_of({}, false, {bytes, 0}, trees.size(), hop_).all_sure;
    const auto [at, made] = courses_.try_emplace({algorithm, segment_bytes, longest, sure});
    if (!made) return at->second;
    const std::size_t part =
        first_of_long(segment_bytes, trees.size()) + static_cast<std::size_t>(longest - 1) * segment_bytes;
    std::vector<TreeStream> streams = streams_of(trees, part * trees.size(), segment_bytes);
    for (TreeStream& stream : streams) stream.window.all_sure = sure;
    Course& course = at->second;
    course = course_of(wires_, streams, {first_of_course, most_of_course, nearly_same_pace});
    course.pace_s = std::max(course.pace_s, least(algorithm, bytes, segment_bytes).pace_s);
    return course;
}

double Prices::quick_s(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes, RuleBegin above) {
    if (bcast::goes_in_rounds(algorithm)) return rounds_quick_s(algorithm, ruled(bytes, above), segment_bytes);
    if (bcast::scatters(algorithm)) return time_s(algorithm, bytes, segment_bytes);
    const std::size_t trees = trees_of(algorithm, bytes).size();
    const bcast::SegmentLengths segments =
        cut(bytes - bytes / trees * (trees - 1), segment_bytes, trees, ruled(bytes, above));
    if (segments.count <= few_segments || segment_bytes == 0) return time_s(algorithm, bytes, segment_bytes, above);
    const Course& known = course(algorithm, bytes, segment_bytes, segments.count);
    if (segments.count <= known.ends.front().count) return time_s(algorithm, bytes, segment_bytes, above);
    const auto [end_s, pace_s] = known.at(segments.count);
    const std::size_t of_first = first_of_long(segment_bytes, trees) - segments.first_bytes;
    const double missing = static_cast<double>(of_first + segments.usual_bytes - segments.last_bytes);
    return end_s - missing / static_cast<double>(segments.usual_bytes) * pace_s;
}

const Wires& Prices::rank_wires() {
    if (!rank_wires_) {
        ranks_ = bcast::rotated_order(in_natural_order(network_, order_.machines), order_.machines.front());
        rank_wires_.emplace(network_, *ranks_, costs_);
    }
    return *rank_wires_;
}

double Prices::native_s(std::size_t bytes) {
    return native_broadcast_s(rank_wires(), sharing(), bytes);
}

Prices::Least Prices::make_least(const std::vector<bcast::Tree>& trees, std::size_t segment_bytes) const {
    std::vector<TreeStream> streams = streams_of(trees, segment_bytes * trees.size(), segment_bytes);
    for (TreeStream& stream : streams) stream.segments.count = 1;
    Least least;
    least.first_s = schedule_trees(wires_, streams, sharing()).end_s;
    const double carried_bytes = wires_.carried(segment_bytes).bytes;
    for (int position = 0; position < machines(); ++position) {
        double sends = 0;
        for (const bcast::Tree& tree : trees) {
            sends += static_cast<double>(tree.children[static_cast<std::size_t>(position)].size());
        }
        const double receives = position == 0 ? 0 : static_cast<double>(trees.size());
        const Software& software = wires_.software(position);
        const double port_s = carried_bytes * wires_.link(port_out(wires_.machine(position))).busy_per_byte;
        least.pace_s = std::max(
            {least.pace_s, port_s * sends, port_s * receives, software.send_s * sends + software.receive_s * receives});
    }
    return least;
}

const Prices::Least& Prices::least(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes) {
    const auto [at, made] = leasts_.try_emplace({algorithm, segment_bytes});
    if (made) at->second = make_least(trees_of(algorithm, bytes), segment_bytes);
    return at->second;
}

/// The root sends all blocks but its own in the scatter, and then nearly as many round the ring: the tuned one leaves
/// out what its neighbour holds.
double Prices::ring_at_least_s(bcast::Algorithm algorithm, std::size_t bytes) {
    const bcast::Tree& scatter = trees_of(algorithm, bytes).front();
    const bool tuned = bcast::has(algorithm, bcast::trait::skips_held);
    const int next_holds = machines() > 1 ? bcast::blocks_held(scatter)[1] : 1;
    const int blocks = machines() - 1 + bcast::ring_blocks(next_holds, machines(), tuned);
    const double sent_bytes = static_cast<double>(bytes) * blocks / machines();
    const Carried least = least_carried(costs_, bytes);
    return sent_bytes * least.bytes * wires_.link(port_out(wires_.machine(0))).busy_per_byte;
}

double Prices::at_least_s(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes) {
    if (bcast::goes_in_rounds(algorithm)) return rounds_at_least_s(bytes, segment_bytes);
    if (bcast::scatters(algorithm)) return ring_at_least_s(algorithm, bytes);
    const std::size_t trees = trees_of(algorithm, bytes).size();
    const bcast::SegmentLengths segments = cut(bytes / trees, segment_bytes, trees, {bytes, bytes});
    const Least& known = least(algorithm, bytes, segment_bytes);
    const std::size_t first_bytes = std::min(segments.first_bytes, most_first_bytes);
    const double first_s = known.first_s * static_cast<double>(first_bytes) / static_cast<double>(segment_bytes);
    // A stream of few segments need not have a usual one, and others may do better on Ethernet, by up to 1.9 times.
    constexpr double does_better = 0.5;
    if (segments.count <= few_segments) return does_better * first_s;
    // The first segment may be shorter than the others, and so may the last; and the first goes ahead, whatever else is
    // on its way.
    return first_s + static_cast<double>(segments.count - few_segments) * known.pace_s;
}

Price Prices::price(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes, RuleBegin above) {
    Wires bare = wires_;
    bare.drop_software();
    const double with_latency_s = streamed(bare, algorithm, bytes, segment_bytes, above).time_s;
    bare.drop_latencies();
    const Streamed of_bytes = streamed(bare, algorithm, bytes, segment_bytes, above);
    Price price{algorithm, segment_bytes, time_s(algorithm, bytes, segment_bytes, above)};
    // Software and latencies may also spread what would have met on a link: then they cost nothing.
    price.software_s = std::max(0.0, price.time_s - with_latency_s);
    price.latency_s = std::clamp(with_latency_s - of_bytes.time_s, 0.0, price.time_s - price.software_s);
    price.steady_s = std::min(of_bytes.steady_s, price.time_s - price.software_s - price.latency_s);
    price.lower_bound = !bcast::has(algorithm, bcast::trait::contention_free);
    return price;
}

Price Prices::best(bcast::Algorithm algorithm, std::size_t bytes) {
    std::pair<double, std::size_t> best{time_s(algorithm, bytes, 0), 0};
    for (const std::size_t segment : segment_sizes_for(algorithm, bytes)) {
        if (at_least_s(algorithm, bytes, segment) >= best.first) continue;
        best = std::min(best, {quick_s(algorithm, bytes, segment), segment});
    }
    return price(algorithm, bytes, best.second);
}

}  // namespace bcastgen
