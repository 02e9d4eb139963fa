// The parts of the measuring program that need no MPI.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tuner/measure/program_sources.hpp"
#include "tuner/program/content.hpp"
#include "tuner/program/plan.hpp"
#include "tuner/program/random.hpp"

namespace bcastgen {
namespace {

TEST(MeasurePlan, IsReadAsWritten) {
    MeasurePlan plan;
    plan.root = 5;
    plan.peer = 3;
    plan.repetitions = 7;
    plan.warm_ups = 2;
    plan.seed = 18446744073709551615U;
    plan.native = "openmpi";
    plan.arrival = {ArrivalPattern::Kind::late, 0.1, 1.0 / 3};
    plan.sends = {1'700, 80'600, 1, 900};
    plan.cases = {{"linear", 8192, 1048576}, {"smpi:NTSL_Isend", 0, std::size_t{1} << 33}};
    MeasurePlan read;
    ASSERT_TRUE(read_measure_plan(write_measure_plan(plan), read));
    EXPECT_EQ(write_measure_plan(read), write_measure_plan(plan));
    EXPECT_EQ(read.cases, plan.cases);
    EXPECT_EQ(read.arrival.most_if, 1.0 / 3);
    EXPECT_EQ(read.seed, plan.seed);
}

TEST(MeasurePlan, RefusesOtherText) {
    MeasurePlan plan;
    for (const char* text : {"nonsense", "root", "root x", "case linear 1", "root 1\ncase\n"}) {
        EXPECT_FALSE(read_measure_plan(text, plan)) << text;
    }
}

TEST(Content, SeesEveryWrongByte) {
    for (const std::size_t bytes : {1U, 7U, 8U, 9U, 64U, 1001U}) {
        std::vector<char> buffer(bytes);
        const Content content(42);
        content.write(buffer.data(), bytes);
        EXPECT_TRUE(content.matches(buffer.data(), bytes));
        for (std::size_t i = 0; i < bytes; ++i) {
            buffer[i] = static_cast<char>(buffer[i] ^ 1);
            EXPECT_FALSE(content.matches(buffer.data(), bytes)) << i << " of " << bytes;
            buffer[i] = static_cast<char>(buffer[i] ^ 1);
        }
    }
}

TEST(Content, IsFreshInEveryRepetitionAndEverywhere) {
    std::vector<char> before(8000);
    std::vector<char> after(8000);
    for (std::uint64_t seed = 1; seed < 50; ++seed) {
        Content(seed).write(before.data(), before.size());
        Content(seed + 1).write(after.data(), after.size());
        for (std::size_t word = 0; word < before.size(); word += 8) {
            EXPECT_FALSE(std::equal(&before[word], &before[word] + 8, &after[word]));
            // A segment in the place of another is seen, even one of the repetition before.
            for (const std::size_t shift : {8U, 64U, 4096U}) {
                if (word + shift >= before.size()) continue;
                EXPECT_FALSE(std::equal(&before[word], &before[word] + 8, &before[word + shift]));
                EXPECT_FALSE(std::equal(&before[word], &before[word] + 8, &after[word + shift]));
            }
        }
    }
}

TEST(Random, ShufflesAndRepeats) {
    std::vector<int> items(100);
    std::iota(items.begin(), items.end(), 0);
    std::vector<int> first = items;
    std::vector<int> again = items;
    std::vector<int> other = items;
    shuffle(first, Random(1));
    shuffle(again, Random(1));
    shuffle(other, Random(2));
    EXPECT_EQ(first, again);
    EXPECT_NE(first, items);
    EXPECT_NE(first, other);
    EXPECT_TRUE(std::is_permutation(first.begin(), first.end(), items.begin()));
}

TEST(Random, FractionsFillTheUnitInterval) {
    Random random(3);
    std::vector<int> tenths(10, 0);
    for (int i = 0; i < 10000; ++i) {
        const double fraction = random.fraction();
        ASSERT_GE(fraction, 0);
        ASSERT_LT(fraction, 1);
        ++tenths[static_cast<std::size_t>(fraction * 10)];
    }
    for (const int count : tenths) EXPECT_NEAR(count, 1000, 200);
}

TEST(ProgramSources, AreCarriedWhole) {
    std::vector<std::string_view> names;
    for (const EmbeddedFile& source : program_sources()) {
        names.push_back(source.name);
        EXPECT_TRUE(source.text.starts_with("//") || source.text.starts_with("#include")) << source.name;
        EXPECT_EQ(source.text.back(), '\n') << source.name;
    }
    EXPECT_NE(std::find(names.begin(), names.end(), "tuner/program/main.cpp"), names.end());
    EXPECT_NE(std::find(names.begin(), names.end(), "tuner/program/plan.hpp"), names.end());
    EXPECT_NE(std::find(names.begin(), names.end(), "bench/programs/opponents/opponents.hpp"), names.end());
}

}  // namespace
}  // namespace bcastgen
