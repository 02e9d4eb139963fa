// What a program's broadcasts take: by message size and by rank, beside a run without the library.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/units.hpp"
#include "base/wording.hpp"
#include "tuner/report/report_parts.hpp"

namespace bcastgen {

namespace {

constexpr std::size_t most_size_rows = 16;
constexpr std::size_t most_rank_rows = 16;  // the slowest, and the quickest

/// What all ranks of a trace spend in broadcasts of one size, or of all.
struct SpentBySize {
    double broadcasts = 0;
    double mean_s = 0;
    double most_s = 0;
    long slowest = 0;  ///< rank
};

using Spent = std::map<std::size_t, SpentBySize>;

std::string spent_text(double seconds) {
    return time_text(1e6 * seconds);
}

void take(SpentBySize& spent, long rank, double seconds, std::size_t ranks) {
    spent.mean_s += seconds / static_cast<double>(ranks);
    if (seconds <= spent.most_s) return;
    spent.most_s = seconds;
    spent.slowest = rank;
}

Spent spent_by_size(const Trace& trace) {
    Spent spent;
    for (const TracedCalls& calls : trace.calls) {
        spent[calls.message_bytes].broadcasts += static_cast<double>(calls.calls) / std::max(1, calls.ranks);
    }
    for (const TracedRank& rank : trace.ranks) {
        for (const auto& [bytes, seconds] : rank.seconds_by_size) {
            take(spent[bytes], rank.rank, seconds, trace.ranks.size());
        }
    }
    return spent;
}

SpentBySize spent_in_all(const Trace& trace) {
    SpentBySize all;
    for (const TracedRank& rank : trace.ranks) take(all, rank.rank, rank.seconds, trace.ranks.size());
    return all;
}

std::string share_text(double part, double whole) {
    return fmt::format("{:.1f}%", whole > 0 ? 100 * part / whole : 0.0);
}

/// How many times the mean the slowest rank takes: 1 where all take the same.
std::string imbalance_text(const SpentBySize& spent) {
    return spent.mean_s > 0 ? fmt::format("{:.2f}", spent.most_s / spent.mean_s) : "–";
}

std::string intro_of(const Trace& trace, const SpentBySize& all, const std::optional<Trace>& without) {
    std::string text =
        fmt::format("A rank spends {} in MPI_Bcast, the mean of {}; rank {} spends longest, {}, {} times the mean. ",
                    spent_text(all.mean_s), counted(trace.ranks.size(), "rank", "ranks"), all.slowest,
                    spent_text(all.most_s), imbalance_text(all));
    if (without) {
        const SpentBySize theirs = spent_in_all(*without);
        text += fmt::format("Without the library a rank spends {}: {} as much; the slowest, rank {}, {}. ",
                            spent_text(theirs.mean_s), ratio_text(all.mean_s > 0 ? theirs.mean_s / all.mean_s : 0),
                            theirs.slowest, spent_text(theirs.most_s));
        if (without->ranks.size() != trace.ranks.size())
            text += fmt::format("That run had traces of {}, this one of {}: they are not the same. ",
                                without->ranks.size(), counted(trace.ranks.size(), "rank", "ranks"));
    }
    return text + "Time in a call includes waiting for ranks that come to it late.";
}

Facts size_rows(const Spent& spent, const std::optional<Spent>& without) {
    std::vector<std::size_t> sizes;
    double longest_s = 0;
    for (const auto& [bytes, one] : spent) {
        sizes.push_back(bytes);
        longest_s = std::max(longest_s, one.mean_s);
    }
    if (without) {
        for (const auto& [bytes, one] : *without) longest_s = std::max(longest_s, one.mean_s);
    }
    std::stable_sort(sizes.begin(), sizes.end(),
                     [&](std::size_t a, std::size_t b) { return spent.at(a).mean_s > spent.at(b).mean_s; });
    sizes.resize(std::min(sizes.size(), most_size_rows));
    Facts rows{Facts::type::list};
    for (const std::size_t bytes : sizes) {
        const SpentBySize& one = spent.at(bytes);
        Facts row;
        row.set("message", message_text(bytes));
        row.set("broadcasts", fmt::format("{:.0f}", one.broadcasts));
        row.set("mean", spent_text(one.mean_s));
        row.set("slowest", fmt::format("{} (rank {})", spent_text(one.most_s), one.slowest));
        row.set("imbalance", imbalance_text(one));
        row.set("share", share_text(one.mean_s, longest_s));
        if (without) {
            const auto theirs = without->find(bytes);
            const bool known = theirs != without->end();
            row.set("without", known ? spent_text(theirs->second.mean_s) : "–");
            row.set("ratio", known && one.mean_s > 0 ? ratio_text(theirs->second.mean_s / one.mean_s) : "–");
            row.set("without_share", share_text(known ? theirs->second.mean_s : 0, longest_s));
        }
        rows << row;
    }
    return rows;
}

/// All ranks, or of many the slowest and the quickest: what lies between is like these.
Facts rank_rows(const Trace& trace) {
    std::vector<TracedRank> ranks = trace.ranks;
    std::stable_sort(ranks.begin(), ranks.end(),
                     [](const TracedRank& a, const TracedRank& b) { return a.seconds > b.seconds; });
    if (ranks.size() > most_rank_rows) ranks.erase(ranks.begin() + most_rank_rows - 1, ranks.end() - 1);
    Facts rows{Facts::type::list};
    for (const TracedRank& one : ranks) {
        Facts row;
        row.set("rank", std::to_string(one.rank));
        row.set("calls", std::to_string(one.calls));
        row.set("time", spent_text(one.seconds));
        row.set("share", share_text(one.seconds, ranks.front().seconds));
        rows << row;
    }
    return rows;
}

}  // namespace

void add_times(Facts& facts, const Trace& trace, const std::optional<Trace>& without) {
    const SpentBySize all = spent_in_all(trace);
    if (all.most_s <= 0) return;  // traces of a library that did not time
    Facts part;
    part.set("intro", printable(intro_of(trace, all, without)));
    if (without) part.set("compares", Facts::type::bool_true);
    const std::optional<Spent> theirs = without ? std::optional(spent_by_size(*without)) : std::nullopt;
    part.set("sizes", size_rows(spent_by_size(trace), theirs));
    part.set("rank_title",
             trace.ranks.size() > most_rank_rows
                 ? fmt::format("The {} slowest of {} ranks, and the quickest", most_rank_rows - 1, trace.ranks.size())
                 : "Ranks, the slowest first");
    part.set("ranks", rank_rows(trace));
    facts.set("times", part);
}

}  // namespace bcastgen
