// The command line of programs that try many random networks: [TRIALS] [FIRST_SEED].
#pragma once

#include <cstdlib>

namespace bcastgen {

/// The seeds from `first` on.
struct NumberedTrials {
    unsigned count = 0;
    unsigned first = 0;

    NumberedTrials(int argc, char** argv, unsigned usual_count) : count(usual_count) {
        if (argc > 1) count = static_cast<unsigned>(std::atoi(argv[1]));
        if (argc > 2) first = static_cast<unsigned>(std::atoi(argv[2]));
    }
};

}  // namespace bcastgen
