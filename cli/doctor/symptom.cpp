#include "cli/doctor/symptom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/printable.hpp"

namespace bcastgen {

namespace {

const char* name_of(Health health) {
    switch (health) {
        case Health::well:
            return "well";
        case Health::note:
            return "note";
        case Health::ill:
            return "ill";
    }
    return "";
}

}  // namespace

std::string symptoms_text(const std::vector<Symptom>& symptoms) {
    std::size_t widest = 0;
    for (const Symptom& symptom : symptoms) widest = std::max(widest, symptom.of.size());
    std::string text;
    for (const Symptom& symptom : symptoms) {
        text += fmt::format("{:<5} {:<{}}  {}{}{}\n", name_of(symptom.health), symptom.of, widest,
                            printable_columns(symptom.found), symptom.cure.empty() ? "" : ": ",
                            printable_columns(symptom.cure));
    }
    return text;
}

std::string symptoms_json(const std::vector<Symptom>& symptoms) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Symptom& symptom : symptoms) {
        rows.push_back({{"health", name_of(symptom.health)},
                        {"of", symptom.of},
                        {"found", printable_columns(symptom.found)},
                        {"cure", printable_columns(symptom.cure)}});
    }
    return nlohmann::ordered_json{{"format", "bcastgen-doctor/1"}, {"symptoms", rows}}.dump(2) + "\n";
}

}  // namespace bcastgen
