#include "tuner/measure/measure_options.hpp"

#include <fmt/format.h>

#include <charconv>

#include "base/diagnostic.hpp"
#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "base/units.hpp"
#include "planner/plan/plan_options.hpp"

namespace bcastgen {

namespace {

double parse_number(const TextPart& part, double least, double most, const std::string& what) {
    double number = 0;
    const char* end = part.text.data() + part.text.size();
    const auto result = std::from_chars(part.text.data(), end, number, std::chars_format::fixed);
    if (result.ec != std::errc() || result.ptr != end || !(number >= least) || number > most) {
        throw ParseError(
            fmt::format("{} is a number from {:g} to {:g}, not {}", what, least, most, in_quotes(part.text)),
            part.offset);
    }
    return number;
}

}  // namespace

std::vector<TextPart> split(const std::string& text, char at) {
    std::vector<TextPart> parts{{"", 0}};
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == at) {
            parts.push_back({"", i + 1});
        } else {
            parts.back().text += text[i];
        }
    }
    return parts;
}

std::vector<std::string> all_of_mpi(const std::string& name) {
    std::vector<std::string> names;
    for (const MpiBroadcast& row : mpi_broadcasts) {
        if (name == std::string(mpi_prefix(row.of)) + "all") names.emplace_back(row.name);
    }
    return names.empty() ? std::vector{name} : names;
}

std::string why_not_on(const MpiBroadcast& own, const ClusterKind& kind, const std::string& mpi) {
    if (!kind.stands_in.empty()) {
        return fmt::format("{} is {}'s own, and on the {} cluster {} takes its place", own.name, mpi_words(own.of),
                           kind.name, kind.stands_in);
    }
    if (mpi == mpi_name(own.of)) return "";
    return fmt::format("{} is {}'s own; measure it with --mpi {}", own.name, mpi_words(own.of), mpi_name(own.of));
}

ArrivalPattern parse_arrival(const std::string& text) {
    constexpr double most_factor = 1e6;
    const std::vector<TextPart> parts = split(text, ':');
    ArrivalPattern arrival;
    if (text == "balanced") return arrival;
    if (parts[0].text == "random" && parts.size() == 2) {
        arrival.kind = ArrivalPattern::Kind::random;
        arrival.most_if = parse_number(parts[1], 0, most_factor, "the largest imbalance factor");
    } else if (parts[0].text == "late" && parts.size() == 3) {
        arrival.kind = ArrivalPattern::Kind::late;
        arrival.late_fraction = parse_number(parts[1], 0, 1, "the fraction of late ranks");
        arrival.most_if = parse_number(parts[2], 0, most_factor, "the imbalance factor");
    } else {
        throw ParseError(fmt::format("an arrival pattern is balanced, random:MAX_IF or late:FRACTION:MAX_IF, not {}",
                                     in_quotes(text)));
    }
    return arrival;
}

std::vector<std::size_t> parse_sizes(const std::string& text) {
    std::vector<std::size_t> sizes;
    for (const TextPart& part : split(text, ',')) {
        try {
            const std::uint64_t size = parse_size_bytes(part.text);
            if (size == 0) throw ParseError("a size is at least 1 byte");
            add_new(sizes, static_cast<std::size_t>(size));
        } catch (const ParseError& error) {
            throw ParseError(error.what(), part.offset + error.offset());
        }
    }
    return sizes;
}

std::vector<std::size_t> parse_message_sizes(const std::string& text) {
    constexpr std::size_t factor = 4;
    std::vector<std::size_t> sizes;
    for (const TextPart& part : split(text, ',')) {
        const std::size_t dash = part.text.find('-');
        const auto size = [&](std::size_t begin, std::size_t count) {
            try {
                return parse_sizes(part.text.substr(begin, count)).front();
            } catch (const ParseError& error) {
                throw ParseError(error.what(), part.offset + begin + error.offset());
            }
        };
        const std::size_t from = size(0, dash);
        const std::size_t to = dash == std::string::npos ? from : size(dash + 1, std::string::npos);
        if (to < from) throw ParseError("the range ends before it begins", part.offset);
        for (std::size_t one = from; one < to && one <= most_message_bytes; one *= factor) add_new(sizes, one);
        add_new(sizes, to);
    }
    return sizes;
}

TakingPart taking_part(const Network& network, const std::string& machines, const std::string& root,
                       bool several_ranks) {
    PlanOptions options;
    options.tree = bcast::usual::chain;
    options.machines = machines;
    options.root = root;
    const PlanRequest request = plan_request(network, options);
    TakingPart part;
    part.machines = request.machines.empty() ? in_natural_order(network, {}) : request.machines;
    part.root = root.empty() ? part.machines.front() : request.root;
    if (part.machines.size() < 2 && !several_ranks) {
        throw InputErrors(
            {{"--machines", 0, 0,
              "a broadcast needs at least two machines, or several ranks on one (--ranks-per-machine)", ""}});
    }
    return part;
}

}  // namespace bcastgen
