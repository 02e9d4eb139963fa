// The routes that a fabric's switches really use: the forwarding tables that `dump_lfts` prints.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "planner/network/network.hpp"
#include "planner/network/routes.hpp"

namespace bcastgen {

/// Routes by forwarding tables. A table names the port for a destination, not what is plugged in there. That follows
/// from the topology: a neighbour is at the port for its own address, and where several cables lead to it, also at the
/// other ports whose routes go on through that neighbour.
class ForwardingTables : public Routes {
  public:
    /// Reads the text of `dump_lfts` (`name` is its file, for messages). Switches and machines are found by what the
    /// dump calls them: the description, its first word, the name that was given to a managed switch (also followed by
    /// "-" and its chip), or "S-" or "H-" and the guid in 16 digits. Throws InputErrors for lines that cannot be read,
    /// switch of the topology without table, machine without address, and port that fits no neighbour.
    ForwardingTables(const std::string& text, const std::string& name, const Network& network);

    /// Throws InputErrors, with the place of the switch's table, if the way ends or goes in a circle.
    [[nodiscard]] std::vector<Crossing> between(int from, int to) const override;

  private:
    friend class ForwardingTablesReader;
    struct Out {
        int trunk = -1;    ///< -1: to a machine, or nothing that the topology knows
        int machine = -1;  ///< where the port ends at one
        int cable = 0;     ///< number among the trunk's cables, by port
    };

    struct Beginning {
        int line = 0;
        std::string text;
    };

    /// A switch's table. Addresses go up to 49151, so that one line could ask for that many places.
    class Ports {
      public:
        void set(int lid, int port) { routes_.push_back({lid, port}); }
        void sort();  ///< before the first look-up; of routes to one address the last one counts
        void clear() { routes_.clear(); }
        [[nodiscard]] bool empty() const { return routes_.empty(); }
        [[nodiscard]] int to(int lid) const;  ///< -1: no route

        struct Route {
            int lid;
            int port;
        };
        [[nodiscard]] const std::vector<Route>& routes() const { return routes_; }  ///< by address

      private:
        std::vector<Route> routes_;
    };

    const Network& network_;
    std::string name_;                    ///< the file
    std::vector<Beginning> beginnings_;   ///< switch -> where its table begins
    std::vector<Ports> ports_;            ///< by switch
    std::vector<std::vector<Out>> outs_;  ///< switch -> port
    std::vector<int> machine_lid_;
};

}  // namespace bcastgen
