#include "base/diagnostic.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <sstream>
#include <tuple>

#include "base/printable.hpp"
#include "base/utf8.hpp"

namespace bcastgen {
namespace {

TEST(Diagnostic, ShowsTheSourceLineWithACaretUnderTheColumn) {
    EXPECT_EQ(render({"t.yaml", 3, 5, "no such switch", "a: [s9]"}),
              "t.yaml:3:5: error: no such switch\n"
              "    a: [s9]\n"
              "        ^\n");
}

TEST(Diagnostic, KeepsTabsBeforeTheCaret) {
    EXPECT_EQ(render({"t.yaml", 1, 3, "odd", "\tx y"}), "t.yaml:1:3: error: odd\n    \tx y\n    \t ^\n");
}

TEST(Diagnostic, LineZeroIsTheWholeFile) {
    EXPECT_EQ(render({"t.yaml", 0, 0, "cannot be read", ""}), "t.yaml: error: cannot be read\n");
}

TEST(Diagnostic, SendsNothingOfTheInputRawToATerminal) {
    EXPECT_EQ(render({"\x1b]0;t\x07", 1, 3, "the tag \x1b[2J\nx means nothing", "a\x1b\xFF b\xE2\x80\xAE"}),
              "?]0;t?:1:3: error: the tag \\x1b[2J\\nx means nothing\n    a?? b?\n      ^\n");
}

std::string errors_of(const ErrorList& list) {
    try {
        list.throw_if_any();
    } catch (const InputErrors& errors) {
        return errors.what();
    }
    return "";
}

TEST(ErrorList, CutsALongLineAroundTheCaret) {
    std::string line(1'000'000, 'x');
    line.replace(499'999, 3, "ä!");
    for (const int column : {1, 50, 61, 100, 200, 500'000, 500'002, 999'990, 1'000'000, 1'000'001}) {
        ErrorList list("f");
        list.add(7, column, "wrong", line);
        std::istringstream text(errors_of(list));
        std::string head;
        std::string quoted;
        std::string caret;
        std::getline(text, head) && std::getline(text, quoted) && std::getline(text, caret);
        EXPECT_LE(quoted.size(), 180U) << column;
        EXPECT_EQ(head, "f:7:" + std::to_string(column) + ": error: wrong");
        std::size_t at = 0;  // the byte above the caret
        for (std::size_t columns = 0; at < quoted.size() && columns + 1 < caret.size(); ++columns) {
            ++at;
            while (at < quoted.size() && is_utf8_continuation(quoted[at])) ++at;
        }
        const std::string above = quoted.substr(at, 1);
        EXPECT_EQ(above, column > 1'000'000  ? ""
                         : column == 500'002 ? "!"
                         : column == 500'000 ? "\xC3"
                                             : "x")
            << column;
        EXPECT_EQ(quoted.substr(4, 3) == "…", column > 61) << column;
        EXPECT_EQ(quoted.ends_with("…"), column < 999'900) << column;
    }
}

TEST(ErrorList, StopsReadingWhereThereAreTooMany) {
    ErrorList list("f");
    std::size_t added = 0;
    EXPECT_THROW(for (;; ++added) list.add(1, 1, "wrong", "x"), InputErrors);
    EXPECT_EQ(added, most_shown_errors + most_counted_errors - 1);
    EXPECT_TRUE(errors_of(list).ends_with("… and 100000 more errors; reading ended there\n"));
}

TEST(InputErrors, ShowsTheFirstAndCountsTheOthers) {
    EXPECT_EQ(std::string(InputErrors({{"f", 0, 0, "one", ""}}).what()), "f: error: one\n");
    EXPECT_EQ(std::string(InputErrors({{"f", 0, 0, "one", ""}}, 1).what()), "f: error: one\n… and 1 more error\n");
    const InputErrors many(std::vector<Diagnostic>(30, {"f", 0, 0, "one", ""}), 5);
    EXPECT_EQ(many.diagnostics().size(), most_shown_errors);
    EXPECT_EQ(many.more(), 15U);
}

using Place = std::pair<int, int>;

RC_GTEST_PROP(ErrorList, KeepsThoseThatStandFirstAndCountsAll, ()) {
    const auto places =
        *rc::gen::container<std::vector<Place>>(rc::gen::pair(rc::gen::inRange(0, 30), rc::gen::inRange(1, 5)));
    ErrorList list("f");
    for (std::size_t i = 0; i < places.size(); ++i) {
        list.add(places[i].first, places[i].second, std::to_string(i), "line");
    }
    RC_ASSERT(list.empty() == places.empty());
    if (places.empty()) return;
    std::vector<std::size_t> sorted(places.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) sorted[i] = i;
    std::stable_sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return places[a] < places[b]; });
    try {
        list.throw_if_any();
        RC_FAIL("throws");
    } catch (const InputErrors& errors) {
        const std::size_t shown = std::min(places.size(), most_shown_errors);
        RC_ASSERT(errors.diagnostics().size() == shown);
        RC_ASSERT(errors.more() == places.size() - shown);
        for (std::size_t i = 0; i < shown; ++i) {
            RC_ASSERT(Place(errors.diagnostics()[i].line, errors.diagnostics()[i].column) == places[sorted[i]]);
        }
    }
}

}  // namespace
}  // namespace bcastgen
