// Links that messages under way share, as the simulator's do (docs/clusters-simulated.md).
//
// Messages on a link get its bandwidth at the same time, those with a longer way less of it; how fast one goes is said
// by the link that leaves it least. A port may send one message at a time: then others wait for their turn.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "planner/price/wires.hpp"

namespace bcastgen {

/// Messages under way, each on a row of links from a port out to a port in.
class SharedLinks {
  public:
    using Flow = std::uint32_t;

    /// What a message is known by to whoever sends it.
    struct Owner {
        std::uint32_t number = 0;
        std::uint32_t part = 0;
    };

    /// A message that is now expected to end then, unless it is changed once more.
    struct Ending {
        double time_s;
        Flow flow;
        std::uint32_t change;
    };

    /// `wires` must outlive it.
    explicit SharedLinks(const Wires& wires)
        : wires_(wires), on_link_(wires.links()), weight_(wires.links(), 0.0), waiting_(wires.links()) {}

    /// A message of so many bytes (as carried) begins. `path` must stay where it is until it has ended. `owner`: what
    /// it is known by. Every message whose ending changes is added to `endings`.
    void begin(std::span<const LinkId> path, double bytes, Owner owner, double time_s, std::vector<Ending>& endings);

    /// Whether it ends now: nothing has changed since that ending was told.
    [[nodiscard]] bool ends(const Ending& ending) const { return flows_[ending.flow].change == ending.change; }

    /// Ends a message; the next that waits for its port begins. Returns its owner.
    Owner end(Flow flow, double time_s, std::vector<Ending>& endings);

  private:
    struct State {
        std::span<const LinkId> path;
        double left_bytes = 0;  // at since_s
        double rate_Bps = 0;
        double since_s = 0;
        double weight = 0;
        Owner owner{};
        std::uint32_t change = 0;
        bool changed = false;  // and its ending not told yet
    };

    void enter(Flow flow, double time_s);
    void note_neighbours(Flow flow);
    void settle(double time_s, std::vector<Ending>& endings);
    bool change(Flow flow, double time_s);
    [[nodiscard]] double share_Bps(LinkId id, Flow flow) const;
    [[nodiscard]] double rate_Bps(Flow flow) const;

    const Wires& wires_;
    std::vector<State> flows_;
    std::vector<Flow> unused_;
    std::vector<std::vector<Flow>> on_link_;  // by link
    std::vector<double> weight_;              // by link: of all on it
    std::vector<std::deque<Flow>> waiting_;   // by port out
    std::vector<Flow> to_see_;                // whose rates may change
    std::vector<Flow> changed_;
};

}  // namespace bcastgen
