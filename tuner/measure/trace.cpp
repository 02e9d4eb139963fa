#include "tuner/measure/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>

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
    for (const auto& [rank, one_file] : files) {
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
    for (auto& [key, calls] : sorted) trace.calls.push_back(std::move(calls));
    return trace;
}

}  // namespace bcastgen
