#include "decision_table.hpp"

namespace bcastgen {

std::string range_text(int from, int to) {
    if (from == to) return std::to_string(from);
    return std::to_string(from) + "-" + (to == bcast::any_number ? "" : std::to_string(to));
}

std::string range_words(int from, int to) {
    if (to != bcast::any_number) return range_text(from, to);
    return from == 1 ? "any number" : std::to_string(from) + " and more";
}

std::vector<MessageRule> merged(const std::vector<MessageRule>& messages) {
    std::vector<MessageRule> result;
    for (const MessageRule& message : messages) {
        const bool same = !result.empty() && result.back().algorithm == message.algorithm &&
                          result.back().segment_bytes == message.segment_bytes;
        if (same) {
            result.back().up_to = message.up_to;
        } else {
            result.push_back(message);
        }
    }
    return result;
}

}  // namespace bcastgen
