// What an import makes of a text, as a test compares it.
#pragma once

#include <functional>
#include <string>

#include "base/diagnostic.hpp"
#include "planner/formats/imported.hpp"
#include "planner/plan/plan.hpp"
#include "planner/topology/topology_writer.hpp"
#include "planner/topology/topology_yaml.hpp"

namespace bcastgen::testing {

/// The topology file, or the errors.
inline std::string outcome(const std::function<Imported()>& import) {
    try {
        const Imported imported = import();
        return write_topology(imported.network, imported.notes);
    } catch (const InputErrors& errors) {
        return errors.what();
    }
}

/// Whether the written file can be read and planned on.
inline bool can_be_planned(const Imported& imported) {
    const Network network = read_topology(write_topology(imported.network, imported.notes), "written.yaml");
    const Plan plan = make_plan(network, PlanRequest{});
    return network.machines.size() == imported.network.machines.size() && plan.contention_free;
}

}  // namespace bcastgen::testing
