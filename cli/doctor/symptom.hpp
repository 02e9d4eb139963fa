// What `bcastgen doctor` finds: a line for each thing that it looked at.
#pragma once

#include <string>
#include <vector>

namespace bcastgen {

enum class Health {
    well,
    note,  ///< worth knowing, or not to be told from here
    ill    ///< will cost speed, or end in an error
};

struct Symptom {
    Health health = Health::well;
    std::string of;     ///< what was looked at, in a word or two
    std::string found;  ///< may hold text from outside
    std::string cure;   ///< what to do; empty where there is nothing to do
};

/// A line each: "ill   limits      64 open files at most; raise it: ulimit -n 4096".
[[nodiscard]] std::string symptoms_text(const std::vector<Symptom>& symptoms);

/// `{"format": "bcastgen-doctor/1", "symptoms": [{"health": "ill", "of": …, "found": …, "cure": …}]}`
[[nodiscard]] std::string symptoms_json(const std::vector<Symptom>& symptoms);

}  // namespace bcastgen
