#include "cli/manual/manual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <vector>

#include "base/text_file.hpp"
#include "cli/application.hpp"
#include "cli/manual/roff.hpp"
#include "cli/options/option_words.hpp"

namespace bcastgen {

namespace {

std::string bold(std::string_view text) {
    return fmt::format("\\fB{}\\fR", roff(text));
}

std::string italic(std::string_view text) {
    return fmt::format("\\fI{}\\fR", roff(text));
}

std::string with_capital(std::string text, int (*change)(int)) {
    if (!text.empty()) text.front() = static_cast<char>(change(static_cast<unsigned char>(text.front())));
    return text;
}

std::string joined_words(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, ", "));
}

/// "-o, --output FILE"
std::string tag_of(const CLI::Option& option) {
    if (option.nonpositional()) {
        std::vector<std::string> names;
        for (const std::string& name : option.get_snames()) names.push_back(bold("-" + name));
        for (const std::string& name : option.get_lnames()) names.push_back(bold("--" + name));
        const std::string value = value_name(option);
        return joined_words(names) + (value.empty() ? "" : " " + italic(value));
    }
    return italic(option.get_name(true));
}

/// The option's description, and what --help says of its values beside its name.
std::string about(const CLI::Option& option) {
    const std::string& described = option.get_description();
    const std::vector<std::string> words = listed_words(option);
    const auto is_described = [&](const std::string& word) { return described.find(word) != std::string::npos; };
    std::string text = described + ".";
    if (!std::all_of(words.begin(), words.end(), is_described)) {
        text += fmt::format(" One of {}.", joined_words(words));
    }
    if (!option.get_default_str().empty()) text += fmt::format(" Default: {}.", option.get_default_str());
    if (option.get_required() && option.nonpositional()) text += " Required.";
    return text;
}

bool belongs_to(const CLI::Option& option, bool positional) {
    return option.get_positional() == positional && !option.get_group().empty();
}

/// Positional arguments first, as they are written.
std::string options_of(const CLI::App& command) {
    std::string text;
    for (const bool positional : {true, false}) {
        for (const CLI::Option* option : command.get_options()) {
            if (belongs_to(*option, positional)) text += roff_item(tag_of(*option), about(*option));
        }
    }
    return text;
}

std::string synopsis_of(const CLI::App& command, const std::string& words) {
    std::string line = bold(words) + " [" + italic("OPTIONS") + "]";
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_positional()) continue;
        std::string name = italic(option->get_name(true));
        if (option->get_expected_max() > 1) name += " ...";
        line += " " + (option->get_required() ? name : "[" + name + "]");
    }
    return line + "\n";
}

/// A row of a list in a footer: "  name  what it is".
bool is_row(const std::string& line) {
    const std::size_t from = line.find_first_not_of(' ');
    return from == 2 && line.find("  ", from) != std::string::npos;
}

std::string list_of(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) {
        const std::size_t end = line.find("  ", 2);
        const std::size_t next = line.find_first_not_of(' ', end);
        text += roff_item(bold(line.substr(2, end - 2)), line.substr(next));
    }
    return text;
}

/// The parts of a page that a command's footer holds: paragraphs, examples, lists with their headings.
struct Footer {
    std::string paragraphs;
    std::string examples;
    std::string lists;
};

void add_block(Footer& footer, std::vector<std::string> lines) {
    const bool headed = lines.size() > 1 && lines.front().ends_with(':') && lines[1].starts_with("  ");
    const std::string heading = headed ? lines.front().substr(0, lines.front().size() - 1) : "";
    if (headed) lines.erase(lines.begin());
    if (heading == "Examples" || (!headed && lines.front().starts_with("  "))) {
        std::string text;
        for (const std::string& line : lines) text += line.substr(2) + "\n";
        (headed ? footer.examples : footer.paragraphs) += (headed ? "" : ".PP\n") + roff_example(text);
    } else if (headed && std::all_of(lines.begin(), lines.end(), is_row)) {
        std::string title = heading;
        for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        footer.lists += roff_section(title) + list_of(lines);
    } else {
        footer.paragraphs += ".PP\n";
        if (headed) footer.paragraphs += roff(heading) + ":\n";
        for (const std::string& line : lines) footer.paragraphs += roff_lines(line);
    }
}

Footer footer_of(const CLI::App& command) {
    Footer footer;
    std::vector<std::string> block;
    std::istringstream lines(command.get_footer() + "\n\n");
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("Exit codes:")) continue;  // they have a section of their own
        if (!line.empty()) {
            block.push_back(line);
        } else if (!block.empty()) {
            add_block(footer, std::move(block));
            block = {};
        }
    }
    return footer;
}

std::string head(const std::string& page, char section, const std::string& version, const std::string& date) {
    std::string title = page;
    for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return fmt::format(".TH {} {} \"{}\" \"bcastgen {}\" \"bcastgen\"\n", roff(title), section, date, roff(version));
}

std::string commands_of(const CLI::App& application, const std::string& page) {
    std::string text;
    for (const CLI::App* command : application.get_subcommands({})) {
        text += roff_item(fmt::format("\\fB{}\\-{}\\fR(1)", roff(page), roff(command->get_name())),
                          command->get_description());
    }
    return text.empty() ? "" : roff_section("COMMANDS") + text;
}

/// Commands of a command, as `lab up`, have no pages of their own.
std::string parts_of(const CLI::App& command, const std::string& words) {
    std::string text;
    for (const CLI::App* part : command.get_subcommands({})) {
        text += fmt::format(".SS {}\n{}{}.\n{}", roff(words + " " + part->get_name()),
                            synopsis_of(*part, words + " " + part->get_name()) + ".PP\n", roff(part->get_description()),
                            options_of(*part));
    }
    return text.empty() ? "" : roff_section("COMMANDS") + text;
}

std::string see_also(const std::string& page) {
    std::string text = roff_section("SEE ALSO");
    if (page != "bcastgen") text += ".BR bcastgen (1),\n";
    return text + ".BR bcastgen\\-environment (7),\nthe guide and the formats in share/doc/bcastgen/docs\n";
}

std::string body(const CLI::App& command, const std::string& page, const std::string& words, bool whole) {
    const Footer footer = footer_of(command);
    const std::string name = with_capital(command.get_description(), std::tolower);
    std::string text = roff_section("NAME") + roff(page) + " \\- " +
                       roff(name.ends_with('.') ? name.substr(0, name.size() - 1) : name) + "\n";
    text += roff_section("SYNOPSIS") + synopsis_of(command, words);
    if (whole) text += ".br\n" + bold(words) + " " + italic("COMMAND") + " ...\n";
    text += roff_section("DESCRIPTION") + roff_lines(command.get_description() + (name.ends_with('.') ? "" : "."));
    text += footer.paragraphs;
    text += roff_section("OPTIONS") + options_of(command);
    text += whole ? commands_of(command, page) : parts_of(command, words);
    text += footer.lists;
    if (!footer.examples.empty()) text += roff_section("EXAMPLES") + footer.examples;
    return text + roff_section("EXIT STATUS") + roff_lines(exit_codes()) + see_also(page);
}

}  // namespace

void write_manual(const std::string& version, const std::string& date, const std::filesystem::path& directory) {
    CLI::App application;
    Invocation none;
    add_commands(application, none);
    const auto write = [&](const std::string& page, char section, const std::string& text) {
        write_file(directory / fmt::format("{}.{}", page, section), head(page, section, version, date) + text);
    };
    const std::string& name = application.get_name();
    write(name, '1', body(application, name, name, true));
    for (const CLI::App* command : application.get_subcommands({})) {
        const std::string page = name + "-" + command->get_name();
        write(page, '1', body(*command, page, name + " " + command->get_name(), false));
    }
    write_file(directory / "bcastgen-stage.1", stage_manual(version, date));
    write(name + "-environment", '7', environment_page());
}

std::string stage_manual(const std::string& version, const std::string& date) {
    return head("bcastgen-stage", '1', version, date) + stage_page();
}

}  // namespace bcastgen
