// Whether the SimGrid at hand is the one that simgrid_data.hpp knows.
#pragma once

#include <cstddef>
#include <string_view>

#include "tuner/simulation/simgrid_data.hpp"

extern "C" {

#define SYSTEM "_ZN7simgrid6kernel3lmm6System"

void version_of_simgrid(int* major, int* minor, int* patch) asm("sg_version_get");
simulation::System* make_system(std::string_view solver,
                                bool only_changed) asm(SYSTEM "5buildESt17basic_string_viewIcSt11char_traitsIcEEb");
simulation::Channel* make_channel(simulation::System* system, void* resource,
                                  double capacity_Bps) asm(SYSTEM "14constraint_newEPNS0_8resource8ResourceEd");
simulation::Flow* make_flow(simulation::System* system, void* action, double penalty, double bound_Bps,
                            std::size_t links) asm(SYSTEM "12variable_newEPNS0_8resource6ActionEddm");
void make_crossing(simulation::System* system, simulation::Channel* channel, simulation::Flow* flow, double weight,
                   bool always) asm(SYSTEM "6expandEPNS1_10ConstraintEPNS1_8VariableEdb");
}

namespace simulation {

inline Channel& changed_at(Hook* hook) {
    return *reinterpret_cast<Channel*>(reinterpret_cast<char*>(hook) - offsetof(Channel, changed));
}

/// True if a small network is found in memory as it was made.
inline bool finds_what_was_made() {
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
    if (near->policy != Policy::shared || near->level != 0 || near->queued != 0) return false;
    if (flow->penalty != 3 || flow->bound_Bps != 50 || flow->end != flow->first + 2) return false;
    const Crossing& back = flow->first[0];
    const Crossing& there = flow->first[1];
    return back.channel == near && back.flow == flow && back.weight == 0.25 && there.channel == far &&
           there.weight == 1 && near->flows.size == 1 && near->flows.ends.next == &back.enabled &&
           far->flows.ends.next == &there.enabled;
}

enum class Fit { unknown, being_tried, fits, differs };

inline bool fits() {
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

}  // namespace simulation
