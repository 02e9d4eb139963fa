#include "bcast/facts/settings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "bcast/facts/setting_names.hpp"

namespace bcast {
namespace {

std::map<std::string, std::string>& variables() {
    static std::map<std::string, std::string> all;
    return all;
}

std::set<std::string>& asked() {
    static std::set<std::string> names;
    return names;
}

const char* look(const char* name) {
    asked().insert(name);
    const auto found = variables().find(name);
    return found == variables().end() ? nullptr : found->second.c_str();
}

Environment with(std::map<std::string, std::string> settings) {
    variables() = std::move(settings);
    return read_environment(look);
}

TEST(Settings, AllThatAreReadHaveNames) {
    asked().clear();
    with({});
    std::set<std::string> named;
    for (const Setting& row : setting_rows) named.insert(row.name);
    EXPECT_EQ(asked(), named);
}

TEST(Settings, EmptyIsUnset) {
    for (const Setting& row : setting_rows) {
        const char* const name = row.name;
        const Environment environment = with({{name, ""}});
        EXPECT_TRUE(environment.complaints.empty()) << environment.complaints.front();
        EXPECT_EQ(digest(environment), digest(with({}))) << name;
        EXPECT_EQ(forced_settings(environment), "") << name;
    }
}

TEST(Settings, WhatCannotBeObeyedIsSaid) {
    const std::pair<std::map<std::string, std::string>, std::vector<std::string>> rows[] = {
        {{{"BCASTGEN_IN_FLIGHT", "64"}}, {}},
        {{{"BCASTGEN_IN_FLIGHT", "65"}}, {"BCASTGEN_IN_FLIGHT=65 is not 1 to 64; ignored"}},
        {{{"BCASTGEN_IN_FLIGHT", "3x"}}, {"BCASTGEN_IN_FLIGHT=3x is not 1 to 64; ignored"}},
        {{{"BCASTGEN_IN_FLIGHT", "-1"}}, {"BCASTGEN_IN_FLIGHT=-1 is not 1 to 64; ignored"}},
        {{{"BCASTGEN_HAND_ON", "window"}}, {}},
        {{{"BCASTGEN_HAND_ON", "windows"}}, {"BCASTGEN_HAND_ON=windows is none of messages, window, native; ignored"}},
        {{{"BCASTGEN_HAND_ON", "native"}, {"BCASTGEN_ALGORITHM", "scatter-ring"}},
         {"BCASTGEN_HAND_ON has no effect: BCASTGEN_ALGORITHM=scatter-ring"}},
        {{{"BCASTGEN_DISABLE", "yes"}}, {}},
        {{{"BCASTGEN_DISABLE", "2"}}, {"BCASTGEN_DISABLE=2 is none of 0, 1, no, yes, false, true, off, on; ignored"}},
        {{{"BCASTGEN_MACHINES", "n[1-4],n7"}}, {}},
        {{{"BCASTGEN_MACHINES", "n[1-4"}},
         {"BCASTGEN_MACHINES=n[1-4 is no list of machines: a [ that is never closed; ignored"}},
        {{{"BCASTGEN_ALGORITHM", "linear"}, {"BCASTGEN_SEGMENT", "8K"}}, {}},
        {{{"BCASTGEN_ALGORITHM", "native"}, {"BCASTGEN_SEGMENT", "8K"}},
         {"BCASTGEN_SEGMENT has no effect: BCASTGEN_ALGORITHM=native leaves all to the MPI"}},
        {{{"BCASTGEN_ALGORITHM", "multicast"}, {"BCASTGEN_MULTICAST", "try"}, {"BCASTGEN_SEGMENT", "8K"}}, {}},
        {{{"BCASTGEN_ALGORITHM", "binary"}, {"BCASTGEN_MULTICAST", "try"}, {"BCASTGEN_ARRIVAL", "auto"}},
         {"BCASTGEN_ARRIVAL has no effect: BCASTGEN_ALGORITHM=binary",
          "BCASTGEN_MULTICAST=try has no effect: BCASTGEN_ALGORITHM=binary"}},
        {{{"BCASTGEN_ALGORITHM", "binary"}, {"BCASTGEN_ARRIVAL", "auto"}, {"BCASTGEN_DISABLE", "1"}}, {}},
    };
    for (const auto& [settings, complaints] : rows) EXPECT_EQ(with(settings).complaints, complaints);
}

TEST(Settings, SwitchesAreReadInEverySpelling) {
    for (const char* yes : {"1", "yes", "true", "on"}) EXPECT_TRUE(with({{"BCASTGEN_DISABLE", yes}}).disable) << yes;
    for (const char* no : {"0", "no", "false", "off", ""}) EXPECT_FALSE(with({{"BCASTGEN_DISABLE", no}}).disable) << no;
}

TEST(Settings, NearestNamesAreOffered) {
    const std::pair<const char*, const char*> rows[] = {
        {"BCASTGEN_ALGORITM", "BCASTGEN_ALGORITHM"},
        {"BCASTGEN_ALGO", "BCASTGEN_ALGORITHM"},
        {"BCASTGEN_SEGMENTS", "BCASTGEN_SEGMENT"},
        {"bcastgen_trace", "BCASTGEN_TRACE"},
        {"BCASTGEN_INFLIGHT", "BCASTGEN_IN_FLIGHT"},
        {"BCASTGENVERBOSE", "BCASTGEN_VERBOSE"},
        {"BCASTGEN_MULTICAST_GROUP", "BCASTGEN_MULTICAST_GROUPS"},
    };
    for (const auto& [name, nearest] : rows) EXPECT_STREQ(nearest_setting(name), nearest);
}

TEST(Settings, UnknownOnesAreFoundInTheWholeEnvironment) {
    const char* const environment[] = {"PATH=/bin", "BCASTGEN_TRACE=/tmp/t", "BCASTGEN_TRACES=1", "BCASTGEN_MPI=mpich",
                                       "BCASTGEN",  "bcastgen_disable=1",    "ABCASTGEN_TRACE=1", "BCASTGE=1",
                                       nullptr};
    EXPECT_EQ(
        unknown_settings(environment),
        (std::vector<std::string>{"BCASTGEN_TRACES is no setting; the nearest is BCASTGEN_TRACE",
                                  "BCASTGEN is no setting; the nearest is " + std::string(nearest_setting("BCASTGEN")),
                                  "bcastgen_disable is no setting; the nearest is BCASTGEN_DISABLE"}));
    EXPECT_TRUE(unknown_settings(nullptr).empty());
}

TEST(Settings, ForcedOnesAreNamed) {
    EXPECT_EQ(forced_settings(with({{"BCASTGEN_ALGORITHM", "native"}, {"BCASTGEN_VERBOSE", "1"}})), "");
    EXPECT_EQ(forced_settings(with({{"BCASTGEN_ALGORITHM", "linear"}, {"BCASTGEN_SEGMENT", "1K"}})),
              "BCASTGEN_ALGORITHM=linear, BCASTGEN_SEGMENT");
}

}  // namespace
}  // namespace bcast
