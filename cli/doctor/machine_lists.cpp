#include "cli/doctor/machine_lists.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "base/diagnostic.hpp"
#include "base/hostlist.hpp"
#include "base/index.hpp"
#include "base/outside_failure.hpp"
#include "base/parse_error.hpp"
#include "base/process.hpp"
#include "base/text_file.hpp"
#include "base/wording.hpp"
#include "bcast/facts/machine_name.hpp"
#include "cli/options/input_file.hpp"
#include "tuner/clusters/mpiexec.hpp"

namespace bcastgen {

namespace {

constexpr std::chrono::seconds longest_answer{10};

/// The file's machines, to be looked up as the emitted library does.
class KnownMachines {
  public:
    explicit KnownMachines(const Network& network) {
        for (std::size_t i = 0; i < network.machines.size(); ++i) {
            rows_.push_back({network.machines[i].name.c_str(), static_cast<int>(i)});
        }
        std::sort(rows_.begin(), rows_.end(), [](const bcast::NamedMachine& a, const bcast::NamedMachine& b) {
            return std::string_view(a.name) < b.name;
        });
        site_.machine_names.items = rows_.data();
        site_.machine_names.count = rows_.size();
    }
    KnownMachines(const KnownMachines&) = delete;
    KnownMachines& operator=(const KnownMachines&) = delete;

    [[nodiscard]] int find(const std::string& name) const { return bcast::find_machine_among(site_, {name}); }

  private:
    std::vector<bcast::NamedMachine> rows_;
    bcast::Site site_{};
};

std::string host_name() {
    std::array<char, 256> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

/// The first names of many, folded.
std::string some_of(const std::vector<std::string>& names) {
    constexpr std::size_t most_shown = 60;
    const std::string folded = fold_hostlist(names);
    return folded.size() <= most_shown ? folded : folded.substr(0, most_shown) + "…";
}

/// The first word of each line, up to a colon: host files of all MPIs and batch systems begin so.
std::vector<std::string> names_in(const std::string& text) {
    std::vector<std::string> names;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t begin = line.find_first_not_of(" \t\r");
        if (begin == std::string::npos || line[begin] == '#') continue;
        const std::string name = line.substr(begin, line.find_first_of(" \t\r:#", begin) - begin);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

/// What `scontrol --oneliner show nodes` names: machines of no partition, too, which sinfo does not show.
std::vector<std::string> nodes_in(const std::string& text) {
    constexpr std::string_view key = "NodeName=";
    std::vector<std::string> names;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (word.rfind(key, 0) == 0) names.push_back(word.substr(key.size()));
    }
    return names;
}

/// What one of Slurm's programs that is here says; nothing if it does not answer, and a symptom.
std::optional<std::string> said_by_slurm(const std::vector<std::string>& words, std::vector<Symptom>& symptoms) {
    if (find_program(words.front()).empty()) return std::nullopt;
    Command command;
    command.words = words;
    command.time_limit = longest_answer;
    const CommandOutcome outcome = run_command(command);
    if (outcome.exit_code == 0) return outcome.output;
    const std::string why =
        outcome.timed_out ? "no answer in 10 s" : outcome.errors.substr(0, outcome.errors.find('\n'));
    symptoms.push_back({Health::note, words.front(), "is here, but does not answer: " + why, "ask where Slurm runs"});
    return std::nullopt;
}

void add_slurm(std::vector<MachineList>& lists, std::vector<Symptom>& symptoms) {
    if (const auto said = said_by_slurm({"sinfo", "--noheader", "--Node", "--format=%N"}, symptoms))
        lists.push_back({"sinfo", names_in(*said), true});
    if (const auto said = said_by_slurm({"scontrol", "--oneliner", "show", "nodes"}, symptoms))
        lists.push_back({"scontrol", nodes_in(*said), true});
}

void add_job(std::vector<MachineList>& lists, std::vector<Symptom>& symptoms) {
    try {
        if (std::vector<std::string> hosts = batch_hosts(); !hosts.empty())
            lists.push_back({"this job", std::move(hosts)});
    } catch (const std::exception& failure) {  // what the batch system says is no list of hosts
        symptoms.push_back({Health::ill, "this job", failure.what(), "ask the batch system's admins"});
    }
}

void add_host_files(std::vector<MachineList>& lists, std::vector<Symptom>& symptoms) {
    for (const char* variable : {"HYDRA_HOST_FILE", "OMPI_MCA_orte_default_hostfile"}) {
        const char* file = std::getenv(variable);
        if (file == nullptr || *file == '\0') continue;
        if (const std::optional<std::string> text = text_of(file)) {
            lists.push_back({variable, names_in(*text)});
        } else {
            symptoms.push_back(
                {Health::ill, variable, std::string(file) + " cannot be read", "correct the variable, or unset it"});
        }
    }
}

std::vector<std::string> hosts_of(const std::string& hosts) {
    if (std::filesystem::exists(hosts)) return names_in(read_input_file(hosts));
    try {
        return expand_hostlist(hosts);
    } catch (const ParseError& error) {
        throw InputErrors({{"--hosts", 1, static_cast<int>(error.offset()) + 1, error.what(), hosts}});
    }
}

}  // namespace

std::vector<MachineList> machine_lists(const std::string& hosts, std::vector<Symptom>& symptoms) {
    std::vector<MachineList> lists;
    if (!hosts.empty()) lists.push_back({"--hosts", hosts_of(hosts), true});
    add_slurm(lists, symptoms);
    add_job(lists, symptoms);
    add_host_files(lists, symptoms);
    return lists;
}

std::vector<Symptom> compare_machines(const Network& network, const MachineList& list) {
    const KnownMachines known(network);
    std::vector<bool> named(network.machines.size(), false);
    std::vector<std::string> strangers;
    for (const std::string& name : list.names) {
        const int machine = known.find(name);
        if (machine == bcast::unknown_machine) {
            strangers.push_back(name);
        } else {
            named[at(machine)] = true;
        }
    }
    std::vector<std::string> missing;
    for (std::size_t i = 0; i < named.size(); ++i) {
        if (!named[i]) missing.push_back(network.machines[i].name);
    }
    std::vector<Symptom> symptoms;
    if (!strangers.empty()) {
        symptoms.push_back({Health::ill, list.origin,
                            fmt::format("names {} that the file does not have, {}",
                                        counted(strangers.size(), "machine", "machines"), some_of(strangers)),
                            "broadcasts with ranks there are left to the MPI; add what is missing to the file"});
    }
    if (list.of_all && !missing.empty()) {
        symptoms.push_back({Health::ill, list.origin,
                            fmt::format("does not name {} of the file, {}",
                                        counted(missing.size(), "machine", "machines"), some_of(missing)),
                            "take those that are gone out of the file, or correct their names"});
    }
    if (symptoms.empty()) {
        const std::string which = missing.empty() ? "all of the file and no other" : "all in the file";
        symptoms.push_back({Health::well, list.origin,
                            fmt::format("names {}, {}", counted(list.names.size(), "machine", "machines"), which), ""});
    }
    return symptoms;
}

std::optional<std::string> machine_of_this_host(const Network& network) {
    const int machine = KnownMachines(network).find(host_name());
    if (machine == bcast::unknown_machine) return std::nullopt;
    return network.machines[at(machine)].name;
}

Symptom look_for_this_host(const Network& network) {
    const std::string name = host_name();
    if (const std::optional<std::string> machine = machine_of_this_host(network))
        return {Health::well, "this host", fmt::format("{} is {} in the file", name, *machine), ""};
    return {Health::note, "this host", fmt::format("{} is no machine of the file", name),
            "all is well if jobs run elsewhere"};
}

}  // namespace bcastgen
