#include "base/diagnostic.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace bcastgen
