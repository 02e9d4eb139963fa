// The ideal platform of "Efficient MPI_Bcast across different process arrival patterns", section 3.1: what a broadcast
// costs when ranks enter it at different times, and nothing else costs anything.
//
// Between any two ranks a message takes T once both are ready, a fraction of it that fraction of T; every rank can send
// to one and receive from one at a time; what a rank receives it can hand on from the first bit on. In the blocking
// model a sender waits until its receiver has entered; in the non-blocking model it does not, and the receiver finds
// the message when it comes. A rank sends nothing before it has entered.
#pragma once

#include <vector>

namespace bcastgen {

enum class SendModel { blocking, non_blocking };

enum class ModelledBroadcast {
    nearopt,            ///< Figure 2: handed from rank to rank in the order in which they come. Off-line
    flat,               ///< Figure 3 (a)
    binomial,           ///< Figure 3 (b)
    linear,             ///< Figure 3 (c)
    scatter_allgather,  ///< the root hands out n-ths, which then go round a ring
    arrival_b,          ///< Figure 5, whatever the model
    arrival_nb,         ///< Figure 4; without the non-blocking model the same as arrival_b
    arrival_live,       ///< ours: docs/arrival.md
};

/// When each rank enters, in seconds; rank 0 is the root and enters first.
using ArrivalTimes = std::vector<double>;

/// Whether the root of an arrival-aware broadcast begins at once when a rank comes, as the paper's does, or gathers
/// first, as the library's: until nobody has come for T/16, at most for T/8, or until all are there.
enum class Beginning { at_once, gathered };

/// When each rank leaves. `message_s` is T. `parts`: of arrival-live, how many the message goes round in.
/// Throws std::invalid_argument if there are not two ranks, the root is not first, or a number is not positive.
[[nodiscard]] std::vector<double> exit_times(ModelledBroadcast broadcast, SendModel model, const ArrivalTimes& arrivals,
                                             double message_s, int parts = 16,
                                             Beginning beginning = Beginning::at_once);

struct PerNodeTime {
    double average_s = 0;
    double worst_s = 0;
};

/// Of the ranks' times in the call, exit minus entry (section 2.2).
[[nodiscard]] PerNodeTime per_node_time(const ArrivalTimes& arrivals, const std::vector<double>& exits);

/// No broadcast has a smaller average per node time (Lemma 2).
[[nodiscard]] double optimum_at_least_s(SendModel model, const ArrivalTimes& arrivals, double message_s);

/// The best broadcast's is at most this (Lemma 1), which nearopt takes.
[[nodiscard]] double optimum_at_most_s(SendModel model, const ArrivalTimes& arrivals, double message_s);

}  // namespace bcastgen
