// Things that come and go while a broadcast is under way, kept for the next one.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "bcast/mpi/memory.hpp"

namespace bcast {

/// A row of things that keep their place in memory. Those that are done are used again as they are, so that nothing is
/// allocated once there have been enough of them.
template <class Thing>
class Pool {
  public:
    /// One more, at the end: a new one, or one that was used before and has to be set up anew.
    Thing& add() {
        if (spare_.empty()) {
            used_.push_back(insured([] { return std::make_unique<Thing>(); }));
            spare_.reserve(used_.size());
        } else {
            used_.push_back(std::move(spare_.back()));
            spare_.pop_back();
        }
        return *used_.back();
    }

    /// Puts those aside that are done; the others keep their sequence.
    template <class Done>
    void remove_if(Done done) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < used_.size(); ++i) {
            if (done(*used_[i])) {
                spare_.push_back(std::move(used_[i]));
            } else {
                if (kept != i) used_[kept] = std::move(used_[i]);
                ++kept;
            }
        }
        used_.resize(kept);
    }

    [[nodiscard]] bool empty() const { return used_.empty(); }
    [[nodiscard]] std::size_t size() const { return used_.size(); }
    [[nodiscard]] Thing& operator[](std::size_t index) { return *used_[index]; }
    [[nodiscard]] const Thing& operator[](std::size_t index) const { return *used_[index]; }
    [[nodiscard]] Thing& front() { return *used_.front(); }
    [[nodiscard]] const Thing& front() const { return *used_.front(); }
    [[nodiscard]] Thing& back() { return *used_.back(); }
    [[nodiscard]] const Thing& back() const { return *used_.back(); }

  private:
    Row<std::unique_ptr<Thing>> used_;
    Row<std::unique_ptr<Thing>> spare_;
};

}  // namespace bcast
