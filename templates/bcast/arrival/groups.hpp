// The ranks that take part in a round of an arrival-aware broadcast, and what each does in it.
//
// A set of ranks is a row of bits. Any subset of the machines keeps the properties of the order (order.hpp), so that a
// round runs along a planned tree of those machines alone; the lowest of a machine's ranks in the set speaks for it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "bcast/mpi/memory.hpp"
#include "bcast/roles/placement.hpp"
#include "bcast/roles/roles.hpp"

namespace bcast {

/// A set of ranks.
class RankSet {
  public:
    RankSet() = default;
    explicit RankSet(int ranks) : words_(words_of(ranks), 0) {}

    static std::size_t words_of(int ranks) { return (static_cast<std::size_t>(ranks) + 31) / 32; }

    /// The empty set of so many ranks.
    void reset(int ranks) { words_.assign(words_of(ranks), 0); }
    /// The set of so many ranks that words() of another was copied from.
    void read(const std::int32_t* words, int ranks) { words_.assign(words, words + words_of(ranks)); }
    void add(int rank) { words_[word(rank)] |= bit(rank); }
    void add(const RankSet& others) {
        for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
    }
    void remove(int rank) { words_[word(rank)] &= ~bit(rank); }
    void clear() { words_.assign(words_.size(), 0); }
    [[nodiscard]] bool holds(int rank) const { return (words_[word(rank)] & bit(rank)) != 0; }
    [[nodiscard]] bool empty() const {
        for (const std::uint32_t word : words_) {
            if (word != 0) return false;
        }
        return true;
    }
    [[nodiscard]] const Row<std::uint32_t>& words() const { return words_; }
    [[nodiscard]] bool operator==(const RankSet& other) const { return words_ == other.words_; }

  private:
    static std::size_t word(int rank) { return static_cast<std::size_t>(rank) / 32; }
    static std::uint32_t bit(int rank) { return std::uint32_t{1} << (static_cast<unsigned>(rank) % 32); }
    Row<std::uint32_t> words_;
};

/// Some of a communicator's ranks and their roles among themselves.
class Group {
  public:
    Group(const Site& site, const Layout& layout, const Placement& all, const RankSet& members, int rank)
        : placement_(part_of(all, members)), roles_(site, layout, placement_, rank) {}
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;

    [[nodiscard]] int machines() const { return static_cast<int>(placement_.machines.size()); }
    [[nodiscard]] int most_ranks_on_a_machine() const { return placement_.most_ranks_on_a_machine; }

    /// What this rank, a member, does in a broadcast from `root`, a member, to the others.
    const Role& role(Algorithm tree, int root) {
        return insured([&]() -> const Role& { return roles_.role(tree, root, 0); });
    }

  private:
    /// The placement of the members alone, under their numbers in the communicator.
    static Placement part_of(const Placement& all, const RankSet& members) {
        Placement part;
        part.machine_of_rank = all.machine_of_rank;
        for (std::size_t i = 0; i < all.machines.size(); ++i) {
            std::vector<int> here;
            for (const int rank : all.ranks_on[i]) {
                if (members.holds(rank)) here.push_back(rank);
            }
            if (here.empty()) continue;
            part.most_ranks_on_a_machine = std::max(part.most_ranks_on_a_machine, static_cast<int>(here.size()));
            part.machines.push_back(all.machines[i]);
            part.ranks_on.push_back(std::move(here));
        }
        return part;
    }

    Placement placement_;
    Roles roles_;
};

/// The groups that rounds have lately had.
class Groups {
  public:
    /// All arguments must outlive this object.
    Groups(const Site& site, const Layout& layout, const Placement& placement, int rank)
        : site_(site), layout_(layout), placement_(placement), rank_(rank) {}

    std::shared_ptr<Group> find(const RankSet& members) {
        constexpr std::size_t most_kept = 16;
        for (const auto& [known, group] : kept_) {
            if (known == members) return group;
        }
        if (kept_.size() == most_kept) kept_.erase(kept_.begin());
        kept_.emplace_back(
            members, insured([&] { return std::make_shared<Group>(site_, layout_, placement_, members, rank_); }));
        return kept_.back().second;
    }

    [[nodiscard]] int ranks() const { return placement_.ranks(); }
    [[nodiscard]] int rank() const { return rank_; }

  private:
    const Site& site_;
    const Layout& layout_;
    const Placement& placement_;
    int rank_;
    Row<std::pair<RankSet, std::shared_ptr<Group>>> kept_;
};

}  // namespace bcast
