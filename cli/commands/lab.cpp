#include "tuner/clusters/lab/lab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/diagnostic.hpp"
#include "base/process.hpp"
#include "base/units.hpp"
#include "cli/commands/commands.hpp"
#include "cli/options/input_file.hpp"
#include "cli/options/lab_options.hpp"
#include "cli/terminal.hpp"

namespace bcastgen {

namespace {

constexpr const char* lab_examples = R"(Examples:
  sudo bcastgen lab topologies/fsu-4.yaml -- ping -c 3 n31            on the first machine, n0
  sudo bcastgen lab topologies/fsu-4.yaml --rate 25Mbit/s -- mpiexec.mpich -n 32 ./program
  sudo bcastgen lab topologies/fsu-4.yaml -- sh -c 'ssh n9 iperf3 -s -D -1; sleep 1; iperf3 -c n9'
  sudo bcastgen lab topologies/fsu-4.yaml                             a shell; it ends the lab
  sudo bcastgen lab up topologies/fsu-4.yaml                          until lab down
  sudo bcastgen lab exec n3 -- tcpdump -i eth0                        in it, from anywhere

Machines reach each other by name, and by an ssh of the lab's own. Exit code: the command's.)";

struct LabArguments {
    std::string topology;
    LabOptions settings;
    std::string lab;
    std::string machine;
    std::vector<std::string> command;
};

[[noreturn]] void refuse_option(const std::string& where, const std::string& message) {
    throw InputErrors({{where, 0, 0, message, ""}});
}

std::string description(const LabRecord& lab) {
    return fmt::format("{}: {} machines, fastest port {}", lab.name, lab.machines.size(),
                       format_bandwidth(lab.fastest_port_Bps));
}

std::vector<std::string> shell() {
    const char* own = std::getenv("SHELL");
    return {own != nullptr ? own : "/bin/sh"};
}

int run_in(const LabRecord& lab, const std::string& machine, const std::vector<std::string>& command) {
    return run_in_foreground(
        command_in(lab, machine, command.empty() ? shell() : command, std::filesystem::current_path()));
}

int run_lab(const LabArguments& options) {
    if (options.topology.empty()) refuse_option("lab", "name a topology file, or one of up, exec, status and down");
    const Network network = load_topology(options.topology);
    const Lab lab(network, lab_settings(options.settings));
    say(description(lab.record()));
    return run_in(lab.record(), network.machines.front().name, options.command);
}

int up(const LabArguments& options) {
    Lab lab(load_topology(options.topology), lab_settings(options.settings));
    lab.leave_standing();
    say(description(lab.record()));
    fmt::print("{}\n", lab.record().name);
    return exit_done;
}

int status() {
    for (const LabRecord& lab : find_labs()) {
        fmt::print("{}, {}\n", description(lab), lab.owner == 0 ? "standing" : fmt::format("of process {}", lab.owner));
    }
    return exit_done;
}

/// The lab that --lab names, or the only one with such a machine.
LabRecord chosen_lab(const LabArguments& options) {
    std::vector<LabRecord> labs = find_labs();
    std::erase_if(labs, [&](const LabRecord& lab) {
        return !options.lab.empty()
                   ? lab.name != options.lab
                   : std::find(lab.machines.begin(), lab.machines.end(), options.machine) == lab.machines.end();
    });
    if (labs.size() > 1) refuse_option("exec", "several labs have a machine of that name; choose one with --lab");
    if (labs.empty() && !options.lab.empty())
        refuse_option("--lab", options.lab + " is not a lab; see bcastgen lab status");
    if (labs.empty()) refuse_option("exec", options.machine + " is not a machine of any lab; see bcastgen lab status");
    return labs.front();
}

int exec(const LabArguments& options) {
    return run_in(chosen_lab(options), options.machine, options.command);
}

/// Without a name: the labs that were made by `lab up`. Others end with the programs that they were made for.
int down(const LabArguments& options) {
    int ended = 0;
    for (const LabRecord& lab : find_labs()) {
        if (options.lab.empty() ? lab.owner != 0 : lab.name != options.lab) continue;
        take_down(lab);
        fmt::print("{}\n", lab.name);
        ++ended;
    }
    if (ended == 0 && !options.lab.empty())
        refuse_option("down", options.lab + " is not a lab; see bcastgen lab status");
    return exit_done;
}

}  // namespace

void register_lab(CLI::App& application, Invocation& invocation) {
    const auto options = std::make_shared<LabArguments>();
    const auto run = [options, &invocation](int (*action)(const LabArguments&)) {
        return [options, action, &invocation] { invocation.run = [options, action] { return action(*options); }; };
    };
    CLI::App* lab = add_command(application, "lab", "Run a command inside an emulated cluster", lab_examples);
    lab->add_option("topology", options->topology, "Topology file (docs/formats.md)")->type_name("FILE");
    lab->add_option("command", options->command, "Command, after --; a shell if not given");
    add_lab_options(*lab, options->settings);
    lab->callback([lab, run] {
        if (lab->get_subcommands().empty()) run(run_lab)();
    });
    CLI::App* up_command =
        add_command(*lab, "up", "Build a lab that stays up until lab down; print its name", lab_examples);
    up_command->add_option("topology", options->topology, "Topology file (docs/formats.md)")
        ->required()
        ->type_name("FILE");
    add_lab_options(*up_command, options->settings);
    up_command->callback(run(up));
    CLI::App* exec_command = add_command(*lab, "exec", "Run a command on a machine of a lab that is up", lab_examples);
    exec_command->add_option("machine", options->machine, "Machine, or a switch: where its devices are")->required();
    exec_command->add_option("command", options->command, "Command, after --; a shell if not given");
    exec_command->add_option("--lab", options->lab, "Which lab, where several have such a machine");
    exec_command->callback(run(exec));
    add_command(*lab, "status", "List this host's labs, and remove what killed labs left behind", lab_examples)
        ->callback([&invocation] { invocation.run = [] { return status(); }; });
    CLI::App* down_command = add_command(*lab, "down", "End all labs that are up, or the one named", lab_examples);
    down_command->add_option("lab", options->lab, "Its name, as lab up printed it");
    down_command->callback(run(down));
}

}  // namespace bcastgen
