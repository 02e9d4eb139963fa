#include "tuner/clusters/lab/files.hpp"

#include <fmt/format.h>

#include <fstream>
#include <stdexcept>

#include "tuner/clusters/lab/idle_shim.hpp"
#include "tuner/clusters/lab/wiring.hpp"

namespace bcastgen {

namespace {

namespace fs = std::filesystem;

// Runs a command on a machine, or in the namespace of the switches. Words stay as they are.
constexpr const char* enter_script = R"(#!/bin/sh
# enter DIRECTORY MACHINE COMMAND...: runs COMMAND on MACHINE, in DIRECTORY
lab={inside}
directory=$1
machine=$2
shift 2
while read -r name pid; do
    if [ "$name" = "$machine" ]; then break; fi
done <"$lab/machines"
if [ "$name" != "$machine" ]; then
    echo "$machine is not a machine of this lab" >&2
    exit 255
fi
if [ "$BCASTGEN_LAB" != "$lab" ]; then . "$lab/environment"; fi
exec nsenter --target "$pid" --net --uts --ipc --mount -- sh -c 'cd "$1" && shift && exec "$@"' sh "$directory" "$@"
)";

// What launchers and people call as they would on a real cluster.
constexpr const char* ssh_script = R"(#!/bin/sh
# ssh [OPTION...] MACHINE [COMMAND...]: as on a real cluster, without keys. The command starts in the same directory.
while :; do
    case $1 in
        -[bcDEeFIiJLlmOopQRSWw]) shift 2 ;;
        -*) shift ;;
        *) break ;;
    esac
done
machine=${1##*@}
shift
if [ $# -eq 0 ]; then set -- "exec ${SHELL:-/bin/sh}"; fi
exec {inside}/enter "$PWD" "$machine" /bin/sh -c "$*"
)";

// What MPI programs need to run across the lab. The launchers start ranks on every machine unless told otherwise.
constexpr const char* environment_script = R"(export BCASTGEN_LAB={inside}
export PATH={inside}/bin:$PATH
# MPICH
export HYDRA_LAUNCHER=ssh HYDRA_LAUNCHER_EXEC={inside}/bin/ssh HYDRA_HOST_FILE={inside}/hosts.mpich HYDRA_IFACE={device}
export UCX_TLS=tcp,self UCX_NET_DEVICES={device}
# Open MPI; its ranks of one machine talk through shared memory
export OMPI_MCA_plm_rsh_agent={inside}/bin/ssh OMPI_MCA_plm_rsh_no_tree_spawn=1
export OMPI_MCA_orte_default_hostfile={inside}/hosts.openmpi OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self,vader OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_btl_tcp_if_include={device} OMPI_MCA_oob_tcp_if_include={device}
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
)";

void replace_all(std::string& text, const std::string& word, const std::string& value) {
    for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += value.size()) {
        text.replace(at, word.size(), value);
    }
}

void write_inside(const fs::path& file, std::string_view text, bool executable = false) {
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw std::runtime_error(fmt::format("{} cannot be written", file.string()));
    if (executable) fs::permissions(file, fs::perms(0755));
}

}  // namespace

void write_lab_files(const fs::path& lab, const Network& network, const std::vector<int>& machine_pids) {
    const fs::path inside = lab_path::inside(lab);
    const auto fill_in = [&](std::string text) {
        replace_all(text, "{inside}", inside.string());
        replace_all(text, "{device}", port_device(network));
        return text;
    };
    std::string machines;
    std::string mpich_hosts;
    std::string openmpi_hosts;
    for (std::size_t m = 0; m < network.machines.size(); ++m) {
        const Machine& machine = network.machines[m];
        machines += fmt::format("{} {}\n", machine.name, machine_pids[m]);
        mpich_hosts += fmt::format("{}:{}\n", machine.name, machine.cores);
        openmpi_hosts += fmt::format("{} slots={}\n", machine.name, machine.cores);
    }
    for (const Switch& sw : network.switches) machines += fmt::format("{} 1\n", sw.name);
    fs::create_directory(inside / "bin");
    write_inside(inside / "machines", machines);
    write_inside(inside / "hosts.mpich", mpich_hosts);
    write_inside(inside / "hosts.openmpi", openmpi_hosts);
    write_inside(inside / "environment", fill_in(environment_script));
    write_inside(lab_path::enter(lab), fill_in(enter_script), true);
    write_inside(lab_path::ssh(lab), fill_in(ssh_script), true);
}

std::string preload_list(const fs::path& lab, const std::string& of_host) {
    write_inside(lab_path::idle_shim(lab), idle_shim_library());
    return fmt::format("{}\n{}\n", of_host, lab_path::idle_shim(lab).string());
}

}  // namespace bcastgen
