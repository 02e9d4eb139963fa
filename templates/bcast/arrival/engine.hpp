// The engine of the arrival-aware broadcasts (Figures 4 and 5 of "Efficient MPI_Bcast across different process arrival
// patterns"; arrival-live is ours, docs/arrival.md).
//
//   rank enters ----> tells the root ----> welcome ----> rounds (rounds.hpp) ----> leaves
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
#include <new>

#include "bcast/arrival/arrivals.hpp"
#include "bcast/arrival/control_messages.hpp"
#include "bcast/arrival/groups.hpp"
#include "bcast/arrival/open_rounds.hpp"
#include "bcast/arrival/pushes.hpp"
#include "bcast/facts/decision.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/mpi/wire_probe.hpp"

namespace bcast {

/// Runs arrival-aware broadcasts, one at a time, for one communicator.
class ArrivalEngine {
  public:
    struct Broadcast {
        Algorithm algorithm;
        std::size_t segment_bytes;
        int send_window;  ///< as in Stream::Part
        int root;
        const Decision* decision;  ///< which trees suit groups
        Wire wire;                 ///< of arrival-nb
    };

    /// True if Broadcast::wire is read.
    static constexpr bool needs_wire(Algorithm algorithm) { return algorithm == Algorithm::arrival_nb; }

    /// All arguments must outlive this object.
    ArrivalEngine(const Site& site, const Layout& layout, const Placement& placement, int rank)
        : rounds_(site, layout, placement, rank), ranks_(placement.ranks()), rank_(rank), arrivals_(ranks_) {}

    /// Broadcasts `message`. Returns when it is here and everything has been handed on; what went wrong meanwhile is in
    /// `failure`. MPI error code: this rank could not go on, and the communicator is of no more use.
    int run(const Broadcast& broadcast, Message& message, MPI_Comm comm, Failure& failure) {
        broadcast_ = broadcast;
        message_ = &message;
        comm_ = comm;
        failure_ = &failure;
        ++number_;
        const bool is_root = rank_ == broadcast.root;
        const bool take_out = !message.in_place();
        if (take_out) failure.take_out(message, is_root);
        set_up_rounds();
        imbalance_ = -1;
        const int error = is_root ? lead() : follow();
        failed_ = failed_ || error != MPI_SUCCESS;
        if (error == MPI_SUCCESS && take_out && !failure.any()) failure.put_back(message, is_root);
        stand_in_memory_.reset();
        return error;
    }

    /// At the root of the last broadcast: the imbalance factor that it saw. Negative: not known here.
    [[nodiscard]] double imbalance() const { return imbalance_; }

    /// Before the communicator is freed. MPI error code.
    int settle(MPI_Comm comm) { return failed_ ? MPI_SUCCESS : arrivals_.settle(number_, comm); }

  private:
    void set_up_rounds() {
        rounds_.reset({message_, broadcast_.segment_bytes, broadcast_.send_window, broadcast_.root, broadcast_.decision,
                       comm_, failure_},
                      broadcast_.algorithm == Algorithm::arrival_live);
    }

    // ---- At a rank that is not the root ----

    /// The root's message has `bytes` bytes. If this rank's has not, it takes part in the root's all the same, for
    /// those behind it.
    void take_length(std::size_t bytes) {
        const std::size_t mine = message_->bytes();
        if (bytes == mine) return;
        failure_->note(MPI_ERR_TRUNCATE);
        failure_->note_length(broadcast_.root, bytes, true);
        char* memory = failure_->no_place ? nullptr : message_->at(0);
        if (bytes > mine) {
            stand_in_memory_.reset(new (std::nothrow) char[bytes]);
            memory = stand_in_memory_.get();
            failure_->no_place = memory == nullptr;
            if (failure_->no_place) failure_->spoil(MPI_ERR_TRUNCATE);
        }
        stand_in_.describe_bytes(memory, bytes);
        message_ = &stand_in_;
        set_up_rounds();
    }

    int follow() {
        if (const int error = arrivals_.announce(number_, rank_, broadcast_.root, comm_); error != MPI_SUCCESS) {
            return error;
        }
        if (const int error = await_welcome(); error != MPI_SUCCESS) return error;
        take_length(static_cast<std::size_t>(static_cast<std::uint32_t>(welcome_[2])) |
                    static_cast<std::size_t>(static_cast<std::uint32_t>(welcome_[3])) << 32);
        std::int32_t next = welcome_[0];
        if (next == pushed) return take_pushed();
        if (welcome_[1] != 0) rounds_.divide(false);
        const std::int32_t end = next + rounds_.parts().count();
        rounds_.member_list().read(welcome_.data() + head_words);
        while (next < end || !rounds_.empty()) {
            if (const int error = advance(); error != MPI_SUCCESS) return error;
            if (next < end && (rounds_.empty() || (rounds_.has_room_for(next) && rounds_.last().handed_over()))) {
                if (const int error = rounds_.open(next++); error != MPI_SUCCESS) return error;
                continue;
            }
            if (next == end && rounds_.empty()) break;
            if (const int error = wait(for_ever); error != MPI_SUCCESS) return error;
        }
        return MPI_SUCCESS;
    }

    /// Takes the message that the root sends to this rank alone.
    int take_pushed() {
        pushes_.add().receive(*message_, broadcast_.root, static_cast<std::size_t>(welcome_[1]), comm_, *failure_);
        while (true) {
            if (const int error = listen(); error != MPI_SUCCESS) return error;
            if (const int error = advance(); error != MPI_SUCCESS) return error;
            if (pushes_.empty()) return MPI_SUCCESS;
            if (const int error = wait(for_ever); error != MPI_SUCCESS) return error;
        }
    }

    int await_welcome() {
        welcome_.resize(head_words + rounds_.member_list().most_words_of_any());
        welcome_[0] = unwritten;
        welcoming_.reset(1);
        const int bytes = static_cast<int>(welcome_.size() * sizeof(std::int32_t));
        if (const int error =
                welcoming_.receive(0, welcome_.data(), bytes, broadcast_.root, ControlMessages::tag, comm_);
            error != MPI_SUCCESS) {
            return error;
        }
        while (welcoming_.take(0) == Ended::not_yet) {
            if (const int error = listen(); error != MPI_SUCCESS) return error;
            if (const int error = wait(for_ever); error != MPI_SUCCESS) return error;
        }
        return welcome_[0] == unwritten ? welcoming_.error() : MPI_SUCCESS;
    }

    // ---- At the root ----

    int lead() {
        here_.reset(ranks_);
        served_.reset(ranks_);
        pushes_.reset(ranks_);
        missing_ = ranks_ - 1;
        next_ = 0;
        entered_s_ = last_arrival_s_ = mpi.Wtime();
        rounds_.pace().expect(broadcast_.wire.seconds_per_byte);
        push_again_s_ = entered_s_ + message_s() / 8;  // not before those who enter with the root are heard of
        arrivals_.expect(number_, [this](int rank) { note_arrival(rank); });
        while (true) {
            if (const int error = listen(); error != MPI_SUCCESS) return error;
            if (const int error = advance(); error != MPI_SUCCESS) return error;
            const bool between =
                rounds_.empty() || (rounds_.has_room_for(next_) && rounds_.last().segments_handed_over());
            double until_s = for_ever;
            if (between && may_begin(until_s)) {
                if (const int error = begin_round(); error != MPI_SUCCESS) return error;
                continue;
            }
            if (between && may_push(until_s)) {
                if (const int error = push(); error != MPI_SUCCESS) return error;
                continue;
            }
            if (missing_ == 0 && here_.empty() && rounds_.empty() && control_messages_.empty() && pushes_.empty()) {
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
        if (rounds_.member_list().anybody_in(next_)) return true;
        if (here_.empty()) return false;
        if (missing_ == 0) return true;
        until_s = std::min(last_arrival_s_ + message_s() / 16, first_arrival_s_ + message_s() / 8);
        return mpi.Wtime() >= until_s;
    }

    /// About T(m) of the message.
    [[nodiscard]] double message_s() const { return rounds_.pace().message_s(message_->bytes()); }

    /// Whether the root, while nobody is here, may send the message to one who is not; if not yet, when it may. One
    /// after the other, as the wire takes them: what MPI takes at once still has to go over it.
    [[nodiscard]] bool may_push(double& until_s) {
        if (!needs_wire(broadcast_.algorithm) || broadcast_.wire.eager_bytes == 0 || missing_ == 0 || !here_.empty() ||
            !rounds_.empty() || !pushes_.find_rank(ranks_, broadcast_.root, served_, message_->bytes())) {
            return false;
        }
        until_s = std::min(until_s, push_again_s_);
        return mpi.Wtime() >= push_again_s_;
    }

    int push() {
        const int rank = pushes_.take_rank(number_, message_->bytes());
        write_head(control_messages_.write(), pushed, static_cast<std::int32_t>(broadcast_.wire.eager_bytes));
        if (const int error = control_messages_.send(rank, comm_); error != MPI_SUCCESS) return error;
        --missing_;
        push_again_s_ = mpi.Wtime() + message_s();
        pushes_.add().send(*message_, rank, static_cast<std::size_t>(broadcast_.wire.eager_bytes), comm_, *failure_);
        return MPI_SUCCESS;
    }

    /// Begins the next round, with those who have come since the last.
    int begin_round() {
        const bool complete = missing_ == 0;
        MemberList& member_list = rounds_.member_list();
        if (!rounds_.empty() && rounds_.last().awaits_news()) {
            if (const int error = rounds_.last().tell(here_, complete); error != MPI_SUCCESS) return error;
        }
        // With nobody under way and nobody to come there is no use in parts.
        if (complete && !member_list.anybody_in(next_)) rounds_.divide(false);
        member_list.forget_before(next_);
        member_list.join(here_, next_);
        if (complete) member_list.set_complete();
        for (int rank = 0; rank < ranks_; ++rank) {
            if (!here_.holds(rank)) continue;
            if (const int error = welcome(rank); error != MPI_SUCCESS) return error;
        }
        served_.add(here_);
        here_.clear();
        return member_list.anybody_in(next_) ? rounds_.open(next_++) : MPI_SUCCESS;
    }

    int welcome(int rank) {
        Row<std::int32_t>& words = control_messages_.write();
        write_head(words, next_, rounds_.parts().count() == 1 ? 1 : 0);
        rounds_.member_list().write(words);
        return control_messages_.send(rank, comm_);
    }

    /// How every control message begins.
    void write_head(Row<std::int32_t>& words, std::int32_t first, std::int32_t second) const {
        const auto bytes = static_cast<std::uint64_t>(message_->bytes());
        words.assign({first, second, static_cast<std::int32_t>(static_cast<std::uint32_t>(bytes)),
                      static_cast<std::int32_t>(static_cast<std::uint32_t>(bytes >> 32))});
    }

    // ---- At all ranks ----

    /// Moves everything on that can be moved on. MPI error code.
    int advance() {
        if (const int error = rounds_.advance(rank_ == broadcast_.root); error != MPI_SUCCESS) return error;
        control_messages_.forget_sent();
        return pushes_.advance();
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
        rounds_.wait_for(waiting_);
        control_messages_.wait_for(waiting_);
        pushes_.wait_for(waiting_);
        waiting_.add(welcoming_);
        arrivals_.wait_for(waiting_);
        return waiting_.wait(until_s);
    }

    static constexpr std::int32_t pushed = -1;     // in place of a round's number
    static constexpr std::int32_t unwritten = -2;  // the same: nothing has come
    static constexpr std::size_t head_words = 4;   // of a control message

    OpenRounds rounds_;
    int ranks_;
    int rank_;
    Arrivals arrivals_;
    std::int64_t number_ = 0;  // of the broadcast, the same on all ranks
    bool failed_ = false;
    // Of the broadcast that is going on:
    Broadcast broadcast_{};
    Message* message_ = nullptr;
    MPI_Comm comm_{};
    Failure* failure_ = nullptr;
    Message stand_in_;  // for the message of a rank whose own has another length than the root's
    std::unique_ptr<char[]> stand_in_memory_;
    Pushes pushes_;
    Row<std::int32_t> welcome_;
    Requests welcoming_;
    WaitSet waiting_;
    // At the root:
    RankSet here_;           // have come and are in no round yet
    RankSet served_;         // were in a round
    int missing_ = 0;        // are to come
    std::int32_t next_ = 0;  // round
    ControlMessages control_messages_;
    double push_again_s_ = 0;
    double entered_s_ = 0;
    double first_arrival_s_ = 0;
    double last_arrival_s_ = 0;
    double imbalance_ = -1;
};

}  // namespace bcast
