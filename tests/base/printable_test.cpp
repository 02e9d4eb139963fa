#include "base/printable.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/utf8.hpp"

namespace bcastgen {
namespace {

using namespace std::string_literals;

TEST(Printable, WritesOutWhatATerminalWouldObey) {
    EXPECT_EQ(printable("plain – text\n\tnext\r\n"), "plain – text\n\tnext\r\n");
    EXPECT_EQ(printable("\x1b[31mred\x07"), "\\x1b[31mred\\x07");
    EXPECT_EQ(printable("a\0b"s), "a\\x00b");
    EXPECT_EQ(printable("back\rward"), "back\\x0dward");
    EXPECT_EQ(printable("\xC2\x9B 31m"), "\\u009b 31m");      // CSI in one character
    EXPECT_EQ(printable("\xE2\x80\xAE txt"), "\\u202e txt");  // right to left from here
    EXPECT_EQ(printable("\xFF\xC3"), "\\xff\\xc3");
    EXPECT_EQ(printable("\xEF\xBF\xBF"), "\\uffff");
}

TEST(Printable, SaysWhatItFound) {
    EXPECT_EQ(first_unprintable("a\tb\r\n–"), std::nullopt);
    EXPECT_EQ(first_unprintable("a\x1b"), 1U);
    EXPECT_EQ(describe_unprintable("a\x1b", 1), "control character U+001B; the file is to be plain text");
    EXPECT_EQ(describe_unprintable("\xE2\x80\xAE", 0), "invisible character U+202E; the file is to be plain text");
    EXPECT_EQ(describe_unprintable("\x80", 0), "byte 0x80 is no UTF-8 text");
}

RC_GTEST_PROP(Printable, LeavesNothingUnprintable, (const std::string& bytes)) {
    RC_ASSERT(first_unprintable(printable(bytes)) == std::nullopt);
    RC_ASSERT(first_unprintable(printable_columns(bytes)) == std::nullopt);
    RC_ASSERT(printable(printable(bytes)) == printable(bytes));
    RC_ASSERT(printable_columns(bytes).find('\n') == std::string::npos);
}

RC_GTEST_PROP(Printable, KeepsTheColumnsOfText, (const std::string& head, const std::string& tail)) {
    const std::string line = printable(head) + "\x1b" + printable(tail);
    RC_ASSERT(utf8_columns(printable_columns(line)) == utf8_columns(line));
}

}  // namespace
}  // namespace bcastgen
