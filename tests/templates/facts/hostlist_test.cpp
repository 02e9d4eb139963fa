#include "bcast/facts/hostlist.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "base/hostlist.hpp"

namespace bcast {
namespace {

using Names = std::vector<std::string>;

TEST(LibraryHostlist, SaysWhatIsWrong) {
    const std::pair<const char*, const char*> rows[] = {
        {"", "a name is missing"},
        {"n0,", "a name is missing"},
        {"n0,,n1", "a name is missing"},
        {"n0 n1", "names are separated by commas"},
        {"n[0-3", "a [ that is never closed"},
        {"n[", "a number is missing between brackets"},
        {"n[a]", "a number is missing between brackets"},
        {"n[1;2]", "between brackets stand numbers, - and ,"},
        {"n]", "a ] that closes nothing"},
        {"n[3-1]", "3-1 runs backwards"},
        {"n[1-010]", "the ends of a zero-padded range have one width"},
        {"n[0-1000000]", "more than 1000000 names"},
        {"n[0-999][0-999][0-1]", "more than 1000000 names"},
        {"n[0-999999],n", "more than 1000000 names"},
        {"n[1234567890123456789]", "a number of more than 18 digits"},
    };
    for (const auto& [text, wrong] : rows) {
        Names names;
        EXPECT_EQ(read_hostlist(text, names), wrong) << text;
    }
}

rc::Gen<std::string> one_of(std::vector<std::string> parts) {
    return rc::gen::elementOf(std::move(parts));
}

/// Items such as "rack[1-2]n07.site", between commas and blanks.
rc::Gen<std::string> hostlists() {
    const auto item = rc::gen::map(
        rc::gen::tuple(one_of({"n", "rack", "0n"}), one_of({"", "[1-3]", "[08-11,3]", "[7]", "12"}),
                       one_of({"", "-a", ".site.org", "n[0-1]", "n[099-101].x"}), one_of({",", ", ", " ,", "\t,"})),
        [](const std::tuple<std::string, std::string, std::string, std::string>& parts) {
            return std::get<0>(parts) + std::get<1>(parts) + std::get<2>(parts) + std::get<3>(parts);
        });
    return rc::gen::map(rc::gen::container<Names>(item), [](const Names& items) {
        std::string text;
        for (const std::string& next : items) text += next;
        return text + " last ";
    });
}

RC_GTEST_PROP(LibraryHostlist, ReadsWhatTopologyFilesMayHave, ()) {
    const std::string text = *hostlists();
    Names names;
    RC_ASSERT(read_hostlist(text.c_str(), names) == "");
    RC_ASSERT(names == bcastgen::expand_hostlist(text));
}

}  // namespace
}  // namespace bcast
