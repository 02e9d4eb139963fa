#include "planner/exports/intel_adjust.hpp"

#include <fmt/format.h>

namespace bcastgen {

namespace {

constexpr int any_size = 2147483647;  // ranges have two ends

/// Intel's number for what the rule takes; 0: it has none, and chooses by itself.
int number_of(const MessageRule& message) {
    return message.own == nullptr || message.segment_bytes > 0 ? 0 : message.own->intel;
}

}  // namespace

ExportedRules intel_adjust(const std::vector<RankRule>& rules) {
    std::string text;
    for (const RankRule& rule : rules) {
        std::size_t from_bytes = 0;
        for (const MessageRule& message : rule.messages) {
            if (from_bytes > any_size) break;
            const std::size_t to_bytes = std::min<std::size_t>(message.up_to, any_size);
            text += fmt::format("{}{}:{}-{}@{}-{}", text.empty() ? "" : ";", number_of(message), from_bytes, to_bytes,
                                rule.ranks_from, std::min(rule.ranks_to, any_size));
            from_bytes = to_bytes + 1;
        }
    }
    return {fmt::format("I_MPI_ADJUST_BCAST='{}'\n", text),
            left_out(rules, "Intel MPI", [](const MessageRule& message) { return number_of(message) != 0; })};
}

}  // namespace bcastgen
