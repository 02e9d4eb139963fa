#include "cli/options/site_input.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/names.hpp"
#include "base/printable.hpp"
#include "cli/options/input_file.hpp"
#include "cli/terminal.hpp"
#include "planner/decision/prediction.hpp"
#include "planner/decision/tuning_yaml.hpp"

namespace bcastgen {

namespace {

/// A file's name for emitted text. One that could end a comment or mean something to a shell is replaced, as is one
/// that is too long for a line.
std::string shown_name(const std::string& path, const std::string& otherwise) {
    constexpr std::size_t longest = 40;
    const std::string name = std::filesystem::path(path).filename().string();
    return is_safe_name(name) && name.size() <= longest ? name : otherwise;
}

}  // namespace

DecisionTable load_table(const Network& network, const SitePlan& plan, const std::string& tuning,
                         const MessageCosts& costs) {
    if (tuning.empty()) return default_table(network, plan, costs);
    DecisionTable table = read_tuning(read_input_file(tuning), tuning, network, plan);
    if (names_own(table)) {
        say(
            fmt::format("{} has rules for algorithms of the MPI's own: to the library they are native; tell the MPI "
                        "with bcastgen export",
                        printable(tuning)));
    }
    return for_library(std::move(table));
}

SiteInput load_site(const std::string& topology, const std::string& tuning, MessageCosts (*costs_of)(const Network&)) {
    SiteInput site;
    site.network = load_topology(topology);
    site.plan = make_site_plan(site.network);
    site.table = load_table(site.network, site.plan, tuning, costs_of(site.network));
    site.command = "bcastgen " + shown_name(topology, "topology.yaml");
    if (!tuning.empty()) site.command += " --tuning " + shown_name(tuning, "tuning.yaml");
    return site;
}

}  // namespace bcastgen
