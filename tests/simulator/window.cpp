#include "window.hpp"

#include <algorithm>
#include <string>

#include "bcast/pipeline/lane.hpp"

namespace simulator {

namespace {

constexpr int not_watched = -1;
// The tags of rounds (bcast/arrival/rounds.hpp): two trees and the news.
constexpr int first_round_tag = 16;

/// Segments that go to each child down one tree; the trees of a pair differ by a byte. `short_first`: the first is
/// shorter than the others.
std::size_t segments_of(const BroadcastPlan& broadcast, std::size_t longest_bytes, bool& short_first) {
    const std::size_t trees = static_cast<std::size_t>(bcast::row_of(broadcast.choice.algorithm).trees);
    const std::size_t share = (broadcast.signature.bytes() + trees - 1) / trees;
    const std::size_t wanted = broadcast.choice.segment_bytes == 0 ? share : broadcast.choice.segment_bytes;
    const std::size_t segment = std::max<std::size_t>(1, std::min(wanted, longest_bytes));
    const std::size_t first = bcast::most_of_first_segment(segment);
    const std::size_t alone = trees == 1 ? bcast::longest_looked_at_bytes : first;
    short_first = first < segment;
    if (share <= std::min(segment, alone)) return 1;
    return 1 + (share - first + segment - 1) / segment;
}

}  // namespace

WindowWatch::WindowWatch(int window, int largest_tag)
    : window_(window), longest_bytes_(bcast::SegmentTags(0, bcast::length_bits_of(largest_tag)).longest_bytes()) {}

void WindowWatch::enter(const Rank& rank, const BroadcastPlan& broadcast) {
    const auto at = static_cast<std::size_t>(rank.number);
    if (ranks_.size() <= at) ranks_.resize(at + 1);
    const bool watched = broadcast.by_choice && window_ > 0 && broadcast.counts.empty();
    ranks_[at].broadcast = watched ? &broadcast : nullptr;
    ranks_[at].tags.clear();
}

int WindowWatch::most(const BroadcastPlan& broadcast, int tag, int& uncounted) const {
    const bcast::Algorithm algorithm = broadcast.choice.algorithm;
    uncounted = 0;
    if (bcast::scatters(algorithm)) return window_;
    if (bcast::goes_in_rounds(algorithm)) {
        uncounted = 1;       // what says how long the message is
        return 3 * window_;  // through the rounds, and to two ranks of the same machine
    }
    if (bcast::is_arrival_aware(algorithm)) {
        // A part that others follow has one more, of which MPI says when it was taken.
        const bool segments = tag >= first_round_tag && (tag - first_round_tag) % 3 < 2;
        uncounted = 1;
        return segments ? window_ + 1 : not_watched;
    }
    bool short_first = false;
    const std::size_t segments = segments_of(broadcast, longest_bytes_, short_first);
    // In one piece the first bytes go ahead of the others, and both are one segment.
    if (broadcast.choice.segment_bytes == 0 && segments <= 2) return static_cast<int>(segments) * window_;
    // The first of several segments waits for a child to come, and must not keep the others waiting; if it is short it
    // does not wait, and the second does.
    uncounted = segments == 1 ? 0 : short_first && segments > 2 ? 2 : 1;
    return window_;
}

/// What sends count together: those of one tree, which have a tag or a communicator of their own.
int WindowWatch::kind_of(const Allowed& allowed, const Request& send) {
    return bcast::is_arrival_aware(allowed.broadcast->choice.algorithm) ? send.tag : -1 - send.context->id;
}

WindowWatch::Tag& WindowWatch::tag_of(Allowed& allowed, int tag) {
    for (Tag& known : allowed.tags) {
        if (known.tag == tag) return known;
    }
    allowed.tags.push_back({tag, 0, {}, {}});
    return allowed.tags.back();
}

void WindowWatch::send_begins(Rank& rank, const Request& send) {
    Allowed& allowed = ranks_[static_cast<std::size_t>(rank.number)];
    if (allowed.broadcast == nullptr || send.context == rank.world.context.get()) return;
    int uncounted = 0;
    const int limit = most(*allowed.broadcast, send.tag, uncounted);
    if (limit == not_watched) return;
    Tag& tag = tag_of(allowed, kind_of(allowed, send));
    if (std::count(tag.begun_to.begin(), tag.begun_to.end(), send.peer) < uncounted) {
        tag.begun_to.push_back(send.peer);
        tag.exempt.push_back(send.handle);
        return;
    }
    if (++tag.under_way > limit) {
        rank.job.fail(std::to_string(tag.under_way) + " segments are under way on communicator " +
                      std::to_string(send.context->id) + ", and BCASTGEN_IN_FLIGHT is " + std::to_string(window_));
    }
}

void WindowWatch::send_ends(Rank& rank, const Request& send) {
    Allowed& allowed = ranks_[static_cast<std::size_t>(rank.number)];
    if (allowed.broadcast == nullptr || send.context == rank.world.context.get()) return;
    for (Tag& tag : allowed.tags) {
        if (tag.tag != kind_of(allowed, send)) continue;
        const auto exempt = std::find(tag.exempt.begin(), tag.exempt.end(), send.handle);
        if (exempt != tag.exempt.end()) {
            tag.exempt.erase(exempt);
        } else {
            --tag.under_way;
        }
    }
}

}  // namespace simulator
