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

#include <array>
#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "arrival_groups.hpp"
#include "arrival_rounds.hpp"
#include "arrivals.hpp"
#include "decision.hpp"
#include "message.hpp"
#include "mpi_library.hpp"
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
        if (const Hop hop = hop_of(layout); hop.bandwidth_Bps > 0) {
            seconds_per_byte_ = 1 / static_cast<double>(hop.bandwidth_Bps);
        }
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
        open_.clear();
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
    static constexpr int welcome_tag = 5;
    static constexpr int push_tag = 6;
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
            if (next < end && (open_.empty() || (has_room_for(next) && open_.back()->handed_over()))) {
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
        pushes_.emplace_back();
        Push& push = pushes_.back();
        push.role.parent = broadcast_.root;
        if (const int error = push.start(*message_, static_cast<std::size_t>(welcome_[1]), comm_);
            error != MPI_SUCCESS) {
            return error;
        }
        while (!pushes_.empty()) {
            if (const int error = listen(); error != MPI_SUCCESS) return error;
            if (const int error = advance(); error != MPI_SUCCESS) return error;
            if (pushes_.empty()) break;
            if (const int error = wait(for_ever); error != MPI_SUCCESS) return error;
        }
        return MPI_SUCCESS;
    }

    int await_welcome() {
        welcome_.resize(2 + roster_.most_words());
        welcoming_.reset(1);
        const int bytes = static_cast<int>(welcome_.size() * sizeof(std::int32_t));
        if (const int error = mpi.Irecv(welcome_.data(), bytes, mpi.byte, broadcast_.root, welcome_tag, comm_,
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
        here_ = RankSet(ranks_);
        ahead_of_ = RankSet(ranks_);
        served_ = RankSet(ranks_);
        missing_ = ranks_ - 1;
        next_ = 0;
        next_push_ = 0;
        entered_s_ = last_arrival_s_ = mpi.Wtime();
        if (!measured_ && broadcast_.wire.seconds_per_byte > 0) seconds_per_byte_ = broadcast_.wire.seconds_per_byte;
        push_again_s_ = entered_s_ + message_s() / 8;  // not before those who enter with the root are heard of
        for (const Arrivals::Arrival& arrival : arrivals_.expect(number_, ranks_ - 1)) note_arrival(arrival.rank);
        while (true) {
            if (const int error = listen(); error != MPI_SUCCESS) return error;
            if (const int error = advance(); error != MPI_SUCCESS) return error;
            take_time();
            const bool between = open_.empty() || (has_room_for(next_) && open_.back()->segments_handed_over());
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
        if (ahead_of_.holds(rank)) return;  // has had the message sent to it
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
    [[nodiscard]] double message_s() const { return static_cast<double>(message_->bytes()) * seconds_per_byte_; }

    /// Whether the root, while nobody is here, may send the message to one who is not; if not yet, when it may. One
    /// after the other, as the wire takes them: what MPI takes at once still has to go over it.
    [[nodiscard]] bool may_push(double& until_s) {
        if (broadcast_.algorithm != Algorithm::arrival_nb || broadcast_.wire.eager_bytes == 0 || missing_ == 0 ||
            !here_.empty() || !open_.empty() || !find_push()) {
            return false;
        }
        until_s = std::min(until_s, push_again_s_);
        return mpi.Wtime() >= push_again_s_;
    }

    /// Moves next_push_ on to a rank that may be sent the message unasked: one that has not come, and that not too much
    /// lies in front of already.
    bool find_push() {
        for (; next_push_ < ranks_; ++next_push_) {
            if (next_push_ == broadcast_.root || ahead_of_.holds(next_push_) || served_.holds(next_push_)) continue;
            std::size_t unread_bytes = message_->bytes();
            for (const Ahead& ahead : ahead_) {
                if (ahead.rank == next_push_) unread_bytes += ahead.bytes;
            }
            if (unread_bytes <= most_unread_bytes) return true;
        }
        return false;
    }

    int push() {
        const int rank = next_push_++;
        const auto segment_bytes = static_cast<std::size_t>(broadcast_.wire.eager_bytes);
        letters_.emplace_back();
        letters_.back().words.assign({pushed, static_cast<std::int32_t>(segment_bytes)});
        if (const int error = send_letter(rank); error != MPI_SUCCESS) return error;
        ahead_of_.add(rank);
        ahead_.push_back({number_, rank, message_->bytes(), entered_s_});
        --missing_;
        push_again_s_ = mpi.Wtime() + message_s();
        pushes_.emplace_back();
        pushes_.back().role.children = {rank};
        return pushes_.back().start(*message_, segment_bytes, comm_);
    }

    /// Begins the next round, with those who have come since the last.
    int begin_round() {
        const bool complete = missing_ == 0;
        if (!open_.empty() && open_.back()->awaits_news()) {
            if (const int error = open_.back()->tell(here_, complete); error != MPI_SUCCESS) return error;
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
        letters_.emplace_back();
        Letter& letter = letters_.back();
        letter.words = {next_, parts_.count() == 1 ? 1 : 0};
        roster_.write(letter.words);
        return send_letter(rank);
    }

    /// Sends the last letter.
    int send_letter(int rank) {
        Letter& letter = letters_.back();
        letter.requests.reset(1);
        return mpi.Isend(letter.words.data(), static_cast<int>(letter.words.size() * sizeof(std::int32_t)), mpi.byte,
                         rank, welcome_tag, comm_, letter.requests.handles.data());
    }

    // ---- At all ranks ----

    /// Rounds that are open at once have different tags.
    [[nodiscard]] bool has_room_for(std::int32_t round) const { return round - open_.front()->number() < Round::slots; }

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
        open_.push_back(take_round());
        return open_.back()->open(setting_, number, std::move(group), role, next);
    }

    /// Moves everything on that can be moved on. MPI error code.
    int advance() {
        for (auto it = open_.begin(); it != open_.end();) {
            if (const int error = (*it)->advance(); error != MPI_SUCCESS) return error;
            if (rank_ != broadcast_.root) (*it)->note(roster_, ranks_);
            if ((*it)->done()) {
                spare_.push_back(std::move(*it));
                it = open_.erase(it);
            } else {
                ++it;
            }
        }
        for (auto it = pushes_.begin(); it != pushes_.end();) {
            if (const int error = it->advance(); error != MPI_SUCCESS) return error;
            it = it->stream.done() ? pushes_.erase(it) : std::next(it);
        }
        letters_.remove_if([](Letter& letter) { return letter.requests.take(0); });
        return MPI_SUCCESS;
    }

    /// Notes how long the root's port took for the whole message, in rounds that began with nothing under way. Not in
    /// the last ones, of which MPI and the kernel may keep a good part for later, nor for small messages, which take
    /// latencies.
    void take_time() {
        if (open_.empty() || open_.back()->number() != timed_ + parts_.count() - 1 || timed_ == none) return;
        if (!open_.back()->segments_handed_over()) return;
        timed_ = none;
        const std::int64_t untaken = std::min<std::int64_t>(Stream::never_asked_after, parts_.segments() - 1);
        const std::size_t bytes = message_->bytes() - static_cast<std::size_t>(untaken) * parts_.segment_bytes();
        if (roster_.complete() || bytes < least_timed_bytes) return;
        const double seconds_per_byte = (mpi.Wtime() - timed_from_s_) / static_cast<double>(bytes);
        seconds_per_byte_ = measured_ ? (seconds_per_byte_ + seconds_per_byte) / 2 : seconds_per_byte;
        measured_ = true;
    }

    int listen() {
        Arrivals::Arrival arrival{};
        while (arrivals_.hear(number_, arrival)) {
            if (arrival.broadcast == number_ && rank_ == broadcast_.root) note_arrival(arrival.rank);
            ahead_.remove_if(
                [&](const Ahead& ahead) { return ahead.rank == arrival.rank && ahead.broadcast == arrival.broadcast; });
        }
        return arrivals_.listen(comm_);
    }

    int wait(double until_s) {
        waiting_.clear();
        for (const std::unique_ptr<Round>& round : open_) waiting_.add(round->requests());
        for (Letter& letter : letters_) waiting_.add(letter.requests);
        for (Push& push : pushes_) waiting_.add(push.requests);
        waiting_.add(welcoming_);
        waiting_.add(arrivals_.requests());
        return waiting_.wait(until_s);
    }

    std::unique_ptr<Round> take_round() {
        if (spare_.empty()) return std::make_unique<Round>();
        std::unique_ptr<Round> round = std::move(spare_.back());
        spare_.pop_back();
        return round;
    }

    /// Words on their way to a rank.
    struct Letter {
        std::vector<std::int32_t> words;
        Requests requests;
    };

    /// The message on its way from the root to one rank alone.
    struct Push {
        TreeRole role;
        Stream stream;
        Requests requests;

        int start(Message& message, std::size_t segment_bytes, MPI_Comm comm) {
            constexpr int in_flight = 4;
            requests.reset(stream.start(role, message, {0, message.bytes(), segment_bytes, in_flight, 1},
                                        static_cast<std::size_t>(push_tag), comm));
            stream.use_requests(requests.handles.data());
            return MPI_SUCCESS;
        }
        int advance() {
            for (std::size_t i = 0; i < requests.completed.size(); ++i) {
                if (requests.take(i)) stream.complete(i);
            }
            return stream.advance();
        }
    };

    /// A message that was sent to a rank which had not entered its broadcast.
    struct Ahead {
        std::int64_t broadcast;
        int rank;
        std::size_t bytes;
        double entered_s;  ///< when the root entered the broadcast
    };

    static constexpr std::int32_t none = -1;
    static constexpr std::size_t least_timed_bytes = 32768;
    static constexpr std::int32_t pushed = -1;  // in place of a round's number
    // In front of one rank: MPI keeps it in that rank's memory.
    static constexpr std::size_t most_unread_bytes = std::size_t{64} << 20;

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
    std::vector<std::unique_ptr<Round>> open_;  // by number
    std::vector<std::unique_ptr<Round>> spare_;
    std::vector<std::int32_t> welcome_;
    Requests welcoming_;
    WaitSet waiting_;
    // At the root:
    RankSet here_;           // have come and are in no round yet
    RankSet served_;         // were in a round
    RankSet ahead_of_;       // had the message sent to them before they came
    int missing_ = 0;        // are to come
    std::int32_t next_ = 0;  // round
    int next_push_ = 0;      // rank
    double push_again_s_ = 0;
    double entered_s_ = 0;
    std::list<Push> pushes_;
    std::list<Ahead> ahead_;  // also of earlier broadcasts
    double imbalance_ = -1;
    double first_arrival_s_ = 0;
    double last_arrival_s_ = 0;
    std::list<Letter> letters_;
    std::int32_t timed_ = none;  // round
    double timed_from_s_ = 0;
    double seconds_per_byte_ = 8e-9;  // as on 1 Gbit/s, where nothing is known
    bool measured_ = false;
};

}  // namespace bcast
