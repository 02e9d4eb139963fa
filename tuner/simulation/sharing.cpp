// Preloaded into simulations of many ranks under SimGrid's model of TCP (tuner/clusters/simulated.cpp), compiled where
// they run: links are shared as by SimGrid, but only those are looked at that a change reaches (shares.hpp).
//
// Three of libsimgrid's functions stand aside for those here: the two that find what a change may reach, and the one
// that shares links anew. They are private, so they go by their symbols, and their data by where they are; should
// either not be as in SimGrid 3.32, then SimGrid's own functions are called.
//
// SimGrid 3.32 itself overlooks links: when a message begins to move while one of its links is being looked at, it does
// not look at the others. With every link looked at always (network/optim:Full) it gives the times that this gives.
#include <cstddef>
#include <simgrid/kernel/resource/Action.hpp>

#include "tuner/simulation/next_symbol.hpp"
#include "tuner/simulation/shares.hpp"
#include "tuner/simulation/simgrid_fit.hpp"

using simulation::Channel;
using simulation::Crossing;
using simulation::fits;
using simulation::Flow;
using simulation::Hook;
using simulation::next;
using simulation::System;

extern "C" {

#define FOLLOW_CHANNEL SYSTEM "28update_modified_cnst_set_recEPKNS1_10ConstraintE"
#define CHANGE_FLOW SYSTEM "38update_modified_cnst_set_from_variableEPKNS1_8VariableE"
#define SHARE_ANEW "_ZN7simgrid6kernel3lmm6MaxMin8do_solveEv"

// Ours.
void follow_channel(System* system, const Channel* channel) asm(FOLLOW_CHANNEL);
void change_flow(System* system, const Flow* flow) asm(CHANGE_FLOW);
void share_anew(System* system) asm(SHARE_ANEW);

// SimGrid's.
void change_channel(System* system, Channel* channel) asm(SYSTEM "24update_modified_cnst_setEPNS1_10ConstraintE");
simgrid::kernel::resource::Action::ModifiedSet* changed_actions(const System* system) asm(
    "_ZNK7simgrid6kernel3lmm6System23get_modified_action_setEv");
}

extern "C" {

void follow_channel(System* system, const Channel* channel) {
    if (fits()) return;  // share_anew goes as far as it must
    static const auto original = next<decltype(&follow_channel)>(FOLLOW_CHANNEL);
    original(system, channel);
}

void change_flow(System* system, const Flow* flow) {
    if (!fits()) {
        static const auto original = next<decltype(&change_flow)>(CHANGE_FLOW);
        return original(system, flow);
    }
    if (flow->penalty <= 0) return;  // not on its way yet
    for (const Crossing* crossing = flow->first; crossing != flow->end; ++crossing) {
        change_channel(system, crossing->channel);
    }
}

void share_anew(System* system) {
    if (!fits() || !system->only_changed) {
        static const auto original = next<decltype(&share_anew)>(SHARE_ANEW);
        return original(system);
    }
    static simulation::Levels levels;
    const auto each_changed = [&](const auto& visit) {
        for (Hook* at = system->changed.ends.next; at != &system->changed.ends; at = at->next)
            visit(simulation::changed_at(at));
    };
    each_changed([&](Channel& channel) { levels.add(channel); });
    levels.settle([&](Flow& flow) {
        auto& action = *static_cast<simgrid::kernel::resource::Action*>(flow.action);
        if (!action.is_within_modified_set()) changed_actions(system)->push_back(action);
    });
    each_changed([](Channel& channel) {
        simulation::each_crossing(channel, [](Crossing& crossing) {
            simulation::set_rate(*crossing.flow, simulation::limit_of(*crossing.flow, nullptr));
        });
    });
}
}
