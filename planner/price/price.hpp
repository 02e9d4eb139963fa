// What a broadcast takes by each algorithm, predicted from the schedule of its own trees.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "bcast/facts/algorithm.hpp"
#include "bcast/trees/hop.hpp"
#include "bcast/trees/order.hpp"
#include "bcast/trees/tree.hpp"
#include "planner/network/network.hpp"
#include "planner/price/tree_schedule.hpp"
#include "planner/price/wires.hpp"

namespace bcastgen {

/// A predicted time.
struct Price {
    bcast::Algorithm algorithm = bcast::usual::no_rule;
    std::size_t segment_bytes = 0;
    double time_s = 0;
    double steady_s = 0;  ///< of that, from the last machine's first segment to its last, without latency and software
    double latency_s = 0;   ///< less it would take if there were no latencies
    double software_s = 0;  ///< less it would take if software took no time
    bool lower_bound = false;  ///< nothing proves that its transmissions do not meet, so it may take longer

    /// Until the last machine has its first segment, the same way.
    [[nodiscard]] double fill_s() const { return time_s - steady_s - latency_s - software_s; }
};

/// Prices of broadcasts from one root to a group of machines.
class Prices {
  public:
    /// `network` must outlive it; `machines` as in PlanRequest, the root among them.
    Prices(const Network& network, std::vector<int> machines, int root, MessageCosts costs);
    Prices(const Prices&) = delete;
    Prices& operator=(const Prices&) = delete;

    [[nodiscard]] int machines() const { return order_.size(); }

    /// T(m): once to the next machine of the order, in one piece.
    [[nodiscard]] double once_s(std::size_t bytes);

    /// Whether there is a schedule to price it by.
    [[nodiscard]] static bool has_price(bcast::Algorithm algorithm);

    /// Of an algorithm that has one. segment_bytes 0: in one piece.
    [[nodiscard]] double time_s(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes);

    /// The same with where the time goes.
    [[nodiscard]] Price price(bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes);

    /// At the segment size that does best of those that are tried for such a message.
    [[nodiscard]] Price best(bcast::Algorithm algorithm, std::size_t bytes);

  private:
    /// Among very many machines the quick way has to do.
    [[nodiscard]] Sharing sharing() const {
        constexpr int most_shared = 4096;
        return machines() <= most_shared ? Sharing::fair : Sharing::in_order;
    }

    struct Planned {
        std::vector<bcast::Tree> trees;
    };
    struct Streamed {
        double time_s = 0;
        double steady_s = 0;
    };

    const Planned& planned(bcast::Algorithm algorithm, std::size_t bytes);
    Streamed streamed(const Wires& wires, bcast::Algorithm algorithm, std::size_t bytes, std::size_t segment_bytes);

    const Network& network_;
    MessageCosts costs_;
    bcast::Layout layout_;
    bcast::Order order_;
    Wires wires_;
    bcast::Hop hop_;
    std::map<std::pair<bcast::Algorithm, std::size_t>, Planned> planned_;
};

}  // namespace bcastgen
