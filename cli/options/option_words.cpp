#include "cli/options/option_words.hpp"

namespace bcastgen {

namespace {

/// CLI11 puts what a value is checked by behind its type: TEXT:{a,b}.
std::string type_with_check(const CLI::Option& option) {
    return option.get_items_expected_max() == 0 ? "" : option.get_type_name();
}

}  // namespace

std::string value_name(const CLI::Option& option) {
    const std::string type = type_with_check(option);
    return type.substr(0, type.find(':'));
}

std::vector<std::string> listed_words(const CLI::Option& option) {
    const std::string type = type_with_check(option);
    const std::size_t from = type.find(":{");
    if (from == std::string::npos || type.back() != '}') return {};
    return CLI::detail::split(type.substr(from + 2, type.size() - from - 3), ',');
}

}  // namespace bcastgen
