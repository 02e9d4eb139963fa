// What a process knows once for all its communicators.
#pragma once

#include <unistd.h>

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "bcast/facts/setting_names.hpp"
#include "bcast/facts/settings.hpp"
#include "bcast/facts/site.hpp"
#include "bcast/hand_on/ring.hpp"
#include "bcast/library/gpu.hpp"
#include "bcast/library/machine.hpp"
#include "bcast/library/say.hpp"
#include "bcast/library/trace.hpp"
#include "bcast/mpi/memory.hpp"
#include "bcast/mpi/mpi_library.hpp"
#include "bcast/mpi/wire_probe.hpp"
#include "bcast/trees/hop.hpp"
#include "bcast/trees/order.hpp"

namespace bcast {

/// The facts of the site that this library was generated for; defined in mpi_bcast.cpp.
const Site& site();

/// Private communicators alive at once in a process, at most: MPICH has 2046 for everybody.
inline constexpr int most_private_communicators = 256;

/// How long ranks wait for others in their first agreement before they say so. None where ranks share a process.
inline constexpr int usual_patience_s = BCAST_LATE_BINDING != 0 ? 45 : 0;

inline Layout layout_of(const Site& facts) {
    Layout layout;
    layout.machine_switch.assign(facts.machine_switch.begin(), facts.machine_switch.end());
    layout.neighbours.resize(static_cast<std::size_t>(facts.switches));
    for (const SwitchPair& link : facts.switch_links) {
        layout.neighbours[static_cast<std::size_t>(link.a)].push_back(link.b);
        layout.neighbours[static_cast<std::size_t>(link.b)].push_back(link.a);
    }
    layout.more_send_ns.assign(facts.more_send_ns.begin(), facts.more_send_ns.end());
    layout.more_receive_ns.assign(facts.more_receive_ns.begin(), facts.more_receive_ns.end());
    if (facts.link_speeds.size() == 0) return layout;
    layout.trunks.resize(static_cast<std::size_t>(facts.switches));
    for (const SwitchPair& link : facts.switch_links) {
        const LinkSpeed& speed = facts.link_speeds[static_cast<std::size_t>(link.speed)];
        layout.trunks[static_cast<std::size_t>(link.a)].push_back(speed);
        layout.trunks[static_cast<std::size_t>(link.b)].push_back(speed);
    }
    layout.ports.assign(layout.machine_switch.size(), facts.link_speeds[0]);
    for (std::size_t machine = 0; machine < facts.port_speed.size(); ++machine) {
        layout.ports[machine] = facts.link_speeds[static_cast<std::size_t>(facts.port_speed[machine])];
    }
    return layout;
}

/// State of the process, filled in when the first broadcast comes.
struct Process {
    ReadVariable variable = read_variable;  ///< where the settings come from; to be changed before the first broadcast
    Environment environment;
    Layout layout;
    int machine = unknown_machine;
    std::uint64_t digest = 0;
    GpuDrivers& gpu = gpu_drivers();
    Trace trace;
    std::vector<const char*> traced_names;  ///< by machine, for traces
    bool world = false;                     ///< MPI_COMM_WORLD exists and its end is watched
    int patience_s = usual_patience_s;      ///< 0: without end; to be changed before the first broadcast if at all
    std::atomic<bool> agreed{false};        ///< all of MPI_COMM_WORLD have this library
    std::atomic<bool> complained{false};
    std::atomic<bool> told{false};
    Reserve reserve;
    std::atomic<int> private_communicators{0};
    std::atomic<int> groups{0};
    SendTimes sends = site().sends;  ///< to be changed before the first broadcast if at all
    RingShape ring;                  ///< likewise
    std::mutex wire_mutex;
    Wire known_wire;

    /// Reads the environment and finds out where this process runs. MPI must be initialised.
    void begin() {
        environment = read_environment(variable);
        layout = layout_of(site());
        use_send_times(layout, sends);
        digest = bcast::digest(site(), environment);
        int initialised = 0;
        int rank = static_cast<int>(getpid());
        int ranks = 0;
        mpi.Initialized(&initialised);
        if (initialised != 0) {
            mpi.Comm_rank(mpi.comm_world, &rank);
            mpi.Comm_size(mpi.comm_world, &ranks);
        }
        machine = own_machine(site(), environment, variable, initialised != 0);
        note_complaints(ranks);
        if (initialised != 0 && rank == 0) complain();
        if (environment.trace_file.empty()) return;
        trace.open(environment.trace_file + "." + std::to_string(rank));
        traced_names.assign(layout.machine_switch.size(), "-");
        for (const NamedMachine& one : site().machine_names) {
            traced_names[static_cast<std::size_t>(one.machine)] = one.name;
        }
    }

    /// The name that the topology file has for this rank's machine, for traces.
    [[nodiscard]] const char* own_name() const {
        return machine == unknown_machine || traced_names.empty() ? "-"
                                                                  : traced_names[static_cast<std::size_t>(machine)];
    }

    /// Says, the first time, which settings cannot be obeyed. For one rank to call.
    void complain() {
        if (complained.exchange(true)) return;
        for (const std::string& complaint : environment.complaints) say(complaint);
    }

    /// Says why settings that say how to broadcast are not in force; the first time only.
    void tell(const std::string& why) {
        if (!told.exchange(true)) say(why);
    }

    /// Takes one of the private communicators that may be alive; false if all are taken.
    bool reserve_private_communicator() {
        if (private_communicators.fetch_add(1) < most_private_communicators) return true;
        private_communicators.fetch_sub(1);
        return false;
    }
    /// What an earlier communicator found out. Communicators are served by threads of their own.
    [[nodiscard]] Wire wire() {
        const std::lock_guard<std::mutex> lock(wire_mutex);
        return known_wire;
    }
    void set_wire(const Wire& wire) {
        const std::lock_guard<std::mutex> lock(wire_mutex);
        known_wire = wire;
    }

    void return_private_communicator() { private_communicators.fetch_sub(1); }

  private:
    /// Adds what only the site, the job of so many ranks, and the whole environment show.
    void note_complaints(int ranks) {
        const std::string wrong = complaint_of_machines(site(), environment.machines, ranks);
        if (!wrong.empty()) {
            environment.complaints.push_back(wrong);
            told = true;  // that ranks are on no machine is no news then
        }
        if (variable != read_variable) return;
        for (std::string& line : unknown_settings(environ)) environment.complaints.push_back(std::move(line));
    }
};

/// The state of this process (communicators.hpp).
inline Process& process();

}  // namespace bcast
