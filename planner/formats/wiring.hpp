// Makes a network from what a file says about a cluster's wiring.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "planner/formats/imported.hpp"

namespace bcastgen {

class Wiring {
  public:
    int add_switch(const std::string& name);                       ///< its index, also when it is known already
    [[nodiscard]] int find_switch(const std::string& name) const;  ///< -1: unknown
    [[nodiscard]] const std::string& switch_name(int sw) const;

    /// False, and nothing changes, for a machine that hangs on another switch already.
    bool add_machine(const std::string& name, int sw, LinkSpeed port);
    [[nodiscard]] int switch_of(const std::string& machine) const;  ///< -1: unknown

    /// Cables between two switches, in either direction. If a pair has cables of several speeds, all count as the
    /// slowest. False, and nothing changes, if that were more cables than a link has (most_cables).
    [[nodiscard]] bool add_cables(int a, int b, LinkSpeed speed, int cables);

    void note(std::string text) { notes_.push_back(std::move(text)); }
    /// Of notes that are alike the first few, and how many more.
    void note_some(const std::vector<std::string>& notes);

    /// The network. Pieces without machines are left out. If several pieces with machines are not joined, they get a
    /// switch above them, linked at `tops` (the first of each piece; its first switch if there is none) with links of
    /// `speed`.
    [[nodiscard]] Imported finish(const std::string& name, const std::vector<int>& tops, LinkSpeed speed);

    /// Sorts switches, and the machines of each, by name (numbers by value): for formats whose order means nothing.
    void sort_by_name();

  private:
    [[nodiscard]] std::vector<int> pieces() const;
    void drop_pieces_without_machines();
    void join_pieces(const std::vector<int>& tops, LinkSpeed speed);
    void rename_shared_names();
    void number_switches();
    void keep_switches(const std::vector<char>& kept);

    Network network_;
    std::vector<std::string> notes_;
    std::unordered_map<std::string, int> switch_index_;
    std::unordered_map<std::string, int> machine_index_;
    std::map<std::pair<int, int>, int> trunk_index_;
    std::set<int> uneven_;                   // trunks with cables of several speeds, as add_cables counts them
    std::vector<std::string> uneven_names_;  // "s0-s1"
};

/// Throws InputErrors unless the network has a machine, for the reason `none`, and not more than
/// most_topology_machines.
void check_machine_count(const Network& network, const std::string& file, const std::string& none);

/// A library's name made from that of a file or host: characters that it may not have become '-'.
[[nodiscard]] std::string library_name(const std::string& text);

/// A machine's or switch's name made from a description: characters that it may not have become '-'. Empty if nothing
/// is left.
[[nodiscard]] std::string safe_name(const std::string& text);

/// The first few names, folded, and how many more.
[[nodiscard]] std::string some_names(std::vector<std::string> names);

}  // namespace bcastgen
