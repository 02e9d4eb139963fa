#include "tuner/measure/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/utf8.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_errors = 20;

using Key = std::tuple<std::size_t, std::string, std::size_t, int, int, std::string>;

template <class Number>
bool read_number(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if constexpr (std::is_floating_point_v<Number>) {
        if (!std::isfinite(number)) return false;
    }
    return error == std::errc() && end == text.data() + text.size() && number >= 0;
}

/// The value of " name=" in the line: up to the next space, or with `last` to its last occurrence's.
std::optional<std::string_view> value_of(std::string_view line, std::string_view name) {
    const std::string key = fmt::format(" {}=", name);
    const std::size_t at = line.rfind(key);
    if (at == std::string_view::npos) return std::nullopt;
    const std::size_t begin = at + key.size();
    return line.substr(begin, std::min(line.find(' ', begin), line.size()) - begin);
}

/// Keys that this version does not know are passed over. A rule may hold spaces: it ends where " algorithm=" begins.
std::optional<TracedCalls> read_line(const std::string& text) {
    TracedCalls one;
    const std::string line = " " + text;
    const std::size_t rule = line.find(" rule=");
    const std::size_t algorithm = line.rfind(" algorithm=");
    if (rule == std::string::npos || algorithm == std::string::npos || algorithm < rule) return std::nullopt;
    one.rule = line.substr(rule + 6, algorithm - rule - 6);
    const std::string_view head(line.data(), rule);
    const std::string_view tail(line.data() + algorithm, line.size() - algorithm);
    const auto number = [](std::string_view part, std::string_view name, auto& into) {
        const auto value = value_of(part, name);
        return value && read_number(*value, into);
    };
    const bool complete = number(head, "bytes", one.message_bytes) && number(head, "machines", one.machines) &&
                          number(head, "ranks", one.ranks) && number(tail, "segment", one.segment_bytes);
    if (!complete) return std::nullopt;
    one.algorithm = *value_of(tail, "algorithm");
    double imbalance = 0;
    if (number(tail, "imbalance", imbalance)) one.imbalance_factors.push_back(imbalance);
    double took_us = 0;
    if (number(tail, "took_us", took_us)) one.seconds = 1e-6 * took_us;
    int root = 0;
    if (number(tail, "root", root)) one.roots[root] = 1;
    one.calls = 1;
    return one;
}

constexpr double least_timed_segments = 3;  // after the first, for their time to tell something

/// "a,b" as its parts.
std::vector<std::string_view> parts_of(std::string_view list) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        parts.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/// When the segments of each tree came, of a line that says so and whose message had several.
std::vector<TracedHop> hops_of(std::string_view tail, std::size_t segment_bytes) {
    const auto to = value_of(tail, "machine");
    const auto from = value_of(tail, "from");
    const auto first = value_of(tail, "first_us");
    const auto last = value_of(tail, "last_us");
    const auto rest = value_of(tail, "rest");
    if (!to || !from || !first || !last || !rest || segment_bytes == 0) return {};
    const auto firsts = parts_of(*first);
    const auto lasts = parts_of(*last);
    const auto rests = parts_of(*rest);
    std::vector<TracedHop> hops;
    for (const std::string_view name : parts_of(*from)) {
        const std::size_t tree = hops.size();
        double begin_us = 0;
        double end_us = 0;
        TracedHop hop{std::string(name), std::string(*to), static_cast<int>(tree)};
        const bool read = tree < std::min({firsts.size(), lasts.size(), rests.size()}) &&
                          read_number(firsts[tree], begin_us) && read_number(lasts[tree], end_us) &&
                          read_number(rests[tree], hop.bytes);
        hop.seconds = 1e-6 * (end_us - begin_us);
        if (!read || hop.seconds <= 0 || hop.bytes < least_timed_segments * static_cast<double>(segment_bytes))
            return {};
        hops.push_back(std::move(hop));
    }
    return hops;
}

/// Puts the ranks' lines of one broadcast together.
class BroadcastsByLine {
  public:
    void begin_rank() { lines_.clear(); }

    void add(const std::string& text, const TracedCalls& line) {
        const std::size_t rule_end = text.rfind(" algorithm=");
        const std::string_view tail = std::string_view(text).substr(std::min(rule_end, text.size()));
        const std::string ranks =
            fmt::format("{} {} {} {}", line.algorithm, line.segment_bytes, line.machines, line.ranks);
        const int root = line.roots.empty() ? -1 : line.roots.begin()->first;
        const int turn = lines_[{ranks, line.message_bytes, root}]++;
        std::vector<TracedHop> hops = hops_of(tail, line.segment_bytes);
        if (hops.empty()) return;
        TracedBroadcast& one = broadcasts_[{ranks, line.message_bytes, root, turn}];
        double entered_s = 0;
        if (const auto entered = value_of(tail, "entered")) read_number(*entered, entered_s);
        one.entered_s = one.hops.empty() ? entered_s : std::min(one.entered_s, entered_s);
        one.kind = fmt::format(
            "{} {}", ranks, std::lround(std::log2(static_cast<double>(std::max<std::size_t>(1, line.message_bytes)))));
        one.machines = line.machines;
        std::move(hops.begin(), hops.end(), std::back_inserter(one.hops));
    }

    [[nodiscard]] std::vector<TracedBroadcast> sorted() && {
        std::vector<TracedBroadcast> all;
        for (auto& [key, one] : broadcasts_) all.push_back(std::move(one));
        std::stable_sort(all.begin(), all.end(),
                         [](const auto& a, const auto& b) { return a.entered_s < b.entered_s; });
        return all;
    }

  private:
    std::map<std::tuple<std::string, std::size_t, int>, int> lines_;  // of one rank, of one kind
    std::map<std::tuple<std::string, std::size_t, int, int>, TracedBroadcast> broadcasts_;
};

/// FILE.0, FILE.1, … in the sequence of the ranks.
std::map<long, fs::path> files_of(const std::string& file) {
    if (fs::is_regular_file(file)) return {{0, file}};
    const fs::path path(file);
    const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
    const std::string prefix = path.filename().string() + ".";
    std::map<long, fs::path> found;
    std::error_code no_directory;
    for (const fs::directory_entry& entry : fs::directory_iterator(directory, no_directory)) {
        const std::string name = entry.path().filename().string();
        long rank = 0;
        if (!name.starts_with(prefix) || !read_number(std::string_view(name).substr(prefix.size()), rank)) continue;
        found.emplace(rank, entry.path());
    }
    return found;
}

void add(TracedCalls& to, const TracedCalls& one) {
    ++to.calls;
    to.seconds += one.seconds;
    for (const auto& [root, calls] : one.roots) to.roots[root] += calls;
    to.imbalance_factors.insert(to.imbalance_factors.end(), one.imbalance_factors.begin(), one.imbalance_factors.end());
}

}  // namespace

Trace read_trace(const std::string& file) {
    Trace trace;
    trace.file = file;
    const std::map<long, fs::path> files = files_of(file);
    if (files.empty()) {
        throw InputErrors(
            {{file, 0, 0, "is not a trace: there is no such file, and none with a rank's number after it", ""}});
    }
    std::map<Key, TracedCalls> sorted;
    std::vector<Diagnostic> errors;
    BroadcastsByLine broadcasts;
    for (const auto& [rank, one_file] : files) {
        broadcasts.begin_rank();
        TracedRank of_rank{rank};
        std::ifstream in(one_file);
        if (!in) errors.push_back({one_file.string(), 0, 0, "cannot be read", ""});
        std::string line;
        for (int number = 1; std::getline(in, line) && errors.size() < most_errors; ++number) {
            if (number == 1) line.erase(0, line.size() - without_byte_order_mark(line).size());
            std::optional<TracedCalls> read = read_line(line);
            // A program that was killed may leave half a line at the end.
            if (!read && in.eof()) break;
            if (!read) {
                errors.push_back({one_file.string(), number, 1,
                                  "is not a line of a BCASTGEN_TRACE file: bytes=… rule=… algorithm=…",
                                  line.substr(0, 200)});
                continue;
            }
            broadcasts.add(" " + line, *read);
            ++of_rank.calls;
            of_rank.seconds += read->seconds;
            of_rank.seconds_by_size[read->message_bytes] += read->seconds;
            const Key key{read->message_bytes, read->algorithm, read->segment_bytes,
                          read->machines,      read->ranks,     read->rule};
            const auto [at, is_new] = sorted.try_emplace(key, *read);
            if (is_new) continue;
            add(at->second, *read);
        }
        trace.ranks.push_back(of_rank);
    }
    if (!errors.empty()) throw InputErrors(errors);
    trace.broadcasts = std::move(broadcasts).sorted();
    for (auto& [key, calls] : sorted) trace.calls.push_back(std::move(calls));
    return trace;
}

}  // namespace bcastgen
