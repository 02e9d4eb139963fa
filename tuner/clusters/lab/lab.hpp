// Labs: a topology built on this host. A network namespace, a host name and a hosts file per machine, a bridge per
// switch, and every link at its speed in both directions.
//
// A lab has a directory, /run/bcastgen/NAME, which its keeper (keeper.hpp) holds a lock on: a directory without
// that lock is what a killed lab left behind, and all that can be left of one.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "planner/network/network.hpp"
#include "tuner/clusters/lab/keeper.hpp"
#include "tuner/clusters/lab/wiring.hpp"

namespace bcastgen {

/// What a lab's directory tells of it, to every program on this host.
struct LabRecord {
    std::string name;  ///< the topology's; a second lab of it has ".2" added, and so on
    std::string topology;
    std::vector<std::string> machines;
    double fastest_port_Bps = 0;  ///< as shaped
    double loss = 0;
    pid_t keeper = 0;
    pid_t owner = 0;            ///< the program that it ends with; 0: it stands until `lab down`
    std::string pid_namespace;  ///< that the two numbers above belong to
    std::filesystem::path directory;
};

/// A process that runs in a lab.
struct LabProcess {
    pid_t pid = 0;
    std::string machine;  ///< empty: among the switches
    std::string program;  ///< the first 15 characters of its name
    char state = '?';     ///< as ps shows it: R running, S asleep, D in the kernel, T stopped, Z ended
};

/// A lab of this program's own: built by the constructor, gone when the object is.
class Lab {
  public:
    /// Returns when machines can reach each other. Throws OutsideFailure without root, iproute2 or namespaces.
    Lab(const Network& network, const LabSettings& settings);
    ~Lab();
    Lab(const Lab&) = delete;
    Lab& operator=(const Lab&) = delete;

    [[nodiscard]] const LabRecord& record() const { return record_; }

    /// What runs in it, the keeper and the machines themselves apart.
    [[nodiscard]] std::vector<LabProcess> processes() const;

    /// Ends all of those.
    void end_processes() const;

    /// Makes it outlive this object and this program, until take_down().
    void leave_standing();

  private:
    LabRecord record_;
    Keeper keeper_;
    std::vector<int> machine_pids_;  // the machines themselves, as processes of the lab number them
};

/// The labs of this host, by name. Removes what killed ones left behind.
[[nodiscard]] std::vector<LabRecord> find_labs();

/// Ends a lab and everything that runs in it. Throws OutsideFailure if it does not go.
void take_down(const LabRecord& lab);

/// A command that runs `words` on a machine (or among the switches, by a switch's name) in `directory`.
[[nodiscard]] Command command_in(const LabRecord& lab, const std::string& machine,
                                 const std::vector<std::string>& words, const std::filesystem::path& directory);

}  // namespace bcastgen
