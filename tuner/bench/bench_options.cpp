#include "tuner/bench/bench_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/diagnostic.hpp"
#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "base/wording.hpp"
#include "tuner/clusters/kinds.hpp"
#include "tuner/measure/measure_options.hpp"
#include "tuner/program/measured.hpp"

namespace bcastgen {

namespace {

constexpr int most_repetitions = 100000;
constexpr int most_ranks_per_machine = 4096;
constexpr int usual_repetitions = 10;

std::vector<std::size_t> parse_segments(const std::string& text) {
    std::vector<std::size_t> segments;
    for (const TextPart& part : split(text, ',')) {
        try {
            add_new(segments, part.text == "max" ? 0 : parse_sizes(part.text).front());
        } catch (const ParseError& error) {
            throw ParseError(std::string(error.what()) + "; auto and max (one piece) are known too", part.offset);
        }
    }
    return segments;
}

class RequestReader {
  public:
    RequestReader(const Network& network, const BenchOptions& options) : network_(network), options_(options) {}

    BenchRequest read() {
        machines();
        errors_.parse("--sizes", options_.sizes, [&] { request_.sizes = parse_message_sizes(options_.sizes); });
        if (options_.segments != "auto") {
            errors_.parse("--segments", options_.segments,
                          [&] { request_.segments = parse_segments(options_.segments); });
        }
        errors_.parse("--arrival", options_.arrival, [&] { request_.arrival = parse_arrival(options_.arrival); });
        request_.arrival_text = options_.arrival;
        request_.ranks_per_machine = options_.ranks_per_machine;
        request_.distribution = distributions().at(options_.distribution);
        expect_between("--ranks-per-machine", options_.ranks_per_machine, 1, most_ranks_per_machine);
        expect_between("--repetitions", options_.repetitions, 0, most_repetitions);
        algorithms();
        repetitions();
        request_.seed = options_.seed;
        request_.loss = options_.loss;
        errors_.check();
        return request_;
    }

  private:
    void expect_between(const std::string& option, int number, int least, int most) {
        if (number < least || number > most) errors_.add(option, fmt::format("is from {} to {}", least, most));
    }

    void machines() {
        errors_.gather([&] {
            const TakingPart part =
                taking_part(network_, options_.machines, options_.root, options_.ranks_per_machine > 1);
            request_.machines = part.machines;
            request_.root = part.root;
        });
    }

    void algorithms() {
        const std::vector<std::string> known = known_algorithms(options_.on, network_);
        for (const TextPart& part : split(options_.algorithms, ',')) {
            if (const MpiBroadcast* own = mpi_broadcast_called(all_of_mpi(part.text).front())) {
                add_own(part, *own);
            } else if (part.text == "all") {
                for (const std::string& algorithm : known) {
                    const bool others =
                        is_simgrids(algorithm) || is_opponents(algorithm) || mpi_broadcast_called(algorithm) != nullptr;
                    if (!others) add_new(request_.algorithms, algorithm);
                }
            } else if (std::find(known.begin(), known.end(), known_part(part.text)) != known.end()) {
                add_new(request_.algorithms, part.text);
            } else {
                errors_.add("--algorithms", options_.algorithms, part.offset, why_not(part.text, known));
            }
        }
    }

    /// The algorithm of a name that says as well how it hands on within machines: linear of linear+window.
    [[nodiscard]] static std::string known_part(const std::string& name) {
        return way_called(name) ? name.substr(0, name.find('+')) : name;
    }

    void add_own(const TextPart& part, const MpiBroadcast& own) {
        const std::string wrong = why_not_on(own, cluster_kind(options_.on), options_.mpi);
        if (!wrong.empty()) return errors_.add("--algorithms", options_.algorithms, part.offset, wrong);
        for (const std::string& name : all_of_mpi(part.text)) add_new(request_.algorithms, name);
    }

    /// What is wrong with an algorithm that cannot be measured here.
    [[nodiscard]] std::string why_not(const std::string& algorithm, const std::vector<std::string>& known) const {
        const ClusterKind& kind = cluster_kind(options_.on);
        if (is_simgrids(algorithm) && kind.peers == nullptr) {
            const auto with_peers = clusters_with([](const ClusterKind& one) { return one.peers != nullptr; });
            return fmt::format("{} is for the {} cluster only", algorithm, listed(with_peers));
        }
        const std::optional<bcast::Algorithm> ours = algorithm_called(algorithm);
        const bool by_datagrams = ours && bcast::has(*ours, bcast::trait::needs_datagrams);
        if (by_datagrams && !kind.datagrams) {
            const auto others = clusters_with([](const ClusterKind& one) { return one.datagrams; });
            return fmt::format("the {} cluster has no {}; measure it with --on {}", kind.name, algorithm,
                               listed(others));
        }
        if (by_datagrams) {
            return "the topology says nothing of multicast; give it a line like "
                   "multicast: {groups: 239.192.0.0/16, interface: eth0}";
        }
        return fmt::format("no algorithm is called {}{}", in_quotes(algorithm), did_you_mean(algorithm, known));
    }

    /// Simulated broadcasts repeat exactly unless arrivals differ, and need nothing to warm up.
    void repetitions() {
        const bool exact = cluster_kind(options_.on).exact;
        const bool repeats = exact && request_.arrival.kind == ArrivalPattern::Kind::balanced;
        request_.repetitions = options_.repetitions > 0 ? options_.repetitions : repeats ? 1 : usual_repetitions;
        request_.warm_ups = exact ? 0 : 1;
    }

    const Network& network_;
    const BenchOptions& options_;
    BenchRequest request_;
    OptionErrors errors_;
};

}  // namespace

std::vector<std::string> known_algorithms(const std::string& on, const Network& network) {
    const ClusterKind& kind = cluster_kind(on);
    std::vector<std::string> known = {measured::ping_pong};
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (runs_on(row.algorithm, kind, network)) known.emplace_back(row.name);
    }
    known.emplace_back(measured::tuned);
    for (const OpponentRow& row : opponent_rows) known.push_back(std::string(opponent_prefix) + row.name);
    if (kind.stands_in.empty()) {
        for (const MpiBroadcast& row : mpi_broadcasts) known.emplace_back(row.name);
    }
    if (kind.peers == nullptr) return known;
    for (const std::string& name : kind.peers()) known.push_back(measured::simgrid_prefix + name);
    return known;
}

BenchRequest bench_request(const Network& network, const BenchOptions& options) {
    return RequestReader(network, options).read();
}

}  // namespace bcastgen
