// Whether a verification found what is wrong.
#pragma once

#include "tests/tuner/wiring/true_network.hpp"
#include "tuner/wiring/verdict.hpp"

namespace bcastgen::testing {

/// Whether the fault and nothing else was found.
inline bool is_located(const Network& truth, const Difference& fault, const WiringVerdict& verdict) {
    const auto placed = [&](int machine) {
        for (const Finding& finding : verdict.findings) {
            const bool right = finding.differs == Differs::place && finding.machine == machine &&
                               finding.is_on == truth.machines[static_cast<std::size_t>(machine)].sw;
            if (right) return true;
        }
        return false;
    };
    if (fault.fault == Fault::swapped_machines) {
        return verdict.findings.size() == 2 && placed(fault.machine) && placed(fault.other_machine);
    }
    if (verdict.findings.size() != 1) return false;
    const Finding& finding = verdict.findings.front();
    if (fault.fault == Fault::moved_machine) return placed(fault.machine);
    if (fault.fault == Fault::slow_port) return finding.differs == Differs::port && finding.machine == fault.machine;
    return finding.differs == Differs::trunk && finding.trunk == fault.trunk;
}

}  // namespace bcastgen::testing
