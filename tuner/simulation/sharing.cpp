// Preloaded into simulations of many ranks under SimGrid's model of TCP (tuner/clusters/simulated.cpp), compiled where
// they run: links are shared as by SimGrid, but only those are looked at that a change reaches (shares.hpp).
//
// Three of libsimgrid's functions stand aside for those here: the two that find what a change may reach, and the one
// that shares links anew. They are private, so they go by their symbols, and their data by where they are; should
// either not be as in SimGrid 3.32, then SimGrid's own functions are called.
//
// SimGrid 3.32 itself overlooks links: when a message begins to move while one of its links is being looked at, it does
// not look at the others. With every link looked at always (network/optim:Full) it gives the times that this gives.
#include <dlfcn.h>

#include <cstddef>
#include <simgrid/kernel/resource/Action.hpp>
#include <string_view>

#include "tuner/simulation/shares.hpp"

using simulation::Channel;
using simulation::Crossing;
using simulation::Flow;
using simulation::Hook;
using simulation::List;

namespace {

/// simgrid::kernel::lmm::System, all links and messages.
struct System {
    void* functions;
    bool is_changed;
    List flows;
    List active;
    List saturated_flows;
    List saturated_channels;
    bool only_changed;  ///< what has not changed is left alone: not so under network/optim:Full
    List changed;       ///< channels, by their third hook
};

}  // namespace

extern "C" {

#define SYSTEM "_ZN7simgrid6kernel3lmm6System"
#define FOLLOW_CHANNEL SYSTEM "28update_modified_cnst_set_recEPKNS1_10ConstraintE"
#define CHANGE_FLOW SYSTEM "38update_modified_cnst_set_from_variableEPKNS1_8VariableE"
#define SHARE_ANEW "_ZN7simgrid6kernel3lmm6MaxMin8do_solveEv"

// Ours.
void follow_channel(System* system, const Channel* channel) asm(FOLLOW_CHANNEL);
void change_flow(System* system, const Flow* flow) asm(CHANGE_FLOW);
void share_anew(System* system) asm(SHARE_ANEW);

// SimGrid's.
void version_of_simgrid(int* major, int* minor, int* patch) asm("sg_version_get");
void change_channel(System* system, Channel* channel) asm(SYSTEM "24update_modified_cnst_setEPNS1_10ConstraintE");
simgrid::kernel::resource::Action::ModifiedSet* changed_actions(const System* system) asm(
    "_ZNK7simgrid6kernel3lmm6System23get_modified_action_setEv");
System* make_system(std::string_view solver,
                    bool only_changed) asm(SYSTEM "5buildESt17basic_string_viewIcSt11char_traitsIcEEb");
Channel* make_channel(System* system, void* resource,
                      double capacity_Bps) asm(SYSTEM "14constraint_newEPNS0_8resource8ResourceEd");
Flow* make_flow(System* system, void* action, double penalty, double bound_Bps,
                std::size_t links) asm(SYSTEM "12variable_newEPNS0_8resource6ActionEddm");
void make_crossing(System* system, Channel* channel, Flow* flow, double weight,
                   bool always) asm(SYSTEM "6expandEPNS1_10ConstraintEPNS1_8VariableEdb");
}

namespace {

template <class Function>
Function next(const char* symbol) {
    return reinterpret_cast<Function>(dlsym(RTLD_NEXT, symbol));
}

Channel& changed_at(Hook* hook) {
    return *reinterpret_cast<Channel*>(reinterpret_cast<char*>(hook) - offsetof(Channel, changed));
}

/// True if a small network is found in memory as it was made.
bool finds_what_was_made() {
    System* system = make_system("maxmin", true);
    Channel* near = make_channel(system, nullptr, 1000);
    Channel* far = make_channel(system, nullptr, 2000);
    Flow* flow = make_flow(system, nullptr, 3, 50, 2);
    make_crossing(system, near, flow, 0.25, false);
    make_crossing(system, far, flow, 1, false);
    if (!system->is_changed || !system->only_changed || system->changed.size != 2) return false;
    if (&changed_at(system->changed.ends.next) != near || &changed_at(system->changed.ends.previous) != far)
        return false;
    if (near->capacity_Bps != 1000 || far->capacity_Bps != 2000) return false;
    if (near->policy != simulation::Policy::shared || near->level != 0 || near->queued != 0) return false;
    if (flow->penalty != 3 || flow->bound_Bps != 50 || flow->end != flow->first + 2) return false;
    const Crossing& back = flow->first[0];
    const Crossing& there = flow->first[1];
    return back.channel == near && back.flow == flow && back.weight == 0.25 && there.channel == far &&
           there.weight == 1 && near->flows.size == 1 && near->flows.ends.next == &back.enabled &&
           far->flows.ends.next == &there.enabled;
}

enum class Fit { unknown, being_tried, fits, differs };

bool fits() {
    static Fit fit = Fit::unknown;
    if (fit == Fit::unknown) {
        int major = 0;
        int minor = 0;
        int patch = 0;
        version_of_simgrid(&major, &minor, &patch);
        fit = Fit::being_tried;  // what follows calls the functions here
        fit = major == 3 && minor == 32 && finds_what_was_made() ? Fit::fits : Fit::differs;
    }
    return fit != Fit::differs;
}

}  // namespace

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
        for (Hook* at = system->changed.ends.next; at != &system->changed.ends; at = at->next) visit(changed_at(at));
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
