// How many of a rank's sends are on their way at once.
//
//   a window of two    |===1===|=====3=====|
//                      |=====2=====|===4===|
//
//   in steps of two    |===1===|   |===3===|    the next step does not delay the last message of the one before
//                      |=====2=====|===4===|
#pragma once

#include <cstdint>

namespace bcast {

/// How many a tree was planned for, where messages are sent whole.
struct Together {
    int sends = 0;          ///< on their way from a rank at once; 0: planned for any number
    bool in_steps = false;  ///< further ones begin once all of these have ended, not as soon as one has
};

/// The sends of the next step, of so many that are left, in steps of `most`. If one is not full that is the first, as
/// in a k-nomial tree of whatever size.
inline std::int64_t next_step(std::int64_t left, std::int64_t most) {
    const std::int64_t rest = left % most;
    return rest == 0 ? most : rest;
}

/// Counts them. No more begin when it is full.
class SendsUnderWay {
  public:
    SendsUnderWay() = default;

    /// At most `most` at once.
    explicit SendsUnderWay(std::int64_t most) : most_(narrow(most)), may_be_(most_) {}

    /// So many together, of `in_all`.
    SendsUnderWay(Together together, std::int64_t in_all) : SendsUnderWay(together.sends) {
        in_steps_ = together.in_steps;
        if (in_steps_) may_be_ = narrow(next_step(in_all, most_));
    }

    [[nodiscard]] std::int64_t most() const { return most_; }
    [[nodiscard]] bool full() const { return count_ >= may_be_; }
    void begin() { ++count_; }
    void end() {
        if (!in_steps_) {
            --count_;
        } else if (++ended_ == count_) {
            count_ = ended_ = 0;
            may_be_ = most_;
        }
    }

  private:
    static std::int32_t narrow(std::int64_t number) { return static_cast<std::int32_t>(number); }

    std::int32_t most_ = 1;
    std::int32_t may_be_ = 1;  // in this step
    std::int32_t count_ = 0;   // in steps, with those of this one that have ended
    std::int32_t ended_ = 0;   // in steps: of this one
    bool in_steps_ = false;
};

}  // namespace bcast
