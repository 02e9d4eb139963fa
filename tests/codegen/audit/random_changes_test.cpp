// The audit against chance: of many changes none that matters passes, and all others do. A longer run by hand:
// BCASTGEN_CHANGES=1000 build/audit_tests --gtest_filter=RandomChanges.*
#include "tests/codegen/audit/random_changes.hpp"

#include <gtest/gtest.h>

namespace bcastgen {
namespace {

using testing::Change;
using testing::number_of_changes;
using testing::SampleDirectory;

TEST(RandomChanges, ThatMatterAreRefused) {
    std::mt19937 random(20240607);
    const testing::Sample sample = testing::small_sample();
    const int count = number_of_changes(30);
    int refused = 0;
    for (int number = 0; number < count; ++number) {
        const SampleDirectory library(sample);
        const Change change = testing::change_meaning(library, random);
        const std::string said = library.audited();
        if (said.find("error: ") != std::string::npos) {
            ++refused;
        } else {
            ADD_FAILURE() << change << " passed";
        }
    }
    RecordProperty("refused", refused);
    std::printf("%d of %d changes that matter were refused\n", refused, count);
}

TEST(RandomChanges, ThatDoNotMatterPass) {
    std::mt19937 random(20240608);
    const testing::Sample sample = testing::small_sample();
    const std::string clean = SampleDirectory(sample).audited();
    const int count = number_of_changes(10);
    int passed = 0;
    for (int number = 0; number < count; ++number) {
        const SampleDirectory library(sample);
        std::string changes;
        for (unsigned more = 0; more < 1 + random() % 4; ++more)
            changes += testing::change_nothing(library, random) + "\n";
        const std::string said = library.audited();
        EXPECT_EQ(said, clean) << changes;
        passed += said == clean ? 1 : 0;
    }
    std::printf("%d of %d changes that do not matter passed\n", passed, count);
}

}  // namespace
}  // namespace bcastgen
