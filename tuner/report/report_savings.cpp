// What a table saves, or would save, of the time that a program spends in broadcasts.
#include <fmt/format.h>

#include "base/units.hpp"
#include "tuner/measure/savings.hpp"
#include "tuner/report/report_parts.hpp"
#include "tuner/store/measured_savings.hpp"

namespace bcastgen {

namespace {

std::string seconds_text(double seconds) {
    return time_text(1e6 * seconds);
}

std::string bounds_text(const Seconds& saved) {
    return fmt::format("{} to {}", seconds_text(saved.low), seconds_text(saved.high));
}

Facts rows_of(const std::vector<Saving>& savings) {
    Facts rows{Facts::type::list};
    for (const Saving& one : savings) {
        Facts row;
        row.set("machines", std::to_string(one.cell.machines));
        row.set("ranks", std::to_string(one.cell.ranks_per_machine));
        row.set("message", message_text(one.cell.message_bytes));
        row.set("broadcasts", fmt::format("{:.0f}", one.cell.broadcasts));
        row.set("own", time_text(one.native_us));
        row.set("chosen", time_text(one.chosen_us));
        row.set("saved", seconds_text(one.saved.likely));
        row.set("bounds", bounds_text(one.saved));
        rows << row;
    }
    return rows;
}

}  // namespace

void add_savings(Facts& facts, const ReportRequest& request) {
    if (!request.run && !request.traced_on) return;
    const Workload workload = workload_of({*request.trace});
    const std::vector<Saving> savings = request.run ? measured_savings(request.run->validations, workload)
                                                    : predicted_savings(*request.traced_on, workload);
    const Seconds sum = sum_of(savings);
    Facts part;
    part.set("title", request.run ? "What the table saves" : "What tuning would bring, by prediction");
    std::string intro = fmt::format("A rank spent {} in broadcasts. ", seconds_text(workload.seconds));
    if (request.run) {
        intro += fmt::format(
            "By the times that were measured the decision table saves {} of a job like this ({}), against "
            "the MPI’s own broadcast.",
            seconds_text(sum.likely), bounds_text(sum));
    } else {
        intro += fmt::format(
            "Of the broadcasts that the MPI carried, its own time and that of the predicted table differ by "
            "{} ({}). Nothing was measured: bounds are those of prices that are a tenth off, for machines "
            "near to each other and spread out. Time that ranks wait for late ones stays.",
            seconds_text(sum.likely), bounds_text(sum));
    }
    part.set("intro", intro);
    part.set("rows", rows_of(savings));
    facts.set("savings", part);
}

}  // namespace bcastgen
