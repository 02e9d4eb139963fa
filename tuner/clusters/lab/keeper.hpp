// The keeper: the process that a lab lives in. It is the first process of a pid namespace of its own, and every
// namespace of the lab hangs on processes below it. When it ends, however it ends, the kernel ends every process of the
// lab, and with them all namespaces, devices and mounts: a lab cannot outlive its keeper.
//
//     tool ──fork── keeper: switches' network namespace, mount namespace with the lab's hosts file and scripts
//                     ├── machine n0: network, host name, IPC and mount namespaces
//                     ├── machine n1 …
//                     └── whatever runs in the lab
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/clusters/lab/wiring.hpp"

namespace bcastgen {

/// A lab's keeper as its parent sees it.
struct Keeper {
    pid_t pid = 0;
    int life = -1;    ///< pipe to it. Closed (also by our death): it removes the lab's directory and ends
    int report = -1;  ///< pipe from it: what came of the building
};

/// Starts a keeper that builds the lab. `directory` is the lab's, with a folder `inside` where the keeper mounts a file
/// system that only the lab sees. `lock` is an open file of ours that the keeper alone of its processes keeps open.
/// Throws OutsideFailure if this system lets us make no namespaces.
[[nodiscard]] Keeper start_keeper(const Network& network, const LabSettings& settings,
                                  const std::filesystem::path& directory, int lock);

/// Waits until the lab is up. Returns the machines' processes, as processes of the lab number them. Throws
/// OutsideFailure with what went wrong in it; then the keeper has ended.
[[nodiscard]] std::vector<int> await_lab(Keeper& keeper);

/// Makes the lab outlive us.
void release_keeper(Keeper& keeper);

/// Ends the lab, and returns when its last process has ended.
void end_keeper(Keeper& keeper);

}  // namespace bcastgen
