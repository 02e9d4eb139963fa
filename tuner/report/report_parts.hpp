// The parts of a report's page, as its template (report.html.mustache) takes them.
#pragma once

#include <filesystem>
#include <kainjow/mustache.hpp>
#include <optional>
#include <string>
#include <vector>

#include "planner/network/network.hpp"
#include "tuner/report/chart.hpp"
#include "tuner/report/findings.hpp"
#include "tuner/report/report.hpp"

namespace bcastgen {

using Facts = kainjow::mustache::data;

/// A run made ready for showing.
struct RunView {
    const ReportedRun& stored;
    std::vector<Findings> findings;
    std::vector<Shape> shapes;       ///< that have samples, the most telling first
    std::optional<Network> network;  ///< none: the store's topology cannot be read
    std::string network_problem;     ///< why
    SiteTable table;

    [[nodiscard]] bool finished() const { return !stored.run.finished.empty(); }
};

[[nodiscard]] RunView view_of(const ReportedRun& stored);

/// Fills in Findings::floor_us, from the run's topology and conditions.
void add_floors(RunView& view);

/// Adds the charts that a part shows to those to be drawn; once they are, `pictures` has them at these indices.
class ChartList {
  public:
    std::size_t add(Chart chart) {
        charts_.push_back(std::move(chart));
        return charts_.size() - 1;
    }
    void draw(const std::filesystem::path& directory) { pictures_ = draw_charts(charts_, directory); }
    [[nodiscard]] const std::string& picture(std::size_t index) const { return pictures_.at(index); }

  private:
    std::vector<Chart> charts_;
    std::vector<std::string> pictures_;
};

void add_summary(Facts& facts, const RunView& view);      ///< warnings, headline, tiles, matrix
void add_trees(Facts& facts, const RunView& view);        ///< network, trees
void add_table(Facts& facts, const RunView& view);        ///< rules
void add_validations(Facts& facts, const RunView& view);  ///< validations, has_validations
void add_provenance(Facts& facts, const RunView& view, const ReportRequest& request);

/// Charts of the summary and of every shape (speed_ups, shapes), drawn below `directory`.
void add_charts(Facts& facts, const RunView& view, const std::filesystem::path& directory);

[[nodiscard]] Facts trace_facts(const Trace& trace, const std::filesystem::path& directory);

/// What the program's broadcasts take, by message size and by rank; beside a trace of a run without the library, if
/// there is one. Nothing where the lines have no times.
void add_times(Facts& facts, const Trace& trace, const std::optional<Trace>& without);

/// What the run's table saves of the trace's time; without a run what the predicted table would save, if the network is
/// known.
void add_savings(Facts& facts, const ReportRequest& request);

// Words that several parts use.
[[nodiscard]] std::string shape_text(const Shape& shape);           ///< "32 machines, 2 ranks each, imbalanced arrival"
[[nodiscard]] std::string message_text(std::size_t message_bytes);  ///< "1M", "512K + 1", "65 B"
[[nodiscard]] std::string segment_text(std::size_t segment_bytes, std::size_t message_bytes);  ///< "8K", or a dash
[[nodiscard]] std::string mpi_text(const RunConditions& on);  ///< "MPICH as in SimGrid", "MPICH 4.0.2"
[[nodiscard]] std::string ratio_text(double ratio);           ///< "1.23×", "12.2×"

}  // namespace bcastgen
