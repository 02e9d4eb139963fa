#include "tests/fuzz/target.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/characters.hpp"
#include "base/diagnostic.hpp"
#include "base/printable.hpp"

namespace bcastgen::fuzz {

const Target targets[] = {
    {"units", fuzz_units, "bandwidths, latencies and sizes"},
    {"hostlist", fuzz_hostlist, "hostlists, expanded and folded"},
    {"topology", fuzz_topology, "topology files"},
    {"plans", fuzz_plans, "topologies that are nearly right, planned and proved"},
    {"slurm", fuzz_slurm, "import slurm: topology.conf and topology.yaml"},
    {"ibnetdiscover", fuzz_ibnetdiscover, "import ibnetdiscover"},
    {"netloc", fuzz_netloc, "import netloc"},
    {"topograph", fuzz_topograph, "import topograph: JSON and YAML"},
    {"lldp", fuzz_lldp, "import lldp: several files, split at lines of ==="},
    {"routes", fuzz_routes, "forwarding tables, --routes"},
    {"mapping", fuzz_mapping, "files that say which machine each rank is on, plan --mapping"},
    {"tuning", fuzz_tuning, "decision tables, --tuning"},
    {"trace", fuzz_trace, "traces of programs, report --trace"},
#ifdef BCASTGEN_FUZZ_AUDIT
    {"emission", fuzz_emission, "audit without its compiler: a file of an emitted library that was edited"},
    {"audit", fuzz_audit, "audit: an emitted library whose plan was edited, read back (slow: a compiler's front end)",
     20},
#endif
    {"datagram", fuzz_datagram, "datagrams of multicast"},
    {nullptr, nullptr, nullptr},
};

void promise(bool holds, const char* what, const char* file, int line) {
    if (holds) return;
    std::fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, what);
    std::abort();
}

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines{""};
    std::size_t start = 0;
    while (true) {
        const std::size_t end = text.find('\n', start);
        lines.back() = text.substr(start, end - start);
        if (end == std::string_view::npos) return lines;
        start = end + 1;
        lines.emplace_back();
    }
}

/// Of JSON, tabs are read as blanks, and escapes of halves of characters as another one.
bool is_quoted_from(std::string_view line, std::string_view quoted) {
    if (line.find("\\u") != std::string_view::npos) return line.size() >= quoted.size();
    std::string blank_tabs(line);
    for (char& c : blank_tabs) c = c == '\t' ? ' ' : c;
    return line.starts_with(quoted) || blank_tabs.starts_with(quoted);
}

void check_errors(const std::string& file, std::string_view text, const InputErrors& errors) {
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const std::vector<std::string_view> lines = lines_of(text);
    FUZZ_PROMISE(!errors.diagnostics().empty());
    FUZZ_PROMISE(errors.diagnostics().size() <= most_shown_errors);
    for (const Diagnostic& error : errors.diagnostics()) {
        FUZZ_PROMISE(error.file == file);
        FUZZ_PROMISE(!error.message.empty());
        if (error.line == 0) continue;
        FUZZ_PROMISE(error.line >= 1 && error.line <= static_cast<int>(lines.size()));
        const std::string_view line = lines[static_cast<std::size_t>(error.line) - 1];
        FUZZ_PROMISE(error.column >= 1 && error.column <= static_cast<int>(line.size()) + 1);
        const std::string_view rest = line.substr(std::min(line.size(), error.cut_bytes));
        FUZZ_PROMISE(is_quoted_from(rest, error.source_line));
    }
    const std::string said = errors.what();
    FUZZ_PROMISE(first_unprintable(said) == std::nullopt);
    FUZZ_PROMISE(said.size() < 100'000);
}

}  // namespace

bool accepts(const std::string& file, std::string_view text, const std::function<void()>& read) {
    try {
        read();
        return true;
    } catch (const InputErrors& errors) {
        check_errors(file, text, errors);
        return false;
    }
}

bool stands_for_much(std::string_view text) {
    constexpr double much = 20'000;
    double product = 1;
    for (std::size_t at = 0; (at = text.find('-', at)) != std::string_view::npos; ++at) {
        std::size_t low = at;
        while (low > 0 && is_digit(text[low - 1])) --low;
        std::size_t high = at + 1;
        while (high < text.size() && is_digit(text[high])) ++high;
        if (low == at || high == at + 1) continue;
        const double from = std::strtod(std::string(text.substr(low, at - low)).c_str(), nullptr);
        const double to = std::strtod(std::string(text.substr(at + 1, high - at - 1)).c_str(), nullptr);
        if (to > from && to - from < 1e6) product *= to - from + 1;  // longer ones are refused
        if (product > much) return true;
    }
    return false;
}

}  // namespace bcastgen::fuzz
