// How far rates and round trips were off on an emulated cluster (recorded_noise.txt, by bench/scripts/wiring.py noise).
#pragma once

#include <fstream>
#include <sstream>
#include <string>

#include "tests/tuner/wiring/true_network.hpp"

namespace bcastgen::testing {

inline const RecordedNoise& recorded_noise() {
    static const RecordedNoise noise = [] {
        RecordedNoise read;
        std::ifstream in(BCASTGEN_SOURCE_DIR "/tests/tuner/wiring/recorded_noise.txt");
        for (std::string line; std::getline(in, line);) {
            std::istringstream words(line);
            std::string what;
            double factor = 0;
            if (!(words >> what >> factor)) continue;
            if (what == "rate") read.rates.push_back(factor);
            if (what == "round_trip") read.round_trips.push_back(factor);
        }
        return read;
    }();
    return noise;
}

}  // namespace bcastgen::testing
