// The links between the machines of a broadcast, as its price sees them.
#pragma once

#include <cstddef>
#include <vector>

#include "bcast/trees/order.hpp"
#include "planner/network/network.hpp"
#include "planner/network/paths.hpp"
#include "planner/network/software.hpp"

namespace bcastgen {

/// What messages cost besides their bytes.
struct MessageCosts {
    std::vector<Software> software;  ///< by machine of the network
    double envelope_bytes = 0;           ///< that every message has besides its content
};

/// What is charged for messages on this network: the software of its description, and an MPI's envelope.
[[nodiscard]] MessageCosts message_costs(const Network& network);

/// The links of a network that messages between some machines cross, with their speeds. Machines are positions of an
/// order. A message occupies each link on its way for its bytes' time there, and one after the other in the sequence in
/// which they come; its first byte goes on while the rest follows.
class Wires {
  public:
    struct Link {
        double s_per_byte = 0;  ///< of one message
        double busy_per_byte = 0;  ///< what a message takes of the link: less than the above where cables run side by side
        double latency_s = 0;
    };

    /// Both must outlive it. O(links).
    Wires(const Network& network, const bcast::Order& order, const MessageCosts& costs);

    [[nodiscard]] std::size_t links() const { return links_.size(); }
    [[nodiscard]] const Link& link(LinkId id) const { return links_[static_cast<std::size_t>(id)]; }
    [[nodiscard]] const Software& software(int position) const {
        return costs_->software[static_cast<std::size_t>(machine(position))];
    }
    [[nodiscard]] double envelope_bytes() const { return costs_->envelope_bytes; }
    [[nodiscard]] int machine(int position) const { return order_->machines[static_cast<std::size_t>(position)]; }
    /// The directed links from one position's machine to another's. O(path).
    [[nodiscard]] std::vector<LinkId> between(int from, int to) const;

    /// The same without latencies, or without what software takes: to find what a price owes to them.
    void drop_latencies();
    void drop_software() { costs_ = &no_costs_; }

  private:
    const bcast::Order* order_;
    const MessageCosts* costs_;
    MessageCosts no_costs_;
    Paths paths_;
    std::vector<Link> links_;  // by LinkId
};

}  // namespace bcastgen
