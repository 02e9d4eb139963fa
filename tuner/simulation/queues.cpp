// Preloaded into simulations of fast networks (tuner/clusters/simulated.cpp), compiled where they run: links serve one
// message after the other, in the sequence in which first bytes come to them, and what waits does so in a switch.
//
//   a's port out |== a ==|             each byte goes on to the next link at once
//   b's port out   |== b ==|
//   port in      |== a ==|== b ==|     b waits in the switch; its sender's port is free again
//
// SimGrid lets all messages on a link share it. Once a message's latency has passed, SimGrid would count it among those
// that move (System::update_variable_penalty); here it is put in the first link's queue instead, and ends when its last
// byte has left all of them. So SimGrid has no links to share.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <queue>
#include <simgrid/kernel/Timer.hpp>
#include <simgrid/kernel/resource/Action.hpp>
#include <simgrid/kernel/resource/Model.hpp>
#include <simgrid/s4u/Engine.hpp>
#include <unordered_map>
#include <vector>

#include "tuner/simulation/next_symbol.hpp"
#include "tuner/simulation/simgrid_fit.hpp"

using simulation::Channel;
using simulation::Crossing;
using simulation::Flow;
using simulation::System;

namespace {

using simgrid::kernel::resource::Action;
using simgrid::kernel::resource::ActionHeap;

/// A message's first byte comes to a link.
struct Head {
    double time_s = 0;
    std::uint64_t number = 0;  ///< of equal times the first noted goes first
    const Flow* message = nullptr;
    const Crossing* next = nullptr;
    double tail_s = 0;  ///< its last byte is not there before
};

struct Later {
    bool operator()(const Head& a, const Head& b) const {
        return a.time_s != b.time_s ? a.time_s > b.time_s : a.number > b.number;
    }
};

/// What happens within so long happens at one moment, as in SimGrid (precision/timing).
constexpr double moment_s = 1e-9;

class Queues {
  public:
    void begin(const Flow& message) { note({simgrid::s4u::Engine::get_clock(), 0, &message, message.first, 0}); }

  private:
    void note(Head head) {
        head.number = noted_++;
        heads_.push(head);
        simgrid::kernel::timer::Timer::set(head.time_s, [this] { serve(); });
    }

    void serve() {
        const double now_s = simgrid::s4u::Engine::get_clock();
        while (!heads_.empty() && heads_.top().time_s < now_s + moment_s) {
            const Head head = heads_.top();
            heads_.pop();
            go_on(head);
        }
    }

    void go_on(Head head) {
        auto& action = *static_cast<Action*>(head.message->action);
        const double bytes = action.get_cost();
        while (head.next != head.message->end) {
            const Channel& link = *head.next->channel;
            ++head.next;
            double start_s = head.time_s;
            if (link.policy == simulation::Policy::shared) {
                double& free_s = free_s_[&link];
                start_s = std::max(start_s, free_s);
                free_s = start_s + bytes / link.capacity_Bps;
            }
            head.tail_s = std::max(head.tail_s, start_s + bytes / link.capacity_Bps);
            if (start_s > head.time_s && head.next != head.message->end) {  // until then others may come to the next
                head.time_s = start_s;
                return note(head);
            }
        }
        action.get_model()->get_action_heap().update(&action, head.tail_s, ActionHeap::Type::normal);
    }

    std::priority_queue<Head, std::vector<Head>, Later> heads_;
    std::unordered_map<const Channel*, double> free_s_;  // when a link has served all that have come so far
    std::uint64_t noted_ = 0;
};

}  // namespace

extern "C" {

#define SET_PENALTY SYSTEM "23update_variable_penaltyEPNS1_8VariableEd"

void set_penalty(System* system, Flow* flow, double penalty) asm(SET_PENALTY);

void set_penalty(System* system, Flow* flow, double penalty) {
    if (!simulation::fits()) {
        std::fputs("this SimGrid is not of a version that bcastgen knows\n", stderr);
        std::abort();
    }
    static Queues queues;
    if (penalty > 0 && flow->penalty <= 0) return queues.begin(*flow);
    static const auto original = simulation::next<decltype(&set_penalty)>(SET_PENALTY);
    original(system, flow, penalty);
}
}
