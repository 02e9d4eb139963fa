#include <fmt/format.h>

#include "bcast/facts/algorithm.hpp"
#include "bcast/facts/setting_names.hpp"
#include "cli/manual/manual.hpp"
#include "cli/manual/roff.hpp"

namespace bcastgen {

namespace {

/// What the tool itself asks for, besides what belongs to launchers and batch systems.
constexpr bcast::Setting variables_of_the_tool[] = {
    {"NO_COLOR", "1", "No colours, as TERM=dumb."},
    {"TMPDIR", "DIRECTORY", "Where temporary files go. Default: /tmp."},
    {"XDG_CACHE_HOME", "DIRECTORY",
     "What was compiled is kept in bcastgen/programs and bcastgen/libraries below it. Default: ~/.cache."},
    {"XDG_RUNTIME_DIR", "DIRECTORY", "Where labs keep their state if /run cannot be written into."},
    {"SHELL", "FILE", "What lab runs when it is given no command. Default: /bin/sh."},
};

std::string item(const bcast::Setting& row) {
    return roff_item(fmt::format("\\fB{}\\fR=\\fI{}\\fR", roff(row.name), roff(row.values)), row.effect);
}

template <std::size_t N>
std::string items(const bcast::Setting (&rows)[N]) {
    std::string text;
    for (const bcast::Setting& row : rows) text += item(row);
    return text;
}

std::string algorithms() {
    std::string text = roff_section("ALGORITHMS");
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        text += roff_item(fmt::format("\\fB{}\\fR", roff(row.name)), row.purpose);
    }
    return text;
}

}  // namespace

std::string environment_page() {
    return roff_section("NAME") +
           "bcastgen\\-environment \\- variables of jobs with an emitted library, and of the tool\n" +
           roff_section("DESCRIPTION") +
           roff_lines(
               "A library that bcastgen emitted asks for these variables at its first broadcast. Those that bear on "
               "the choice of an algorithm must be the same on all ranks of a job; where they are not, the "
               "communicator stays with the MPI's own broadcast. A setting that does not exist, that cannot be obeyed "
               "or that is not in force is said to be so on stderr, once, by rank 0. Switches take 1, yes, true, on "
               "and their opposites; an empty value is none.") +
           roff_section("SETTINGS OF A JOB") + items(bcast::setting_rows) + algorithms() +
           roff_section("MODULES AND LABS") + items(bcast::foreign_setting_rows) + roff_section("THE TOOL") +
           items(variables_of_the_tool) + roff_section("SEE ALSO") +
           ".BR bcastgen (1),\nguide.md and multicast.md in share/doc/bcastgen/docs\n";
}

}  // namespace bcastgen
