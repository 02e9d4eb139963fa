// Max-min fair shares from scratch: all messages rise together until a link is full or one has all that it may have.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace bcastgen::model {

struct SharedLink {
    double capacity = 0;
    bool fat_pipe = false;  ///< limits each message by itself
};

struct SharingMessage {
    double penalty = 1;  ///< its rate is its level divided by this
    double bound = 0;    ///< of its rate; 0: none
    std::vector<int> links;
    std::vector<double> weights;  ///< of each of the links
};

/// The level at which `link` is full if the messages that have `levels` (those not below 0) keep them and the others
/// rise; infinite if nobody rises there.
inline double full_at(const std::vector<SharedLink>& links, const std::vector<SharingMessage>& messages,
                      const std::vector<double>& levels, int link) {
    double rest = links[static_cast<std::size_t>(link)].capacity;
    double load = 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        for (std::size_t k = 0; k < messages[i].links.size(); ++k) {
            if (messages[i].links[k] != link) continue;
            const double own = messages[i].weights[k] / messages[i].penalty;
            if (links[static_cast<std::size_t>(link)].fat_pipe) {
                if (levels[i] < 0) load = std::max(load, own);
            } else if (levels[i] < 0) {
                load += own;
            } else {
                rest -= levels[i] * own;
            }
        }
    }
    return load > 0 ? std::max(rest, 0.0) / load : std::numeric_limits<double>::infinity();
}

/// Each message's rate. Every message crosses a link or has a bound.
inline std::vector<double> max_min_rates(const std::vector<SharedLink>& links,
                                         const std::vector<SharingMessage>& messages) {
    std::vector<double> levels(messages.size(), -1);
    for (;;) {
        double next = std::numeric_limits<double>::infinity();
        std::vector<double> full(links.size());
        for (std::size_t link = 0; link < links.size(); ++link) {
            full[link] = full_at(links, messages, levels, static_cast<int>(link));
            next = std::min(next, full[link]);
        }
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (levels[i] < 0 && messages[i].bound > 0) next = std::min(next, messages[i].bound * messages[i].penalty);
        }
        if (next == std::numeric_limits<double>::infinity()) break;
        const double reached = next * (1 + 1e-12);
        for (std::size_t i = 0; i < messages.size(); ++i) {
            const SharingMessage& message = messages[i];
            const bool held = (message.bound > 0 && message.bound * message.penalty <= reached) ||
                              std::any_of(message.links.begin(), message.links.end(),
                                          [&](int link) { return full[static_cast<std::size_t>(link)] <= reached; });
            if (levels[i] < 0 && held) levels[i] = next;
        }
    }
    std::vector<double> rates(messages.size());
    for (std::size_t i = 0; i < messages.size(); ++i) rates[i] = levels[i] / messages[i].penalty;
    return rates;
}

}  // namespace bcastgen::model
