#include "planner/plan/plan_options.hpp"

#include <gtest/gtest.h>

#include "base/diagnostic.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

/// m0 … m9 on one switch, or m0 … m1999.
Network machines(int count) {
    return testing::make_network(1, {}, std::vector<int>(static_cast<std::size_t>(count), 0));
}

TEST(PlanOptions, DefaultsToTheBinaryTreeOfAllMachinesFromTheFirst) {
    const PlanRequest request = plan_request(machines(10), {});
    EXPECT_EQ(request.tree, bcast::Algorithm::binary);
    EXPECT_EQ(request.builder, Builder::fast);
    EXPECT_EQ(request.radix, 2);
    EXPECT_EQ(request.root, 0);
    EXPECT_TRUE(request.machines.empty());
}

TEST(PlanOptions, TakesMachinesAndRootByName) {
    PlanOptions options;
    options.tree = bcast::Algorithm::kary3;
    options.machines = "m[7,2-4]";
    EXPECT_EQ(plan_request(machines(10), options).machines, (std::vector<int>{7, 2, 3, 4}));
    EXPECT_EQ(plan_request(machines(10), options).root, 7);
    EXPECT_EQ(plan_request(machines(10), options).radix, 3);
    options.root = "m3";
    options.radix = 5;
    EXPECT_EQ(plan_request(machines(10), options).root, 3);
    EXPECT_EQ(plan_request(machines(10), options).radix, 5);
}

TEST(PlanOptions, TakesPartitionsAmongMachines) {
    Network network = machines(10);
    network.partitions = {{"batch", {5, 6, 7}}, {"m2", {9}}};
    PlanOptions options;
    options.machines = "m1,batch,m2";  // a machine of that name goes first
    EXPECT_EQ(plan_request(network, options).machines, (std::vector<int>{1, 5, 6, 7, 2}));
    for (const auto& [wrong, message] :
         {std::pair{"batch,m6", "--machines: error: machine m6 is listed twice\n"},
          {"bath", "--machines: error: no machine \"bath\" in test; did you mean batch?\n"}}) {
        options.machines = wrong;
        try {
            (void)plan_request(network, options);
            ADD_FAILURE() << wrong;
        } catch (const InputErrors& errors) {
            EXPECT_EQ(errors.what(), std::string(message));
        }
    }
}

struct Bad {
    PlanOptions options;
    std::string message;
};

TEST(PlanOptions, SaysEverythingThatIsWrong) {
    const auto fast = Builder::fast;
    const std::vector<Bad> bad_rows{
        {{bcast::Algorithm::binary, fast, {}, "M3", ""},
         "--root: error: no machine \"M3\" in test; did you mean m3?\n"},
        {{bcast::Algorithm::binary, fast, {}, "m3", "m[4-6]"},
         "--root: error: m3 is not among the machines that take part, m[4-6]; add it to --machines or choose another "
         "root\n"},
        {{bcast::Algorithm::binary, fast, {}, "m4", "m[4-6,5]"}, "--machines: error: machine m5 is listed twice\n"},
        {{bcast::Algorithm::binary, fast, {}, "", "m[4-"},
         "--machines:1:5: error: a number is missing here\n    m[4-\n        ^\n"},
        {{bcast::Algorithm::linear, fast, 3, "", ""}, "--radix: error: goes with --tree kary only, not with linear\n"},
        {{bcast::Algorithm::kary3, fast, 0, "", ""}, "--radix: error: a machine sends to at least 1 other, not to 0\n"},
        {{bcast::Algorithm::kary3, fast, -4, "x", "m1,x"},
         "--machines: error: no machine \"x\" in test\n--root: error: no machine \"x\" in test\n"
         "--radix: error: a machine sends to at least 1 other, not to -4\n"},
    };
    for (const Bad& row : bad_rows) {
        try {
            (void)plan_request(machines(10), row.options);
            ADD_FAILURE() << "accepted; expected " << row.message;
        } catch (const InputErrors& errors) {
            EXPECT_EQ(errors.what(), row.message);
        }
    }
}

TEST(PlanOptions, RefusesThePapersAlgorithmForTooManyMachinesOfADynamicProgramme) {
    PlanOptions options;
    options.builder = Builder::paper;
    EXPECT_THROW((void)plan_request(machines(2000), options), InputErrors);
    options.machines = "m[0-99]";
    EXPECT_NO_THROW((void)plan_request(machines(2000), options));
    options.machines.clear();
    options.tree = bcast::Algorithm::linear;
    EXPECT_NO_THROW((void)plan_request(machines(2000), options));
}

}  // namespace
}  // namespace bcastgen
