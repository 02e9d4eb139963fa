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
        if (place < static_cast<double>(begun_)) {
            now_.push(event);
        } else if (place < static_cast<double>(begun_ + buckets_.size())) {
            buckets_[static_cast<std::size_t>(place) % buckets_.size()].push_back(event);
            ++in_buckets_;
        } else {
            later_.push(event);
        }
    }

    [[nodiscard]] bool empty() {
        while (now_.empty() && in_buckets_ > 0) turn();
        if (now_.empty() && !later_.empty()) {
            begun_ = static_cast<std::size_t>(later_.top().time_s * per_s_);
            take_in();
            turn();
        }
        return now_.empty();
    }
    /// Of one that is not empty: empty() was asked since the last pop().
    [[nodiscard]] const Event& top() const { return now_.top(); }
    void pop() { now_.pop(); }

  private:
    using Heap = std::priority_queue<Event, std::vector<Event>, Later>;

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

}  // namespace bcastgen
