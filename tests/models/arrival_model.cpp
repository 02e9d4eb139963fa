#include "arrival_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <utility>

namespace bcastgen {

namespace {

/// A pattern of n ranks under one model, and the exits as they become known.
struct Run {
    SendModel model;
    const ArrivalTimes& arrival;
    double message_s;
    Beginning beginning;
    std::vector<double> exit;

    [[nodiscard]] std::size_t ranks() const { return arrival.size(); }

    /// When a transfer may start that its sender could start at `ready_s`.
    [[nodiscard]] double start_s(double ready_s, std::size_t receiver) const {
        return model == SendModel::blocking ? std::max(ready_s, arrival[receiver]) : ready_s;
    }
    void stays_until(std::size_t rank, double time_s) { exit[rank] = std::max(exit[rank], time_s); }
};

/// Whole messages or what follows at once from first bits on, from rank `order[i]` to rank `order[i + 1]`.
void run_chain(Run& run, const std::vector<std::size_t>& order) {
    double begun_s = run.arrival[order.front()];  // the first bit is here
    for (std::size_t i = 0; i + 1 < order.size(); ++i) {
        begun_s = run.start_s(std::max(begun_s, run.arrival[order[i]]), order[i + 1]);
        run.stays_until(order[i], begun_s + run.message_s);
        run.stays_until(order[i + 1], begun_s + run.message_s);
    }
}

std::vector<std::size_t> in_rank_order(std::size_t ranks) {
    std::vector<std::size_t> order(ranks);
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

std::vector<std::size_t> by_arrival(const ArrivalTimes& arrival) {
    std::vector<std::size_t> order = in_rank_order(arrival.size());
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](std::size_t a, std::size_t b) { return arrival[a] < arrival[b]; });
    return order;
}

void run_flat(Run& run) {
    double time_s = run.arrival[0];
    for (std::size_t rank = 1; rank < run.ranks(); ++rank) {
        time_s = run.start_s(time_s, rank) + run.message_s;
        run.stays_until(rank, time_s);
        run.stays_until(0, time_s);
    }
}

/// Rank j < 2^(i-1) sends to j + 2^(i-1) in step i.
void run_binomial(Run& run) {
    std::vector<double> free_s = run.arrival;  // when a rank may begin its next send
    for (std::size_t half = 1; half < run.ranks(); half *= 2) {
        for (std::size_t sender = 0; sender < half && sender + half < run.ranks(); ++sender) {
            const std::size_t receiver = sender + half;
            const double begun_s = run.start_s(free_s[sender], receiver);
            free_s[sender] = begun_s + run.message_s;
            free_s[receiver] = std::max(run.arrival[receiver], begun_s);
            run.stays_until(sender, begun_s + run.message_s);
            run.stays_until(receiver, begun_s + run.message_s);
        }
    }
}

void run_scatter_allgather(Run& run) {
    const std::size_t ranks = run.ranks();
    const double block_s = run.message_s / static_cast<double>(ranks);
    std::vector<double> received_s(ranks, run.arrival[0]);  // the last block that came, from its first bit on
    double time_s = run.arrival[0];
    for (std::size_t rank = 1; rank < ranks; ++rank) {
        received_s[rank] = run.start_s(time_s, rank);
        time_s = received_s[rank] + block_s;
        run.stays_until(rank, time_s);
    }
    std::vector<double> free_s = run.arrival;
    free_s[0] = time_s;
    std::vector<double> received_all_s(ranks);  // when the port is free for the next block
    for (std::size_t rank = 0; rank < ranks; ++rank) received_all_s[rank] = received_s[rank] + (rank > 0 ? block_s : 0);
    for (std::size_t step = 1; step < ranks; ++step) {
        std::vector<double> next_s(ranks);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            const std::size_t right = (rank + 1) % ranks;
            next_s[right] = run.start_s(std::max({free_s[rank], received_s[rank], received_all_s[right]}), right);
            free_s[rank] = received_all_s[right] = next_s[right] + block_s;
            run.stays_until(rank, free_s[rank]);
            run.stays_until(right, free_s[rank]);
        }
        received_s = std::move(next_s);
    }
}

/// Who is there when the root, that could begin at `free_s`, does: those of `order` from `first` to before `end`.
struct Gathered {
    std::size_t end;
    double begin_s;
};

Gathered gather(const Run& run, const std::vector<std::size_t>& order, std::size_t first, double free_s) {
    const auto arrival = [&](std::size_t at) { return run.arrival[order[at]]; };
    const double unit_s = run.beginning == Beginning::gathered ? run.message_s : 0;
    std::size_t end = first + 1;
    while (end < order.size()) {
        const double begin_s = std::max(free_s, std::min(arrival(end - 1) + unit_s / 16, arrival(first) + unit_s / 8));
        if (arrival(end) > begin_s) return {end, begin_s};
        ++end;
    }
    return {end, std::max(free_s, arrival(end - 1))};  // all are there
}

/// Rounds of T for those who are there; with `pushes` a send of T to one who is not there when nobody is.
void run_rounds(Run& run, bool pushes) {
    const std::vector<std::size_t> order = by_arrival(run.arrival);
    double time_s = run.arrival[0];
    for (std::size_t first = 1; first < order.size();) {
        Gathered group{first + 1, time_s};  // the next to come alone, unasked
        if (!pushes || run.arrival[order[first]] <= time_s) group = gather(run, order, first, time_s);
        time_s = group.begin_s + run.message_s;
        for (; first < group.end; ++first) run.stays_until(order[first], time_s);
    }
    run.stays_until(0, time_s);
}

/// The message goes round in parts; a rank is in from the next part on, at once if none is under way, for T.
void run_live(Run& run, int parts) {
    const double part_s = run.message_s / parts;
    const std::vector<std::size_t> order = by_arrival(run.arrival);
    double begun_s = run.arrival[0];
    double ends_s = run.arrival[0];
    for (std::size_t first = 1; first < order.size();) {
        std::size_t end = first + 1;
        double joins_s = run.arrival[order[first]];
        if (joins_s < ends_s) {
            joins_s = std::min(ends_s, begun_s + std::ceil((joins_s - begun_s) / part_s) * part_s);
        } else {
            const Gathered group = gather(run, order, first, ends_s);
            end = group.end;
            joins_s = begun_s = group.begin_s;
        }
        ends_s = joins_s + run.message_s;
        for (; first < end; ++first) run.stays_until(order[first], ends_s);
    }
    run.stays_until(0, ends_s);
}

double spread_s(const ArrivalTimes& arrivals) {
    return *std::max_element(arrivals.begin(), arrivals.end()) - arrivals.front();
}

}  // namespace

std::vector<double> exit_times(ModelledBroadcast broadcast, SendModel model, const ArrivalTimes& arrivals,
                               double message_s, int parts, Beginning beginning) {
    if (arrivals.size() < 2 || message_s <= 0 || parts <= 0 ||
        *std::min_element(arrivals.begin(), arrivals.end()) < arrivals.front()) {
        throw std::invalid_argument("a modelled broadcast has two ranks at least, of which the root enters first");
    }
    Run run{model, arrivals, message_s, beginning, arrivals};
    switch (broadcast) {
        case ModelledBroadcast::nearopt:
            run_chain(run, by_arrival(arrivals));
            break;
        case ModelledBroadcast::flat:
            run_flat(run);
            break;
        case ModelledBroadcast::binomial:
            run_binomial(run);
            break;
        case ModelledBroadcast::linear:
            run_chain(run, in_rank_order(arrivals.size()));
            break;
        case ModelledBroadcast::scatter_allgather:
            run_scatter_allgather(run);
            break;
        case ModelledBroadcast::arrival_b:
            run_rounds(run, false);
            break;
        case ModelledBroadcast::arrival_nb:
            run_rounds(run, model == SendModel::non_blocking);
            break;
        case ModelledBroadcast::arrival_live:
            run_live(run, parts);
            break;
    }
    return run.exit;
}

PerNodeTime per_node_time(const ArrivalTimes& arrivals, const std::vector<double>& exits) {
    PerNodeTime time;
    for (std::size_t rank = 0; rank < arrivals.size(); ++rank) {
        const double own_s = exits[rank] - arrivals[rank];
        time.average_s += own_s;
        time.worst_s = std::max(time.worst_s, own_s);
    }
    time.average_s /= static_cast<double>(arrivals.size());
    return time;
}

double optimum_at_least_s(SendModel model, const ArrivalTimes& arrivals, double message_s) {
    const auto ranks = static_cast<double>(arrivals.size());
    const double waited_s = model == SendModel::blocking ? spread_s(arrivals) : 0;
    return (waited_s + (ranks - 1) * message_s) / ranks;
}

double optimum_at_most_s(SendModel model, const ArrivalTimes& arrivals, double message_s) {
    const double waited_s = model == SendModel::blocking ? spread_s(arrivals) : 0;
    return waited_s / static_cast<double>(arrivals.size()) + message_s;
}

}  // namespace bcastgen
