// Schedules against the model that goes through everything one by one, and by hand.
#include "planner/price/tree_schedule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "bcast/facts/tree_builders.hpp"
#include "tests/models/random_network.hpp"
#include "tests/models/sites.hpp"
#include "tests/models/stream_model.hpp"

namespace bcastgen {
namespace {

constexpr double link_Bps = 12.5e6;
constexpr double latency_s = 20e-6;

/// A network of equal links, and what is charged on it: nothing but the links.
struct Plain {
    explicit Plain(Network made)
        : network(std::move(made)), costs{std::vector<Software>(network.machines.size()), 0, Framing::none, true} {
        std::vector<int> machines;
        for (std::size_t m = 0; m < network.machines.size(); ++m) machines.push_back(static_cast<int>(m));
        order = bcast::depth_first_order(layout_of(network), machines, 0);
    }
    Network network;
    MessageCosts costs;
    bcast::Order order;
};

Network one_switch(int machines) {
    return testing::make_network(1, {}, std::vector<int>(static_cast<std::size_t>(machines), 0));
}

TEST(TreeSchedule, OfAChainIsItsHopsAndThenASegmentAtATime) {
    const Plain plain(one_switch(4));
    const Wires wires(plain.network, plain.order, plain.costs);
    const bcast::Tree chain = bcast::linear_tree(4);
    Window window;
    window.to_one_child = window.to_all = 4;
    const std::vector<TreeStream> streams{{&chain, segments_of(10 * 1000, 1000, 1), window}};
    const double segment_s = 1000 / link_Bps;
    for (const Sharing sharing : {Sharing::in_order, Sharing::fair}) {
        const TreeSchedule schedule = schedule_trees(wires, streams, sharing);
        EXPECT_NEAR(schedule.first_s, 3 * (segment_s + 2 * latency_s), 1e-12);
        // The second begins once the first says how many follow; from then on ports are busy.
        const TreeSchedule of_two = schedule_trees(wires, streams, sharing, 2);
        EXPECT_NEAR(schedule.end_s, of_two.end_s + 8 * segment_s, 1e-12);
    }
}

// A receiver has room for the second segment once it has the first; the sender hears of that only a way later.
TEST(TreeSchedule, MoreFollowTheFirstSegmentBeforeItIsKnownToHaveArrived) {
    Plain plain(one_switch(3));
    plain.costs.in_turn = true;
    plain.costs.software.assign(3, {1e-3, 0, 0, 0, 0});
    const Wires wires(plain.network, plain.order, plain.costs);
    const bcast::Tree flat = bcast::flat_tree(3);
    Window window;
    window.to_one_child = 2;
    window.to_all = 1;
    window.uncounted = 1;
    const auto ends_s = [&](bool more_follow) {
        window.more_follow = more_follow;
        return schedule_trees(wires, {{&flat, segments_of(20, 10, 1), window}}, Sharing::fair).end_s;
    };
    const double way_s = 10 / link_Bps + 2 * latency_s;
    // Four sends of 1 ms, one after the other: the window of one does not hold for what follows uncounted.
    EXPECT_NEAR(ends_s(true), 4e-3 + way_s, 1e-12);
    // The first two; then the third, and only once that has arrived the fourth.
    EXPECT_NEAR(ends_s(false), 2e-3 + 2 * (1e-3 + way_s), 1e-12);
}

TEST(TreeSchedule, ChargesSoftwareForEveryMessage) {
    Plain plain(one_switch(3));
    plain.costs.software.assign(3, {1e-3, 2e-3, 1e-6, 0, 0});
    const Wires wires(plain.network, plain.order, plain.costs);
    const bcast::Tree flat = bcast::flat_tree(3);
    const std::vector<TreeStream> streams{{&flat, segments_of(1000, 0, 1), Window{}}};
    // Both ends spend 1 ms on 1000 bytes, besides 1 ms for a send and 2 ms for a receive. The second send waits for the
    // first message to be there, its sender's processor being free long since.
    const double message_s = 1000 / link_Bps + 2 * latency_s;
    for (const Sharing sharing : {Sharing::in_order, Sharing::fair}) {
        EXPECT_NEAR(schedule_trees(wires, streams, sharing).end_s, 2 * (2e-3 + message_s) + 3e-3, 1e-12);
    }
}

TEST(TreeSchedule, MessagesOfOnePortGoOneAfterTheOtherOrSideBySide) {
    Plain plain(one_switch(3));
    const bcast::Tree flat = bcast::flat_tree(3);
    Window window;
    window.to_all = 2;
    const std::vector<TreeStream> streams{{&flat, segments_of(1000, 0, 1), window}};
    const double wire_s = 1000 / link_Bps;
    // Whole, both are there after two messages' time, but where they take turns the first one is there after one.
    for (const bool in_turn : {false, true}) {
        plain.costs.in_turn = in_turn;
        const Wires wires(plain.network, plain.order, plain.costs);
        EXPECT_NEAR(schedule_trees(wires, streams, Sharing::fair).end_s, 2 * wire_s + 2 * latency_s, 1e-12);
    }
    const bcast::Tree fork = bcast::tree_of_children({{1, 2}, {3}, {}, {}});
    Plain four(one_switch(4));
    const std::vector<TreeStream> further{{&fork, segments_of(1000, 0, 1), window}};
    for (const bool in_turn : {false, true}) {
        four.costs.in_turn = in_turn;
        const Wires wires(four.network, four.order, four.costs);
        EXPECT_NEAR(schedule_trees(wires, further, Sharing::fair).end_s, (in_turn ? 2 : 3) * wire_s + 4 * latency_s,
                    1e-12);
    }
}

// Each link takes 20 us, a message 80 us of a port. The one with a trunk on its way begins to cross the port 20 us
// after the other and has two fifths of it then.
TEST(TreeSchedule, InStepsTheLastOfTogetherIsWaitedFor) {
    const auto end_us = [](const std::vector<int>& children, bool in_steps) {
        std::vector<int> switches(children.size(), 0);
        switches.push_back(1);  // the last machine's
        const Plain plain(testing::make_network(2, {{0, 1}}, switches));
        const Wires wires(plain.network, plain.order, plain.costs);
        std::vector<std::vector<int>> lists(switches.size());
        lists[0] = children;
        const bcast::Tree tree = bcast::tree_of_children(std::move(lists));
        const bcast::SegmentLengths whole = segments_of(1000, 0, 1);
        const Window window = window_of(whole, true, {1000, 500}, 1, bcast::Hop(), {2, in_steps});
        return 1e6 * schedule_trees(wires, {{&tree, whole, window}}, Sharing::fair).end_s;
    };
    // There at 160 and 200. The next two begin both at 200, or one at 160, which crosses from 200 on.
    EXPECT_NEAR(end_us({1, 4, 2, 3}, true), 200 + 40 + 160, 1e-6);
    EXPECT_NEAR(end_us({1, 4, 2, 3}, false), 200 + 160, 1e-6);
    // Of three one goes alone, the first; or the last.
    EXPECT_NEAR(end_us({1, 3, 2}, true), 120 + 200, 1e-6);
    EXPECT_NEAR(end_us({1, 3, 2}, false), 200 + 80, 1e-6);
}

/// Links of all sorts, so that no two things happen at the same moment by chance.
Network uneven_network(std::mt19937& random) {
    std::uniform_real_distribution<double> factor(0.5, 2.0);
    const int machines = std::uniform_int_distribution<int>(2, 14)(random);
    const int switches = std::uniform_int_distribution<int>(1, 5)(random);
    const auto shape = static_cast<testing::Shape>(
        std::uniform_int_distribution<int>(0, static_cast<int>(testing::Shape::count) - 1)(random));
    Network network = testing::random_network(machines, switches, shape, false, random);
    const auto change = [&](LinkSpeed& speed) {
        speed.bandwidth_Bps *= factor(random);
        speed.latency_s *= factor(random);
    };
    for (Machine& machine : network.machines) change(machine.port);
    for (Trunk& trunk : network.trunks) change(trunk.speed);
    return network;
}

RC_GTEST_PROP(TreeSchedule, IsNearlyTheModels, ()) {
    std::mt19937 random(*rc::gen::arbitrary<unsigned>());
    Plain plain(uneven_network(random));
    plain.costs.in_turn = *rc::gen::arbitrary<bool>();
    const auto framing = *rc::gen::element(Framing::none, Framing::sockets, Framing::simulated);
    plain.costs.framing = plain.costs.in_turn ? Framing::none : framing;
    plain.costs.envelope_bytes = *rc::gen::element(0.0, 16.0);
    // A sender that may go on and a receiver that has room do not hand over at the same moment either: ports that send
    // in turn go by who was first.
    const double least_s = plain.costs.in_turn ? 1e-6 : 0.0;
    const double busy_s = *rc::gen::element(least_s, 1e-5, 1e-4, 1e-3);
    std::uniform_real_distribution<double> factor(0.9, 1.1);
    for (Software& software : plain.costs.software) {
        software = {busy_s * factor(random), busy_s * factor(random), busy_s * 1e-4, 0, 0};
    }
    const auto algorithm = *rc::gen::element(bcast::Algorithm::linear, bcast::Algorithm::binary,
                                             bcast::Algorithm::two_tree, bcast::Algorithm::binomial);
    const bcast::Layout layout = layout_of(plain.network);
    const std::vector<bcast::Tree> trees =
        bcast::build_trees(algorithm, {layout, plain.order, bcast::row_of(algorithm).children, 256});
    const Wires wires(plain.network, plain.order, plain.costs);
    Window window;
    window.to_one_child = *rc::gen::inRange(1, 5);
    window.to_all = *rc::gen::inRange(1, 5);
    window.more_to_far = *rc::gen::inRange(0, 2);
    const auto segments = *rc::gen::inRange<std::size_t>(1, 12);
    window.uncounted = segments > 1 ? *rc::gen::inRange(0, 2) : 0;
    window.sure = *rc::gen::inRange<std::int64_t>(1, 6);
    const auto segment_bytes = *rc::gen::inRange<std::size_t>(100, 20000);
    bcast::SegmentLengths cut = segments_of(segments * segment_bytes - 7, segment_bytes, 2);
    if (*rc::gen::inRange(0, 3) == 0) {  // in one piece, which is too long to go at once
        cut = segments_of(most_first_bytes + segment_bytes, 0, 2);
        window.one_by_one = true;
        window.to_one_child = 1;
        window.uncounted = 0;
    }
    std::vector<TreeStream> streams;
    for (const bcast::Tree& tree : trees) streams.push_back({&tree, cut, window});
    const double modelled_s = testing::modelled_end_s(wires, streams);
    const double scheduled_s = schedule_trees(wires, streams, Sharing::fair).end_s;
    RC_LOG() << bcast::name_of(algorithm) << ' ' << cut.count << " x " << segment_bytes << ": " << scheduled_s << ' '
             << modelled_s;
    // Rates settle by rounds, which come near the fair ones.
    RC_ASSERT(std::abs(scheduled_s - modelled_s) <= 0.02 * modelled_s);
}

}  // namespace
}  // namespace bcastgen
