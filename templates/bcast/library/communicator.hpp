// What is known of one of the user's communicators, and the private one that its broadcasts travel on.
//
// Set-up takes one collective call on the user's communicator, made inside the first broadcast: every rank tells on
// which machine it is and a digest of its plan and settings. Any difference, any unknown machine: the communicator
// stays with the MPI's own broadcast. Private communicators follow, each when the first message comes that needs it.
//
// What all ranks must do alike follows from what all of them have told each other, never from what one of them has met
// with alone: a rank that cannot go on says so in the next thing that they tell each other (docs/agreement.md).
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "bcast/arrival/engine.hpp"
#include "bcast/arrival/watch.hpp"
#include "bcast/facts/decision.hpp"
#include "bcast/hand_on/neighbours.hpp"
#include "bcast/library/call_check.hpp"
#include "bcast/library/private_communicator.hpp"
#include "bcast/library/private_lanes.hpp"
#include "bcast/library/process.hpp"
#include "bcast/library/set_up.hpp"
#include "bcast/library/spokesman.hpp"
#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/waiting.hpp"
#include "bcast/mpi/wire_probe.hpp"
#include "bcast/multicast/multicast.hpp"
#include "bcast/pipeline/lane.hpp"
#include "bcast/pipeline/pipeline.hpp"
#include "bcast/pipeline/ring_engine.hpp"
#include "bcast/pipeline/rounds_engine.hpp"
#include "bcast/roles/placement.hpp"
#include "bcast/roles/roles.hpp"

namespace bcast {

class Communicator {
  public:
    explicit Communicator(MPI_Comm user) : user_(user), lanes_(user) {}

    /// Collective over the user's communicator, once, before all else. Never fails: what cannot be served is declined.
    /// `able`: this rank can keep what it finds out. True, on all ranks, if all of them can.
    bool set_up(bool able) {
        all_able_ = able;
        const auto started = std::chrono::steady_clock::now();
        agree(able);
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - started;
        if (decision_) spokesman().tell_of_set_up(machines(), std::lround(took.count()));
        return all_able_;
    }
    Communicator(const Communicator&) = delete;
    Communicator& operator=(const Communicator&) = delete;
    ~Communicator() { disconnect(); }

    [[nodiscard]] MPI_Comm user() const { return user_; }
    [[nodiscard]] int ranks() const { return ranks_; }
    [[nodiscard]] int machines() const { return static_cast<int>(placement_.machines.size()); }

    /// True if the ranks compare their calls before each broadcast: all of them were started with BCASTGEN_CHECK=1.
    [[nodiscard]] bool checks() const { return checks_; }

    /// Collective: compares this call with the other ranks'. MPI_SUCCESS if all pass as many bytes from the same root;
    /// else the same error on all ranks, and one line on stderr that says who passed what.
    [[nodiscard]] int check(std::size_t bytes, int root) const { return compare_calls({bytes, root, 0}, user_, rank_); }

    /// Messages of up to so many bytes are left to the MPI's own broadcast.
    [[nodiscard]] std::size_t native_up_to() const { return native_up_to_; }

    [[nodiscard]] Choice choose(std::size_t bytes) const {
        return decision_ ? decision_->choose(bytes, regime_) : Choice{};
    }

    /// Why a message of this size goes the way it does, for traces.
    [[nodiscard]] std::string rule(std::size_t bytes) const {
        return decision_ ? decision_->describe(bytes, regime_) + (multicast_given_up_ ? ",multicast:given-up" : "")
               : declined_.empty() ? "one-rank"
                                   : "declined:" + declined_;
    }

    /// Collective: makes the first private communicator if there is none yet. False: declined from now on, on all
    /// ranks.
    bool connect() { return connected_ || (make_lane(PrivateLanes::first) && connected_); }

    /// Collective, after connect(): the same for all that broadcasts by `algorithm` travel on.
    bool connect_for(Algorithm algorithm) {
        if (!decision_) return false;
        if (row_of(algorithm).trees > 1 || scatters(algorithm)) return make_lane(PrivateLanes::second);
        return !is_arrival_aware(algorithm) || make_lane(PrivateLanes::loose);
    }

    /// Collective, after connect(): true if any rank's buffer is on a GPU.
    [[nodiscard]] bool any_on_device(const void* buffer) const {
        if (!gpu_somewhere_) return false;
        int any = 1;
        return !reduce(process().gpu.on_device(buffer) ? 1 : 0, mpi.op_max, first_lane(), any) || any != 0;
    }

    /// True if it is to be found out whether arrivals are imbalanced.
    [[nodiscard]] bool watches() const {
        return decision_ && process().environment.arrival == ArrivalSetting::automatic &&
               !process().environment.algorithm;
    }

    /// Before a broadcast that leaves native in either regime, on all ranks; after connect().
    void watch() {
        const int error = watch_.before(first_lane(), wire_.seconds_per_byte, regime_);
        if (error != MPI_SUCCESS) spokesman().end_job(error);
    }

    /// After it.
    void watched(std::size_t bytes, double took_s, int root) { watch_.after(bytes, took_s, rank_ == root); }

    /// The imbalance factor last seen, for traces; negative: none.
    [[nodiscard]] double imbalance(const Choice& choice) const {
        if (watch_.imbalance() >= 0) return watch_.imbalance();
        return is_arrival_aware(choice.algorithm) && arrivals_ ? arrivals_->imbalance() : -1;
    }

    /// How the last broadcast, one by `choice` that this rank entered at `entered_s`, came here, for traces; nothing
    /// at the root, and where trees are not planned.
    [[nodiscard]] std::vector<Trace::Hop> hops(const Choice& choice, int root, std::size_t bytes, double entered_s) {
        std::vector<Trace::Hop> hops;
        const bool by_leaders = choice.hand_on != HandOn::messages;
        if (!uses_trees(choice.algorithm) || rank_ == root || (by_leaders && roles_->leader(root) != rank_))
            return hops;
        const Role& role = by_leaders ? roles_->leaders_role(choice.algorithm, root, bytes)
                                      : roles_->role(choice.algorithm, root, bytes);
        for (std::size_t tree = 0; tree < role.trees.size(); ++tree) {
            const Stream::Times times = pipeline_.times(tree);
            if (!times.known) return {};
            const int from = placement_.machine_of_rank[static_cast<std::size_t>(role.trees[tree].parent)];
            hops.push_back({process().traced_names[static_cast<std::size_t>(from)], times.first_s - entered_s,
                            times.last_s - entered_s, times.rest_bytes});
        }
        return hops;
    }

    /// Collective, after connect(): the choice, or what takes its place for a message that cannot go by multicast, or
    /// cannot be handed on within machines in this way.
    Choice possible(const Choice& choice, std::size_t bytes) {
        const bool multicasts =
            !is_multicast(choice.algorithm) ||
            (bytes <= most_multicast_bytes && make_lane(PrivateLanes::loose) && multicast_problem().empty());
        if (!multicasts) return Decision::without_multicast(bytes, process().environment.segment_bytes);
        Choice possible = choice;
        if (!hands_on(choice)) possible.hand_on = HandOn::messages;
        return possible;
    }

    /// Broadcasts by an algorithm of ours, one that possible() has let pass and connect_for() was called for. What goes
    /// wrong is noted in `failure`.
    void run(const Choice& choice, Message& message, int root, Failure& failure) {
        if (broken_) return failure.note(MPI_ERR_OTHER);
        reserve()->renew();
        int error = MPI_ERR_NO_MEM;
        try {
            error = run_engine(choice, message, root, failure);
        } catch (const std::bad_alloc&) {  // the reserve was not enough
        }
        if (error == MPI_SUCCESS) return;
        // Others wait for this rank in the broadcast, and messages are left that a later one would take for its own.
        broken_ = true;
        failure.note(error);
        spokesman().end_job(error);
    }

    /// Collective, after connect(): sets multicast up if that has not been tried. Empty if it works, else why not.
    const std::string& multicast_problem() {
        if (!multicast_tried_) {
            multicast_tried_ = true;
            auto multicast = insured([this] {
                return std::make_unique<Multicast>(
                    lanes_.of(PrivateLanes::loose), placement_, rank_,
                    MulticastSurroundings{&site(), &process().environment, &process().layout, &process().groups});
            });
            multicast_problem_ =
                machines() < 2 ? insured([] { return std::string("there is one machine"); }) : multicast->set_up();
            if (multicast_problem_.empty()) {
                multicast_ = std::move(multicast);
            } else {
                insured([this] { give_up_multicast(multicast_problem_); });
            }
        }
        return multicast_problem_;
    }

    /// The datagrams of the last broadcast that went by multicast.
    [[nodiscard]] const MulticastCounts& multicast_counts() const { return multicast_->counts(); }

    /// The message of the broadcast that is going on, with the memory it keeps from call to call; after connect().
    /// nullptr if MPI would refuse it.
    Message* message(void* buffer, std::int64_t count, MPI_Datatype type, std::size_t element_bytes) {
        return message_.describe(buffer, count, type, element_bytes, first_lane()) ? &message_ : nullptr;
    }

    /// Who says on stderr what is to be said of this communicator.
    [[nodiscard]] Spokesman spokesman() const { return {user_, rank_, ranks_}; }

    /// Leaves this communicator to the MPI's own broadcast for good.
    void decline(const char* why, Blame blame = Blame::settings) {
        insured([&] { decline(std::string(why), blame); });
    }
    void decline(const std::string& why, Blame blame = Blame::settings) {
        native_up_to_ = no_limit;
        decision_.reset();
        declined_ = why;
        spokesman().tell_left_to_native(why, blame);
    }

  private:
    int run_engine(const Choice& choice, Message& message, int root, Failure& failure) {
        const Algorithm algorithm = choice.algorithm;
        const std::size_t segment_bytes = choice.segment_bytes;
        const int send_window = process().environment.send_window;
        const Lanes lanes = lanes_.of_segments();
        if (is_multicast(algorithm)) return run_multicast(message, root, lanes, failure);
        if (is_arrival_aware(algorithm)) {
            // Which is found out when it is first needed: all ranks are here, on their way into one algorithm.
            if (ArrivalEngine::needs_wire(algorithm)) know_wire();
            return arrivals_->run({algorithm, segment_bytes, send_window, root, decision_.get(), wire_}, message,
                                  lanes_.of(PrivateLanes::loose), failure);
        }
        if (goes_in_rounds(algorithm)) {
            const RoundsRole& role = insured([&]() -> const RoundsRole& { return roles_->rounds_role(root); });
            return rounds_.run(role, message, {segment_bytes, send_window, choice.above_bytes}, lanes, failure);
        }
        if (scatters(algorithm)) {
            const bool tuned = has(algorithm, trait::skips_held);
            const RingRole& role = insured([&]() -> const RingRole& { return roles_->ring_role(tuned, root); });
            return ring_.run(role, message, {tuned, segment_bytes, send_window}, lanes, failure);
        }
        pipeline_.keep_times(process().trace.on());
        if (choice.hand_on != HandOn::messages) return run_leaders(choice, message, root, lanes, failure);
        const Role& role = insured([&]() -> const Role& { return roles_->role(algorithm, root, message.bytes()); });
        return pipeline_.run(role, message, {segment_bytes, send_window, choice.above_bytes}, lanes, failure);
    }

    /// By a tree over the machines' leaders, each of which hands the message on to its machine.
    int run_leaders(const Choice& choice, Message& message, int root, const Lanes& lanes, Failure& failure) {
        const int leader = roles_->leader(root);
        if (leader != rank_) {
            const auto trees = static_cast<std::size_t>(row_of(choice.algorithm).trees);
            return neighbours_.receive(choice.hand_on, leader, trees, message, failure);
        }
        const Role& role =
            insured([&]() -> const Role& { return roles_->leaders_role(choice.algorithm, root, message.bytes()); });
        return pipeline_.run(role, message,
                             {choice.segment_bytes, process().environment.send_window, choice.above_bytes}, lanes,
                             failure, neighbours_.onward(choice.hand_on, rank_, message, failure));
    }

    /// Collective, after connect(): whether messages can be handed on within machines as the choice says. What it takes
    /// is made, if that has not been tried.
    bool hands_on(const Choice& choice) {
        if (choice.hand_on == HandOn::messages) return true;
        if (!decision_ || !uses_trees(choice.algorithm) || placement_.most_ranks_on_a_machine == 1) return false;
        const auto try_to = [this](Neighbours::Made made, auto make) {
            if (made != Neighbours::Made::not_tried) return;
            const bool reserved = process().reserve_private_communicator();
            make(reserved && memory_is_left());
            if (reserved) ++reserved_for_neighbours_;
        };
        try_to(neighbours_.met(), [this](bool able) { neighbours_.meet(able, first_lane(), placement_, rank_); });
        if (neighbours_.met() != Neighbours::Made::yes) return false;
        if (choice.hand_on == HandOn::native) return true;
        if (neighbours_.shares() == Neighbours::Made::not_tried) {
            try_to(neighbours_.shares(),
                   [this](bool able) { neighbours_.share(able, first_lane(), rank_, process().ring); });
            if (neighbours_.shares() != Neighbours::Made::yes) insured([this] { spokesman().tell_without_window(); });
        }
        return neighbours_.shares() == Neighbours::Made::yes;
    }

    int run_multicast(Message& message, int root, const Lanes& lanes, Failure& failure) {
        const MulticastRole& role = insured([&]() -> const MulticastRole& { return roles_->multicast_role(root); });
        const int error =
            multicast_->run(role, message, root, pipeline_, lanes, process().environment.send_window, failure);
        if (error == MPI_SUCCESS && multicast_->useless())
            insured([this] { give_up_multicast("it brings too little"); });
        return error;
    }

    /// From now on the decision table's messages go by trees; those that are sent by multicast on purpose still can.
    void give_up_multicast(const std::string& why) {
        if (multicast_given_up_) return;
        multicast_given_up_ = true;
        if (decision_) decision_->give_up_multicast();
        spokesman().tell_without_multicast(why);
    }

    void agree(bool able) {
        int inter = 0;
        insist([&] { return mpi.Comm_test_inter(user_, &inter); });
        if (inter != 0) return decline("intercommunicator", Blame::nobody);
        if (insist([&] { return mpi.Comm_size(user_, &ranks_); }) != MPI_SUCCESS ||
            insist([&] { return mpi.Comm_rank(user_, &rank_); }) != MPI_SUCCESS) {
            return decline("communicator of unknown size");
        }
        if (!process().world && rank_ == 0) process().complain();
        if (ranks_ == 1) return;  // nothing to send, and nothing to warn of
        process().gpu.look();
        const SetupRecord mine = record_of(process(), able);
        Row<SetupRecord> all(static_cast<std::size_t>(ranks_));
        if (const int error = exchange_records(process(), user_, rank_, mine, all); error != MPI_SUCCESS) {
            return spokesman().end_job(error);
        }
        all_able_ = std::all_of(all.begin(), all.end(), [](const SetupRecord& record) { return record.digest != 0; });
        insured([&] { conclude(all, mine); });
    }

    /// What follows from the ranks' records, of which `mine` is one.
    void conclude(const Row<SetupRecord>& all, const SetupRecord& mine) {
        checks_ = process().environment.check && std::all_of(all.begin(), all.end(), [&](const SetupRecord& record) {
                      return record.digest == mine.digest;
                  });
        if (const Objection objection = objection_to(all, site().name); !objection.why.empty()) {
            return decline(objection.why, objection.blame);
        }
        gpu_somewhere_ = std::any_of(all.begin(), all.end(), [](const SetupRecord& record) { return record.gpu != 0; });
        if (process().environment.disable) return decline("BCASTGEN_DISABLE", Blame::nobody);
        std::vector<int> machine_of_rank;
        for (const SetupRecord& record : all) machine_of_rank.push_back(record.machine);
        placement_ = place(std::move(machine_of_rank));
        decision_ =
            std::make_unique<Decision>(site(), process().environment, machines(), placement_.most_ranks_on_a_machine);
        native_up_to_ = decision_->native_up_to();
        const std::string no_multicast = decision_->no_multicast();
        if (process().environment.algorithm && is_multicast(*process().environment.algorithm) &&
            !no_multicast.empty()) {
            spokesman().tell_without_multicast(no_multicast);
        }
        if (process().environment.arrival == ArrivalSetting::imbalanced) regime_ = Arrival::imbalanced;
    }

    /// Collective: makes a private communicator if there is none of this kind. False: declined from now on, on all
    /// ranks.
    bool make_lane(PrivateLanes::Lane lane) {
        if (lanes_.has(lane)) return true;
        const bool is_first = lane == PrivateLanes::first;
        const char* why_not = lanes_.make(lane, spokesman(), [&] { return !is_first || prepare_engines(); });
        if (why_not != nullptr) {
            decline(why_not);
            return false;
        }
        if (!is_first) return true;
        connected_ = true;
        if (watches()) know_wire();
        return true;
    }

    [[nodiscard]] MPI_Comm first_lane() const { return lanes_.of(PrivateLanes::first); }

    /// What engines need besides communicators. False if there is no memory for it.
    bool prepare_engines() {
        try {
            insured([this] {
                roles_ = std::make_unique<Roles>(site(), process().layout, placement_, rank_);
                const Hop hop = hop_of(process().layout, placement_.machines);
                pipeline_.set_hop(hop);
                rounds_.set_hop(hop);
                arrivals_ = std::make_unique<ArrivalEngine>(site(), process().layout, placement_, rank_);
            });
        } catch (const std::bad_alloc&) {
            return false;
        }
        return true;
    }

    void know_wire() {
        if (wire_.seconds_per_byte > 0) return;
        wire_ = process().wire();
        if (const int error = measure_wire(placement_, rank_, first_lane(), wire_); error != MPI_SUCCESS) {
            return spokesman().end_job(error);
        }
        process().set_wire(wire_);
    }

    void disconnect() {
        if (!connected_) return;
        neighbours_.part();
        for (; reserved_for_neighbours_ > 0; --reserved_for_neighbours_) process().return_private_communicator();
        multicast_.reset();  // what is still on its way is on a private communicator
        const int arrivals = arrivals_->settle(lanes_.of(PrivateLanes::loose));
        const int watched = watch_.settle();
        // What is under way on a communicator that is freed is received by nobody, or by the next one's ranks.
        const char* const freeing = "as the communicator is freed, which the others wait for";
        if (arrivals != MPI_SUCCESS || watched != MPI_SUCCESS) {
            return spokesman().end_job(arrivals != MPI_SUCCESS ? arrivals : watched, freeing);
        }
        lanes_.free();
        connected_ = false;
    }

    MPI_Comm user_;
    PrivateLanes lanes_;
    bool connected_ = false;
    bool broken_ = false;  // messages may be left on the lanes
    int ranks_ = 0;
    int rank_ = 0;
    bool gpu_somewhere_ = false;
    bool all_able_ = false;
    bool checks_ = false;  // the same on all ranks
    std::size_t native_up_to_ = no_limit;
    std::string declined_;
    Placement placement_;
    std::unique_ptr<Decision> decision_;
    std::unique_ptr<Roles> roles_;
    Pipeline pipeline_;
    Neighbours neighbours_;
    int reserved_for_neighbours_ = 0;
    RingEngine ring_;
    RoundsEngine rounds_;
    std::unique_ptr<Multicast> multicast_;
    bool multicast_tried_ = false;
    bool multicast_given_up_ = false;
    std::string multicast_problem_;
    std::unique_ptr<ArrivalEngine> arrivals_;
    ArrivalWatch watch_;
    Arrival regime_ = Arrival::balanced;  // the same on all ranks
    Wire wire_;
    Message message_;
};

}  // namespace bcast
