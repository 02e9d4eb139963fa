// What a verification found: how the network differs from what is described, each difference with its measurements.
#pragma once

#include <string>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// Several measurements of one rate, each of the streams that cross it together, with nothing else under way.
struct Measured {
    double median_Bps = 0;
    double low_Bps = 0;   ///< the least of them
    double high_Bps = 0;  ///< the greatest
    int times = 0;
};

enum class Differs { port, trunk, place };

struct Finding {
    Differs differs = Differs::port;
    int machine = -1;  ///< of a port or a place
    int trunk = -1;
    /// Of a port from the machine and into it, of a trunk from its end a and from b. 0 times: not slower that way.
    Measured out;
    Measured in;
    double described_Bps = 0;
    double is_Bps = 0;              ///< what the link has by that, the protocol's part added, in a usual number
    int cables_left = 0;            ///< of a trunk of several: as many would carry that; 0: none fits
    int is_on = -1;                 ///< of a place: the switch that it hangs on
    bool by_rates = false;          ///< a place that round trips did not tell
    std::vector<std::string> also;  ///< links that no measurement can tell from this one
};

struct WiringVerdict {
    std::vector<Finding> findings;
    std::vector<std::string> unclear;    ///< what the measurements leave open
    std::vector<std::string> not_shown;  ///< what no streams of these machines can show, such as a trunk's last cables
    Network corrected;                   ///< with the findings put right
    int machines = 0;                    ///< that took part
    int rounds = 0;                      ///< that were measured
    double efficiency = 1;               ///< measured over described speed of a typical port
    bool round_trips_tell = false;
};

}  // namespace bcastgen
