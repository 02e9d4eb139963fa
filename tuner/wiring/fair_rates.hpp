// The rates at which streams go that are under way at the same time: max-min fair, as TCP and switches come near to.
#pragma once

#include <cstddef>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// What links carry, by LinkId, in bytes per second.
struct Capacities {
    std::vector<double> link_Bps;    ///< all streams together
    std::vector<double> stream_Bps;  ///< each stream by itself: one of the link's cables
};

/// As the network is described. Of a folded Clos' trunks, those of the planned tree with all cables that they stand
/// for.
[[nodiscard]] Capacities described_capacities(const Network& network);

/// Streams that are under way at the same time, made ready to be asked for their rates with several capacities.
class FairStreams {
  public:
    /// By stream: the links that it crosses, one or more. `fed_by`: the stream whose bytes a stream hands on, and which
    /// it cannot outrun; -1: none. Empty: all have theirs from the start.
    explicit FairStreams(const std::vector<std::vector<LinkId>>& paths, const std::vector<int>& fed_by = {});

    /// All rise together until a link is full. O(full links x links in use).
    [[nodiscard]] std::vector<double> rates(const Capacities& capacities) const;

  private:
    class Rising;

    std::vector<LinkId> links_;              ///< in use; what follows names them by their index here
    std::vector<std::size_t> first_stream_;  ///< by link, into streams_, and the end
    std::vector<int> streams_;
    std::vector<std::size_t> first_link_;  ///< by stream, into crossed_, and the end
    std::vector<std::size_t> crossed_;
    std::vector<std::vector<int>> fed_;  ///< by stream: those that hand on what it brings
};

[[nodiscard]] std::vector<double> fair_rates(const Capacities& capacities,
                                             const std::vector<std::vector<LinkId>>& paths,
                                             const std::vector<int>& fed_by = {});

}  // namespace bcastgen
