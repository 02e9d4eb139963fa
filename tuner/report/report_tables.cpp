// The decision table, what its validation found, and where all of it comes from.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/names.hpp"
#include "base/units.hpp"
#include "base/wording.hpp"
#include "tuner/measure/named_rules.hpp"
#include "tuner/program/measured.hpp"
#include "tuner/report/report_parts.hpp"

namespace bcastgen {

namespace {

std::string range_text(int from, int to, const char* one, const char* many) {
    if (to != bcast::any_number) {
        return from == to ? counted(from, one, many) : fmt::format("{} to {} {}", from, to, many);
    }
    return from <= 1 ? fmt::format("any number of {}", many) : fmt::format("{} and more {}", from, many);
}

std::string who_text(const Rule& row) {
    std::string text = range_text(row.machines_from, row.machines_to, "machine", "machines");
    const bool any_ranks = row.ranks_per_machine_from <= 1 && row.ranks_per_machine_to == bcast::any_number;
    if (!any_ranks) {
        text += fmt::format(", each with {}",
                            range_text(row.ranks_per_machine_from, row.ranks_per_machine_to, "rank", "ranks"));
    }
    if (row.arrival != bcast::Arrival::balanced) text += fmt::format(", {} arrival", bcast::name_of(row.arrival));
    return text;
}

/// Whether the row's rule for messages above one size and up to another is for what was validated.
bool covers(const Rule& row, std::size_t above, std::size_t up_to, const StoredValidation& one) {
    return bcast::is_for(row, one.machines, one.ranks_per_machine) && one.arrival == bcast::name_of(row.arrival) &&
           one.message_bytes > above && one.message_bytes <= up_to;
}

std::string messages_text(std::size_t above, std::size_t up_to) {
    const std::string from = "above " + message_text(above);
    if (up_to == bcast::no_limit) return above == 0 ? "all" : from;
    const std::string to = "up to " + message_text(up_to);
    return above == 0 ? to : from + ", " + to;
}

Facts message_facts(const Rule& row, const MessageRule& rule, std::size_t above,
                    const std::vector<StoredValidation>& validations) {
    double least = 0;
    double most = 0;
    for (const StoredValidation& one : validations) {
        if (!one.kept || !covers(row, above, rule.up_to, one)) continue;
        least = least == 0 ? one.speed_up : std::min(least, one.speed_up);
        most = std::max(most, one.speed_up);
    }
    Facts message;
    message.set("range", messages_text(above, rule.up_to));
    message.set("algorithm", printable(measured_name(rule)));
    message.set("segment", segment_text(rule.segment_bytes, 0));
    if (rule.own == nullptr && is_native(rule.algorithm)) message.set("native", Facts::type::bool_true);
    std::string gain = "–";
    if (most > 0)
        gain = least == most ? ratio_text(most) : fmt::format("{} to {}", ratio_text(least), ratio_text(most));
    if (rule.grounds == Grounds::predicted) gain = "predicted";
    if (rule.grounds == Grounds::no_time) gain = "no time to measure";
    message.set("gain", gain);
    return message;
}

std::string validated_shape_text(const StoredValidation& one) {
    const Shape shape{one.machines, one.ranks_per_machine, one.arrival};
    return shape_text(shape) + (one.placement == "near" ? "" : ", machines " + printable(one.placement));
}

/// How many samples of a case the verdict rests on: those of the validation. Where times repeat exactly it takes what
/// the search has measured already.
std::size_t samples_behind(const RunView& view, const StoredValidation& verdict, const MeasureCase& one) {
    std::size_t validating = 0;
    std::size_t others = 0;
    for (const StoredSample& stored : view.stored.samples) {
        const SampleKey& key = stored.key;
        const bool here = key.machines == verdict.machines && key.ranks_per_machine == verdict.ranks_per_machine &&
                          key.placement == verdict.placement && key.arrival == verdict.arrival && key.one == one;
        if (here) ++(key.role == "validation" ? validating : others);
    }
    return validating > 0 ? validating : others;
}

std::string samples_text(const RunView& view, const StoredValidation& one) {
    const auto bytes = static_cast<std::size_t>(one.message_bytes);
    const MeasureCase native{measured::native, 0, bytes};
    const MeasureCase chosen{one.algorithm, static_cast<std::size_t>(one.segment_bytes), bytes};
    return fmt::format("{} / {}", samples_behind(view, one, native), samples_behind(view, one, chosen));
}

std::string bounds_text(const StoredValidation& one) {
    if (one.speed_up_low == one.speed_up_high) return "exact";
    if (!std::isfinite(one.speed_up_high)) return "too few samples";
    return fmt::format("{} – {}", ratio_text(one.speed_up_low), ratio_text(one.speed_up_high));
}

Facts validation_row(const RunView& view, const StoredValidation& one) {
    Facts row;
    row.set("message", message_text(static_cast<std::size_t>(one.message_bytes)));
    row.set("algorithm", printable(one.algorithm));
    row.set("segment", segment_text(one.segment_bytes, one.message_bytes));
    row.set("native", time_text(one.native_us));
    row.set("tuned", time_text(one.chosen_us));
    row.set("speed_up", ratio_text(one.speed_up));
    row.set("bounds", bounds_text(one));
    row.set("samples", samples_text(view, one));
    row.set("kept", one.kept);
    row.set("verdict", one.kept ? "yes" : "✗ no: native");
    return row;
}

void add_fact(Facts& list, const std::string& name, const std::string& value) {
    if (value.empty()) return;
    Facts fact;
    fact.set("name", name);
    fact.set("value", printable(value));
    list << fact;
}

/// " --option a,b,c" of a list in the settings; nothing if it is not there.
std::string option_of(const nlohmann::json& settings, const char* key, const char* option) {
    if (!settings.contains(key) || !settings[key].is_array()) return "";
    std::string values;
    for (const nlohmann::json& value : settings[key]) {
        if (!values.empty()) values += ",";
        values += value.is_string() ? value.get<std::string>() : value.dump();
    }
    return values.empty() ? "" : fmt::format(" {} {}", option, shell_word(values));
}

/// What asks for the same tuning, put together from what the store has.
std::string tune_command(const StoredRun& run, const std::string& store) {
    const RunConditions& on = run.conditions;
    std::string text =
        fmt::format("bcastgen tune {} --on {}", shell_word(on.topology + ".yaml"), shell_word(on.cluster));
    if (!on.mpi.empty()) text += " --mpi " + shell_word(on.mpi);
    if (on.hosts == "real hosts") text += " --hosts " + shell_word(on.machine_list);
    if (!on.rate.empty()) text += " --rate " + shell_word(on.rate);
    if (!on.loss.empty() && on.loss != "0") text += " --loss " + shell_word(on.loss);
    if (!on.network.empty()) text += " --network " + shell_word(on.network);
    text += fmt::format(" \\\n    --machines {} --root {}", shell_word(on.machine_list), shell_word(on.root));
    const nlohmann::json settings = nlohmann::json::parse(run.settings, nullptr, false);
    if (settings.is_object()) {
        text += option_of(settings, "machine_counts", "--machine-counts");
        text += option_of(settings, "ranks_per_machine", "--ranks-per-machine") + " \\\n   ";
        text += option_of(settings, "sizes", "--sizes") + " \\\n   ";
        text += option_of(settings, "algorithms", "--algorithms") + " \\\n   ";
        text += option_of(settings, "arrivals", "--arrival");
        if (const auto budget = settings.find("budget_s"); budget != settings.end() && budget->is_number()) {
            text += *budget > 0 ? fmt::format(" --time-budget {:g}s", budget->get<double>()) : " --time-budget none";
        }
        if (const auto margin = settings.find("margin"); margin != settings.end() && margin->is_number()) {
            text += fmt::format(" --margin {:g}", margin->get<double>());
        }
    }
    return text + fmt::format(" \\\n    --db {} -o tuning.yaml", shell_word(store));
}

Facts count_rows(const RunView& view) {
    std::map<std::tuple<std::string, int, int, std::string>, std::map<std::string, std::size_t>> counts;
    for (const StoredSample& sample : view.stored.samples) {
        const SampleKey& key = sample.key;
        ++counts[{key.arrival, key.ranks_per_machine, -key.machines, key.placement}][key.role];
    }
    Facts rows{Facts::type::list};
    for (auto& [key, by_role] : counts) {
        const auto& [arrival, ranks, minus_machines, placement] = key;
        Facts row;
        row.set("shape", shape_text({-minus_machines, ranks, arrival}) +
                             (placement == "near" ? "" : ", " + printable(placement)));
        std::string machines;
        for (const StoredPlacement& one : view.stored.placements) {
            if (one.machines == -minus_machines && one.placement == placement) machines = one.machine_list;
        }
        row.set("machines", printable(machines));
        for (const char* role : {"reference", "search", "validation"}) row.set(role, std::to_string(by_role[role]));
        rows << row;
    }
    return rows;
}

}  // namespace

void add_table(Facts& facts, const RunView& view) {
    Facts blocks{Facts::type::list};
    for (const Rule& row : view.table.rules) {
        Facts block;
        block.set("who", who_text(row));
        Facts messages{Facts::type::list};
        std::size_t above = 0;
        for (const MessageRule& message : row.messages) {
            messages << message_facts(row, message, above, view.stored.validations);
            above = message.up_to;
        }
        block.set("messages", messages);
        blocks << block;
    }
    facts.set("rules", blocks);
}

void add_validations(Facts& facts, const RunView& view) {
    std::map<std::tuple<std::string, int, int, std::string>, std::vector<StoredValidation>> sorted;
    for (const StoredValidation& one : view.stored.validations) {
        sorted[{one.arrival, one.ranks_per_machine, -one.machines, one.placement}].push_back(one);
    }
    Facts blocks{Facts::type::list};
    bool first = true;
    for (auto& [key, validations] : sorted) {
        std::sort(validations.begin(), validations.end(), [](const StoredValidation& a, const StoredValidation& b) {
            return a.message_bytes < b.message_bytes;
        });
        Facts block;
        block.set("shape", validated_shape_text(validations.front()));
        if (first) block.set("open", Facts::type::bool_true);
        first = false;
        Facts rows{Facts::type::list};
        for (const StoredValidation& one : validations) rows << validation_row(view, one);
        block.set("rows", rows);
        blocks << block;
    }
    facts.set("validations", blocks);
    facts.set("has_validations", !sorted.empty());
}

void add_provenance(Facts& facts, const RunView& view, const ReportRequest& request) {
    const StoredRun& run = view.stored.run;
    const RunConditions& on = run.conditions;
    Facts list{Facts::type::list};
    add_fact(list, "topology", on.topology);
    add_fact(list, "cluster", on.cluster);
    add_fact(list, "MPI", fmt::format("{}: {}", on.mpi, on.mpi_version));
    add_fact(list, "network model", on.network);
    add_fact(list, "links scaled to", on.rate);
    add_fact(list, "datagrams lost", on.loss == "0" ? "none" : on.loss);
    add_fact(list, "ranks run on", on.hosts);
    add_fact(list, "machines", on.machine_list);
    add_fact(list, "root", on.root);
    add_fact(list, "ranks per machine", run.ranks_per_machine);
    add_fact(list, "plan hash", on.plan_hash);
    add_fact(list, "library hash", on.library_hash);
    add_fact(list, "started", run.started);
    add_fact(list, "finished", view.finished() ? run.finished : "not yet");
    add_fact(list, "samples", std::to_string(view.stored.samples.size()));
    add_fact(list, "search settings", run.settings);
    add_fact(list, "store", fmt::format("{}, run {}", request.store, run.id));
    add_fact(list, "bcastgen", request.version);
    facts.set("facts", list);
    const std::string topology = shell_word(on.topology + ".yaml");
    facts.set("commands",
              printable(fmt::format("{}\nbcastgen {} --tuning tuning.yaml\nbcastgen report {} --run {} -o "
                                    "report.html",
                                    tune_command(run, request.store), topology, shell_word(request.store), run.id)));
    facts.set("counts", count_rows(view));
    facts.set("topology_yaml", printable(run.topology_yaml));
    facts.set("store", printable(shell_word(request.store)));
    Facts others{Facts::type::list};
    for (const StoredRun& other : request.others) {
        Facts row;
        row.set("id", std::to_string(other.id));
        row.set("topology", printable(other.conditions.topology));
        row.set("cluster", printable(other.conditions.cluster));
        row.set("mpi", printable(other.conditions.mpi_version));
        row.set("started", printable(other.started));
        row.set("finished", other.finished.empty() ? "not yet" : printable(other.finished));
        others << row;
    }
    facts.set("others", others);
    facts.set("has_others", !request.others.empty());
}

}  // namespace bcastgen
