#include "base/names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bcastgen {
namespace {

TEST(Names, SafeOnesStayThemselvesEverywhere) {
    for (const char* name : {"n0", "0", "node-1.example.org", "a_b", "N"}) EXPECT_TRUE(is_safe_name(name)) << name;
    for (const char* name : {"", "-n", ".n", "..", "_n", "a b", "a/b", "a\\b", "a\"b", "a'b", "a\nb", "a$b", "a;b",
                             "a`b", "a*b", "a,b", "a[1]", "ä", "a\x7f"}) {
        EXPECT_FALSE(is_safe_name(name)) << name;
    }
    EXPECT_FALSE(is_safe_name(std::string("a\0b", 3)));
    EXPECT_TRUE(is_safe_name(std::string(255, 'x')));
    EXPECT_FALSE(is_safe_name(std::string(256, 'x')));
}

TEST(Names, LibrariesStartWithALetterAndHaveNoDots) {
    EXPECT_TRUE(is_library_name("fsu-5"));
    EXPECT_TRUE(is_library_name("A_b-c9"));
    EXPECT_FALSE(is_library_name("5fsu"));
    EXPECT_FALSE(is_library_name("a.b"));
    EXPECT_FALSE(is_library_name(""));
    EXPECT_TRUE(is_library_name(std::string(64, 'x')));
    EXPECT_FALSE(is_library_name(std::string(65, 'x')));
}

TEST(Names, QuotesShowNoControlCharacters) {
    EXPECT_EQ(in_quotes("a\"b\\c\n\t\x1b\x7f"), R"("a\"b\\c\n\t\x1b\x7f")");
    EXPECT_EQ(in_quotes("größe"), "\"größe\"");
    const std::string row(59, 'x');
    EXPECT_EQ(in_quotes(row + "éy"), "\"" + row + "é…\"");
}

TEST(Names, SuggestsSlipsOfTheFinger) {
    const std::vector<std::string> keys{"between", "bandwidth", "latency", "cables"};
    EXPECT_EQ(closest_name("bandwith", keys), "bandwidth");
    EXPECT_EQ(closest_name("Bandwidth", keys), "bandwidth");
    EXPECT_EQ(closest_name("latnecy", keys), "latency");
    EXPECT_EQ(closest_name("cable", keys), "cables");
    EXPECT_EQ(closest_name("speed", keys), std::nullopt);
    EXPECT_EQ(closest_name("", keys), std::nullopt);
    EXPECT_EQ(did_you_mean("betwen", keys), "; did you mean between?");
    EXPECT_EQ(did_you_mean("speed", keys), "");
}

TEST(Names, SuggestsNoOtherNumber) {
    const std::vector<std::string> machines{"node1", "node2", "node33"};
    EXPECT_EQ(closest_name("node3", machines), std::nullopt);
    EXPECT_EQ(closest_name("nod2", machines), "node2");
    const std::vector<std::string> padded{"n001", "n017", "rack00"};
    EXPECT_EQ(closest_name("n17", padded), "n017");
    EXPECT_EQ(closest_name("n0017", padded), "n017");
    EXPECT_EQ(closest_name("N1", padded), "n001");
    EXPECT_EQ(closest_name("rack0", padded), "rack00");
    EXPECT_EQ(closest_name("n7", padded), std::nullopt);
    EXPECT_EQ(closest_name("nodd33", machines), "node33");
}

TEST(Names, StandInTheOrderOfTheirNumbers) {
    EXPECT_TRUE(name_before("n2", "n10"));
    EXPECT_FALSE(name_before("n10", "n2"));
    EXPECT_TRUE(name_before("n1", "n01") != name_before("n01", "n1"));
}

TEST(Names, ShellsTakeWordsAsTheyAre) {
    EXPECT_EQ(shell_word("n-0.a_b/c,d:e=f+g"), "n-0.a_b/c,d:e=f+g");
    EXPECT_EQ(shell_word(""), "''");
    EXPECT_EQ(shell_word("n[0-3]"), "'n[0-3]'");
    EXPECT_EQ(shell_word("it's $HOME\n"), "'it'\\''s $HOME\n'");
}

}  // namespace
}  // namespace bcastgen
