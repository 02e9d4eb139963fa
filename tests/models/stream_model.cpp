#include "tests/models/stream_model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>

namespace bcastgen::testing {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// A segment on its way.
struct Message {
    std::size_t tree;
    int from;
    int to;
    std::int64_t segment;
    std::vector<LinkId> path;
    double bytes;    // still to go
    double ready_s;  // the latency is over
    bool on_wire = false;
    bool done = false;
};

struct Place {  // of a machine in a tree
    std::int64_t here = 0;
    std::int64_t under_way = 0;
    std::size_t next = 0;
};

struct Child {
    std::int64_t started = 0;
    std::int64_t matched = 0;
    std::int64_t taken = 0;  // by the child
    std::int64_t known = 0;  // to the sender
    std::vector<double> started_s;
    std::set<std::int64_t> there;  // of those not taken yet
};

class Model {
  public:
    Model(const Wires& wires, const std::vector<TreeStream>& streams)
        : wires_(wires), streams_(streams), machines_(streams.front().tree->children.size()) {
        places_.assign(streams.size(), std::vector<Place>(machines_));
        children_.assign(streams.size(), std::vector<Child>(machines_));
        busy_until_s_.assign(machines_, 0);
        for (std::size_t tree = 0; tree < streams.size(); ++tree) places_[tree][0].here = count(tree);
    }

    double end_s() {
        for (std::size_t tree = 0; tree < streams_.size(); ++tree) send(tree, 0);
        while (true) {
            begin_and_share();
            const double next_s = next_time_s();
            if (next_s == never) return end_s_;
            move_to(next_s);
        }
    }

  private:
    [[nodiscard]] std::int64_t count(std::size_t tree) const { return streams_[tree].segments.count; }
    Child& child(std::size_t tree, int number) { return children_[tree][static_cast<std::size_t>(number)]; }
    Place& place(std::size_t tree, int number) { return places_[tree][static_cast<std::size_t>(number)]; }
    double& busy_until_s(int machine) { return busy_until_s_[static_cast<std::size_t>(machine)]; }

    [[nodiscard]] bool far(int from, int to) const {
        const std::vector<LinkId> path = wires_.between(from, to);
        double all_s = 0;
        for (const LinkId link : path) all_s += wires_.link(link).latency_s;
        const double ports_s = wires_.link(path.front()).latency_s + wires_.link(path.back()).latency_s;
        return path.size() > 2 && 2 * (all_s - ports_s) >= ports_s - 1e-9;
    }

    bool may_send(std::size_t tree, int from, int to) {
        const Window& window = streams_[tree].window;
        const std::vector<int>& all = streams_[tree].tree->children[static_cast<std::size_t>(from)];
        const bool any_far = std::any_of(all.begin(), all.end(), [&](int one) { return far(from, one); });
        const Child& one = child(tree, to);
        const std::int64_t segment = one.started;
        if (segment == count(tree) || segment >= place(tree, from).here) return false;
        std::int64_t most = window.to_one_child + (far(from, to) ? window.more_to_far : 0);
        if (window.one_by_one) ++most;
        if (segment - one.known >= most) return false;
        if (segment >= window.uncounted && one.known < window.uncounted) return false;
        const bool counts = window.one_by_one ? segment == 0 : segment >= window.uncounted;
        return !counts || place(tree, from).under_way < window.to_all + (any_far ? window.more_to_far : 0);
    }

    void send(std::size_t tree, int from) {
        const std::vector<int>& all = streams_[tree].tree->children[static_cast<std::size_t>(from)];
        if (all.empty()) return;
        const Window& window = streams_[tree].window;
        Place& mine = place(tree, from);
        for (std::size_t refused = 0; refused < all.size();) {
            const int to = all[mine.next];
            bool sent = false;
            if (may_send(tree, from, to)) {
                sent = true;
                Child& one = child(tree, to);
                if (window.one_by_one ? one.started == 0 : one.started >= window.uncounted) ++mine.under_way;
                const Software& software = wires_.software(from);
                busy_until_s(from) =
                    std::max(busy_until_s(from), now_s_) + software.send_s +
                    software.per_byte_s * static_cast<double>(streams_[tree].segments.length(one.started));
                one.started_s.push_back(busy_until_s(from));
                ++one.started;
                match(tree, from, to);
                if (window.one_by_one && one.started < count(tree)) continue;
            }
            mine.next = (mine.next + 1) % all.size();
            refused = sent ? 0 : refused + 1;
        }
    }

    /// A segment leaves once it is sent and a receive waits for it: the first alone, then so many ahead.
    void match(std::size_t tree, int from, int to) {
        Child& one = child(tree, to);
        const std::int64_t receives = one.taken == 0 ? 1 : one.taken + streams_[tree].window.receives_ahead;
        while (one.matched < std::min(one.started, receives)) {
            const std::int64_t segment = one.matched++;
            const Carried carried = wires_.carried(streams_[tree].segments.length(segment));
            Message message{tree, from, to, segment, wires_.between(from, to), carried.bytes, 0};
            double latency_s = 0;
            for (const LinkId link : message.path) latency_s += carried.latencies * wires_.link(link).latency_s;
            const double begin_s =
                std::max({now_s_, busy_until_taken_s_, one.started_s[static_cast<std::size_t>(segment)]});
            message.ready_s = begin_s + latency_s;
            messages_.push_back(message);
        }
    }

    /// What is ready enters the links, or waits until the port is free; then everyone's speed is known.
    void begin_and_share() {
        std::vector<Message*> ready;
        for (Message& message : messages_) {
            if (!message.done && !message.on_wire && message.ready_s <= now_s_) ready.push_back(&message);
        }
        std::stable_sort(ready.begin(), ready.end(),
                         [](const Message* a, const Message* b) { return a->ready_s < b->ready_s; });
        for (Message* message : ready) {
            const bool taken = std::any_of(messages_.begin(), messages_.end(), [&](const Message& other) {
                return !other.done && other.on_wire && other.from == message->from;
            });
            if (!wires_.port_in_turn() || !taken) message->on_wire = true;
        }
        messages_.erase(std::remove_if(messages_.begin(), messages_.end(), [](const Message& m) { return m.done; }),
                        messages_.end());
    }

    [[nodiscard]] double weight(const Message& message) const {
        double penalty_s = 0;
        for (const LinkId link : message.path) {
            penalty_s += wires_.link(link).latency_s + 8775 * wires_.link(link).busy_per_byte;
        }
        return 1 / penalty_s;
    }

    [[nodiscard]] static bool crosses(const Message& message, LinkId link) {
        return message.on_wire && std::find(message.path.begin(), message.path.end(), link) != message.path.end();
    }

    /// By message: max-min fair rates. The link or cable that leaves those on it least decides theirs; then the rest.
    [[nodiscard]] std::vector<double> rates_Bps() const {
        std::vector<double> rates(messages_.size(), -1);
        const auto open = [&](std::size_t i) { return messages_[i].on_wire && rates[i] < 0; };
        while (true) {
            double least = never;  // rate for each weight
            std::vector<std::size_t> decided;
            for (std::size_t i = 0; i < messages_.size(); ++i) {
                if (!open(i)) continue;
                for (const LinkId link : messages_[i].path) {
                    double left_Bps = 1 / wires_.link(link).busy_per_byte;
                    const LinkId back = link % 2 == 0 ? link + 1 : link - 1;
                    for (const Message& other : messages_) {
                        if (!crosses(other, back)) continue;
                        left_Bps /= 1 + wires_.answers();
                        break;
                    }
                    double weights = 0;
                    for (std::size_t k = 0; k < messages_.size(); ++k) {
                        if (!crosses(messages_[k], link)) continue;
                        if (open(k)) weights += weight(messages_[k]);
                        if (!open(k)) left_Bps -= rates[k];
                    }
                    const double each =
                        std::min(left_Bps / weights, 1 / wires_.link(link).s_per_byte / weight(messages_[i]));
                    if (each < least * (1 - 1e-12)) decided.clear();
                    if (each < least * (1 + 1e-12)) decided.push_back(i);
                    least = std::min(least, each);
                }
            }
            if (decided.empty()) return rates;
            for (const std::size_t i : decided) rates[i] = least * weight(messages_[i]);
        }
    }

    double next_time_s() {
        double next_s = never;
        rates_ = rates_Bps();
        for (std::size_t i = 0; i < messages_.size(); ++i) {
            const Message& message = messages_[i];
            if (message.on_wire) {
                next_s = std::min(next_s, now_s_ + message.bytes / rates_[i]);
            } else if (message.ready_s > now_s_) {
                next_s = std::min(next_s, message.ready_s);
            }
        }
        return next_s;
    }

    void move_to(double next_s) {
        std::vector<Message> arrived;
        for (std::size_t i = 0; i < messages_.size(); ++i) {
            Message& message = messages_[i];
            if (!message.on_wire) continue;
            const double left_s = message.bytes / rates_[i];
            message.bytes -= rates_[i] * (next_s - now_s_);
            if (now_s_ + left_s <= next_s) {
                message.done = true;
                arrived.push_back(message);
            }
        }
        now_s_ = next_s;
        // A segment that overtakes those before it counts after them.
        for (const Message& message : arrived) {
            Child& one = child(message.tree, message.to);
            one.there.insert(message.segment);
            while (one.there.count(one.taken) > 0) take(message);
        }
    }

    void take(const Message& message) {
        const Window& window = streams_[message.tree].window;
        Child& one = child(message.tree, message.to);
        const std::int64_t segment = one.taken;
        one.there.erase(segment);
        ++one.known;
        ++one.taken;
        if (window.one_by_one ? one.known == count(message.tree) : one.known > window.uncounted) {
            --place(message.tree, message.from).under_way;
        }
        const Software& software = wires_.software(message.to);
        busy_until_s(message.to) =
            std::max(busy_until_s(message.to), now_s_) + software.receive_s +
            software.per_byte_s * static_cast<double>(streams_[message.tree].segments.length(segment));
        end_s_ = std::max(end_s_, busy_until_s(message.to));
        ++place(message.tree, message.to).here;
        busy_until_taken_s_ = busy_until_s(message.to);
        match(message.tree, message.from, message.to);
        busy_until_taken_s_ = 0;
        send(message.tree, message.to);
        send(message.tree, message.from);
    }

    const Wires& wires_;
    const std::vector<TreeStream>& streams_;
    std::size_t machines_;
    std::vector<std::vector<Place>> places_;    // by tree, by machine
    std::vector<std::vector<Child>> children_;  // by tree, by child
    std::vector<double> busy_until_s_;          // by machine
    std::vector<Message> messages_;
    std::vector<double> rates_;  // by message, until something happens
    double busy_until_taken_s_ = 0;
    double now_s_ = 0;
    double end_s_ = 0;
};

}  // namespace

double modelled_end_s(const Wires& wires, const std::vector<TreeStream>& streams) {
    return Model(wires, streams).end_s();
}

}  // namespace bcastgen::testing
