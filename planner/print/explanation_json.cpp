#include <nlohmann/json.hpp>
#include <optional>

#include "base/index.hpp"
#include "base/json_lines.hpp"
#include "planner/print/explanation_text.hpp"

namespace bcastgen {

namespace {

using Json = nlohmann::ordered_json;

constexpr double us_per_s = 1e6;

Json choice_json(const bcast::Choice& choice) {
    Json json = {{"algorithm", bcast::name_of(choice.algorithm)}, {"segment_bytes", choice.segment_bytes}};
    if (choice.hand_on != bcast::HandOn::messages) json["hand_on"] = bcast::name_of(choice.hand_on);
    return json;
}

Json price_json(const Explanation& explained, const Price& price) {
    const bcast::Choice choice{price.algorithm, price.segment_bytes};
    Json json = choice_json(choice);
    json["price_us"] = us_per_s * price.time_s;
    json["fill_us"] = us_per_s * price.fill_s();
    json["steady_us"] = us_per_s * price.steady_s;
    json["latency_us"] = us_per_s * price.latency_s;
    json["software_us"] = us_per_s * price.software_s;
    json["lower_bound"] = price.lower_bound;
    if (const std::optional<double> simulated_s = explained.simulated_s(choice)) {
        json["simulated_us"] = us_per_s * *simulated_s;
        json["price_over_simulated"] = price.time_s / *simulated_s;
    }
    return json;
}

}  // namespace

std::string explanation_json(const Network& network, const Explanation& explained) {
    const AskedBroadcast& asked = explained.asked;
    const bcast::Choice& choice = explained.answer.choice;
    Json json = {{"format", "bcastgen-explanation/1"},
                 {"topology", network.name},
                 {"root", network.machines[at(asked.plan.root)].name},
                 {"machines", asked.plan.machines.size()},
                 {"ranks_per_machine", asked.ranks_per_machine},
                 {"message_bytes", asked.bytes},
                 {"choice", choice_json(choice)}};
    if (!explained.needs_no_plan()) {
        json["once_us"] = us_per_s * explained.once_s;
        json["floor_us"] = us_per_s * explained.floor_s;
        json["predicted"] = explained.predicted ? price_json(explained, *explained.predicted) : Json();
        const std::optional<double> simulated_s = explained.simulated_s(choice);
        if (simulated_s && !explained.predicted) json["simulated_us"] = us_per_s * *simulated_s;
        json["others"] = Json::array();
        for (const Price& price : explained.others) json["others"].push_back(price_json(explained, price));
    }
    if (!explained.simulated.empty()) json["network"] = explained.simulated_network;
    return json_lines(json);
}

}  // namespace bcastgen
