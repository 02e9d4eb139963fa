// Links that messages under way share, as the simulator's do (docs/clusters-simulated.md).
//
// Messages on a link get its bandwidth at the same time, those with a longer way less of it; how fast one goes is said
// by the link that leaves it least.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "planner/price/wires.hpp"

namespace bcastgen {

/// Messages under way. Those of one way (from one machine to another) go equally fast; what begins or ends at one
/// moment changes how fast others go once it is settled.
class SharedLinks {
  public:
    /// A row of links from a port out to a port in, by a number that the caller chooses; the smaller the better.
    using Way = std::uint32_t;

    /// When the next message of a way is now expected to end, unless it is changed once more.
    struct Ending {
        double time_s;
        Way way;
        std::uint32_t change;
    };

    /// `wires` must outlive it.
    explicit SharedLinks(const Wires& wires)
        : wires_(wires), answers_(wires.answers()), on_link_(wires.links()), weight_(wires.links(), 0.0) {}

    /// A message of so many bytes (as carried) begins. `path`: the way's links, always the same, must stay where it is.
    /// `message`: the number that it is known by.
    void begin(Way way, std::span<const LinkId> path, double bytes, std::uint32_t message, double time_s);

    /// Whether a message ends now: nothing has changed since that ending was told.
    [[nodiscard]] bool ends(const Ending& ending) const { return ways_[ending.way].change == ending.change; }

    /// Ends the message of the way that has least left. Returns its number.
    std::uint32_t end(Way way, double time_s);

    /// Whether something has begun or ended since the rates were settled.
    [[nodiscard]] bool unsettled() const { return !to_see_.empty() || !to_tell_.empty(); }

    /// Settles the rates after all that began or ended at this time. Every ending that is now another is added to
    /// `endings`.
    void settle(double time_s, std::vector<Ending>& endings);

  private:
    struct Message {
        double end_bytes = 0;  // it ends when each message of the way has gone on so far
        std::uint32_t number = 0;
    };
    struct State {
        std::span<const LinkId> path;
        std::vector<Message> messages;
        double done_bytes = 0;  // how far each has gone on at since_s, from when the first of them began
        double since_s = 0;
        std::uint32_t change = 0;
        bool to_see = false;   // its rate may change
        bool to_tell = false;  // its ending is another
    };
    /// Of a way's messages, what those that share a link with it need to know. Apart from State, since most of the time
    /// goes into going through these.
    struct Flow {
        double rate_Bps = 0;  // of each
        double weight = 0;    // of each
        double count = 0;
    };
    /// Of a link, for those that it is to be shared by.
    struct Left {
        double left_Bps;
        double weight;
    };

    void go_on(Way way, double time_s);
    void see(Way way);
    void tell(Way way);
    void see_all_on(LinkId id);
    void see_neighbours(const State& state);
    void leave_out_slower(const std::vector<Way>& ways, double part, Way but, double fair_Bps, Left& left) const;
    [[nodiscard]] Left all_of(LinkId id) const;
    /// What a link leaves a message of that way; of what is `most_Bps` and more only that.
    [[nodiscard]] double share_Bps(LinkId id, Way way, double most_Bps) const;
    [[nodiscard]] double rate_Bps(Way way) const;

    const Wires& wires_;
    double answers_;
    std::vector<State> ways_;
    std::vector<Flow> flows_;                // by way
    std::vector<std::vector<Way>> on_link_;  // by link: ways with messages
    std::vector<double> weight_;             // by link: of all messages on it
    std::vector<Way> to_see_;
    std::vector<Way> to_tell_;
};

}  // namespace bcastgen
