// What MPI_Waitany tells a machine's processor, and in which sequence.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace bcastgen {

/// Requests of a machine that have ended and that its processor has not been told of. One that waits is told of what
/// ends first; one that was busy meanwhile, of what has the first place among its requests then.
template <typename Ended>
class EndedRequests {
  public:
    /// Notes one; `waits`: the processor does. Whether it is to look from now on: not if it does already.
    bool add(const Ended& ended, bool waits) {
        ended_.push_back(ended);
        if (std::exchange(looks_, true)) return false;
        first_comes_first_ = waits;
        return true;
    }

    /// Whether there is none left; then it looks no more.
    bool is_done() {
        looks_ = !ended_.empty();
        return !looks_;
    }

    /// What it is told of next. There must be one; `before(a, b)` tells whether a's place is before b's.
    template <typename Before>
    Ended take(Before before) {
        const auto next = first_comes_first_ ? ended_.begin() : std::min_element(ended_.begin(), ended_.end(), before);
        first_comes_first_ = false;
        const Ended ended = *next;
        ended_.erase(next);
        return ended;
    }

  private:
    std::vector<Ended> ended_;  // as they came
    bool looks_ = false;
    bool first_comes_first_ = false;
};

}  // namespace bcastgen
