#include "tuner/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "base/diagnostic.hpp"
#include "base/units.hpp"
#include "base/wording.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tuner/clusters/kinds.hpp"
#include "tuner/report/page_templates.hpp"
#include "tuner/report/report_parts.hpp"

namespace bcastgen {

namespace {

using kainjow::mustache::mustache;

void add_section(Facts& sections, const std::string& id, const std::string& name) {
    Facts section;
    section.set("id", id);
    section.set("name", name);
    sections << section;
}

Facts tuning_facts(const RunView& view, const ReportRequest& request, const std::filesystem::path& directory) {
    Facts facts;
    add_summary(facts, view);
    add_trees(facts, view);
    add_charts(facts, view, directory);
    add_table(facts, view);
    add_validations(facts, view);
    add_provenance(facts, view, request);
    return facts;
}

/// "2026-05-04 13:00 UTC" of "2026-05-04T13:00:00Z"; anything else as it is.
std::string minute_of(const std::string& time) {
    if (time.size() != std::string_view("2026-05-04T13:00:00Z").size() || time[10] != 'T') return time;
    return time.substr(0, 10) + " " + time.substr(11, 5) + " UTC";
}

std::string subtitle_of(const RunView& view) {
    const StoredRun& run = view.stored.run;
    const RunConditions& on = run.conditions;
    std::string where = fmt::format("{} cluster, {}", on.cluster, mpi_text(on));
    if (!on.rate.empty()) where += ", links scaled to " + on.rate;
    const std::string when = view.finished() ? "finished " + minute_of(run.finished)
                                             : fmt::format("begun {}, not finished", minute_of(run.started));
    return printable(fmt::format("{}; root {}; {}", where, on.root, when));
}

}  // namespace

ReportedRun read_run(TuningStore& store, const std::string& file, std::optional<std::int64_t> id) {
    const std::vector<StoredRun> runs = store.runs();
    if (runs.empty())
        throw InputErrors({{file, 0, 0, "holds no tuning yet: bcastgen tune stopped before it could begin one", ""}});
    const auto wanted = id ? std::find_if(runs.begin(), runs.end(), [&](const StoredRun& run) { return run.id == *id; })
                           : runs.end() - 1;
    if (wanted == runs.end()) {
        throw InputErrors(
            {{"--run", 0, 0, fmt::format("{} has no run {}; its newest is {}", file, *id, runs.back().id), ""}});
    }
    ReportedRun found;
    found.run = *wanted;
    found.placements = store.placements(wanted->id);
    found.samples = store.samples(wanted->id);
    found.rules = store.rules(wanted->id);
    found.validations = store.validations(wanted->id);
    return found;
}

RunView view_of(const ReportedRun& stored) {
    RunView view{stored, findings_of(stored.run, stored.samples), {}, std::nullopt, "", {}};
    for (const Findings& findings : view.findings) {
        const bool known = std::any_of(view.shapes.begin(), view.shapes.end(), [&](const Shape& shape) {
            return find({findings}, shape, findings.placement) != nullptr;
        });
        if (!known) view.shapes.push_back(findings.shape);
    }
    try {
        view.network = read_topology(stored.run.topology_yaml, "topology");
    } catch (const InputErrors& wrong) {
        view.network_problem = wrong.diagnostics().empty() ? "" : wrong.diagnostics().front().message;
    }
    // What cannot be read may have groups: the table knows best then.
    for (Findings& findings : view.findings) {
        const Shape& shape = findings.shape;
        std::copy_if(stored.validations.begin(), stored.validations.end(), std::back_inserter(findings.rejected),
                     [&](const StoredValidation& one) {
                         return !one.kept && one.machines == shape.machines && one.placement == findings.placement &&
                                one.ranks_per_machine == shape.ranks_per_machine && one.arrival == shape.arrival;
                     });
    }
    view.table = {stored.rules, !view.network || view.network->multicast};
    add_floors(view);
    return view;
}

std::string report_page(const ReportRequest& request, const std::filesystem::path& directory) {
    Facts facts;
    Facts sections{Facts::type::list};
    facts.set("version", request.version);
    if (request.run) {
        const RunView view = view_of(*request.run);
        facts.set("title", printable("Broadcasts on " + request.run->run.conditions.topology));
        facts.set("subtitle", subtitle_of(view));
        facts.set("tuning", tuning_facts(view, request, directory));
        add_section(sections, "summary", "Summary");
        add_section(sections, "topology", "Topology and trees");
        add_section(sections, "times", "Measured times");
        add_section(sections, "table", "Decision table");
        add_section(sections, "speed-up", "Validation");
        add_section(sections, "provenance", "Provenance");
    } else {
        facts.set("title", "Broadcasts of a program");
        facts.set("subtitle", printable(request.trace ? request.trace->file : ""));
    }
    if (request.trace) {
        Facts trace = trace_facts(*request.trace, directory);
        add_times(trace, *request.trace, request.without_library);
        add_savings(trace, request);
        if (!request.slow_link.empty()) trace.set("slow_link", printable(request.slow_link));
        facts.set("trace", trace);
        add_section(sections, "trace", "Broadcasts of a program");
    }
    facts.set("sections", sections);
    mustache page{std::string(page_templates().front().text)};
    if (!page.is_valid()) throw std::logic_error("report.html.mustache: " + page.error_message());
    return page.render(facts);
}

std::string shape_text(const Shape& shape) {
    std::string text = counted(shape.machines, "machine", "machines");
    if (shape.ranks_per_machine != 1) text += fmt::format(" × {} ranks", shape.ranks_per_machine);
    if (shape.arrival != "balanced") text += fmt::format(", {} arrival", printable(shape.arrival));
    return text;
}

std::string message_text(std::size_t message_bytes) {
    constexpr std::size_t unit = 1024;
    constexpr std::size_t most_beside = 16;  // bytes next to a round number, as the search's cross-overs are
    const std::size_t beside = message_bytes % unit;
    if (message_bytes < unit || beside > most_beside) return fmt::format("{} B", message_bytes);
    const std::string round = format_size(message_bytes - beside);
    return beside == 0 ? round : fmt::format("{} + {}", round, beside);
}

std::string segment_text(std::size_t segment_bytes, std::size_t message_bytes) {
    const bool whole = segment_bytes == 0 || (message_bytes > 0 && segment_bytes >= message_bytes);
    return whole ? "–" : format_size(segment_bytes);
}

std::string mpi_text(const RunConditions& on) {
    const std::string name = on.mpi == "mpich" ? "MPICH" : on.mpi == "openmpi" ? "Open MPI" : printable(on.mpi);
    const ClusterKind kind = recorded_cluster_kind(on.cluster);
    return kind.stands_in.empty() ? name : fmt::format("{} ({})", name, kind.name);
}

std::string ratio_text(double ratio) {
    return fmt::format("{:.{}f}×", ratio, ratio < 10 ? 2 : ratio < 100 ? 1 : 0);
}

}  // namespace bcastgen
