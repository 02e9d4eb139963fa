// The engine that broadcasts in rounds run on (trees/circulant.hpp has their schedule).
//
//   from p - skip[0]  ==> blocks ==> [ receives posted ahead ]
//   from p - skip[1]  ==> blocks ==> [ receives posted ahead ] ==> message ==> blocks in the sequence of the rounds ==>
//   …                                                                          [ send window ] ==> to p + skip[k]
//                                                             ==> as they come ==> [ send window ] ==> machine's ranks
//
// One event loop as in pipeline.hpp. Nobody waits for a round to end everywhere: a block goes out once it is here and
// those of the rounds before have gone. Each sender's next blocks have their receives posted, from the start if they
// are sure to come (sure_blocks); only where machines are to keep in step by them (receives_by_round) a receive waits
// for those of the rounds before.
//
// Every sender of a rank sends it one message at least, which says how long the whole message is (lane.hpp). It is the
// first block, or if that is longer than a first message can be (block_rounds.hpp), or there is none, a herald without
// content.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/pipeline/lane.hpp"
#include "bcast/roles/block_rounds.hpp"
#include "bcast/roles/role.hpp"
#include "bcast/roles/send_window.hpp"
#include "bcast/trees/circulant.hpp"
#include "bcast/trees/hop.hpp"

namespace bcast {

/// Runs broadcasts in rounds, one at a time, for one communicator.
class RoundsEngine {
  public:
    struct Blocks {
        std::size_t bytes;  ///< of a block at most; 0: the message in one
        int send_window;    ///< the most on their way to other machines, and to each rank of the own; 0: the usual
        std::size_t above_bytes;  ///< all ranks' messages are longer, as in Choice
    };

    /// What a hop costs the blocks of later runs.
    void set_hop(const Hop& hop) { hop_ = hop; }

    /// Broadcasts `message`. Returns when it is here and everything has been passed on; what went wrong meanwhile is in
    /// `failure`. MPI error code: this rank could not go on, and the lanes are of no more use.
    int run(const RoundsRole& role, Message& message, const Blocks& blocks, const Lanes& lanes, Failure& failure) {
        const bool is_root = role.leads && role.place.position == 0;
        const bool take_out = !message.in_place();
        if (take_out) failure.take_out(message, is_root);
        start(role, message, blocks, lanes, failure);
        const int error = loop();
        if (error != MPI_SUCCESS) requests_.abandon();
        if (error == MPI_SUCCESS && take_out) failure.put_back(message, is_root);
        return error;
    }

  private:
    /// Those who send to this rank: of a leader one for each round of a phase, else the rank before it on its machine.
    struct Source {
        int rank = -1;
        bool heralded = false;       // its first message has no content
        Row<std::int64_t> blocks{};  // that it sends, in turn
        Incoming incoming{};
        std::size_t first_request = 0;
        std::int64_t slots = 1;
        Room short_block{};  // where its first message arrives if it is shorter than it could be
        Room nowhere{};      // for what has no place
    };

    /// Those whom it sends to.
    struct Target {
        int rank = -1;
        std::int64_t left = 0;  // messages for it
        bool heralded = false;
        bool reached = false;  // a block has been sent to it
    };

    /// A block on its way out.
    struct Parcel {
        std::size_t target;
        std::int64_t block;
    };

    static constexpr std::size_t several = static_cast<std::size_t>(-1);

    /// Blocks that leave one after the other: through the rounds, or to one of the machine's other ranks.
    struct Queue {
        const Row<Parcel>* parcels = nullptr;
        std::size_t next = 0;
        std::size_t ended = 0;
        std::size_t first_request = 0;
        std::size_t slots = 1;
        std::size_t only_target = several;  // of all its parcels
    };

    void start(const RoundsRole& role, Message& message, const Blocks& blocks, const Lanes& lanes, Failure& failure) {
        message_ = &message;
        lane_ = lanes.first;
        failure_ = &failure;
        tags_ = SegmentTags(message.bytes(), lanes.length_bits);
        const int phase = role.place.phase();
        // Messages whose lengths a tag does not tell apart differ by more than a block for each sender's next one.
        longest_ = std::min(longest_block_bytes, tags_.longest_bytes() / static_cast<std::size_t>(phase + 1));
        if (blocks.bytes > 0) longest_ = std::min(longest_, blocks.bytes);
        longest_ = std::max<std::size_t>(longest_, 1);
        first_room_ = most_of_first_segment(longest_);
        strands_ = usual_strands(hop_, longest_, role.place.positions);
        const bool unheralded = longest_ > first_room_ && go_unheralded(longest_, blocks.above_bytes, strands_);
        if (unheralded) first_room_ = longest_;
        cut_ = block_cut(hop_, message.bytes(), longest_, !unheralded && tags_.tells(message.bytes()));
        sure_ = unheralded ? std::min(cut_.count(), sure_blocks(hop_, longest_, blocks.above_bytes)) : 0;
        strands_ = std::min(strands_, cut_.count());
        planned_ = planned_blocks(cut_, strands_, phase);
        window_ = blocks.send_window > 0 ? blocks.send_window : usual_rounds_window(hop_, cut_, phase, strands_);
        by_round_ = role.leads && receives_by_round(hop_, window_);
        deal_out(role);
        lay_out_requests();
        here_.assign(static_cast<std::size_t>(cut_.count()), sources_used_ == 0 ? 1 : 0);
        no_place_ = failure.no_place;
        for (std::size_t s = 0; s < sources_used_ && !no_place_; ++s) {
            if (arrives_aside(sources_[s], 0)) no_place_ = !make_insured_room(sources_[s].short_block, first_room_);
        }
        if (no_place_) failure.spoil(MPI_ERR_NO_MEM);
    }

    /// Fills in who sends what: `sources_`, `targets_`, and the parcels of the queues.
    void deal_out(const RoundsRole& role) {
        const bool has_senders = role.leads ? role.place.position > 0 : true;
        sources_used_ = !has_senders ? 0 : role.leads ? role.from.size() : 1;
        if (sources_.size() < sources_used_) insured([&] { sources_.resize(sources_used_); });
        for (std::size_t s = 0; s < sources_used_; ++s) {
            sources_[s].rank = role.leads ? role.from[s] : role.machine.parent;
            sources_[s].blocks.clear();
        }
        targets_.clear();
        for (const int rank : role.to) targets_.push_back({rank});
        const std::size_t remote = targets_.size();
        for (const int rank : role.machine.children) targets_.push_back({rank});
        answered_every_ = remote > 1 ? hop_.answered_every(cut_.usual_bytes()) : 0;

        rounds_.clear();
        arrivals_.clear();
        // At once: as rows grow, each takes twice the memory that it needs, and a rank that is refused it ends the job.
        const std::int64_t rounds = circulant_rounds(planned_, role.place.phase(), strands_);
        rounds_.reserve(role.leads ? static_cast<std::size_t>(rounds) : 0);
        arrivals_.reserve(static_cast<std::size_t>(std::max(rounds, cut_.count())));
        visit_circulant_rounds(role.place, {cut_.count(), planned_, strands_}, [&](const CirculantRound& round) {
            const auto k = static_cast<std::size_t>(round.k);
            if (role.leads && round.send >= 0) {
                rounds_.push_back({k, round.send});
                ++targets_[k].left;
            }
            if (round.receive >= 0) {
                arrivals_.push_back({0, round.receive});
                if (role.leads) sources_[k].blocks.push_back(round.receive);
            }
        });
        if (role.place.position == 0) {  // the root's machine has them from the start
            for (std::int64_t block = 0; block < cut_.count(); ++block) arrivals_.push_back({0, block});
        }
        if (!role.leads) {
            for (const Parcel& parcel : arrivals_) sources_[0].blocks.push_back(parcel.block);
        }
        queues_.clear();
        queues_.push_back({&rounds_, 0, 0, 0, 1, several});
        for (std::size_t target = remote; target < targets_.size(); ++target) {
            targets_[target].left = cut_.count();
            queues_.push_back({&arrivals_, 0, 0, 0, 1, target});
        }
        const bool all_heralded = cut_.usual_bytes() > first_room_;
        for (Target& target : targets_) {
            target.heralded = target.rank >= 0 && (all_heralded || target.left == 0);
            target.left += target.heralded ? 1 : 0;
        }
        for (std::size_t s = 0; s < sources_used_; ++s) {
            Source& source = sources_[s];
            source.heralded = all_heralded || source.blocks.empty();
            const auto messages = static_cast<std::int64_t>(source.blocks.size()) + (source.heralded ? 1 : 0);
            const std::int64_t sure = role.leads ? circulant_received(role.place, sure_, static_cast<int>(s)) : sure_;
            source.incoming.reset(source.rank, messages, &tags_, std::max<std::int64_t>(1, sure));
        }
        heralds_sent_ = heralds_ended_ = 0;
        arrived_ = 0;
    }

    /// First the heralds, then what the queues have on their way, then the receives.
    void lay_out_requests() {
        std::size_t next = targets_.size();  // behind the heralds
        for (Queue& queue : queues_) {
            queue.first_request = next;
            queue.slots = static_cast<std::size_t>(window_);
            next += queue.slots;
        }
        for (std::size_t s = 0; s < sources_used_; ++s) {
            sources_[s].first_request = next;
            sources_[s].slots = sources_used_ > 1 ? std::min(strands_ + 1, receives_ahead) : receives_ahead;
            next += static_cast<std::size_t>(sources_[s].slots);
        }
        requests_.reset(next);
    }

    int loop() {
        while (true) {
            const bool spoilt = failure_->spoilt;
            take_ended();
            if (const int error = advance(); error != MPI_SUCCESS) return error;
            if (done()) return MPI_SUCCESS;
            if (failure_->spoilt != spoilt) continue;
            if (const int error = requests_.wait(); error != MPI_SUCCESS) return error;
        }
    }

    int advance() {
        for (std::size_t s = 0; s < sources_used_; ++s) {
            if (sources_[s].incoming.lost()) return requests_.error();
            if (const int error = receive(sources_[s]); error != MPI_SUCCESS) return error;
        }
        if (const int error = send_heralds(); error != MPI_SUCCESS) return error;
        for (Queue& queue : queues_) {
            if (const int error = send_next(queue); error != MPI_SUCCESS) return error;
        }
        return MPI_SUCCESS;
    }

    [[nodiscard]] bool done() const {
        for (std::size_t s = 0; s < sources_used_; ++s) {
            if (!sources_[s].incoming.over()) return false;
        }
        return heralds_ended_ == targets_.size() && std::all_of(queues_.begin(), queues_.end(), [](const Queue& queue) {
                   return queue.ended == queue.parcels->size();
               });
    }

    void take_ended() {
        for (std::size_t s = 0; s < sources_used_; ++s) {
            while (take(sources_[s])) {
            }
        }
        while (heralds_ended_ < heralds_sent_ && (targets_[heralds_ended_].heralded ? take_sent(heralds_ended_) : true))
            ++heralds_ended_;
        for (Queue& queue : queues_) {
            while (queue.ended < queue.next && take_sent(queue.first_request + queue.ended % queue.slots)) {
                ++queue.ended;
            }
        }
    }

    bool take_sent(std::size_t at) {
        const Ended ended = requests_.take(at);
        if (ended == Ended::badly) failure_->note(requests_.error());
        return ended != Ended::not_yet;
    }

    /// Takes the next message of a sender, if it has come.
    bool take(Source& source) {
        Incoming& incoming = source.incoming;
        const std::int64_t number = incoming.arrived();
        if (number == incoming.posted()) return false;
        const std::size_t at = source.first_request + static_cast<std::size_t>(number % source.slots);
        const Ended ended = requests_.take(at);
        if (ended == Ended::not_yet) return false;
        if (ended == Ended::badly) failure_->spoil(requests_.error());
        incoming.arrive(requests_.tag(at), *failure_);
        const std::int64_t block = block_of(source, number);
        if (block < 0 || failure_->spoilt) return true;
        if (arrives_aside(source, number)) {
            std::memcpy(message_->at(cut_.offset(block)), source.short_block.data(), cut_.length(block));
        }
        here_[static_cast<std::size_t>(block)] = 1;
        return true;
    }

    /// The block in a sender's message; -1: none of this rank's.
    [[nodiscard]] static std::int64_t block_of(const Source& source, std::int64_t number) {
        const std::int64_t at = number - (source.heralded ? 1 : 0);
        const auto blocks = static_cast<std::int64_t>(source.blocks.size());
        return at < 0 || at >= blocks ? -1 : source.blocks[static_cast<std::size_t>(at)];
    }

    /// Whether the message is received beside its place: the first, which may be longer than it should be.
    [[nodiscard]] bool arrives_aside(const Source& source, std::int64_t number) const {
        if (number > 0) return false;
        return source.heralded || cut_.length(block_of(source, 0)) < first_room_;
    }

    /// Whether it is the turn of a block's receive: those of earlier rounds are here, or none may come any more.
    [[nodiscard]] bool is_its_turn(std::int64_t block) {
        if (!by_round_ || failure_->spoilt) return true;
        while (here_[static_cast<std::size_t>(arrivals_[arrived_].block)] != 0) ++arrived_;
        return arrivals_[arrived_].block == block;
    }

    int receive(Source& source) {
        Incoming& incoming = source.incoming;
        const auto expected = static_cast<std::int64_t>(source.blocks.size()) + (source.heralded ? 1 : 0);
        while (incoming.may_post(source.slots)) {
            const std::int64_t number = incoming.posted();
            std::size_t room = number == 0 ? first_room_ : longest_;
            char* to = nullptr;
            if (no_place_ || incoming.differs() || number >= expected) {
                if (number > incoming.arrived()) return MPI_SUCCESS;  // one after the other, into nowhere
                if (!make_insured_room(source.nowhere, room)) return MPI_ERR_NO_MEM;
                to = source.nowhere.data();
            } else if (arrives_aside(source, number)) {
                to = source.short_block.data();
            } else {
                const std::int64_t block = block_of(source, number);
                if (number > 0 && !is_its_turn(block)) return MPI_SUCCESS;
                to = message_->at(cut_.offset(block));
                room = cut_.length(block);
                // Of another length the sender may have more to put where this rank's message ends.
                if (number > 0 && incoming.arrived() == 0 && room < longest_) return MPI_SUCCESS;
            }
            const std::size_t at = source.first_request + static_cast<std::size_t>(number % source.slots);
            const int error = requests_.receive(at, to, static_cast<int>(room), source.rank, MPI_ANY_TAG, lane_);
            if (error != MPI_SUCCESS) return error;
            incoming.post();
        }
        return MPI_SUCCESS;
    }

    int send_heralds() {
        for (; heralds_sent_ < targets_.size(); ++heralds_sent_) {
            Target& target = targets_[heralds_sent_];
            if (!target.heralded) continue;
            const std::int64_t left = target.left--;
            const int tag = failure_->spoilt ? SegmentTags::of_void(left, failure_->truncated) : tags_.of(left);
            const int error = requests_.send(heralds_sent_, nullptr, 0, target.rank, tag, lane_);
            if (error != MPI_SUCCESS) return error;
        }
        return MPI_SUCCESS;
    }

    /// Sends what is here and may go.
    int send_next(Queue& queue) {
        const bool begins_rounds = queue.only_target == several && queue.ended == 0;
        const std::size_t most =
            begins_rounds ? static_cast<std::size_t>(first_rounds_window(window_, strands_)) : queue.slots;
        for (; queue.next < queue.parcels->size() && queue.next < queue.ended + most; ++queue.next) {
            const Parcel& parcel = (*queue.parcels)[queue.next];
            if (!failure_->spoilt && here_[static_cast<std::size_t>(parcel.block)] == 0) return MPI_SUCCESS;
            const std::size_t at = queue.first_request + queue.next % queue.slots;
            const std::size_t target = queue.only_target == several ? parcel.target : queue.only_target;
            const bool answered = queue.only_target == several && is_answered(queue.next, targets_[target]);
            if (const int error = send(at, parcel.block, targets_[target], answered); error != MPI_SUCCESS)
                return error;
        }
        return MPI_SUCCESS;
    }

    /// Whether the receiver's MPI is to say that it has this block of the rounds (hop.hpp): not the first for a
    /// machine, which may not have entered the broadcast yet.
    [[nodiscard]] bool is_answered(std::size_t number, const Target& target) const {
        return target.reached && answered_every_ > 0 && (static_cast<std::int64_t>(number) + 1) % answered_every_ == 0;
    }

    /// One that MPI refuses to send goes without content.
    int send(std::size_t at, std::int64_t block, Target& target, bool answered) {
        const std::int64_t left = target.left--;
        target.reached = true;
        if (!failure_->spoilt) {
            const char* const from = message_->at(cut_.offset(block));
            const int bytes = static_cast<int>(cut_.length(block));
            const int error = answered ? requests_.send_received(at, from, bytes, target.rank, tags_.of(left), lane_)
                                       : requests_.send(at, from, bytes, target.rank, tags_.of(left), lane_);
            if (error == MPI_SUCCESS) return error;
            failure_->spoil(error);
        }
        return requests_.send(at, nullptr, 0, target.rank, SegmentTags::of_void(left, failure_->truncated), lane_);
    }

    Hop hop_;
    Message* message_ = nullptr;
    MPI_Comm lane_{};
    Failure* failure_ = nullptr;
    SegmentTags tags_;
    BlockCut cut_;
    std::size_t longest_ = 1;     // that any rank's blocks are, whatever its length
    std::size_t first_room_ = 1;  // that any rank's first message fits in
    std::int64_t strands_ = 1;
    std::int64_t planned_ = 1;  // blocks that the rounds are for
    std::int64_t sure_ = 0;     // that all ranks' messages have, whatever their lengths
    std::int64_t window_ = 1;
    std::int64_t answered_every_ = 0;  // of so many blocks one; 0: none
    bool by_round_ = false;            // receives are posted
    std::size_t arrived_ = 0;          // of arrivals_, up to the first that is not here
    bool no_place_ = false;            // memory for what comes was refused
    std::vector<Source> sources_;
    std::size_t sources_used_ = 0;
    Row<Target> targets_;   // by round of a phase, then the machine's ranks
    Row<Parcel> rounds_;    // what this rank sends through the rounds
    Row<Parcel> arrivals_;  // the blocks in the sequence in which its machine gets them
    Row<Queue> queues_;
    Row<char> here_;                // by block
    std::size_t heralds_sent_ = 0;  // of the targets, those that were looked at
    std::size_t heralds_ended_ = 0;
    Requests requests_;
};

}  // namespace bcast
