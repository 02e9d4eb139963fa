#include "planner/formats/pasted.hpp"

#include <cstddef>
#include <regex>

namespace bcastgen {

namespace {

std::string without_colours(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text.substr(at).starts_with("\x1b[")) {
            const std::size_t end = text.find_first_not_of("0123456789;", at + 2);
            if (end != std::string_view::npos && (text[end] == 'm' || text[end] == 'K')) {
                at = end;
                continue;
            }
        }
        plain += text[at];
    }
    return plain;
}

/// Takes out the line [from, to) if it is such a one.
void blank(std::string& text, std::size_t from, std::size_t to, const std::regex& wanted) {
    const std::string line = text.substr(from, to - from);
    if (std::regex_match(line, wanted)) text.erase(from, to - from);
}

}  // namespace

std::string without_traces_of_terminal(std::string_view text) {
    constexpr std::size_t longest_prompt = 200;  // std::regex recurses for each character
    static const std::regex command(
        R"([^=:{}"]*(@[^={}"]*)?[$#>%] *(sudo +)?\S*(scontrol|ibnetdiscover|dump_lfts|lldpcli|lldpctl|cat|ssh|curl)( .*)?\r?)");
    static const std::regex prompt(R"([^={}"]*@[^={}"]*[$#>%] *\r?)");
    std::string plain = without_colours(text);
    const std::size_t first = plain.find_first_not_of("\r\n");
    if (first == std::string::npos) return plain;
    const std::size_t first_end = std::min(plain.find('\n', first), plain.size());
    if (first_end - first <= longest_prompt) blank(plain, first, first_end, command);
    const std::size_t last_end = plain.find_last_not_of("\r\n");
    if (last_end == std::string::npos) return plain;
    const std::size_t before = plain.rfind('\n', last_end);
    const std::size_t last = before == std::string::npos ? 0 : before + 1;
    if (last_end + 1 - last <= longest_prompt) blank(plain, last, last_end + 1, prompt);
    return plain;
}

}  // namespace bcastgen
