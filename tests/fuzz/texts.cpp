// Small texts: numbers with units, hostlists.
#include <cmath>
#include <string>

#include "base/hostlist.hpp"
#include "base/names.hpp"
#include "base/parse_error.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "tests/fuzz/target.hpp"

namespace bcastgen::fuzz {

namespace {

template <class Parse>
bool parses(std::string_view text, Parse parse) {
    try {
        parse();
        return true;
    } catch (const ParseError& error) {
        FUZZ_PROMISE(error.offset() <= text.size());
        const std::string said = error.what();
        FUZZ_PROMISE(!said.empty() && said.size() < 1000);
        return false;
    }
}

}  // namespace

void fuzz_units(std::string_view bytes) {
    double bandwidth_Bps = 0;
    if (parses(bytes, [&] { bandwidth_Bps = parse_bandwidth_Bps(bytes); })) {
        FUZZ_PROMISE(is_bandwidth(bandwidth_Bps));
        const double again = parse_bandwidth_Bps(format_bandwidth(bandwidth_Bps));
        FUZZ_PROMISE(std::abs(again - bandwidth_Bps) <= 1e-11 * bandwidth_Bps);
    }
    double latency_s = 0;
    if (parses(bytes, [&] { latency_s = parse_latency_s(bytes); })) {
        const double again = parse_latency_s(format_latency(latency_s));
        FUZZ_PROMISE(std::abs(again - latency_s) <= 1e-11 * latency_s);
    }
    std::uint64_t size = 0;
    if (parses(bytes, [&] { size = parse_size_bytes(bytes); })) {
        FUZZ_PROMISE(parse_size_bytes(format_size(size)) == size);
    }
    FUZZ_PROMISE(first_unprintable(printable(bytes)) == std::nullopt);
    FUZZ_PROMISE(first_unprintable(printable_columns(bytes)) == std::nullopt);
}

void fuzz_hostlist(std::string_view bytes) {
    if (stands_for_much(bytes)) return;
    std::vector<std::string> names;
    if (parses(bytes, [&] { names = expand_hostlist(bytes); })) {
        for (const std::string& name : names) FUZZ_PROMISE(is_safe_name(name));
        FUZZ_PROMISE(expand_hostlist(fold_hostlist(names)) == names);
    }
    HostlistExpander expander;
    std::vector<std::string> by_item;
    bool good = true;
    for (const HostlistItem& item : hostlist_items(bytes)) {
        FUZZ_PROMISE(item.offset + item.text.size() <= bytes.size());
        const bool expands = parses(item.text, [&] {
            for (std::string& name : expander.expand(item.text)) by_item.push_back(std::move(name));
        });
        good = good && expands;
    }
    if (good) FUZZ_PROMISE(by_item == names);
}

}  // namespace bcastgen::fuzz
