// What the command line asks for.
#pragma once

#include <cstdint>
#include <string>

#include "tests/simulator/plan/plan.hpp"

namespace simulator {

struct Options {
    std::uint64_t broadcasts = 30000;
    std::uint64_t seed = 1;
    int processes = 0;  ///< 0: as many as there are cores
    bool replay = false;
    Reduction reduction;
    bool shrink = true;
    bool quiet = false;
    bool help = false;
};

/// False, with what is wrong on stderr, if the command line cannot be understood.
bool read_options(int count, char** words, Options& options);
extern const char* const usage;

}  // namespace simulator
