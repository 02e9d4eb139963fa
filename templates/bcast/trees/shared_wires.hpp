// Messages that share links evenly while they are under way, as connections of TCP do.
//
//   link   | a alone |  a and b, half of it each  | b alone |
//
// A message goes as fast as the link allows that leaves it least: the link's speed divided by the number of messages on
// it. (What others leave over is not given to anyone, which max-min fairness would do.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace bcast {

/// Messages of one length, numbered as they are added, over links that are numbered by the caller.
class SharedWires {
  public:
    /// `alone_ns`: by link, what a message takes that has it for itself.
    explicit SharedWires(std::vector<std::int64_t> alone_ns) : alone_ns_(std::move(alone_ns)), on_(alone_ns_.size()) {}

    /// A message that will come to its links at that time, which must not be before the last moment handled. Returns
    /// its number.
    std::size_t add(std::vector<std::size_t> links, std::int64_t time_ns) {
        messages_.emplace_back();
        messages_.back().links = std::move(links);
        due_.emplace(static_cast<double>(time_ns), messages_.size() - 1);
        return messages_.size() - 1;
    }

    /// Goes on to the end of the next message. False: none is left.
    bool next(std::size_t& message, std::int64_t& time_ns) {
        while (!due_.empty()) {
            const auto [now_ns, number] = *due_.begin();
            due_.erase(due_.begin());
            Message& one = messages_[number];
            if (!one.under_way) {
                for (const std::size_t link : one.links) on_[link].push_back(number);
                settle(one, now_ns);
                continue;
            }
            for (const std::size_t link : one.links) take_off(on_[link], number);
            settle(one, now_ns);
            message = number;
            time_ns = static_cast<std::int64_t>(now_ns);
            return true;
        }
        return false;
    }

  private:
    struct Message {
        std::vector<std::size_t> links;
        double left = 1;      // of it, as of since_ns
        double whole_ns = 0;  // what all of it would take
        double since_ns = 0;
        double end_ns = 0;  // at the speed that it has
        bool under_way = false;
    };
    static void take_off(std::vector<std::size_t>& numbers, std::size_t number) {
        std::size_t kept = 0;
        for (const std::size_t other : numbers) {
            if (other != number) numbers[kept++] = other;
        }
        numbers.resize(kept);
    }

    /// All that share a link with a message go on at another speed.
    void settle(const Message& changed, double now_ns) {
        for (const std::size_t link : changed.links) {
            for (const std::size_t number : on_[link]) change_speed(number, now_ns);
        }
    }

    void change_speed(std::size_t number, double now_ns) {
        Message& message = messages_[number];
        double whole_ns = 0;
        for (const std::size_t link : message.links) {
            whole_ns = std::max(whole_ns, static_cast<double>(alone_ns_[link]) * static_cast<double>(on_[link].size()));
        }
        if (message.under_way) {
            if (message.whole_ns == whole_ns) return;
            due_.erase({message.end_ns, number});
            if (message.whole_ns > 0) message.left -= (now_ns - message.since_ns) / message.whole_ns;
        }
        message.under_way = true;
        message.since_ns = now_ns;
        message.whole_ns = whole_ns;
        message.end_ns = now_ns + message.left * whole_ns;
        due_.emplace(message.end_ns, number);
    }

    std::vector<std::int64_t> alone_ns_;
    std::vector<std::vector<std::size_t>> on_;  // by link: messages
    std::vector<Message> messages_;
    // When messages come to their links, or have gone over them, each once: however often speeds change, there is no
    // list that grows with that, whose memory might be refused.
    std::set<std::pair<double, std::size_t>> due_;
};

}  // namespace bcast
