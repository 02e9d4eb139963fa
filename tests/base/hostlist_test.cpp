#include "base/hostlist.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/names.hpp"
#include "base/parse_error.hpp"

namespace bcastgen {
namespace {

using Names = std::vector<std::string>;

std::string refusal(std::string_view hostlist) {
    try {
        (void)expand_hostlist(hostlist);
    } catch (const ParseError& error) {
        return fmt::format("{}: {}", error.offset(), error.what());
    }
    return "accepted";
}

TEST(Hostlist, Expands) {
    const std::vector<std::pair<std::string, Names>> rows{
        {"", {}},
        {" ", {}},
        {"n0", {"n0"}},
        {"n[0-3,7]", {"n0", "n1", "n2", "n3", "n7"}},
        {"rack[1-2]n[01-02]", {"rack1n01", "rack1n02", "rack2n01", "rack2n02"}},
        {"login,gpu[01-02],login2", {"login", "gpu01", "gpu02", "login2"}},
        {"n[8-11]", {"n8", "n9", "n10", "n11"}},
        {"n[008-011]", {"n008", "n009", "n010", "n011"}},
        {"n[98-102]", {"n98", "n99", "n100", "n101", "n102"}},
        {"n[098-102]", {"n098", "n099", "n100", "n101", "n102"}},
        {"n[1,01,001]", {"n1", "n01", "n001"}},
        {"n[5-5]", {"n5"}},
        {"n[3,1,2]", {"n3", "n1", "n2"}},
        {"n1,n1", {"n1", "n1"}},
        {"n[1-2]-ib", {"n1-ib", "n2-ib"}},
        {"[1-2]n", {"1n", "2n"}},
        {"n[1-2][3-4]", {"n13", "n14", "n23", "n24"}},
        {"node-a.example.org, n[1-2] ,m", {"node-a.example.org", "n1", "n2", "m"}},
        {"n[999999999999999998-999999999999999999]", {"n999999999999999998", "n999999999999999999"}}};
    for (const auto& [hostlist, names] : rows) EXPECT_EQ(expand_hostlist(hostlist), names) << hostlist;
}

TEST(Hostlist, RefusesAndSaysWhere) {
    const std::string characters = "; names are letters and digits, after the first character also . _ and -";
    const std::vector<std::pair<std::string, std::string>> rows{
        {",", "0: a name is missing here"},
        {"a,,b", "2: a name is missing here"},
        {"a,b,", "4: a name is missing here"},
        {"a, ,b", "3: a name is missing here"},
        {"n[", "2: a number is missing here"},
        {"n[]", "2: a number is missing here"},
        {"n[1", "1: this [ is never closed"},
        {"n[1-", "4: a number is missing here"},
        {"n[1-]", "4: a number is missing here"},
        {"n[1,]", "4: a number is missing here"},
        {"n[-1]", "2: a number is missing here"},
        {"n[1-2-3]", "5: \"-\" between brackets; only numbers, - and , stand there"},
        {"n[1;2]", "3: \";\" between brackets; only numbers, - and , stand there"},
        {"n[[1]]", "2: a number is missing here"},
        {"n1]", "2: this ] closes nothing"},
        {"n[3-1]", "2: 3-1 runs backwards"},
        {"n[1-010]", "2: 1-010: both ends of a zero-padded range have the same width"},
        {"m,n[0-999999999]", "4: more than 1000000 names"},
        {"n[0-999]m[0-999]k[0-9]", "17: more than 1000000 names"},
        {"n[0-999999],m", "12: more than 1000000 names"},
        {"n[0-1000000]", "2: more than 1000000 names"},
        {"n[1-1234567890123456789]", "4: a number of more than 18 digits"},
        {"a b", "1: a name holds no space; commas separate names"},
        {"-n", "0: a name cannot start with \"-\"" + characters},
        {"n,../x", "2: a name cannot start with \".\"" + characters},
        {"n[1-2]/x", "6: a name cannot hold \"/\"" + characters},
        {"n$(x)", "1: a name cannot hold \"$\"" + characters},
        {"n\"", "1: a name cannot hold \"\\\"\"" + characters},
        {"n\n", "1: a name cannot hold \"\\n\"" + characters},
        {"né", "1: a name cannot hold \"é\"" + characters},
        {std::string(256, 'n'), "0: a name of more than 255 characters"},
        {std::string(255, 'n') + "[1-2]", "0: a name of more than 255 characters"}};
    for (const auto& [hostlist, message] : rows) EXPECT_EQ(refusal(hostlist), message) << hostlist;
}

TEST(Hostlist, Folds) {
    const std::vector<std::pair<Names, std::string>> rows{
        {{}, ""},
        {{"n0"}, "n0"},
        {{"n0", "n1", "n2", "n3", "n7"}, "n[0-3,7]"},
        {{"n1", "n2"}, "n[1-2]"},
        {{"n3", "n1", "n2"}, "n[3,1-2]"},
        {{"n9", "n10", "n11"}, "n[9-11]"},
        {{"n09", "n10"}, "n[09-10]"},
        {{"n9", "n010"}, "n[9,010]"},
        {{"n1", "n1"}, "n[1,1]"},
        {{"login", "n1", "m1", "m2", "n2"}, "login,n1,m[1-2],n2"},
        {{"rack1n01", "rack1n02", "rack2n01"}, "rack1n[01-02],rack2n01"},
        {{"n1-ib", "n2-ib"}, "n1-ib,n2-ib"},
        {{"n1.a.org", "n2.a.org", "n3.b.org", "n4"}, "n[1-2].a.org,n3.b.org,n4"},
        {{"10.0.0.1", "10.0.0.2"}, "10.0.0.[1-2]"},
        {{"login.a.org", "m1.ib.a.org"}, "login.a.org,m1.ib.a.org"},
        {{"7", "8"}, "[7-8]"},
        {{"n1234567890123456789", "n1234567890123456790"}, "n1234567890123456789,n1234567890123456790"}};
    for (const auto& [names, hostlist] : rows) EXPECT_EQ(fold_hostlist(names), hostlist);
}

// Names that share prefixes and paddings often enough to meet every case of folding.
rc::Gen<std::string> name_gen() {
    return rc::gen::apply(
        [](const std::string& prefix, int number, int width, const std::string& domain) {
            return fmt::format("{}{:0{}}{}", prefix, number, width, domain);
        },
        rc::gen::element<std::string>("n", "rack1n", "a-", ""), rc::gen::inRange(0, 120), rc::gen::inRange(1, 5),
        rc::gen::element<std::string>("", "", ".a.org", ".b2"));
}

RC_GTEST_PROP(Hostlist, FoldingIsUndoneByExpanding, ()) {
    const Names names = *rc::gen::container<Names>(name_gen());
    RC_ASSERT(expand_hostlist(fold_hostlist(names)) == names);
}

RC_GTEST_PROP(Hostlist, ConsecutiveNamesFoldToOneRange, ()) {
    const int first = *rc::gen::inRange(0, 2000);
    const int count = *rc::gen::inRange(2, 300);
    const int width = *rc::gen::inRange(1, 6);
    Names names;
    for (int i = first; i < first + count; ++i) names.push_back(fmt::format("n{:0{}}", i, width));
    RC_ASSERT(fold_hostlist(names) == fmt::format("n[{:0{}}-{:0{}}]", first, width, first + count - 1, width));
}

RC_GTEST_PROP(Hostlist, AnyTextIsSafeNamesOrRefusedInside, ()) {
    const auto text = *rc::gen::container<std::string>(rc::gen::elementOf(std::string("n0159[]-,, ._$/\"\n\xC3")));
    try {
        for (const std::string& name : expand_hostlist(text)) RC_ASSERT(is_safe_name(name));
    } catch (const ParseError& error) {
        RC_ASSERT(error.offset() <= text.size());
    }
}

}  // namespace
}  // namespace bcastgen
