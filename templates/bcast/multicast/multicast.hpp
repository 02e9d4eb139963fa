// One communicator's multicast broadcasts: set-up, the call, and the agreement to stop.
//
// The leaders move the message between machines (engine.hpp); from each of them a tree leads over the machine's other
// ranks. Every rank can be a root and so has a socket; only the first rank of a machine joins the group.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "bcast/facts/settings.hpp"
#include "bcast/facts/site.hpp"
#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/message.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/multicast/engine.hpp"
#include "bcast/multicast/group.hpp"
#include "bcast/multicast/infiniband_socket.hpp"
#include "bcast/multicast/mpi_links.hpp"
#include "bcast/multicast/udp_socket.hpp"
#include "bcast/multicast/verdict.hpp"
#include "bcast/pipeline/lane.hpp"
#include "bcast/pipeline/pipeline.hpp"
#include "bcast/roles/placement.hpp"
#include "bcast/roles/role.hpp"

namespace bcast {

/// The most multicast groups that a process is in at a time: network cards and switches keep few.
inline constexpr int most_groups = 16;

/// What multicast needs to know of the process. All of it outlives the communicators.
struct MulticastSurroundings {
    const Site* site;
    const Environment* environment;
    const Layout* layout;
    std::atomic<int>* groups;  ///< that the process is in
};

class Multicast {
  public:
    /// `comm`: of the ranks; nothing else travels on it but messages under tags of other engines. Nothing happens
    /// before set_up().
    Multicast(MPI_Comm comm, const Placement& placement, int rank, const MulticastSurroundings& surroundings)
        : surroundings_(surroundings),
          comm_(comm),
          machines_(static_cast<int>(placement.machines.size())),
          links_(comm) {
        const int machine = placement.machine_of_rank[static_cast<std::size_t>(rank)];
        rank_ = rank;
        first_of_machine_ = placement.ranks_on[placement.member(machine)].front() == rank;
        with_first_rank_ = machine == placement.machine_of_rank[0];
    }
    Multicast(const Multicast&) = delete;
    Multicast& operator=(const Multicast&) = delete;
    ~Multicast() { tear_down(); }

    /// Collective. Empty, or why there is no multicast: the same on all ranks. They wait for each other, so whatever
    /// takes memory is insured.
    std::string set_up() {
#if BCAST_LATE_BINDING
        const std::string groups = insured([this] { return groups_to_draw_from(); });
        const std::optional<GroupRange> range = insured([&] { return parse_groups(groups); });
        if (!range) return insured([&] { return groups + " is not a range of multicast groups"; });
        reserved_ = reserve_group();
        if (least(reserved_ ? 1 : 0) == 0) {
            return insured([] { return std::to_string(most_groups) + " multicast groups are in use"; });
        }
        GroupSecret secret;
        if (rank_ == 0) secret = draw_group(*range);
        const int error = mpi.Bcast(&secret, sizeof secret, mpi.byte, 0, comm_);
        if (least(error == MPI_SUCCESS ? secret.usable : 0) == 0) {
            return insured([] { return std::string("no group could be drawn"); });
        }
        insured([&] { open_socket(secret); });
        agree_on_terms(secret);
        return try_out(secret);
#else
        return insured([] { return std::string("the simulator has no datagrams"); });
#endif
    }

    /// Broadcasts `message` over `role` (of `root`), on a machine by `pipeline` and `lanes`. What goes wrong is noted
    /// in `failure`. MPI error code: this rank could not go on.
    int run(const MulticastRole& role, Message& message, int root, Pipeline& pipeline, const Lanes& lanes,
            int send_window, Failure& failure) {
        ++broadcast_;
        counts_ = MulticastCounts{};
        const bool take_out = role.leads && !message.in_place();
        if (take_out) {
            if (const int error = message.take_out(rank_ == root); error != MPI_SUCCESS) return error;
        }
        const bool alone = role.machine.trees[0].parent < 0 && role.machine.trees[0].children.empty();
        if (!alone) pipeline.start(role.machine, message, {machine_segment_bytes, send_window}, lanes, failure);
        if (role.leads) {
            if (const int error = lead(role.place, message, alone ? nullptr : &pipeline, failure);
                error != MPI_SUCCESS) {
                failure.spoil(error);  // which the machine's other ranks are told
                if (!alone) pipeline.finish();
                return error;
            }
        }
        if (!alone) {
            if (const int error = pipeline.finish(); error != MPI_SUCCESS) return error;
        }
        if (take_out) failure.put_back(message, rank_ == root);
        return compares_after(broadcast_) ? compare() : MPI_SUCCESS;
    }

    /// Of the last broadcast.
    [[nodiscard]] const MulticastCounts& counts() const {
        return counts_;
    }

    /// True if the ranks have found multicast to be of no use to them.
    [[nodiscard]] bool useless() const {
        return useless_;
    }

  private:
    /// Moves the message between machines. Meanwhile the leading part that is here goes on to the machine's other
    /// ranks, over `to_others`.
    int lead(const ChainPlace& place, Message& message, Pipeline* to_others, Failure& failure) {
        if (const int error = engine_->start(place, message.at(0), message.bytes(), broadcast_); error != MPI_SUCCESS) {
            return error;
        }
        bool done = false;
        for (int idle = 0; !done;) {
            bool moved = false;
            if (const int error = engine_->step(done, moved); error != MPI_SUCCESS) return error;
            if (to_others != nullptr) {
                if (const int error = to_others->forward(engine_->here_bytes()); error != MPI_SUCCESS) return error;
            }
            idle = moved ? 0 : idle + 1;
            if (idle > most_idle && socket_ && !done) socket_->wait(engine_->sending(), nap_us);
        }
        std::size_t other_bytes = 0;
        if (engine_->truncated(other_bytes)) {
            if (other_bytes > 0) failure.note_length(place.before(), other_bytes, true);
            failure.spoil(MPI_ERR_TRUNCATE);
        }
        counts_ = engine_->counts();
        // A larger message's fragments follow each other down the chain, so there it counts how many of them must.
        const unsigned rounds = message.bytes() <= whole_chain_bytes ? counts_.rounds : 0;
        if (counts_.fragments > 0) tally_.add(counts_.taken, counts_.fragments, rounds);
        return MPI_SUCCESS;
    }

    [[nodiscard]] std::string groups_to_draw_from() const {
        if (!surroundings_.environment->multicast_groups.empty()) return surroundings_.environment->multicast_groups;
        return *surroundings_.site->multicast_groups == '\0' ? usual_groups : surroundings_.site->multicast_groups;
    }

    /// Takes one of the multicast groups that the process may be in; false if all are taken.
    [[nodiscard]] bool reserve_group() const {
        if (surroundings_.groups->fetch_add(1) < most_groups) return true;
        surroundings_.groups->fetch_sub(1);
        return false;
    }

    void open_socket(const GroupSecret& secret) {
        const Environment& environment = *surroundings_.environment;
        UdpSocket::Part part;
        part.receives = first_of_machine_;
        part.hears_own_host = !environment.machines.empty();  // this host plays several machines
        part.interface = environment.multicast_interface.empty() ? surroundings_.site->multicast_interface
                                                                 : environment.multicast_interface;
        if (environment.multicast_transport == MulticastTransport::udp) {
            socket_ = UdpSocket::open(secret, part);
        } else {
#ifdef BCAST_INFINIBAND
            if (const RdmaLibrary* rdma = find_rdma_library()) socket_ = InfinibandSocket::open(secret, *rdma);
#endif
        }
    }

    void agree_on_terms(const GroupSecret& secret) {
        const bool joined = socket_ && socket_->joined();
        terms_.key = secret.key;
        terms_.seed = secret.seed;
        constexpr int any = std::numeric_limits<int>::max();
        const int datagram = least(socket_ ? static_cast<int>(socket_->datagram_bytes()) : any);
        terms_.fragment_bytes = (datagram == any ? 1472 : static_cast<std::size_t>(datagram)) - datagram_overhead_bytes;
        const int room = least(joined ? static_cast<int>(std::min<std::size_t>(socket_->room(), any)) : any);
        terms_.room_bytes = static_cast<std::size_t>(room) / 2;
        terms_.root_wait = surroundings_.environment->multicast_wait;
        terms_.delay_us = surroundings_.environment->multicast_delay_us;
        terms_.pace_Bps = slowest_link_Bps() / 100 * 97;
        engine_ = insured([this] { return std::make_unique<MulticastEngine>(terms_, socket_.get(), links_); });
    }

    /// The slowest speed of the machine ports and trunks that are known, in bytes of fragments. 0: none is known.
    [[nodiscard]] std::int64_t slowest_link_Bps() const {
        std::int64_t slowest = 0;
        const auto consider = [&](const LinkSpeed& speed) {
            if (slowest == 0 || speed.bandwidth_Bps < slowest) slowest = speed.bandwidth_Bps;
        };
        for (const LinkSpeed& port : surroundings_.layout->ports) consider(port);
        for (const auto& trunks : surroundings_.layout->trunks) {
            for (const LinkSpeed& trunk : trunks) consider(trunk);
        }
        const auto fragment = static_cast<std::int64_t>(terms_.fragment_bytes);
        constexpr std::int64_t frame = static_cast<std::int64_t>(datagram_overhead_bytes) + 28 + 38;
        return slowest / (fragment + frame) * fragment;
    }

    /// Sends a few datagrams from rank 0: empty if they reach at least one machine in four.
    std::string try_out(const GroupSecret& secret) {
        constexpr std::size_t trials = 8;
        if (rank_ == 0 && socket_) {
            const char nothing = 0;
            for (std::size_t i = 0; i < trials; ++i) {
                const Datagram trial{0, trial_broadcast, 1, 1, 0, &nothing, 1};
                DatagramEnds ends;
                seal(trial, secret.key, ends);
                socket_->send(&trial, &ends, 1);
                if (i % 2 == 1) usleep(1000);
            }
        }
        const bool waits = first_of_machine_ && !with_first_rank_;
        const bool heard = waits && socket_ && socket_->joined() && hears_trial(secret.key);
        const int all = machines_ - 1;
        const int some = sum(heard ? 1 : 0);
        if (4 * some >= all) return "";
        return insured(
            [&] { return "datagrams came to " + std::to_string(some) + " of " + std::to_string(all) + " machines"; });
    }

    [[nodiscard]] bool hears_trial(const SipKey& key) {
        constexpr std::chrono::milliseconds longest{250};
        const auto started = std::chrono::steady_clock::now();
        while (std::chrono::steady_clock::now() - started < longest) {
            Received arrivals[datagram_batch];
            const std::size_t count = socket_->receive(arrivals);
            for (std::size_t i = 0; i < count; ++i) {
                Datagram datagram;
                if (open_datagram(arrivals[i].bytes, arrivals[i].count, key, datagram) == Verdict::good) return true;
            }
            if (count == 0) socket_->wait(false, 1000);
        }
        return false;
    }

    /// Collective: the ranks decide whether to go on.
    int compare() {
        const int broadcasts = sum(tally_.broadcasts);
        const int without = sum(tally_.useless);
        const int rounds = -least(-tally_.mean_rounds());
        useless_ = useless_ || is_useless(broadcasts, without, rounds, machines_);
        tally_ = MulticastTally{};
        return MPI_SUCCESS;
    }

    [[nodiscard]] int least(int mine) const {
        return reduce(mine, mpi.op_min);
    }
    [[nodiscard]] int sum(int mine) const {
        return reduce(mine, mpi.op_sum);
    }

    /// Collective. 0 if MPI fails.
    [[nodiscard]] int reduce(int mine, MPI_Op operation) const {
        int all = 0;
        return bcast::reduce(mine, operation, comm_, all) ? all : 0;
    }

    void tear_down() {
        if (engine_) engine_->finish();
        if (reserved_) surroundings_.groups->fetch_sub(1);
    }

    static constexpr std::size_t machine_segment_bytes = 16384;  // from a leader to its machine's other ranks
    static constexpr int most_idle = 2000;  // rounds without news before this rank gives up the processor
    static constexpr int nap_us = 100;

    MulticastSurroundings surroundings_;
    MPI_Comm comm_;
    int machines_;
    int rank_ = 0;
    bool first_of_machine_ = false;
    bool with_first_rank_ = false;  // on the machine of rank 0
    bool reserved_ = false;
    bool useless_ = false;
    std::uint64_t broadcast_ = 0;
    MulticastTerms terms_;
    MulticastCounts counts_;
    MulticastTally tally_;
    MpiLinks links_;
    std::unique_ptr<DatagramSocket> socket_;
    std::unique_ptr<MulticastEngine> engine_;
};

}  // namespace bcast
