#include "tuner/search/tune_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/diagnostic.hpp"
#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "bcast/facts/algorithm.hpp"
#include "tuner/clusters/kinds.hpp"
#include "tuner/measure/measure_options.hpp"

namespace bcastgen {

namespace {

constexpr int most_ranks_per_machine = 4096;

/// A list of counts, sorted, each once.
std::vector<int> parse_counts(const std::string& text, int least, int most) {
    std::vector<int> counts;
    for (const auto& [part, offset] : split(text, ',')) {
        int count = 0;
        const char* const end = part.data() + part.size();
        const auto [at, error] = std::from_chars(part.data(), end, count);
        if (error != std::errc() || at != end || count < least || count > most) {
            throw ParseError(fmt::format("{} is not a count from {} to {}", in_quotes(part), least, most), offset);
        }
        counts.push_back(count);
    }
    std::sort(counts.begin(), counts.end());
    counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
    return counts;
}

std::vector<std::size_t> parse_grid(const std::string& text) {
    std::vector<std::size_t> sizes = parse_message_sizes(text);
    std::sort(sizes.begin(), sizes.end());
    if (sizes.back() > most_message_bytes) throw ParseError("messages of up to 1024G are tuned");
    return sizes;
}

/// The library's algorithms that the cluster can run; `asked`: those too that must be asked for by name.
std::vector<std::string> tunable_algorithms(const Network& network, const std::string& on, bool asked) {
    std::vector<std::string> names;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (bcast::is_native(row.algorithm) || !runs_on(row.algorithm, cluster_kind(on), network)) continue;
        if (asked || !bcast::has(row.algorithm, bcast::trait::only_if_asked)) names.emplace_back(row.name);
    }
    return names;
}

class RequestReader {
  public:
    RequestReader(const Network& network, const TuneOptions& options) : network_(network), options_(options) {}

    TuneRequest read() {
        errors_.parse("--ranks-per-machine", options_.ranks_per_machine, [&] {
            request_.ranks_per_machine = parse_counts(options_.ranks_per_machine, 1, most_ranks_per_machine);
        });
        machines();
        errors_.parse("--sizes", options_.sizes, [&] { request_.sizes = parse_grid(options_.sizes); });
        errors_.parse("--time-budget", options_.time_budget,
                      [&] { request_.budget_s = parse_duration_s(options_.time_budget); });
        algorithms();
        const std::vector<std::string> arrivals{"balanced", "imbalanced"};
        for (const TextPart& part : split(options_.arrivals, ',')) {
            choose("--arrival", options_.arrivals, part, arrivals, arrivals, request_.arrivals);
        }
        request_.margin = options_.margin;
        errors_.gather([&] { like(); });
        errors_.check();
        return request_;
    }

  private:
    void machines() {
        errors_.gather([&] {
            const TakingPart part = taking_part(network_, options_.machines, options_.root, has_neighbours());
            request_.machines = in_natural_order(network_, part.machines);
            request_.root = options_.root.empty() ? request_.machines.front() : part.root;
        });
        if (request_.machines.empty()) return;
        const auto all = static_cast<int>(request_.machines.size());
        if (options_.machine_counts.empty()) {
            request_.machine_counts = usual_machine_counts(all);
            if (has_neighbours() && all > 1) request_.machine_counts.insert(request_.machine_counts.begin(), 1);
            return;
        }
        errors_.parse("--machine-counts", options_.machine_counts, [&] {
            request_.machine_counts = parse_counts(options_.machine_counts, has_neighbours() ? 1 : 2, all);
        });
    }

    /// Whether there are several ranks on a machine, so that one machine is worth a broadcast.
    [[nodiscard]] bool has_neighbours() const {
        return std::any_of(request_.ranks_per_machine.begin(), request_.ranks_per_machine.end(),
                           [](int ranks) { return ranks > 1; });
    }

    /// What the workload is worth comes first. What it does not have is tuned, too, if there is time: the table is for
    /// all programs.
    void like() {
        if (options_.like.jobs == 0 || request_.machines.empty()) return;
        request_.like = options_.like;
        const WorthTuning worth = worth_tuning(options_.like);
        const auto all = static_cast<int>(request_.machines.size());
        std::vector<int> counts;
        std::copy_if(worth.machine_counts.begin(), worth.machine_counts.end(), std::back_inserter(counts),
                     [&](int count) { return count <= all; });
        if (counts.empty()) {
            throw InputErrors({{"--like", 0, 0,
                                worth.machine_counts.empty()
                                    ? "no trace has a broadcast among several machines"
                                    : fmt::format("the traces' broadcasts are among {} machines and more, and {} take "
                                                  "part here",
                                                  worth.machine_counts.front(), all),
                                ""}});
        }
        request_.machine_counts = together(request_.machine_counts, counts);
        request_.ranks_per_machine = worth.ranks_per_machine;
        constexpr std::size_t near = 4;  // the usual sizes are so far apart
        std::vector<std::size_t> others;
        for (const std::size_t usual : request_.sizes) {
            const auto is_near = [&](std::size_t size) { return size <= near * usual && usual <= near * size; };
            if (std::none_of(worth.sizes.begin(), worth.sizes.end(), is_near)) others.push_back(usual);
        }
        request_.sizes = together(worth.sizes, others);
    }

    template <class Value>
    static std::vector<Value> together(std::vector<Value> some, const std::vector<Value>& more) {
        some.insert(some.end(), more.begin(), more.end());
        std::sort(some.begin(), some.end());
        some.erase(std::unique(some.begin(), some.end()), some.end());
        return some;
    }

    void algorithms() {
        std::vector<std::string> known = tunable_algorithms(network_, options_.on, true);
        if (cluster_kind(options_.on).stands_in.empty()) {
            for (const MpiBroadcast& row : mpi_broadcasts) known.emplace_back(row.name);
        }
        const std::vector<std::string> all = tunable_algorithms(network_, options_.on, false);
        for (const TextPart& part : split(options_.algorithms, ',')) {
            const std::vector<std::string> own = all_of_mpi(part.text);
            const MpiBroadcast* first = mpi_broadcast_called(own.front());
            const std::string wrong =
                first == nullptr ? "" : why_not_on(*first, cluster_kind(options_.on), options_.mpi);
            if (!wrong.empty()) {
                errors_.add("--algorithms", options_.algorithms, part.offset, wrong);
            } else if (first != nullptr) {
                for (const std::string& name : own) add_new(request_.algorithms, name);
            } else {
                choose("--algorithms", options_.algorithms, part, known, all, request_.algorithms);
            }
        }
    }

    /// Adds one of those that are known; "all" stands for `all`.
    void choose(const std::string& option, const std::string& text, const TextPart& part,
                const std::vector<std::string>& known, const std::vector<std::string>& all,
                std::vector<std::string>& chosen) {
        if (part.text == "all") {
            for (const std::string& name : all) add_new(chosen, name);
        } else if (std::find(known.begin(), known.end(), part.text) == known.end()) {
            errors_.add(option, text, part.offset,
                        fmt::format("{} is none of {}{}", in_quotes(part.text), fmt::join(known, ", "),
                                    did_you_mean(part.text, known)));
        } else {
            add_new(chosen, part.text);
        }
    }

    const Network& network_;
    const TuneOptions& options_;
    TuneRequest request_;
    OptionErrors errors_;
};

}  // namespace

TuneRequest tune_request(const Network& network, const TuneOptions& options) {
    return RequestReader(network, options).read();
}

double parse_duration_s(const std::string& text) {
    constexpr double longest_s = 30.0 * 86400;
    if (text == "none") return 0;
    const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string unit = text.substr(digits);
    const double factor = unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : unit == "d" ? 86400 : 0;
    double number = 0;
    const auto [at, error] = std::from_chars(text.data(), text.data() + digits, number, std::chars_format::fixed);
    const bool good = error == std::errc() && at == text.data() + digits && digits > 0 && factor > 0;
    const double seconds = number * factor;
    if (!good || seconds <= 0 || seconds > longest_s) {
        throw ParseError("a time is a number and s, m, h or d, up to 30d, or none for no limit: 90s, 10m, 2h");
    }
    return seconds;
}

std::string settings_json(const TuneRequest& request) {
    return nlohmann::ordered_json{{"machine_counts", request.machine_counts},
                                  {"ranks_per_machine", request.ranks_per_machine},
                                  {"arrivals", request.arrivals},
                                  {"sizes", request.sizes},
                                  {"algorithms", request.algorithms},
                                  {"budget_s", request.budget_s},
                                  {"margin", request.margin}}
        .dump();
}

}  // namespace bcastgen
