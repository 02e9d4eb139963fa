// The rounds of an arrival-aware broadcast that are open at a rank, one after the other and a few at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>

#include "bcast/arrival/groups.hpp"
#include "bcast/arrival/members.hpp"
#include "bcast/arrival/pace.hpp"
#include "bcast/arrival/rounds.hpp"
#include "bcast/facts/decision.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/pool.hpp"

namespace bcast {

class OpenRounds {
  public:
    /// What a broadcast's rounds have in common.
    struct Terms {
        Message* message;
        std::size_t segment_bytes;
        int send_window;  ///< as in Stream::Part
        int root;
        const Decision* decision;  ///< which trees suit groups
        MPI_Comm comm;
        Failure* failure;
    };

    /// All arguments must outlive this object.
    OpenRounds(const Site& site, const Layout& layout, const Placement& placement, int rank)
        : groups_(site, layout, placement, rank), ranks_(placement.ranks()) {
        pace_.expect(hop_of(layout, placement.machines));
    }

    /// Before the rounds of a broadcast. `into_many`: parts, for ranks to join between.
    void reset(const Terms& terms, bool into_many) {
        terms_ = terms;
        divide(into_many);
    }

    /// Divides the message anew, while nobody is in any round.
    void divide(bool into_many) {
        parts_ = Parts(terms_.message->bytes(), terms_.segment_bytes, into_many);
        setting_ = {terms_.message, &parts_, terms_.send_window, ranks_, first_tag, terms_.comm, terms_.failure};
        member_list_.reset(ranks_, terms_.root, parts_.count());
    }

    [[nodiscard]] const Parts& parts() const { return parts_; }
    MemberList& member_list() { return member_list_; }
    [[nodiscard]] const MemberList& member_list() const { return member_list_; }
    ArrivalPace& pace() { return pace_; }
    [[nodiscard]] const ArrivalPace& pace() const { return pace_; }

    [[nodiscard]] bool empty() const { return open_.empty(); }
    Round& last() { return open_.back(); }

    /// True if nothing that was opened before keeps round `number` from being opened, but what is in it and its
    /// receives or sends: rounds that are open at once have different tags.
    [[nodiscard]] bool has_room_for(std::int32_t number) const {
        return open_.empty() || number - open_.front().number() < Round::slots;
    }

    /// Opens round `number` with those that the member list has in it. MPI error code.
    int open(std::int32_t number) {
        member_list_.find_members(number, members_);
        std::shared_ptr<Group> group = groups_.find(members_);
        const Role& role = group->role(
            terms_.decision->group_tree(group->machines(), group->most_ranks_on_a_machine(), terms_.message->bytes()),
            terms_.root);
        const bool joiners = !member_list_.complete();
        const Round::Next next{joiners, joiners && member_list_.anybody_in(number + 1)};
        if (open_.empty()) {
            timed_ = number;
            timed_from_s_ = mpi.Wtime();
        }
        return open_.add().open(setting_, number, std::move(group), role, next);
    }

    /// Moves everything on that can be moved on. `is_root`: this rank makes the news that others note. MPI error code.
    int advance(bool is_root) {
        for (std::size_t i = 0; i < open_.size(); ++i) {
            if (const int error = open_[i].advance(); error != MPI_SUCCESS) return error;
            if (!is_root) open_[i].note(member_list_);
        }
        open_.remove_if([](const Round& round) { return round.done(); });
        if (is_root) take_time();
        return MPI_SUCCESS;
    }

    void wait_for(WaitSet& waiting) {
        for (std::size_t i = 0; i < open_.size(); ++i) waiting.add(open_[i].requests());
    }

  private:
    static constexpr int first_tag = 16;
    static constexpr std::int32_t none = -1;

    /// Notes how long the root's port took for the whole message, in rounds that began with nothing under way. Not in
    /// the last ones, of which MPI and the kernel may keep a good part for later.
    void take_time() {
        if (timed_ == none || open_.empty() || open_.back().number() != timed_ + parts_.count() - 1) return;
        if (!open_.back().segments_handed_over()) return;
        timed_ = none;
        const std::int64_t untaken = std::min<std::int64_t>(Stream::never_asked_after, parts_.segments() - 1);
        const std::size_t bytes = terms_.message->bytes() - static_cast<std::size_t>(untaken) * parts_.segment_bytes();
        if (!member_list_.complete()) pace_.note(mpi.Wtime() - timed_from_s_, bytes);
    }

    Groups groups_;
    int ranks_;
    Terms terms_{};
    Parts parts_{1, 0, false};
    Round::Setting setting_{};
    MemberList member_list_;
    RankSet members_;   // of the round that was opened last
    Pool<Round> open_;  // by number
    ArrivalPace pace_;
    std::int32_t timed_ = none;  // round
    double timed_from_s_ = 0;
};

}  // namespace bcast
