// The engine of the arrival-aware broadcasts (Figures 4 and 5 of "Efficient MPI_Bcast across different process arrival
// patterns"; arrival-live is ours, docs/arrival.md).
//
//   rank enters ----> tells the root ----> welcome ----> rounds (arrival_rounds.hpp) ----> leaves
//   root enters ----> hears who is here ----> rounds with those, until everybody has had the message
//
// arrival-b     a round is the whole message, for those who came since the last round began
// arrival-nb    the same, and while nobody comes the root pushes the message to a rank that is not there yet, in
//               pieces that MPI takes from it at once
// arrival-live  the message goes round and round in parts; whoever comes is in from the next part on, until every part
//               has come once
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "arrival_groups.hpp"
#include "arrival_letters.hpp"
#include "arrival_pace.hpp"
#include "arrival_pushes.hpp"
#include "arrival_roster.hpp"
#include "arrival_rounds.hpp"
#include "arrivals.hpp"
#include "decision.hpp"
#include "message.hpp"
#include "mpi_library.hpp"
#include "pool.hpp"
#include "wait_set.hpp"
#include "wire.hpp"

namespace bcast {

/// Runs arrival-aware broadcasts, one at a time, for one communicator.
class ArrivalEngine {
  public:
    struct Broadcast {
        Algorithm algorithm;
        std::size_t segment_bytes;
        int in_flight;  ///< as in Stream::Part
        int root;
        const Decision* decision;  ///< which trees suit groups
        Wire wire;                 ///< of arrival-nb
    };

    /// All arguments must outlive this object.
    ArrivalEngine(const Site& site, const Layout& layout, const Placement& placement, int rank)
        : groups_(site, layout, placement, rank), ranks_(placement.ranks()), rank_(rank) {
        pace_.expect(hop_of(layout));
    }

    /// Broadcasts `message`. Returns when it is here and everything has been handed on. MPI error code; after an error
    /// the communicator is of no more use, for requests may be left on it.
    int run(const Broadcast& broadcast, Message& message, MPI_Comm comm) {
        broadcast_ = broadcast;
        message_ = &message;
        comm_ = comm;
        ++number_;
        const bool is_root = rank_ == broadcast.root;
        const bool take_out = !message.in_place();
        if (take_out) {
            if (const int error = message.take_out(is_root); error != MPI_SUCCESS) return error;
        }
        divide(broadcast.algorithm == Algorithm::arrival_live);
        imbalance_ = -1;
        const int error = is_root ? lead() : follow();
        failed_ = failed_ || error != MPI_SUCCESS;
        return error == MPI_SUCCESS && take_out ? message.put_back(is_root) : error;
    }

    /// At the root of the last broadcast: the imbalance factor that it saw. Negative: not known here.
    [[nodiscard]] double imbalance() const { return imbalance_; }

    /// Before the communicator is freed. MPI error code.
    int settle(MPI_Comm comm) { return failed_ ? MPI_SUCCESS : arrivals_.settle(number_, comm); }

  private:
    static constexpr int first_round_tag = 16;

    void divide(bool into_many) {
        parts_ = Parts(message_->bytes(), broadcast_.segment_bytes, into_many);
        setting_ = {message_, &parts_, broadcast_.in_flight, ranks_, first_round_tag, comm_};
        roster_.reset(ranks_, broadcast_.root, parts_.count());
    }

    // ---- At a rank that is not the root ----

    int follow() {
        if (const int error = arrivals_.announce(number_, rank_, broadcast_.root, comm_); error != MPI_SUCCESS) {
            return error;
        }
        if (const int error = await_welcome(); error != MPI_SUCCESS) return error;
        std::int32_t next = welcome_[0];
        if (next == pushed) return take_pushed();
        if (welcome_[1] != 0) divide(false);
        const std::int32_t end = next + parts_.count();
        roster_.read(welcome_.data() + 2);
        while (next < end || !open_.empty()) {
            if (const int error = advance(); error != MPI_SUCCESS) return error;
            if (next < end && (open_.empty() || (has_room_for(next) && open_.back().handed_over()))) {
                if (const int error = open_round(next++); error != MPI_SUCCESS) return error;
                continue;
            }
            if (next == end && open_.empty()) break;
            if (const int error = wait(for_ever); error != MPI_SUCCESS) return error;
        }
        return MPI_SUCCESS;
    }

    /// Takes the message that the root sends to this rank alone.
    int take_pushed() {
        pushes_.add().receive(*message_, broadcast_.root, static_cast<std::size_t>(welcome_[1]), comm_);
        while (true) {
            if (const int error = listen(); error != MPI_SUCCESS) return error;
            if (const int error = advance(); error != MPI_SUCCESS) return error;
            if (pushes_.empty()) return MPI_SUCCESS;
            if (const int error = wait(for_ever); error != MPI_SUCCESS) return error;
        }
    }

    int await_welcome() {
        welcome_.resize(2 + roster_.most_words());
        welcoming_.reset(1);
        const int bytes = static_cast<int>(welcome_.size() * sizeof(std::int32_t));
        if (const int error = mpi.Irecv(welcome_.data(), bytes, mpi.byte, broadcast_.root, Letters::tag, comm_,
                                        welcoming_.handles.data());
            error != MPI_SUCCESS) {
            return error;
        }
        while (!welcoming_.take(0)) {
            if (const int error = listen(); error != MPI_SUCCESS) return error;
            if (const int error = wait(for_ever); error != MPI_SUCCESS) return error;
        }
        return MPI_SUCCESS;
    }

    // ---- At the root ----

    int lead() {
        here_.reset(ranks_);
        served_.reset(ranks_);
        pushes_.reset(ranks_);
        missing_ = ranks_ - 1;
        next_ = 0;
        entered_s_ = last_arrival_s_ = mpi.Wtime();
        pace_.expect(broadcast_.wire.seconds_per_byte);
        push_again_s_ = entered_s_ + message_s() / 8;  // not before those who enter with the root are heard of
        for (const Arrivals::Arrival& arrival : arrivals_.expect(number_, ranks_ - 1)) note_arrival(arrival.rank);
        while (true) {
            if (const int error = listen(); error != MPI_SUCCESS) return error;
            if (const int error = advance(); error != MPI_SUCCESS) return error;
            take_time();
            const bool between = open_.empty() || (has_room_for(next_) && open_.back().segments_handed_over());
            double until_s = for_ever;
            if (between && may_begin(until_s)) {
                if (const int error = begin_round(); error != MPI_SUCCESS) return error;
                continue;
            }
            if (between && may_push(until_s)) {
                if (const int error = push(); error != MPI_SUCCESS) return error;
                continue;
            }
            if (missing_ == 0 && here_.empty() && open_.empty() && letters_.empty() && pushes_.empty()) {
                imbalance_ = (last_arrival_s_ - entered_s_) / message_s();
                return MPI_SUCCESS;
            }
            if (const int error = wait(until_s); error != MPI_SUCCESS) return error;
        }
    }

    void note_arrival(int rank) {
        last_arrival_s_ = mpi.Wtime();
        if (pushes_.is_ahead_of(rank)) return;  // has had the message sent to it
        if (here_.empty()) first_arrival_s_ = last_arrival_s_;
        here_.add(rank);
        --missing_;
    }

    /// Whether the next round may begin now; if it should wait for more ranks to come, until when. Ranks that enter
    /// together are heard of one after the other, and a round for the first of them alone would keep the others
    /// waiting.
    [[nodiscard]] bool may_begin(double& until_s) const {
        if (roster_.anybody_in(next_)) return true;
        if (here_.empty()) return false;
        if (missing_ == 0) return true;
        until_s = std::min(last_arrival_s_ + message_s() / 16, first_arrival_s_ + message_s() / 8);
        return mpi.Wtime() >= until_s;
    }

    /// About T(m) of the message.
    [[nodiscard]] double message_s() const { return pace_.message_s(message_->bytes()); }

    /// Whether the root, while nobody is here, may send the message to one who is not; if not yet, when it may. One
    /// after the other, as the wire takes them: what MPI takes at once still has to go over it.
    [[nodiscard]] bool may_push(double& until_s) {
        if (broadcast_.algorithm != Algorithm::arrival_nb || broadcast_.wire.eager_bytes == 0 || missing_ == 0 ||
            !here_.empty() || !open_.empty() ||
            !pushes_.find_rank(ranks_, broadcast_.root, served_, message_->bytes())) {
            return false;
        }
        until_s = std::min(until_s, push_again_s_);
        return mpi.Wtime() >= push_again_s_;
    }

    int push() {
        const int rank = pushes_.take_rank(number_, message_->bytes());
        letters_.write().assign({pushed, static_cast<std::int32_t>(broadcast_.wire.eager_bytes)});
        if (const int error = letters_.send(rank, comm_); error != MPI_SUCCESS) return error;
        --missing_;
        push_again_s_ = mpi.Wtime() + message_s();
        pushes_.add().send(*message_, rank, static_cast<std::size_t>(broadcast_.wire.eager_bytes), comm_);
        return MPI_SUCCESS;
    }

    /// Begins the next round, with those who have come since the last.
    int begin_round() {
        const bool complete = missing_ == 0;
        if (!open_.empty() && open_.back().awaits_news()) {
            if (const int error = open_.back().tell(here_, complete); error != MPI_SUCCESS) return error;
        }
        // With nobody under way and nobody to come there is no use in parts.
        if (complete && !roster_.anybody_in(next_)) divide(false);
        roster_.forget_before(next_);
        roster_.join(here_, next_);
        if (complete) roster_.set_complete();
        for (int rank = 0; rank < ranks_; ++rank) {
            if (!here_.holds(rank)) continue;
            if (const int error = welcome(rank); error != MPI_SUCCESS) return error;
        }
        served_.add(here_);
        here_.clear();
        return roster_.anybody_in(next_) ? open_round(next_++) : MPI_SUCCESS;
    }

    int welcome(int rank) {
        std::vector<std::int32_t>& words = letters_.write();
        words.assign({next_, parts_.count() == 1 ? 1 : 0});
        roster_.write(words);
        return letters_.send(rank, comm_);
    }

    // ---- At all ranks ----

    /// Rounds that are open at once have different tags.
    [[nodiscard]] bool has_room_for(std::int32_t round) const { return round - open_.front().number() < Round::slots; }

    int open_round(std::int32_t number) {
        std::shared_ptr<Group> group = groups_.find(roster_.members(number));
        const Role& role = group->role(
            broadcast_.decision->group_tree(group->machines(), group->most_ranks_on_a_machine(), message_->bytes()),
            broadcast_.root);
        const bool joiners = !roster_.complete();
        const Round::Next next{joiners, joiners && roster_.anybody_in(number + 1)};
        if (open_.empty()) {
            timed_ = number;
            timed_from_s_ = mpi.Wtime();
        }
        return open_.add().open(setting_, number, std::move(group), role, next);
    }

    /// Moves everything on that can be moved on. MPI error code.
    int advance() {
        for (std::size_t i = 0; i < open_.size(); ++i) {
            if (const int error = open_[i].advance(); error != MPI_SUCCESS) return error;
            if (rank_ != broadcast_.root) open_[i].note(roster_, ranks_);
        }
        open_.remove_if([](const Round& round) { return round.done(); });
        letters_.forget_sent();
        return pushes_.advance();
    }

    /// Notes how long the root's port took for the whole message, in rounds that began with nothing under way. Not in
    /// the last ones, of which MPI and the kernel may keep a good part for later, nor for small messages, which take
    /// latencies.
    void take_time() {
        if (open_.empty() || open_.back().number() != timed_ + parts_.count() - 1 || timed_ == none) return;
        if (!open_.back().segments_handed_over()) return;
        timed_ = none;
        const std::int64_t untaken = std::min<std::int64_t>(Stream::never_asked_after, parts_.segments() - 1);
        const std::size_t bytes = message_->bytes() - static_cast<std::size_t>(untaken) * parts_.segment_bytes();
        if (!roster_.complete()) pace_.note(mpi.Wtime() - timed_from_s_, bytes);
    }

    int listen() {
        Arrivals::Arrival arrival{};
        while (arrivals_.hear(number_, arrival)) {
            if (arrival.broadcast == number_ && rank_ == broadcast_.root) note_arrival(arrival.rank);
            pushes_.forget_unread(arrival.rank, arrival.broadcast);
        }
        return arrivals_.listen(comm_);
    }

    int wait(double until_s) {
        waiting_.clear();
        for (std::size_t i = 0; i < open_.size(); ++i) waiting_.add(open_[i].requests());
        letters_.wait_for(waiting_);
        pushes_.wait_for(waiting_);
        waiting_.add(welcoming_);
        waiting_.add(arrivals_.requests());
        return waiting_.wait(until_s);
    }

    static constexpr std::int32_t none = -1;
    static constexpr std::int32_t pushed = -1;  // in place of a round's number

    Groups groups_;
    int ranks_;
    int rank_;
    Arrivals arrivals_;
    std::int64_t number_ = 0;  // of the broadcast, the same on all ranks
    bool failed_ = false;
    // Of the broadcast that is going on:
    Broadcast broadcast_{};
    Message* message_ = nullptr;
    MPI_Comm comm_{};
    Parts parts_{1, 0, false};
    Round::Setting setting_{};
    Roster roster_;
    Pool<Round> open_;  // by number
    Pushes pushes_;
    std::vector<std::int32_t> welcome_;
    Requests welcoming_;
    WaitSet waiting_;
    // At the root:
    RankSet here_;           // have come and are in no round yet
    RankSet served_;         // were in a round
    int missing_ = 0;        // are to come
    std::int32_t next_ = 0;  // round
    Letters letters_;
    double push_again_s_ = 0;
    double entered_s_ = 0;
    double first_arrival_s_ = 0;
    double last_arrival_s_ = 0;
    double imbalance_ = -1;
    std::int32_t timed_ = none;  // round
    double timed_from_s_ = 0;
    ArrivalPace pace_;
};

}  // namespace bcast
