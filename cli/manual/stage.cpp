#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "cli/manual/manual.hpp"
#include "cli/manual/roff.hpp"
#include "codegen/build/stage_sources.hpp"

namespace bcastgen {

namespace {

/// What its --help prints, as it stands in its source.
std::string help_of_stage() {
    constexpr std::string_view begin = "help_text = R\"(";
    for (const EmbeddedFile& file : stage_sources()) {
        const std::string_view text = file.text;
        const std::size_t from = text.find(begin);
        if (from == std::string_view::npos) continue;
        const std::size_t first = from + begin.size();
        return std::string(text.substr(first, text.find(")\"", first) - first));
    }
    return "";
}

/// The lines between two empty ones.
std::vector<std::vector<std::string>> blocks_of(const std::string& text) {
    std::vector<std::vector<std::string>> blocks(1);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        if (line.empty()) {
            blocks.emplace_back();
        } else {
            blocks.back().push_back(line);
        }
    }
    return blocks;
}

std::string paragraph(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += roff_lines(line);
    return text;
}

/// "  --option VALUE   what it is"
std::string options_among(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        const std::size_t end = line.find("  ", 2);
        const std::size_t next = line.find_first_not_of(' ', end);
        text += roff_item("\\fB" + roff(line.substr(2, end - 2)) + "\\fR",
                          next == std::string::npos ? "" : line.substr(next));
    }
    return text;
}

std::string example_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line.substr(2) + "\n";
    return roff_example(text);
}

}  // namespace

std::string stage_page() {
    constexpr std::string_view usage = "Usage: ";
    constexpr std::string_view codes = "Exit codes: ";
    std::string text =
        roff_section("NAME") + "bcastgen\\-stage \\- copies a file or a directory to every machine of an MPI job\n";
    std::string described;
    std::string ending;
    for (std::vector<std::string>& block : blocks_of(help_of_stage())) {
        const std::string first = block.front();
        if (first.starts_with(usage)) {
            text += roff_section("SYNOPSIS") + roff_lines(first.substr(usage.size()));
        } else if (first.starts_with(codes)) {
            block.front() = first.substr(codes.size());
            ending += roff_section("EXIT STATUS") + paragraph(block);
        } else if (first == "Examples:") {
            ending += roff_section("EXAMPLES") + example_of({block.begin() + 1, block.end()});
        } else if (first.starts_with("  --")) {
            ending = roff_section("OPTIONS") + options_among(block) + ending;
        } else {
            described += (described.empty() ? "" : ".PP\n") + paragraph(block);
        }
    }
    return text + roff_section("DESCRIPTION") + described + ending + roff_section("SEE ALSO") +
           ".BR bcastgen\\-install (1),\nstaging.md in share/doc/bcastgen/docs\n";
}

}  // namespace bcastgen
