// A random cluster: switches, trunks and machines of differing speeds, its decision table, and perhaps baked trees.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "bcast/facts/site.hpp"
#include "tests/simulator/random.hpp"

namespace simulator {

class World {
  public:
    World(Random& random, int machines);
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    /// How the rules hand on within machines; else it is by messages.
    void draw_hand_on(Random& random);

    [[nodiscard]] const bcast::Site& site() const { return site_; }
    /// The same site with another decision table, as a library that was generated anew would have it.
    [[nodiscard]] const bcast::Site& renewed_site() const { return renewed_site_; }
    [[nodiscard]] const std::string& name_of(int machine) const { return names_[static_cast<std::size_t>(machine)]; }
    [[nodiscard]] int machines() const { return static_cast<int>(machine_switch_.size()); }

  private:
    void draw_network(Random& random, int machines);
    void draw_speeds(Random& random);
    /// Of a sequence of its own: worlds are otherwise those that they were before software differed.
    void draw_software(Random random);
    std::vector<bcast::Rule> draw_rules(Random& random);
    void bake(Random& random);

    std::vector<std::string> names_;
    std::vector<bcast::NamedMachine> machine_names_;
    std::vector<int> machine_switch_;
    int switches_ = 1;
    std::vector<bcast::SwitchPair> links_;
    std::vector<bcast::LinkSpeed> speeds_;
    std::vector<int> port_speed_;
    std::vector<int> more_send_ns_;
    std::vector<int> more_receive_ns_;
    std::deque<std::vector<bcast::MessageRule>> message_rules_;
    std::vector<bcast::Rule> rules_;
    std::vector<bcast::Rule> renewed_rules_;
    std::deque<std::vector<int>> numbers_;  // of baked tables
    std::deque<std::vector<bcast::BakedTree>> baked_trees_;
    std::vector<bcast::BakedRoot> baked_roots_;
    std::vector<bcast::BakedSet> baked_sets_;
    bcast::Site site_{};
    bcast::Site renewed_site_{};
};

/// How messages are handed on within machines.
bcast::HandOn draw_hand_on(Random& random);

/// A segment size: mostly small ones, so that small messages have many segments.
std::size_t draw_segment_bytes(Random& random);
/// Any algorithm but multicast, for which there are no datagrams here; without native unless wanted.
bcast::Algorithm draw_algorithm(Random& random, bool native);

}  // namespace simulator
