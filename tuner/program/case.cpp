#include "tuner/program/case.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "bcast/library/broadcast_by.hpp"
#include "bcast/library/entry_points.hpp"  // and the library's code with them: mpi_bcast.cpp has the facts alone here
#include "tuner/program/measured.hpp"

#if !BCAST_LATE_BINDING

// A function of SimGrid's MPI, whose headers do not declare it: from now on MPI_Bcast of all ranks takes the algorithm
// of that name. Ends the simulation if there is none.
namespace simgrid::smpi::colls {
void set_bcast(const std::string& name);
}

#endif

namespace bcastgen {

namespace {

constexpr int tag = 2;
/// True of what the MPI runs and not the library.
bool is_mpis(const std::string& algorithm) {
    return is_native(algorithm) || is_simgrids(algorithm);
}

#if !BCAST_LATE_BINDING

/// SimGrid's algorithm that the named MPI would take. MPICH: as its variables MPIR_CVAR_BCAST_SHORT_MSG_SIZE,
/// BCAST_LONG_MSG_SIZE and BCAST_MIN_PROCS document it, with their defaults; what SimGrid calls "mpich" is a binomial
/// tree for all sizes. Open MPI: its fixed decision, which SimGrid has as "ompi".
std::string native_algorithm(const std::string& mpi, int ranks, std::size_t bytes) {
    constexpr std::size_t short_bytes = 12288;
    constexpr std::size_t long_bytes = 524288;
    constexpr int least_ranks = 8;
    if (mpi == "openmpi") return "ompi";
    if (bytes < short_bytes || ranks < least_ranks) return "binomial_tree";
    const bool power_of_two = (ranks & (ranks - 1)) == 0;
    return bytes < long_bytes && power_of_two ? "scatter_rdb_allgather" : "scatter_LR_allgather";
}

/// Memory that ranks share is none of the simulator's business: what they do with it takes the time that is said here.
/// A rank looks again the sooner the shorter it has waited, so that waits are right within some percent.
void sleep_simulated_s(double seconds) {
    timespec rest{};
    rest.tv_nsec = static_cast<long>(seconds * 1e9);
    nanosleep(&rest, nullptr);
}

void nap(int looks) {
    constexpr double first_s = 50e-9;
    constexpr double longest_s = 20e-6;
    sleep_simulated_s(std::min(longest_s, first_s * std::pow(1.06, std::min(looks, 200))));
}

void copying(std::size_t bytes) {
    constexpr double copy_Bps = 80e9 / 8;  // as planner/network/software.cpp has it of messages
    sleep_simulated_s(static_cast<double>(bytes) / copy_Bps);
}

#endif

/// MPI counts are ints; larger messages are sent as elements of this many bytes, and must be multiples of it.
constexpr std::size_t large_element_bytes = std::size_t{1} << 20;

/// What a first call moves where it sets up the same for all sizes.
[[maybe_unused]] constexpr std::size_t first_call_bytes = std::size_t{64} << 10;

/// A datatype and a count for this many bytes.
struct Elements {
    explicit Elements(std::size_t bytes) {
        if (bytes <= static_cast<std::size_t>(std::numeric_limits<int>::max())) {
            count = static_cast<int>(bytes);
            return;
        }
        MPI_Type_contiguous(static_cast<int>(large_element_bytes), MPI_BYTE, &type);
        MPI_Type_commit(&type);
        count = static_cast<int>(bytes / large_element_bytes);
    }
    Elements(const Elements&) = delete;
    Elements& operator=(const Elements&) = delete;
    ~Elements() {
        if (type != MPI_BYTE) MPI_Type_free(&type);
    }
    MPI_Datatype type = MPI_BYTE;
    int count = 0;
};

}  // namespace

Cases::Cases(const MeasurePlan& plan) : plan_(plan) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    if (plan.sends.latency_ns != 0) {
        bcast::process().sends = {plan.sends.overhead_ns, plan.sends.latency_ns, plan.sends.answer_ns,
                                  plan.sends.receive_ns};
    }
    MPI_Comm_split(MPI_COMM_WORLD, in_pair() ? 0 : MPI_UNDEFINED, rank_ == plan.root ? 0 : 1, &pair_);
#if !BCAST_LATE_BINDING
    bcast::mpi.nap = nap;
    bcast::mpi.copying = copying;
#endif
    problem_ = bcast::set_up_for_choice(MPI_COMM_WORLD);
    if (!problem_.empty()) problem_ = "the emitted library leaves this job to the MPI: " + problem_;
    if (pair_ != MPI_COMM_NULL && problem_.empty()) bcast::set_up_for_choice(pair_);
    for (const MeasureCase& one : plan.cases) check(one);
    if (problem_.empty()) make_opponents();
    if (problem_.empty()) problem_ = own_.ready(plan.cases);
    // Where multicast does not work, trees would take its place and be measured under its name.
    const auto is_multicast = [](const MeasureCase& one) {
        const std::optional<bcast::Algorithm> algorithm = algorithm_called(one.algorithm);
        return algorithm && bcast::is_multicast(*algorithm);
    };
    if (problem_.empty() && std::any_of(plan.cases.begin(), plan.cases.end(), is_multicast)) {
        const std::string why = bcast::communicators().find(MPI_COMM_WORLD, 0)->multicast_problem();
        if (!why.empty()) problem_ = "multicast does not work here: " + why + "; leave it out of --algorithms";
    }
}

Cases::~Cases() {
    if (pair_ != MPI_COMM_NULL) MPI_Comm_free(&pair_);
}

void Cases::check(const MeasureCase& one) {
    const bool known = is_of_pair(one.algorithm) || is_mpis(one.algorithm) || is_tuned(one.algorithm) ||
                       is_of_sends(one.algorithm) || opponent_called(one.algorithm) != nullptr ||
                       mpi_broadcast_called(one.algorithm) != nullptr || algorithm_called(one.algorithm);
    if (!known) problem_ = "no algorithm is called " + one.algorithm;
    if (is_simgrids(one.algorithm) && BCAST_LATE_BINDING) problem_ = one.algorithm + " is for simulated clusters only";
    if (one.message_bytes > static_cast<std::size_t>(std::numeric_limits<int>::max()) &&
        one.message_bytes % large_element_bytes != 0) {
        problem_ = "messages of 2 GiB and more are measured in whole MiB only";
    }
}

void Cases::make_opponents() {
    std::vector<int> machine_of_rank(static_cast<std::size_t>(ranks_));
    MPI_Allgather(&bcast::process().machine, 1, MPI_INT, machine_of_rank.data(), 1, MPI_INT, MPI_COMM_WORLD);
    const Wiring wiring = wiring_of(bcast::process().layout, std::move(machine_of_rank));
    for (const MeasureCase& one : plan_.cases) {
        const OpponentRow* row = opponent_called(one.algorithm);
        if (row == nullptr || opponents_.count(one.algorithm) != 0) continue;
        opponents_.emplace(one.algorithm, make_opponent(*row, wiring, plan_.root, MPI_COMM_WORLD));
    }
}

bool Cases::takes_part(const MeasureCase& one) const {
    return !is_of_pair(one.algorithm) || in_pair();
}

void Cases::select(const MeasureCase& one) {
    if (mpi_broadcast_called(one.algorithm) != nullptr) own_.select(one);
#if !BCAST_LATE_BINDING
    // `tuned` may leave a message native, so that is what it is for all but SimGrid's own by name.
    simgrid::smpi::colls::set_bcast(is_simgrids(one.algorithm)
                                        ? one.algorithm.substr(std::strlen(measured::simgrid_prefix))
                                        : native_algorithm(plan_.native, ranks_, one.message_bytes));
#endif
}

void Cases::run(const MeasureCase& one, char* buffer) {
    const Elements message(one.message_bytes);
    if (is_ping_pong(one.algorithm)) {
        ping_pong(one, buffer);
    } else if (is_of_sends(one.algorithm)) {
        sends(one, buffer);
    } else if (is_of_pair(one.algorithm)) {
        bcast::broadcast_by({bcast::usual::chain, one.segment_bytes}, buffer, message.count, message.type, 0, pair_);
    } else if (is_opponents(one.algorithm)) {
        opponents_.at(one.algorithm)({buffer, one.message_bytes, one.segment_bytes});
    } else if (mpi_broadcast_called(one.algorithm) != nullptr) {
        PMPI_Bcast(buffer, message.count, message.type, plan_.root, own_.communicator(one));
        own_.deselect();
    } else if (is_mpis(one.algorithm)) {
        PMPI_Bcast(buffer, message.count, message.type, plan_.root, MPI_COMM_WORLD);
    } else if (is_tuned(one.algorithm)) {
        MPI_Bcast(buffer, message.count, message.type, plan_.root, MPI_COMM_WORLD);
    } else {
        const MeasuredWay way = *way_called(one.algorithm);
        const std::size_t above_bytes = one.message_bytes / 2;  // as in a table, where ranges of sizes mostly double
        bcast::broadcast_by({way.algorithm, one.segment_bytes, way.hand_on, above_bytes}, buffer, message.count,
                            message.type, plan_.root, MPI_COMM_WORLD);
    }
}

void Cases::ping_pong(const MeasureCase& one, char* buffer) const {
    const Elements message(one.message_bytes);
    if (rank_ == plan_.root) {
        MPI_Send(buffer, message.count, message.type, plan_.peer, tag, MPI_COMM_WORLD);
        MPI_Recv(buffer, message.count, message.type, plan_.peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(buffer, message.count, message.type, plan_.root, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(buffer, message.count, message.type, plan_.root, tag, MPI_COMM_WORLD);
    }
}

void Cases::sends(const MeasureCase& one, char* buffer) const {
    const Elements message(one.message_bytes);
    if (one.algorithm == measured::receives_at_once) return receives(message.count, message.type, buffer);
    if (rank_ != plan_.root) {
        MPI_Recv(buffer, message.count, message.type, plan_.root, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        return;
    }
    std::vector<MPI_Request> requests;
    for (int rank = 0; rank < ranks_; ++rank) {
        if (rank == rank_) continue;
        requests.emplace_back();
        MPI_Isend(buffer, message.count, message.type, rank, tag, MPI_COMM_WORLD, &requests.back());
        if (one.algorithm == measured::sends_in_turn) MPI_Wait(&requests.back(), MPI_STATUS_IGNORE);
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void Cases::receives(int count, MPI_Datatype type, char* buffer) const {
    if (rank_ != plan_.root) {
        MPI_Send(buffer, count, type, plan_.root, tag, MPI_COMM_WORLD);
        return;
    }
    int element_bytes = 0;
    MPI_Type_size(type, &element_bytes);
    const std::size_t bytes = static_cast<std::size_t>(count) * static_cast<std::size_t>(element_bytes);
    std::vector<char> received(bytes * static_cast<std::size_t>(ranks_));
    std::vector<MPI_Request> requests;
    for (int rank = 0; rank < ranks_; ++rank) {
        if (rank == rank_) continue;
        char* const to = received.data() + bytes * static_cast<std::size_t>(rank);
        requests.emplace_back();
        MPI_Irecv(to, count, type, rank, tag, MPI_COMM_WORLD, &requests.back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    std::copy_n(received.data() + bytes * static_cast<std::size_t>(rank_ == 0 ? 1 : 0), bytes, buffer);
}

Cases::Way Cases::way(const MeasureCase& one) const {
    if (!is_tuned(one.algorithm)) return {one.algorithm, one.segment_bytes};
    const bcast::Choice choice = bcast::communicators().find(MPI_COMM_WORLD, plan_.root)->choose(one.message_bytes);
    return {measured_name(choice), choice.segment_bytes};
}

std::optional<MeasureCase> Cases::first_call(const MeasureCase& one) const {
#if BCAST_LATE_BINDING
    return one;
#else
    if (is_native(one.algorithm) || is_ping_pong(one.algorithm) || is_of_sends(one.algorithm)) return std::nullopt;
    // Arrival-aware broadcasts and `tuned` learn from how long a call took; SimGrid's set up what their sizes need.
    const std::optional<bcast::Algorithm> algorithm = algorithm_called(one.algorithm);
    const bool is_alike =
        algorithm ? bcast::uses_trees(*algorithm) || bcast::scatters(*algorithm) || bcast::goes_in_rounds(*algorithm)
                  : is_of_pair(one.algorithm) || is_opponents(one.algorithm);
    MeasureCase call = one;
    if (is_alike) call.message_bytes = std::min(one.message_bytes, first_call_bytes);
    return call;
#endif
}

}  // namespace bcastgen
