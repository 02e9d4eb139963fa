// Messages on the links of a broadcast, whichever way these serve them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "planner/price/queued_links.hpp"
#include "planner/price/shared_links.hpp"

namespace bcastgen {

/// One after the other (QueuedLinks) where costs say so, else at the same time (SharedLinks).
class LinksUnderWay {
  public:
    using Way = SharedLinks::Way;

    /// When something may happen to a message; hand it back then.
    struct Step {
        double time_s;
        std::uint32_t of;
        std::uint32_t change;
    };
    struct Arrived {
        Way way;
        std::uint32_t message;
    };

    /// `wires` must outlive it.
    explicit LinksUnderWay(const Wires& wires) : links_(of(wires)) {}

    /// A message of so many bytes (as carried) begins, after its latency. `path`: the way's links, always the same,
    /// must stay where it is. `message`: the number that it is known by.
    void begin(Way way, std::span<const LinkId> path, double bytes, std::uint32_t message, double time_s) {
        if (auto* shared = std::get_if<SharedLinks>(&links_)) return shared->begin(way, path, bytes, message, time_s);
        note(std::get<QueuedLinks>(links_).begin({way, message, path, bytes}, time_s));
    }

    /// Its time has come. The message that is there now, if one is.
    std::optional<Arrived> go_on(const Step& step) {
        if (auto* shared = std::get_if<SharedLinks>(&links_)) {
            if (!shared->ends({step.time_s, step.of, step.change})) return std::nullopt;
            return Arrived{step.of, shared->end(step.of, step.time_s)};
        }
        auto& queued = std::get<QueuedLinks>(links_);
        if (!queued.is_there(step.of)) {
            note(queued.go_on(step.of, step.time_s));
            return std::nullopt;
        }
        const QueuedLinks::Message message = queued.end(step.of);
        return Arrived{message.way, message.number};
    }

    /// At the end of a moment: `note(Step)` for each step that is to be handed back from now on.
    template <typename Note>
    void settle(double time_s, const Note& note) {
        if (auto* shared = std::get_if<SharedLinks>(&links_)) {
            shared->settle(time_s, endings_);
            for (const SharedLinks::Ending& ending : endings_) note(Step{ending.time_s, ending.way, ending.change});
            endings_.clear();
        }
        for (const Step& step : steps_) note(step);
        steps_.clear();
    }

  private:
    using Links = std::variant<SharedLinks, QueuedLinks>;
    static Links of(const Wires& wires) {
        if (wires.in_turn()) return QueuedLinks(wires);
        return SharedLinks(wires);
    }
    void note(const QueuedLinks::Step& step) { steps_.push_back({step.time_s, step.place, 0}); }

    Links links_;
    std::vector<SharedLinks::Ending> endings_;
    std::vector<Step> steps_;
};

}  // namespace bcastgen
