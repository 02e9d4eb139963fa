#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "base/wording.hpp"
#include "cli/commands/commands.hpp"
#include "cli/doctor/host_checks.hpp"
#include "cli/doctor/machine_lists.hpp"
#include "cli/doctor/preloaded.hpp"
#include "cli/doctor/symptom.hpp"
#include "cli/options/input_file.hpp"

namespace bcastgen {

namespace {

constexpr const char* doctor_examples = R"(Examples:
  bcastgen doctor my-cluster.yaml                       before the first job, on the host that starts jobs
  LD_PRELOAD=… srun -n 1 bcastgen doctor my-cluster.yaml     as a job sees it
  bcastgen doctor my-cluster.yaml --hosts hosts.txt     the file against a list of the machines that are there

Sends nothing over the network. A line is "well", a "note", or "ill" with what to do. Exit code 3 if anything is ill.)";

struct DoctorArguments {
    std::string topology;
    std::string hosts;
    std::string format = "text";
};

int doctor(const DoctorArguments& options) {
    const Network network = load_topology(options.topology);
    std::vector<Symptom> symptoms{
        {Health::well, "topology",
         fmt::format("{}: {} on {}", network.name, counted(network.machines.size(), "machine", "machines"),
                     counted(network.switches.size(), "switch", "switches")),
         ""}};
    const auto add = [&](std::vector<Symptom> more) {
        std::move(more.begin(), more.end(), std::back_inserter(symptoms));
    };
    for (const MachineList& list : machine_lists(options.hosts, symptoms)) add(compare_machines(network, list));
    add({look_for_this_host(network)});
    add(look_at_preloaded(network));
    add(look_at_settings());
    add(look_at_programs());
    add(look_at_limits());
    fmt::print("{}", options.format == "json" ? symptoms_json(symptoms) : symptoms_text(symptoms));
    const bool ill = std::any_of(symptoms.begin(), symptoms.end(),
                                 [](const Symptom& symptom) { return symptom.health == Health::ill; });
    return ill ? exit_found_wrong : exit_done;
}

}  // namespace

void register_doctor(CLI::App& application, Invocation& invocation) {
    CLI::App* command =
        add_command(application, "doctor", "Look at everything that can be checked without traffic", doctor_examples);
    const auto options = std::make_shared<DoctorArguments>();
    command->add_option("topology", options->topology, "Topology file (docs/formats.md)")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--hosts", options->hosts, "The cluster's machines: a hostlist, or a file with one on each line")
        ->type_name("HOSTLIST|FILE");
    command->add_option("--format", options->format, "text for people, json for programs")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->callback([options, &invocation] { invocation.run = [options] { return doctor(*options); }; });
}

}  // namespace bcastgen
