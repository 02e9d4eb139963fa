// What each message gets of the links that it crosses, worked out anew only where something has changed.
//
// SimGrid shares links max-min fairly: the rates of all messages rise together, in proportion to 1 / penalty, until a
// link is full; the messages on it stay at that level, and the others go on rising. It does so from scratch for all
// links that messages connect with what has changed. Under its model of TCP every message also loads the way back, by
// 5 %, which connects nearly all of them: with hundreds of machines nine tenths of the time goes there.
//
// Here every link keeps its level: the one at which it is full while each of its messages gets no more than its other
// links leave it (no level: it is not full). Where messages have come or gone, the level is worked out again; if it is
// another one, then also those of the other links of the messages that this matters to, and so on. Levels that are
// right stay as they are, so this ends, at the same rates: the argument is that of distributed computation of max-min
// fair rates (Charny, Clark, Jain: Congestion control with explicit rate indication, 1995), by induction over the
// levels from the lowest one up. A change that goes on by way of the 5 % is divided by twenty each time.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "tuner/simulation/simgrid_data.hpp"

namespace simulation {

inline constexpr double no_level = std::numeric_limits<double>::infinity();

/// Levels that differ by less, relatively, are the same.
inline constexpr double same_level = 1e-9;

inline double level_of(const Channel& channel) {
    return channel.level > 0 ? channel.level : no_level;
}

/// The level to which a message may rise by its own bound and by its links but one (or none).
inline double limit_of(const Flow& flow, const Channel* but) {
    double limit = flow.bound_Bps > 0 ? flow.bound_Bps * flow.penalty : no_level;
    for (const Crossing* crossing = flow.first; crossing != flow.end; ++crossing) {
        if (crossing->channel != but && crossing->weight > 0) limit = std::min(limit, level_of(*crossing->channel));
    }
    return limit;
}

inline void set_rate(Flow& flow, double level) {
    flow.rate_Bps = level == no_level ? 0 : level / flow.penalty;
}

template <class Visit>
void each_crossing(const Channel& channel, const Visit& visit) {
    for (Hook* at = channel.flows.ends.next; at != &channel.flows.ends; at = at->next) {
        auto* crossing = reinterpret_cast<Crossing*>(at);
        if (crossing->weight > 0) visit(*crossing);
    }
}

/// The network's links that are to be worked out.
class Levels {
  public:
    void add(Channel& channel) {
        if (channel.queued != 0) return;
        channel.queued = 1;
        queue_.push_back(&channel);
    }

    /// Works out the levels of the added links and of all that this changes. `on_new_rate(Flow&)` for each message that
    /// has got another rate, perhaps several times. A message that no level has changed for keeps its rate: see to
    /// those that are new (set_rate).
    template <class OnNewRate>
    void settle(const OnNewRate& on_new_rate) {
        for (std::size_t at = 0; at < queue_.size(); ++at) {
            Channel& channel = *queue_[at];
            channel.queued = 0;
            const double before = level_of(channel);
            const double now = full_at(channel);
            if (before == now || std::fabs(before - now) <= same_level * std::min(before, now)) continue;
            channel.level = now == no_level ? 0 : now;
            each_crossing(channel, [&](Crossing& crossing) {
                Flow& flow = *crossing.flow;
                const double elsewhere = limit_of(flow, &channel);
                if (std::min(before, now) >= elsewhere) return;  // held back elsewhere, before and now
                set_rate(flow, std::min(now, elsewhere));
                on_new_rate(flow);
                for (Crossing* other = flow.first; other != flow.end; ++other) {
                    if (other->channel != &channel && other->weight > 0) add(*other->channel);
                }
            });
        }
        queue_.clear();
    }

  private:
    struct Part {
        double limit;
        double load;  ///< of the link, for each level
    };

    double full_at(const Channel& channel) {
        parts_.clear();
        double load = 0;
        each_crossing(channel, [&](const Crossing& crossing) {
            parts_.push_back({limit_of(*crossing.flow, &channel), crossing.weight / crossing.flow->penalty});
            load += parts_.back().load;
        });
        if (channel.policy == Policy::fat_pipe) return widest_at(channel.capacity_Bps);
        std::sort(parts_.begin(), parts_.end(), [](const Part& a, const Part& b) { return a.limit < b.limit; });
        return together_at(channel.capacity_Bps, load);
    }

    /// Those that are held back elsewhere leave what they do not need to the others.
    [[nodiscard]] double together_at(double capacity_Bps, double load) const {
        for (const Part& part : parts_) {
            if (part.limit > capacity_Bps / load) return capacity_Bps / load;
            capacity_Bps -= part.limit * part.load;
            load -= part.load;
        }
        return no_level;
    }

    /// The first that fills it holds back all that are not held back before.
    [[nodiscard]] double widest_at(double capacity_Bps) const {
        double level = no_level;
        for (const Part& part : parts_) {
            const double own = capacity_Bps / part.load;
            if (part.limit >= own * (1 - same_level)) level = std::min(level, own);
        }
        return level;
    }

    std::vector<Channel*> queue_;
    std::vector<Part> parts_;
};

}  // namespace simulation
