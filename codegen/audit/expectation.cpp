#include "codegen/audit/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/names.hpp"
#include "base/wording.hpp"
#include "bcast/facts/site.hpp"

namespace bcastgen {

namespace {

std::string number_text(std::int64_t number, Expectation::Show show) {
    if (show == Expectation::Show::hash) return fmt::format("0x{:016x}", static_cast<std::uint64_t>(number));
    const bool named = show == Expectation::Show::algorithm && number >= 0 &&
                       number < static_cast<std::int64_t>(bcast::algorithm_count);
    if (named) return bcast::name_of(static_cast<bcast::Algorithm>(number));
    return std::to_string(number);
}

std::string words(const Expectation& expected) {
    if (expected.kind == Fact::Kind::number) return number_text(expected.number, expected.show);
    if (expected.kind == Fact::Kind::text) return in_quotes(expected.text);
    return counted(expected.items.size(), "entry", "entries");
}

std::string words(const Fact& found, const Expectation& expected) {
    switch (found.kind) {
        case Fact::Kind::number:
            return number_text(found.number, expected.show);
        case Fact::Kind::text:
            return in_quotes(found.text);
        case Fact::Kind::list:
            return counted(found.items.size(), "entry", "entries");
        case Fact::Kind::nothing:
            break;
    }
    return "nothing that is a constant";
}

bool equal(const Expectation& expected, const Fact& found) {
    if (expected.kind != found.kind) return false;
    if (expected.kind == Fact::Kind::number) return expected.number == found.number;
    if (expected.kind == Fact::Kind::text) return expected.text == found.text;
    return expected.items.size() == found.items.size();
}

}  // namespace

Expectation expect_number(std::string label, std::int64_t number, Expectation::Show show) {
    return {Fact::Kind::number, number, "", std::move(label), {}, show};
}

Expectation expect_text(std::string label, std::string text) {
    return {Fact::Kind::text, 0, std::move(text), std::move(label), {}, Expectation::Show::number};
}

Expectation expect_list(std::string label, std::vector<Expectation> items) {
    return {Fact::Kind::list, 0, "", std::move(label), std::move(items), Expectation::Show::number};
}

Expectation expect_numbers(std::string label, const std::vector<int>& numbers) {
    std::vector<Expectation> items;
    for (std::size_t i = 0; i < numbers.size(); ++i) items.push_back(expect_number(fmt::format("[{}]", i), numbers[i]));
    return expect_list(std::move(label), std::move(items));
}

void compare(const Expectation& expected, const Fact& found, const std::string& name, const ReportFact& report) {
    const auto differs = [&](const Expectation& should, const Fact& is, const std::string& where,
                             const std::string& more) {
        report(is.place, fmt::format("{}: expected {}, found {}{}", where, words(should), words(is, should), more));
    };
    if (!equal(expected, found)) {
        differs(expected, found, name, "");
        return;
    }
    if (expected.kind != Fact::Kind::list) return;
    const bool numbers = std::all_of(expected.items.begin(), expected.items.end(), [](const Expectation& one) {
        return one.kind == Fact::Kind::number && one.label[0] == '[';
    });
    std::size_t wrong = 0;
    std::size_t first = 0;
    for (std::size_t i = 0; i < expected.items.size(); ++i) {
        if (!numbers) {
            compare(expected.items[i], found.items[i], name + expected.items[i].label, report);
        } else if (!equal(expected.items[i], found.items[i]) && wrong++ == 0) {
            first = i;
        }
    }
    if (wrong == 0) return;
    differs(expected.items[first], found.items[first], name + expected.items[first].label,
            wrong == 1 ? "" : fmt::format(" (and {} more in this table)", wrong - 1));
}

}  // namespace bcastgen
