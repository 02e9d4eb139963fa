// A priority queue of events by their times, for many that are near each other.
//
//   now: a heap | bucket | bucket | bucket | ... | later: a heap
//               '-- of equal widths in time --'
//
// A calendar queue (Brown 1988): what a heap of all events costs is memory that is far apart, and here only the bucket
// that time has come to is in order. Events may come in any sequence, but none before one that was taken already.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <queue>
#include <type_traits>
#include <vector>

namespace bcastgen {

/// `Event` has a time_s; `Later` tells whether one comes after another, as std::priority_queue wants it.
template <typename Event, typename Later>
class EventQueue {
  public:
    /// `buckets`: about as many as there are events within `span_s`.
    EventQueue(double span_s, std::size_t buckets) : buckets_(buckets), per_s_(static_cast<double>(buckets) / span_s) {}

    void push(const Event& event) {
        const double place = event.time_s * per_s_;
        if (place < static_cast<double>(begun_) || (in_buckets_ == 0 && now_.size() < few)) {
            now_.push(event);
        } else if (place < static_cast<double>(begun_ + buckets_.size())) {
            buckets_[static_cast<std::size_t>(place) % buckets_.size()].push_back(event);
            ++in_buckets_;
        } else {
            later_.push(event);
        }
    }

    /// Brings the first event to the top, too.
    [[nodiscard]] bool empty() {
        while (true) {
            if (in_buckets_ == 0) {
                if (now_.empty() && later_.empty()) return true;
                const bool now = later_.empty() || (!now_.empty() && Later()(later_.top(), now_.top()));
                begun_ = std::max(begun_, place_of(now ? now_.top() : later_.top()));
                take_in();
                if (in_buckets_ == 0) return false;
            }
            if (!now_.empty() && place_of(now_.top()) < begun_) return false;
            turn();
        }
    }
    [[nodiscard]] const Event& top() const { return now_.top(); }
    void pop() { now_.pop(); }

  private:
    using Heap = std::priority_queue<Event, std::vector<Event>, Later>;
    static constexpr std::size_t few = 1024;  // events that a heap serves best, and that would be far apart in buckets

    [[nodiscard]] std::size_t place_of(const Event& event) const {
        return static_cast<std::size_t>(event.time_s * per_s_);
    }

    /// The next bucket begins.
    void turn() {
        std::vector<Event>& bucket = buckets_[begun_ % buckets_.size()];
        in_buckets_ -= bucket.size();
        for (const Event& event : bucket) now_.push(event);
        bucket.clear();
        ++begun_;
        take_in();
    }

    void take_in() {
        while (!later_.empty() && later_.top().time_s * per_s_ < static_cast<double>(begun_ + buckets_.size())) {
            const Event event = later_.top();
            later_.pop();
            push(event);
        }
    }

    Heap now_;
    std::vector<std::vector<Event>> buckets_;  // by number modulo their count, from begun_ on
    Heap later_;
    double per_s_;
    std::size_t begun_ = 0;  // buckets
    std::size_t in_buckets_ = 0;
};

/// What happens within so long happens at one moment, as in the simulator (its surf/precision).
inline constexpr double moment_s = 1e-9;

/// Handles events, a priority queue of them, moment by moment until there is none: after the last event of a moment
/// `settle(time_s)` settles what depends on all of them, which may add events, as `handle(event)` may. Of those of a
/// moment messages on links that go on (`goes_on(event)`) come first, since they were there before what begins, then
/// the others as they were noted.
template <typename Events, typename GoesOn, typename Settle, typename Handle>
void go_through(Events& events, GoesOn goes_on, Settle settle, Handle handle) {
    std::vector<std::remove_cvref_t<decltype(events.top())>> together;
    while (!events.empty()) {
        const double now_s = events.top().time_s;
        while (!events.empty() && events.top().time_s < now_s + moment_s) {
            together.clear();
            for (; !events.empty() && events.top().time_s < now_s + moment_s; events.pop()) {
                together.push_back(events.top());
                together.back().time_s = now_s;
            }
            std::sort(together.begin(), together.end(), [&goes_on](const auto& a, const auto& b) {
                if (goes_on(a) != goes_on(b)) return goes_on(a);
                return static_cast<std::int32_t>(a.number - b.number) < 0;
            });
            for (const auto& event : together) handle(event);
        }
        settle(now_s);
    }
}

}  // namespace bcastgen
