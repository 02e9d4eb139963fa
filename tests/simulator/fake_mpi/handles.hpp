// A rank's handles of one kind: numbers that know whether what they stood for is gone.
//
//   bits   31..28   27..16                   15..0
//          kind     uses of the place        place, 16 and above
//                   before this one
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace simulator {

template <class Thing>
class Handles {
  public:
    /// `null` is the kind's null handle, of which the kind is read.
    explicit Handles(int null) : kind_(null & kind_bits) {}

    int add(Thing thing) {
        if (free_.empty()) {
            free_.push_back(places_.size());
            places_.emplace_back();
        }
        const std::size_t at = free_.back();
        free_.pop_back();
        Place& place = places_[at];
        place.used = true;
        place.thing = std::move(thing);
        ++alive_;
        return handle(at);
    }
    /// nullptr if the handle stands for nothing (any more).
    Thing* find(int handle) {
        const std::size_t at = place_of(handle);
        if (at >= places_.size() || !places_[at].used || this->handle(at) != handle) return nullptr;
        return &places_[at].thing;
    }
    void remove(int handle) {
        const std::size_t at = place_of(handle);
        places_[at].used = false;
        places_[at].thing = Thing{};
        ++places_[at].uses;
        free_.push_back(at);
        --alive_;
    }
    [[nodiscard]] std::size_t alive() const { return alive_; }

  private:
    static constexpr int kind_bits = 0x70000000;
    static constexpr int first_place = 16;

    struct Place {
        Thing thing{};
        int uses = 0;
        bool used = false;
    };
    static std::size_t place_of(int handle) { return static_cast<std::size_t>((handle & 0xffff) - first_place); }
    [[nodiscard]] int handle(std::size_t at) const {
        return kind_ | (places_[at].uses & 0xfff) << 16 | (static_cast<int>(at) + first_place);
    }

    int kind_;
    std::vector<Place> places_;
    std::vector<std::size_t> free_;
    std::size_t alive_ = 0;
};

}  // namespace simulator
