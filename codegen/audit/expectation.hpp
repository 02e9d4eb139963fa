// What a fact should be, and the words for a difference.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "codegen/audit/fact.hpp"

namespace bcastgen {

struct Expectation {
    enum class Show { number, hash, algorithm };
    Fact::Kind kind = Fact::Kind::nothing;
    std::int64_t number = 0;
    std::string text;
    std::string label;  ///< ".name" or "[3]": how its place is written after that of what it is in
    std::vector<Expectation> items;
    Show show = Show::number;
};

[[nodiscard]] Expectation expect_number(std::string label, std::int64_t number,
                                        Expectation::Show show = Expectation::Show::number);
[[nodiscard]] Expectation expect_text(std::string label, std::string text);
[[nodiscard]] Expectation expect_list(std::string label, std::vector<Expectation> items);
/// A table of numbers, labelled by their indices.
[[nodiscard]] Expectation expect_numbers(std::string label, const std::vector<int>& numbers);

using ReportFact = std::function<void(const CodePlace&, std::string)>;

/// Reports every difference as "NAME: expected …, found …"; of a table of numbers the first, with how many follow.
void compare(const Expectation& expected, const Fact& found, const std::string& name, const ReportFact& report);

}  // namespace bcastgen
