// Links that serve messages one after the other, as the simulator's fabrics do (docs/clusters-simulated.md).
//
//   a's port out |== a ==|             each byte goes on to the next link at once
//   b's port out   |== b ==|
//   port in      |== a ==|== b ==|     b waits in the switch; its sender's port is free again
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/price/wires.hpp"

namespace bcastgen {

/// Messages under way. Each takes a link for its bytes' time there, in the sequence in which first bytes come to it.
class QueuedLinks {
  public:
    /// When something is to be done about a message.
    struct Step {
        double time_s;
        std::uint32_t place;  ///< where the message is kept
    };
    struct Message {
        std::uint32_t way = 0;     ///< where from and where to, the caller's number for it
        std::uint32_t number = 0;  ///< which of that way, likewise
        std::span<const LinkId> path;
        double bytes = 0;
        std::size_t links_done = 0;  ///< that its first byte has left
        double tail_s = 0;           ///< its last byte is not there before
    };

    /// `wires` must outlive it.
    explicit QueuedLinks(const Wires& wires) : wires_(wires), free_s_(wires.links(), 0.0) {}

    /// A message (way, number, path, bytes as carried) comes to the first of its links. Returns its next step.
    Step begin(const Message& message, double time_s);

    /// Whether that step is its last: all of it is there.
    [[nodiscard]] bool is_there(std::uint32_t place) const {
        return messages_[place].links_done == messages_[place].path.size();
    }

    /// Its first byte comes to the next of its links. Returns its next step.
    Step go_on(std::uint32_t place, double time_s);

    /// Takes out a message that is there.
    Message end(std::uint32_t place);

  private:
    const Wires& wires_;
    std::vector<double> free_s_;  // by link: when it has served all that have come so far
    std::vector<Message> messages_;
    std::vector<std::uint32_t> unused_;  // of these places
};

}  // namespace bcastgen
