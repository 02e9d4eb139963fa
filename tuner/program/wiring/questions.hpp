// What the wiring program is asked: a small text file that the tool writes and the program reads.
//
//   seconds 0.5                       that a round of rates takes
//   chunk_bytes 65536                 what a stream sends at a time
//   trips 30                          round trips of a pair, of which the shortest counts
//   rates 0 1 1 2 2 0                 a round: streams as pairs of ranks, from and to
//   round_trips 0 1 2 3
//
// Shared by the tool and the program, so C++17 and the standard library alone.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace bcastgen {

struct WiringRound {
    bool rates = true;                         ///< false: round trips
    std::vector<std::pair<int, int>> streams;  ///< ranks, from and to
};

struct WiringQuestions {
    double seconds = 0.5;
    std::size_t chunk_bytes = 65536;
    int trips = 30;
    std::vector<WiringRound> rounds;
};

inline std::string write_wiring_questions(const WiringQuestions& questions) {
    std::ostringstream out;
    out.precision(17);
    out << "seconds " << questions.seconds << "\nchunk_bytes " << questions.chunk_bytes << "\ntrips " << questions.trips
        << '\n';
    for (const WiringRound& round : questions.rounds) {
        out << (round.rates ? "rates" : "round_trips");
        for (const auto& [from, to] : round.streams) out << ' ' << from << ' ' << to;
        out << '\n';
    }
    return out.str();
}

/// The inverse, for ranks below `ranks`. False if the text is not that.
inline bool read_wiring_questions(const std::string& text, int ranks, WiringQuestions& questions) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream in(line);
        std::string word;
        in >> word;
        if (word == "seconds") {
            in >> questions.seconds;
        } else if (word == "chunk_bytes") {
            in >> questions.chunk_bytes;
        } else if (word == "trips") {
            in >> questions.trips;
        } else if (word == "rates" || word == "round_trips") {
            WiringRound round;
            round.rates = word == "rates";
            for (int from = 0; in >> from;) {
                int to = 0;
                if (!(in >> to) || from < 0 || to < 0 || from >= ranks || to >= ranks || from == to) return false;
                round.streams.emplace_back(from, to);
            }
            questions.rounds.push_back(std::move(round));
            continue;
        } else {
            return false;
        }
        if (!in) return false;
    }
    return questions.seconds > 0 && questions.chunk_bytes > 1 && questions.trips > 0;
}

}  // namespace bcastgen
