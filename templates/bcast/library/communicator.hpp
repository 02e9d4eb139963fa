// What is known of one of the user's communicators, and the private one that its broadcasts travel on.
//
// Set-up takes one collective call on the user's communicator, made inside the first broadcast: every rank tells on
// which machine it is and a digest of its plan and settings. Any difference, any unknown machine: the communicator
// stays with the MPI's own broadcast. The private communicator follows when the first message comes that leaves native.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bcast/arrival/engine.hpp"
#include "bcast/arrival/watch.hpp"
#include "bcast/facts/decision.hpp"
#include "bcast/library/call_check.hpp"
#include "bcast/library/first_agreement.hpp"
#include "bcast/library/process.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/wire_probe.hpp"
#include "bcast/multicast/multicast.hpp"
#include "bcast/pipeline/pipeline.hpp"
#include "bcast/pipeline/ring_engine.hpp"
#include "bcast/roles/placement.hpp"
#include "bcast/roles/roles.hpp"

namespace bcast {

/// One rank's part of the set-up. Its size, its digest and the call that exchanges it never change, so that libraries
/// of different versions can tell each other that they differ.
struct SetupRecord {
    std::uint64_t digest;
    std::int32_t machine;
    std::uint32_t gpu : 1;        ///< a GPU driver is loaded in this process
    std::uint32_t settings : 31;  ///< of a digest of the settings alone, to say what differs; 0 from early versions
};
static_assert(sizeof(SetupRecord) == 16, "ranks exchange this as bytes");

/// Whose doing it is that a communicator is left to the MPI.
enum class Blame : std::uint8_t {
    nobody,    ///< it is to be so
    settings,  ///< settings ask for what cannot be, if any ask for anything
    ranks      ///< they do not agree
};

class Communicator {
  public:
    /// Collective over `user`. Never fails: what cannot be served is declined.
    explicit Communicator(MPI_Comm user) : user_(user) {
        const auto started = std::chrono::steady_clock::now();
        set_up();
        const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - started;
        if (process().environment.verbose && rank_ == 0 && decision_) {
            say(std::to_string(ranks_) + " ranks on " + std::to_string(machines()) + " machines set up in " +
                std::to_string(std::lround(took.count())) + " us");
        }
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

    /// Collective: makes the private communicator if there is none yet. False: declined from now on, on all ranks.
    bool connect() { return connected_ || try_connect(); }

    /// Collective, after connect(): true if any rank's buffer is on a GPU.
    [[nodiscard]] bool any_on_device(const void* buffer) const {
        if (!gpu_somewhere_) return false;
        int mine = process().gpu.on_device(buffer) ? 1 : 0;
        int any = 1;
        return mpi.Allreduce(&mine, &any, 1, mpi.int_type, mpi.op_max, private_) != MPI_SUCCESS || any != 0;
    }

    /// True if it is to be found out whether arrivals are imbalanced.
    [[nodiscard]] bool watches() const {
        return decision_ && process().environment.arrival == ArrivalSetting::automatic &&
               !process().environment.algorithm;
    }

    /// Before a broadcast that leaves native in either regime, on all ranks; after connect(). False: MPI failed.
    bool watch() { return watch_.before(private_, wire_.seconds_per_byte, regime_) == MPI_SUCCESS; }

    /// After it.
    void watched(std::size_t bytes, double took_s, int root) { watch_.after(bytes, took_s, rank_ == root); }

    /// The imbalance factor last seen, for traces; negative: none.
    [[nodiscard]] double imbalance(const Choice& choice) const {
        if (watch_.imbalance() >= 0) return watch_.imbalance();
        return is_arrival_aware(choice.algorithm) && arrivals_ ? arrivals_->imbalance() : -1;
    }

    /// Collective, after connect(): the choice, or what takes multicast's place for a message that cannot go by it.
    Choice possible(const Choice& choice, std::size_t bytes) {
        const bool possible =
            !is_multicast(choice.algorithm) || (bytes <= most_multicast_bytes && multicast_problem().empty());
        return possible ? choice : Decision::without_multicast(bytes, process().environment.segment_bytes);
    }

    /// Broadcasts by an algorithm of ours on the private communicator, one that possible() has let pass. MPI error
    /// code.
    int run(Algorithm algorithm, std::size_t segment_bytes, Message& message, int root) {
        if (is_multicast(algorithm)) return run_multicast(message, root);
        if (is_arrival_aware(algorithm)) {
            // Which is found out when it is first needed: all ranks are here, on their way into one algorithm.
            if (ArrivalEngine::needs_wire(algorithm)) know_wire();
            return arrivals_->run(
                {algorithm, segment_bytes, process().environment.send_window, root, decision_.get(), wire_}, message,
                private_);
        }
        if (scatters(algorithm)) {
            const bool tuned = has(algorithm, trait::skips_held);
            return ring_.run(roles_->ring_role(tuned, root), message,
                             {tuned, segment_bytes, process().environment.send_window}, private_);
        }
        return pipeline_.run(roles_->role(algorithm, root, message.bytes()), message, segment_bytes,
                             process().environment.send_window, private_);
    }

    /// Collective, after connect(): sets multicast up if that has not been tried. Empty if it works, else why not.
    const std::string& multicast_problem() {
        if (!multicast_tried_) {
            multicast_tried_ = true;
            auto multicast = std::make_unique<Multicast>(
                private_, placement_, rank_,
                MulticastSurroundings{&site(), &process().environment, &process().layout, &process().groups});
            multicast_problem_ = machines() < 2 ? "there is one machine" : multicast->set_up();
            if (multicast_problem_.empty()) {
                multicast_ = std::move(multicast);
            } else {
                give_up_multicast(multicast_problem_);
            }
        }
        return multicast_problem_;
    }

    /// The datagrams of the last broadcast that went by multicast.
    [[nodiscard]] const MulticastCounts& multicast_counts() const { return multicast_->counts(); }

    /// The message of the broadcast that is going on, with the memory it keeps from call to call; after connect().
    /// nullptr if MPI would refuse it.
    Message* message(void* buffer, std::int64_t count, MPI_Datatype type, std::size_t element_bytes) {
        return message_.describe(buffer, count, type, element_bytes, private_) ? &message_ : nullptr;
    }

    /// Leaves this communicator to the MPI's own broadcast for good. Under BCASTGEN_VERBOSE=1 that is said for each
    /// communicator, else once for all if somebody has a mistake to mend.
    void decline(const std::string& why, Blame blame = Blame::settings) {
        declined_ = why;
        native_up_to_ = no_limit;
        decision_.reset();
        const std::string line = of_ranks() + " is left to the MPI's own broadcast: " + why;
        const std::string forced = forced_settings(process().environment);
        if (process().environment.verbose) {
            if (rank_ == 0) say(line);
        } else if (blame == Blame::ranks || (blame == Blame::settings && !forced.empty())) {
            if (speaks()) process().tell(line + (forced.empty() ? "" : "; not in force: " + forced));
        }
    }

  private:
    [[nodiscard]] std::string of_ranks() const { return "a communicator of " + std::to_string(ranks_) + " ranks"; }

    /// True on one rank of the job: rank 0 of MPI_COMM_WORLD, or of this communicator if there is no such thing.
    [[nodiscard]] bool speaks() const {
        int rank = rank_;
        if (process().world) mpi.Comm_rank(mpi.comm_world, &rank);
        return rank == 0;
    }

    /// Multicast that was asked for and cannot be is said also without BCASTGEN_VERBOSE=1.
    void tell_of_multicast(const std::string& why) {
        const Environment& settings = process().environment;
        const bool forced = settings.algorithm && is_multicast(*settings.algorithm);
        if (settings.verbose) {
            if (rank_ == 0) say(of_ranks() + " goes on without multicast: " + why);
        } else if ((forced || settings.multicast == MulticastSetting::attempt) && speaks()) {
            process().tell(std::string(forced ? "BCASTGEN_ALGORITHM=multicast" : "BCASTGEN_MULTICAST=try") +
                           " is not in force: " + why);
        }
    }

    int run_multicast(Message& message, int root) {
        const int error =
            multicast_->run(roles_->multicast_role(root), message, root, pipeline_, process().environment.send_window);
        if (error == MPI_SUCCESS && multicast_->useless()) give_up_multicast("it brings too little");
        return error;
    }

    /// From now on the decision table's messages go by trees; those that are sent by multicast on purpose still can.
    void give_up_multicast(const std::string& why) {
        if (multicast_given_up_) return;
        multicast_given_up_ = true;
        if (decision_) decision_->give_up_multicast();
        tell_of_multicast(why);
    }

    void set_up() {
        int inter = 0;
        if (mpi.Comm_test_inter(user_, &inter) != MPI_SUCCESS || inter != 0) {
            return decline("intercommunicator", Blame::nobody);
        }
        if (mpi.Comm_size(user_, &ranks_) != MPI_SUCCESS || mpi.Comm_rank(user_, &rank_) != MPI_SUCCESS) {
            return decline("communicator of unknown size");
        }
        if (!process().world && rank_ == 0) process().complain();
        if (ranks_ == 1) return;  // nothing to send, and nothing to warn of
        process().gpu.look();
        const SetupRecord mine{process().digest, process().machine, process().gpu.any() ? 1U : 0U,
                               static_cast<std::uint32_t>((digest(process().environment) & 0x7fffffff) | 1)};
        std::vector<SetupRecord> all(static_cast<std::size_t>(ranks_));
        if (meet(mine, all) != MPI_SUCCESS) return decline("set-up failed");
        checks_ = process().environment.check && std::all_of(all.begin(), all.end(), [&](const SetupRecord& record) {
                      return record.digest == mine.digest;
                  });
        std::vector<int> machine_of_rank;
        for (int rank = 0; rank < ranks_; ++rank) {
            const SetupRecord& record = all[static_cast<std::size_t>(rank)];
            if (record.digest != all[0].digest) {
                const bool settings =
                    record.settings != all[0].settings && record.settings != 0 && all[0].settings != 0;
                return decline("rank " + std::to_string(rank) + " has " +
                                   (settings ? "other BCASTGEN_ settings" : "another library") + " than rank 0",
                               Blame::ranks);
            }
            if (record.machine == unknown_machine) {
                return decline("rank " + std::to_string(rank) + " is on no machine of " + site().name);
            }
            machine_of_rank.push_back(record.machine);
            gpu_somewhere_ = gpu_somewhere_ || record.gpu != 0;
        }
        if (process().environment.disable) return decline("BCASTGEN_DISABLE", Blame::nobody);
        placement_ = place(std::move(machine_of_rank));
        decision_ =
            std::make_unique<Decision>(site(), process().environment, machines(), placement_.most_ranks_on_a_machine);
        native_up_to_ = decision_->native_up_to();
        const std::string no_multicast = decision_->no_multicast();
        if (process().environment.algorithm && is_multicast(*process().environment.algorithm) &&
            !no_multicast.empty()) {
            tell_of_multicast(no_multicast);
        }
        if (process().environment.arrival == ArrivalSetting::imbalanced) regime_ = Arrival::imbalanced;
    }

    /// Tells all ranks `mine`. MPI error code.
    int meet(const SetupRecord& mine, std::vector<SetupRecord>& all) {
        std::unique_ptr<FirstAgreement> watched;
        if (process().patience_s > 0 && !process().agreed) {
            watched = std::make_unique<FirstAgreement>(
                process().patience_s,
                "rank " + std::to_string(rank_) + " has waited for " + std::to_string(process().patience_s) +
                    " s for the others in the first broadcast on " + of_ranks() +
                    ". If the job hangs here, some ranks run without this library: all of them need it in LD_PRELOAD "
                    "(Open MPI: mpirun -x LD_PRELOAD), as a file that every machine has; or none");
        }
        const int error = mpi.Allgather(&mine, sizeof mine, mpi.byte, all.data(), sizeof mine, mpi.byte, user_);
        int world = 0;
        if (error == MPI_SUCCESS && process().world && mpi.Comm_size(mpi.comm_world, &world) == MPI_SUCCESS) {
            if (ranks_ >= world) process().agreed = true;
        }
        return error;
    }

    bool try_connect() {
        const bool reserved = process().reserve_private_communicator();
        MPI_Group group{};
        // What can go wrong at one rank alone goes first.
        const bool memory = reserved && memory_is_left();
        const bool has_group = memory && take_group(group);
        if (!everywhere(has_group)) {
            if (has_group) mpi.Group_free(&group);
            if (reserved) process().return_private_communicator();
            decline(reserved && !memory ? "this rank has no memory left"
                    : reserved && !has_group
                        ? "MPI tells no group"
                        : std::to_string(most_private_communicators) + " private communicators are in use");
            return false;
        }
        const bool made = make_private(group);
        if (!made && !memory_is_left()) {  // the others may be waiting in there for this rank
            say("there is no memory left for a communicator");
            mpi.Comm_call_errhandler(user_, MPI_ERR_NO_MEM);
        }
        if (!everywhere(made)) {
            // Where only some ranks have made it, they keep it: to free it takes them all.
            process().return_private_communicator();
            decline("MPI could make no private communicator");
            return false;
        }
        mpi.Comm_set_errhandler(private_, mpi.errors_return);
        connected_ = true;
        if (watches()) know_wire();
        roles_ = std::make_unique<Roles>(site(), process().layout, placement_, rank_);
        pipeline_.set_hop(hop_of(process().layout, placement_.machines));
        arrivals_ = std::make_unique<ArrivalEngine>(site(), process().layout, placement_, rank_);
        return true;
    }

    /// False if an MPI that makes a communicator might fail for want of memory, with the other ranks waiting for it.
    static bool memory_is_left() {
        constexpr std::size_t needed_bytes = std::size_t{1} << 20;
        void* volatile memory = std::malloc(needed_bytes);  // volatile: else compilers do not even ask
        std::free(memory);
        return memory != nullptr;
    }

    void know_wire() {
        if (wire_.seconds_per_byte > 0) return;
        wire_ = measure_wire(placement_, rank_, private_, process().wire());
        process().set_wire(wire_);
    }

    /// Collective: true if `mine` is true on every rank.
    [[nodiscard]] bool everywhere(bool mine) const {
        const int one = mine ? 1 : 0;
        int all = 0;
        return mpi.Allreduce(&one, &all, 1, mpi.int_type, mpi.op_min, user_) == MPI_SUCCESS && all == 1;
    }

    /// A communicator of the same ranks. MPI_Comm_dup would call the user's attribute copy functions; this does not.
    /// An MPI out of communicators must not end the program, so the user's error handler is put aside meanwhile.
    bool make_private(MPI_Group group) {
        bool made = false;
        with_errors_returned([&] { made = mpi.Comm_create(user_, group, &private_) == MPI_SUCCESS; });
        mpi.Group_free(&group);
        return made;
    }

    /// The group of the user's communicator; false if MPI refuses it.
    bool take_group(MPI_Group& group) {
        bool taken = false;
        return with_errors_returned([&] { taken = mpi.Comm_group(user_, &group) == MPI_SUCCESS; }) && taken;
    }

    /// Calls `call` with the user's error handler put aside. False if MPI keeps it to itself.
    template <class Call>
    bool with_errors_returned(Call call) {
        MPI_Errhandler users{};
        const bool known = mpi.Comm_get_errhandler(user_, &users) == MPI_SUCCESS;
        if (known) mpi.Comm_set_errhandler(user_, mpi.errors_return);
        call();
        if (!known) return false;
        mpi.Comm_set_errhandler(user_, users);
        mpi.Errhandler_free(&users);
        return true;
    }

    void disconnect() {
        if (!connected_) return;
        multicast_.reset();  // what is still on its way is on the private communicator
        arrivals_->settle(private_);
        watch_.settle();
        mpi.Comm_free(&private_);
        process().return_private_communicator();
        connected_ = false;
    }

    MPI_Comm user_;
    MPI_Comm private_{};
    bool connected_ = false;
    int ranks_ = 0;
    int rank_ = 0;
    bool gpu_somewhere_ = false;
    bool checks_ = false;  // the same on all ranks
    std::size_t native_up_to_ = no_limit;
    std::string declined_;
    Placement placement_;
    std::unique_ptr<Decision> decision_;
    std::unique_ptr<Roles> roles_;
    Pipeline pipeline_;
    RingEngine ring_;
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
