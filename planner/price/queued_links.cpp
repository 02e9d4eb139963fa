#include "planner/price/queued_links.hpp"

#include <algorithm>

#include "base/index.hpp"

namespace bcastgen {

QueuedLinks::Step QueuedLinks::begin(const Message& message, double time_s) {
    auto place = static_cast<std::uint32_t>(messages_.size());
    if (unused_.empty()) {
        messages_.push_back(message);
    } else {
        place = unused_.back();
        unused_.pop_back();
        messages_[place] = message;
    }
    return go_on(place, time_s);
}

QueuedLinks::Step QueuedLinks::go_on(std::uint32_t place, double time_s) {
    Message& message = messages_[place];
    while (message.links_done < message.path.size()) {
        const LinkId id = message.path[message.links_done++];
        const Wires::Link& link = wires_.link(id);
        double& free_s = free_s_[at(id)];
        const double start_s = std::max(time_s, free_s);
        free_s = start_s + message.bytes * link.busy_per_byte;
        message.tail_s = std::max(message.tail_s, start_s + message.bytes * link.s_per_byte);
        // Until then others may come to the next link.
        if (start_s > time_s && message.links_done < message.path.size()) return {start_s, place};
    }
    return {message.tail_s, place};
}

QueuedLinks::Message QueuedLinks::end(std::uint32_t place) {
    unused_.push_back(place);
    return messages_[place];
}

}  // namespace bcastgen
