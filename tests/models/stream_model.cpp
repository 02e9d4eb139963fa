#include "tests/models/stream_model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <tuple>

namespace bcastgen::testing {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

/// A segment from when both sides are ready for it.
struct Message {
    std::size_t tree;
    int from;
    int to;
    std::int64_t segment;
    std::vector<LinkId> path;
    double bytes;     // still to go
    double leaves_s;  // both sides are ready
    double ready_s;   // the latency is over
    enum class State : std::uint8_t { to_leave, flies, on_wire } state = State::to_leave;
    double rate_Bps = 0;
    std::size_t links_taken = 0;  // in turn: that it has a time on
    double tail_s = 0;            // in turn: when its last byte has left those

    [[nodiscard]] double next_s(double now_s, bool in_turn) const {
        if (state == State::to_leave) return leaves_s;
        if (state == State::flies) return ready_s;
        return in_turn ? tail_s : now_s + bytes / rate_Bps;
    }
};

struct Place {  // of a machine in a tree
    std::int64_t under_way = 0;
    std::size_t next = 0;
};

/// What a machine sends to one of its children, by segment: never, or since when each side is ready for it.
struct Child {
    std::vector<double> started_s;
    std::vector<double> posted_s;
    std::set<std::int64_t> taken;  // by the child
    std::set<std::int64_t> known;  // by the sender to be there
    std::set<std::int64_t> sent;   // handed to the wire

    static std::int64_t without_gap(const std::set<std::int64_t>& segments) {
        std::int64_t count = 0;
        while (segments.count(count) > 0) ++count;
        return count;
    }
};

/// A request that has ended: whether it is a receive, tree, which child, slot; then the segment.
using Ended = std::tuple<bool, std::size_t, std::size_t, std::int64_t, std::int64_t>;

struct Processor {
    double free_s = 0;
    std::vector<Ended> ended;  // in the sequence in which they did
};

class Model {
  public:
    Model(const Wires& wires, const std::vector<TreeStream>& streams)
        : wires_(wires), streams_(streams), machines_(streams.front().tree->children.size()) {
        link_free_s_.assign(wires.links(), 0);
        places_.assign(streams.size(), std::vector<Place>(machines_));
        children_.assign(streams.size(), std::vector<Child>(machines_));
        processors_.resize(machines_);
    }

    double end_s() {
        for (std::size_t tree = 0; tree < streams_.size(); ++tree) {
            for (std::size_t machine = 1; machine < machines_; ++machine) post(tree, static_cast<int>(machine), 0);
            send(tree, 0);
        }
        while (true) {
            double next_s = never;
            for (const Message& message : messages_) next_s = std::min(next_s, next_of(message));
            for (const Processor& one : processors_) {
                if (!one.ended.empty()) next_s = std::min(next_s, std::max(now_s_, one.free_s));
            }
            if (next_s == never) return end_s_;
            for (Message& message : messages_) message.bytes -= message.rate_Bps * (next_s - now_s_);
            now_s_ = next_s;
            happen();
        }
    }

  private:
    [[nodiscard]] std::int64_t count(std::size_t tree) const { return streams_[tree].segments.count; }
    Child& child(std::size_t tree, int number) { return children_[tree][static_cast<std::size_t>(number)]; }
    Place& place(std::size_t tree, int number) { return places_[tree][static_cast<std::size_t>(number)]; }
    Processor& processor(int number) { return processors_[static_cast<std::size_t>(number)]; }
    [[nodiscard]] const std::vector<int>& children_of(std::size_t tree, int machine) const {
        return streams_[tree].tree->children[static_cast<std::size_t>(machine)];
    }

    [[nodiscard]] bool far(int from, int to) const {
        const std::vector<LinkId> path = wires_.between(from, to);
        double all_s = 0;
        for (const LinkId link : path) all_s += wires_.link(link).latency_s;
        const double ports_s = wires_.link(path.front()).latency_s + wires_.link(path.back()).latency_s;
        return path.size() > 2 && (all_s - ports_s) >= 0.45 * ports_s;  // half of them, or a tenth less
    }
    [[nodiscard]] std::int64_t more(std::size_t tree, int from) const {
        const std::vector<int>& all = children_of(tree, from);
        const Window& window = streams_[tree].window;
        if (std::none_of(all.begin(), all.end(), [&](int one) { return far(from, one); })) return 0;
        return all.size() == 1 ? std::max(window.more_to_far, window.more_to_only) : window.more_to_far;
    }
    [[nodiscard]] std::int64_t receives(std::size_t tree, int machine) const {
        const Window& window = streams_[tree].window;
        std::int64_t more_ahead = more(tree, machine);
        if (const int parent = streams_[tree].tree->parent[static_cast<std::size_t>(machine)];
            parent >= 0 && far(parent, machine)) {
            more_ahead = std::max(more_ahead, window.more_to_only);
        }
        const std::int64_t ahead = std::max<std::int64_t>(4, window.to_one_child + more_ahead);
        return std::min(count(tree), window.all_sure ? ahead : std::min<std::int64_t>(ahead, 6));
    }
    [[nodiscard]] std::int64_t slots(std::size_t tree, int machine) const {
        const Window& window = streams_[tree].window;
        return window.to_one_child + more(tree, machine) + (window.one_by_one ? 1 : 0);
    }

    void work(int machine, double each_s, std::size_t bytes) {
        processor(machine).free_s = std::max(processor(machine).free_s, now_s_) + each_s +
                                    wires_.software(machine).per_byte_s * static_cast<double>(bytes);
    }

    bool may_send(std::size_t tree, int from, int to) {
        const Window& window = streams_[tree].window;
        const Child& one = child(tree, to);
        const auto segment = static_cast<std::int64_t>(one.started_s.size());
        if (segment == count(tree) || (from != 0 && segment >= Child::without_gap(child(tree, from).taken))) {
            return false;
        }
        const std::int64_t known = Child::without_gap(one.known);
        std::int64_t most = window.to_one_child + (far(from, to) ? more(tree, from) : 0);
        if (window.one_by_one) ++most;
        if (segment - known >= most) return false;
        if (segment >= window.uncounted && known < window.uncounted) return false;
        const bool counts = window.one_by_one ? segment == 0 : segment >= window.uncounted;
        return !counts || place(tree, from).under_way < window.to_all + more(tree, from);
    }

    void send(std::size_t tree, int from) {
        const std::vector<int>& all = children_of(tree, from);
        const Window& window = streams_[tree].window;
        Place& mine = place(tree, from);
        for (std::size_t refused = 0; refused < all.size();) {
            const int to = all[mine.next];
            const bool sent = may_send(tree, from, to);
            if (sent) {
                Child& one = child(tree, to);
                const auto segment = static_cast<std::int64_t>(one.started_s.size());
                if (window.one_by_one ? segment == 0 : segment >= window.uncounted) ++mine.under_way;
                work(from, wires_.software(from).send_s, streams_[tree].segments.length(segment));
                one.started_s.push_back(processor(from).free_s);
                match(tree, from, to);
                if (window.one_by_one && segment + 1 < count(tree)) continue;
            }
            mine.next = (mine.next + 1) % all.size();
            refused = sent ? 0 : refused + 1;
        }
    }

    /// First what comes in any case, then so many ahead.
    void post(std::size_t tree, int machine, double time_s) {
        Child& one = child(tree, machine);
        const std::int64_t here = Child::without_gap(one.taken);
        const std::int64_t known = here == 0 ? streams_[tree].window.sure : count(tree);
        const std::int64_t most = std::min({count(tree), known, here + receives(tree, machine)});
        while (static_cast<std::int64_t>(one.posted_s.size()) < most) one.posted_s.push_back(time_s);
        match(tree, streams_[tree].tree->parent[static_cast<std::size_t>(machine)], machine);
    }

    void match(std::size_t tree, int from, int to) {
        Child& one = child(tree, to);
        const std::size_t both = std::min(one.started_s.size(), one.posted_s.size());
        for (auto segment = static_cast<std::int64_t>(one.sent.size()); segment < static_cast<std::int64_t>(both);
             ++segment) {
            one.sent.insert(segment);
            const Carried carried = wires_.carried(streams_[tree].segments.length(segment));
            const auto number = static_cast<std::size_t>(segment);
            const double leaves_s = std::max(one.started_s[number], one.posted_s[number]);
            Message message{tree, from, to, segment, wires_.between(from, to), carried.bytes, leaves_s, leaves_s};
            for (const LinkId link : message.path) message.ready_s += carried.latencies * wires_.link(link).latency_s;
            messages_.push_back(message);
        }
    }

    /// All that happens at this moment; then machines go on, and speeds are found anew.
    void happen() {
        while (true) {
            const auto next =
                std::min_element(messages_.begin(), messages_.end(),
                                 [&](const Message& a, const Message& b) { return next_of(a) < next_of(b); });
            if (next == messages_.end() || next_of(*next) >= now_s_ + 1e-9) break;
            step(*next);
        }
        for (std::size_t machine = 0; machine < machines_; ++machine) go_on(static_cast<int>(machine));
        if (!wires_.in_turn()) share();
    }

    [[nodiscard]] double next_of(const Message& message) const { return message.next_s(now_s_, wires_.in_turn()); }

    void step(Message& message) {
        if (message.state == Message::State::to_leave) {
            message.state = Message::State::flies;
        } else if (message.state == Message::State::flies) {
            if (wires_.in_turn()) {
                take_link(message);
            } else {
                message.state = Message::State::on_wire;
                message.rate_Bps = nearly_none;
            }
        } else {
            end(message);
        }
    }

    /// The next link serves it after all that came there before; its first byte is at the one behind at once.
    void take_link(Message& message) {
        const LinkId id = message.path[message.links_taken++];
        double& free_s = link_free_s_[static_cast<std::size_t>(id)];
        message.ready_s = std::max(message.ready_s, free_s);
        free_s = message.ready_s + message.bytes * wires_.link(id).busy_per_byte;
        message.tail_s = std::max(message.tail_s, message.ready_s + message.bytes * wires_.link(id).s_per_byte);
        if (message.links_taken == message.path.size()) message.state = Message::State::on_wire;
    }

    void end(Message& ended) {
        const Message message = ended;
        messages_.erase(messages_.begin() + (&ended - messages_.data()));
        const std::vector<int>& all = children_of(message.tree, message.from);
        const auto number = static_cast<std::size_t>(std::find(all.begin(), all.end(), message.to) - all.begin());
        processor(message.to)
            .ended.emplace_back(true, message.tree, 0, message.segment % receives(message.tree, message.to),
                                message.segment);
        processor(message.from)
            .ended.emplace_back(false, message.tree, number, message.segment % slots(message.tree, message.from),
                                message.segment);
    }

    /// A machine that waits is told of what ended first; one that was busy, of the first in place.
    void go_on(int machine) {
        Processor& mine = processor(machine);
        bool waited = mine.free_s <= now_s_ - 1e-9;
        while (!mine.ended.empty() && mine.free_s < now_s_ + 1e-9) {
            const auto first = waited ? mine.ended.begin() : std::min_element(mine.ended.begin(), mine.ended.end());
            const auto [is_receive, tree, number, slot, segment] = *first;
            mine.ended.erase(first);
            waited = false;
            if (!is_receive) {
                take_sent(tree, machine, children_of(tree, machine)[number], segment);
            } else {
                work(machine, wires_.software(machine).receive_s, streams_[tree].segments.length(segment));
                end_s_ = std::max(end_s_, mine.free_s);
                child(tree, machine).taken.insert(segment);
                post(tree, machine, mine.free_s);
            }
            send(tree, machine);
        }
    }

    void take_sent(std::size_t tree, int from, int to, std::int64_t segment) {
        const Window& window = streams_[tree].window;
        Child& one = child(tree, to);
        const std::int64_t before = Child::without_gap(one.known);
        one.known.insert(segment);
        for (std::int64_t known = before + 1; known <= Child::without_gap(one.known); ++known) {
            if (window.one_by_one ? known == count(tree) : known > window.uncounted) --place(tree, from).under_way;
        }
    }

    [[nodiscard]] double weight(const Message& message) const {
        double penalty_s = 0;
        for (const LinkId link : message.path) {
            penalty_s += wires_.link(link).latency_s + 8775 * wires_.link(link).busy_per_byte;
        }
        return 1 / penalty_s;
    }

    [[nodiscard]] static bool crosses(const Message& message, LinkId link) {
        return std::find(message.path.begin(), message.path.end(), link) != message.path.end();
    }

    /// What part of a link a message takes for each byte that it goes on: its answers, a little of the other way.
    [[nodiscard]] double part_of(const Message& message, LinkId link) const {
        if (message.state != Message::State::on_wire) return 0;
        const LinkId back = link % 2 == 0 ? link + 1 : link - 1;
        return (crosses(message, link) ? 1 : 0) + (crosses(message, back) ? wires_.answers() : 0);
    }

    /// Max-min fair rates. The link that leaves those on it least decides theirs; then the rest.
    void share() {
        std::vector<Message*> open;
        for (Message& message : messages_) {
            if (message.state != Message::State::on_wire) continue;
            open.push_back(&message);
            message.rate_Bps = 0;
        }
        while (!open.empty()) {
            double least = never;  // rate for each weight
            std::vector<Message*> decided;
            const auto consider = [&](double each, const auto& concerns) {
                if (each < least * (1 - 1e-12)) decided.clear();
                for (Message* one : open) {
                    const bool known = std::find(decided.begin(), decided.end(), one) != decided.end();
                    if (each < least * (1 + 1e-12) && !known && concerns(*one)) decided.push_back(one);
                }
                least = std::min(least, each);
            };
            for (LinkId link = 0; link < static_cast<LinkId>(wires_.links()); ++link) {
                double left_Bps = 1 / wires_.link(link).busy_per_byte;
                double weights = 0;
                for (const Message& message : messages_) left_Bps -= part_of(message, link) * message.rate_Bps;
                for (const Message* one : open) weights += part_of(*one, link) * weight(*one);
                if (weights == 0) continue;
                consider(left_Bps / weights, [&](const Message& one) { return part_of(one, link) > 0; });
                for (const Message* one : open) {
                    if (!crosses(*one, link)) continue;
                    consider(1 / wires_.link(link).s_per_byte / weight(*one),
                             [&](const Message& other) { return &other == one; });
                }
            }
            for (Message* one : decided) {
                one->rate_Bps = least * weight(*one);
                open.erase(std::find(open.begin(), open.end(), one));
            }
        }
    }

    static constexpr double nearly_none = 1e-30;  // until speeds are found

    const Wires& wires_;
    const std::vector<TreeStream>& streams_;
    std::size_t machines_;
    std::vector<std::vector<Place>> places_;    // by tree, by machine
    std::vector<std::vector<Child>> children_;  // by tree, by child
    std::vector<Processor> processors_;         // by machine
    std::vector<Message> messages_;
    std::vector<double> link_free_s_;  // in turn: when it has served all that have come
    double now_s_ = 0;
    double end_s_ = 0;
};

}  // namespace

double modelled_end_s(const Wires& wires, const std::vector<TreeStream>& streams) {
    return Model(wires, streams).end_s();
}

}  // namespace bcastgen::testing
