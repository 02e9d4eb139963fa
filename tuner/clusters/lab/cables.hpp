// Cables with a latency. This kernel's traffic control may not be able to delay frames (netem is often left out), so
// the keeper carries them itself: a long cable is two veth pairs, whose inner ends lie in a network namespace of their
// own.
//
//     machine eth0 ═══ inner end ──(keeper: so much later)──> inner end ═══ p0 switch       and back likewise
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tuner/clusters/lab/wiring.hpp"

namespace bcastgen {

/// Carries the frames of long cables. One at a time in a process, which must have one thread only.
class LabCables {
  public:
    /// Makes the namespace of the inner ends. Throws std::runtime_error if this system does not let us.
    LabCables();
    ~LabCables();
    LabCables(const LabCables&) = delete;
    LabCables& operator=(const LabCables&) = delete;

    /// A name of that namespace for ip, as processes of the lab see it.
    [[nodiscard]] std::string namespace_path() const;

    /// Puts the inner ends, which lie there by now, to work. `scratch`: as run_tool() has it. Throws
    /// std::runtime_error.
    void connect(const std::vector<LongCable>& cables, const std::filesystem::path& scratch);

    /// Carries frames until `file` (-1: none) can be read. Between calls frames wait.
    void carry_until_readable(int file);

  private:
    using Clock = std::chrono::steady_clock;
    struct Frame {
        int device = 0;  ///< where it leaves
        std::vector<char> bytes;
    };
    struct Way {  ///< one direction of a cable
        int to = 0;
        std::chrono::nanoseconds latency{0};
        Clock::time_point last_due;  ///< frames do not overtake each other
    };

    void become_urgent() const;
    void take_in();
    void let_out();

    int namespace_ = -1;
    int socket_ = -1;
    std::map<int, Way> ways_;  ///< by the device that a frame comes from
    std::multimap<Clock::time_point, Frame> under_way_;
    std::vector<char> memory_;
};

}  // namespace bcastgen
