// Messages on links that serve one after the other, as network cards and switches do.
//
//   a's port out |== a ==|             each byte goes on to the next link at once
//   b's port out   |== b ==|
//   port in      |== a ==|== b ==|     b waits in the switch; its sender's port is free again
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace bcast {

/// Messages of one length, numbered as they are added, over links that are numbered by the caller.
class QueuedWires {
  public:
    /// `alone_ns`: by link, what a message takes there.
    explicit QueuedWires(std::vector<std::int64_t> alone_ns)
        : alone_ns_(std::move(alone_ns)), free_ns_(alone_ns_.size(), 0) {}

    /// A message whose first byte will come to the first of its links at that time, which must not be before the last
    /// moment handled. Returns its number.
    std::size_t add(std::vector<std::size_t> links, std::int64_t time_ns) {
        messages_.push_back({std::move(links)});
        due_.emplace(time_ns, messages_.size() - 1);
        return messages_.size() - 1;
    }

    /// Goes on to the end of the next message. False: none is left.
    bool next(std::size_t& message, std::int64_t& time_ns) {
        while (!due_.empty()) {
            const auto [now_ns, number] = due_.top();
            due_.pop();
            Message& one = messages_[number];
            if (one.links_done == one.links.size()) {
                message = number;
                time_ns = now_ns;
                return true;
            }
            due_.emplace(take_links(one, now_ns), number);
        }
        return false;
    }

  private:
    struct Message {
        std::vector<std::size_t> links;
        std::size_t links_done = 0;  // that its first byte has left
        std::int64_t tail_ns = 0;    // its last byte is not there before
    };

    /// Its first byte comes to its next link, and to the ones behind as long as it need not wait. Returns when it comes
    /// to one more, or its last byte to the end.
    std::int64_t take_links(Message& message, std::int64_t now_ns) {
        while (message.links_done < message.links.size()) {
            const std::size_t link = message.links[message.links_done++];
            const std::int64_t start_ns = std::max(now_ns, free_ns_[link]);
            free_ns_[link] = start_ns + alone_ns_[link];
            message.tail_ns = std::max(message.tail_ns, free_ns_[link]);
            if (start_ns > now_ns && message.links_done < message.links.size()) return start_ns;
        }
        return message.tail_ns;
    }

    using Due = std::pair<std::int64_t, std::size_t>;  // of equal times, the one that was added first is first

    std::vector<std::int64_t> alone_ns_;
    std::vector<std::int64_t> free_ns_;  // by link: when it has served all that have come so far
    std::vector<Message> messages_;
    std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
};

}  // namespace bcast
