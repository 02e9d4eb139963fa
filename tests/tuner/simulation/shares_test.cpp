// Links shared anew where something has changed, against all links shared from scratch.
#include "tuner/simulation/shares.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <utility>

#include "tests/models/max_min.hpp"

namespace bcastgen {
namespace {

using model::SharedLink;
using model::SharingMessage;
using simulation::Channel;
using simulation::Crossing;
using simulation::Flow;
using simulation::Hook;
using simulation::Levels;
using simulation::Policy;

/// A network of links in memory as SimGrid has it, to which messages come and from which they go.
class SharedNetwork {
  public:
    explicit SharedNetwork(const std::vector<SharedLink>& links) : channels_(links.size()) {
        for (std::size_t i = 0; i < links.size(); ++i) {
            Channel& channel = channels_[i];
            channel.capacity_Bps = links[i].capacity;
            channel.policy = links[i].fat_pipe ? Policy::fat_pipe : Policy::shared;
            channel.flows.ends = {&channel.flows.ends, &channel.flows.ends};
        }
    }

    void come(const SharingMessage& message) {
        crossings_.emplace_back(message.links.size());
        std::vector<Crossing>& crossings = crossings_.back();
        flows_.emplace_back();
        Flow& flow = flows_.back();
        flow.first = crossings.data();
        flow.end = crossings.data() + crossings.size();
        flow.penalty = message.penalty;
        flow.bound_Bps = message.bound;
        for (std::size_t i = 0; i < crossings.size(); ++i) {
            Channel& channel = channels_[static_cast<std::size_t>(message.links[i])];
            crossings[i].channel = &channel;
            crossings[i].flow = &flow;
            crossings[i].weight = message.weights[i];
            Hook& hook = crossings[i].enabled;
            hook = {channel.flows.ends.next, &channel.flows.ends};
            hook.next->previous = &hook;
            channel.flows.ends.next = &hook;
        }
        share(flow);
        simulation::set_rate(flow, simulation::limit_of(flow, nullptr));
    }

    void go(std::size_t which) {
        Flow& flow = flows_[which];
        for (Crossing* crossing = flow.first; crossing != flow.end; ++crossing) {
            crossing->enabled.previous->next = crossing->enabled.next;
            crossing->enabled.next->previous = crossing->enabled.previous;
        }
        share(flow);
    }

    [[nodiscard]] double rate(std::size_t which) const { return flows_[which].rate_Bps; }

    /// Of messages, since the last call.
    int new_rates() { return std::exchange(new_rates_, 0); }

  private:
    void share(Flow& changed) {
        for (Crossing* crossing = changed.first; crossing != changed.end; ++crossing) levels_.add(*crossing->channel);
        levels_.settle([&](Flow&) { ++new_rates_; });
    }

    std::vector<Channel> channels_;
    std::deque<std::vector<Crossing>> crossings_;
    std::deque<Flow> flows_;
    Levels levels_;
    int new_rates_ = 0;
};

/// Messages between machines in a row, one on each switch: the port out, the trunks, the port in; and 5 % of it on the
/// way back. Links: 4 for each machine, in pairs of both directions: its port, then the trunk to the next.
SharingMessage message_between(int from, int to, double penalty, double bound) {
    SharingMessage message{penalty, bound, {}, {}};
    const auto cross = [&](int there, int back) {
        message.links.insert(message.links.end(), {there, back});
        message.weights.insert(message.weights.end(), {1, 0.05});
    };
    cross(4 * from, 4 * from + 1);
    for (int at = std::min(from, to); at < std::max(from, to); ++at) {
        cross(4 * at + (from < to ? 2 : 3), 4 * at + (from < to ? 3 : 2));
    }
    cross(4 * to + 1, 4 * to);
    return message;
}

TEST(Shares, AnAcknowledgementTakesATwentieth) {
    SharedNetwork network({{100, false}, {100, false}});
    network.come({1, 0, {0, 1}, {1, 0.05}});
    EXPECT_DOUBLE_EQ(network.rate(0), 100);
    network.come({1, 0, {1, 0}, {1, 0.05}});
    EXPECT_NEAR(network.rate(0), 100 / 1.05, 1e-6);
    EXPECT_NEAR(network.rate(1), 100 / 1.05, 1e-6);
    network.go(0);
    EXPECT_DOUBLE_EQ(network.rate(1), 100);
}

/// A row in which what each message gets depends, by way of acknowledgements, on the one before.
TEST(Shares, WhatIsFarAwayIsLeftAlone) {
    constexpr int machines = 400;
    constexpr int middle = machines / 2;
    std::vector<SharedLink> links(4 * machines, {10000, false});
    for (std::size_t i = 0; i < machines; ++i) links[4 * i].capacity = i % 2 == 0 ? 100 : 120;
    SharedNetwork network(links);
    for (int from = 0; from + 1 < machines; ++from) network.come(message_between(from, from + 1, 1, 0));
    network.new_rates();
    network.go(middle);
    EXPECT_GE(network.new_rates(), 1);
    network.come(message_between(middle, middle + 1, 1, 0));
    EXPECT_LE(network.new_rates(), 20);  // of 399
}

RC_GTEST_PROP(Shares, AreThoseFromScratch, ()) {
    const int machines = *rc::gen::inRange(2, 9);
    std::vector<SharedLink> links;
    for (int i = 0; i < 4 * machines; ++i) {
        links.push_back({*rc::gen::element(50.0, 100.0, 400.0), *rc::gen::inRange(0, 8) == 0});
    }
    SharedNetwork network(links);
    std::vector<SharingMessage> messages;
    std::vector<std::size_t> there;
    const int steps = *rc::gen::inRange(1, 40);
    for (int step = 0; step < steps; ++step) {
        if (!there.empty() && *rc::gen::inRange(0, 3) == 0) {
            const auto which = there.begin() + *rc::gen::inRange(0, static_cast<int>(there.size()));
            network.go(*which);
            there.erase(which);
        } else {
            const int from = *rc::gen::inRange(0, machines);
            const int to = (from + *rc::gen::inRange(1, machines)) % machines;
            messages.push_back(
                message_between(from, to, *rc::gen::element(1.0, 1.5, 3.0), *rc::gen::element(0.0, 0.0, 20.0, 90.0)));
            there.push_back(messages.size() - 1);
            network.come(messages.back());
        }
        std::vector<SharingMessage> now;
        for (const std::size_t which : there) now.push_back(messages[which]);
        const std::vector<double> rates = model::max_min_rates(links, now);
        for (std::size_t i = 0; i < there.size(); ++i) {
            RC_LOG() << "step " << step << ", message " << there[i] << ": " << network.rate(there[i]) << ", "
                     << rates[i] << '\n';
            RC_ASSERT(std::fabs(network.rate(there[i]) - rates[i]) <= 1e-6 * rates[i]);
        }
    }
}

}  // namespace
}  // namespace bcastgen
