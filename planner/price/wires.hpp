// The links between the machines of a broadcast, as its price sees them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bcast/trees/order.hpp"
#include "planner/network/network.hpp"
#include "planner/network/paths.hpp"
#include "planner/network/software.hpp"

namespace bcastgen {

/// What becomes of a message on the wire.
enum class Framing : std::uint8_t {
    none,      ///< it goes as it is
    sockets,   ///< TCP in Ethernet frames, each with its headers
    simulated  ///< TCP over Gigabit Ethernet as SimGrid's usual network has it, which some lengths fill better than
               ///< others
};

/// What messages cost besides their bytes.
struct MessageCosts {
    std::vector<Software> software;  ///< by machine of the network
    double envelope_bytes = 0;       ///< that every message has besides its content
    Framing framing = Framing::none;
    bool in_turn = false;  ///< links serve one message after the other; else all that are there share them
};

/// What messages cost on this network: the software of its description, an MPI's envelope; up to 1 Gbit/s it is taken
/// for TCP over Ethernet, where messages share a port.
[[nodiscard]] MessageCosts message_costs(const Network& network);

/// What they cost on its simulation, by the network that the simulated cluster picks by itself.
[[nodiscard]] MessageCosts simulated_costs(const Network& network);

/// A message as links see it: how many bytes it takes there, and how many times their latencies.
struct Carried {
    double bytes = 0;
    double latencies = 1;
};
[[nodiscard]] Carried carried_by(const MessageCosts& costs, std::size_t bytes);

/// What each byte takes of a link, and each message of its latency, at the least in messages of up to so many bytes.
[[nodiscard]] Carried least_carried(const MessageCosts& costs, std::size_t bytes);

/// The links of a network that messages between some machines cross, with their speeds. Machines are positions of an
/// order. A message occupies each link on its way for its bytes' time there, and one after the other in the sequence in
/// which they come; its first byte goes on while the rest follows.
class Wires {
  public:
    struct Link {
        double s_per_byte = 0;     ///< of one message
        double busy_per_byte = 0;  ///< what a message takes of the link: less where cables run side by side
        double latency_s = 0;
    };

    /// `order` must outlive it. O(links).
    Wires(const Network& network, const bcast::Order& order, MessageCosts costs);

    [[nodiscard]] int positions() const { return order_->size(); }
    [[nodiscard]] std::size_t links() const { return links_.size(); }
    [[nodiscard]] const Link& link(LinkId id) const { return links_[static_cast<std::size_t>(id)]; }
    [[nodiscard]] const Software& software(int position) const {
        return costs_.software[static_cast<std::size_t>(machine(position))];
    }
    [[nodiscard]] Carried carried(std::size_t bytes) const { return carried_by(costs_, bytes); }
    /// Of what crosses a link, how much goes back the other way.
    [[nodiscard]] double answers() const;
    [[nodiscard]] bool in_turn() const { return costs_.in_turn; }
    /// Whether a message stays with its sender until a receive is posted. Sockets take it without.
    [[nodiscard]] bool awaits_receives() const { return costs_.framing != Framing::sockets; }
    [[nodiscard]] int machine(int position) const { return order_->machines[static_cast<std::size_t>(position)]; }
    /// The directed links from one position's machine to another's. O(path).
    [[nodiscard]] std::vector<LinkId> between(int from, int to) const;

    /// The same without latencies, or without what software takes: to find what a price owes to them.
    void drop_latencies();
    void drop_software() { costs_.software.assign(costs_.software.size(), Software{}); }

  private:
    const bcast::Order* order_;
    MessageCosts costs_;
    Paths paths_;
    std::vector<Link> links_;  // by LinkId
};

}  // namespace bcastgen
