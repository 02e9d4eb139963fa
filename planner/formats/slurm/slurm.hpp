// Slurm's descriptions of a network: topology.conf, topology.yaml, the output of `scontrol show topology`.
#pragma once

#include <string>

#include "planner/formats/imported.hpp"

namespace bcastgen {

/// The network of any of the three, which are told apart by the text. Trees keep their switches; each block becomes a
/// switch below an assumed one. Throws InputErrors with every error found.
[[nodiscard]] Imported import_slurm(const ImportFile& file, const std::string& name);

/// A topology.conf for Slurm (topology/tree): the spanning tree, rooted in its middle. What Slurm cannot express
/// (speeds, several cables, idle links, machines on a switch that has switches below it, …) is in comments that
/// import_slurm understands, so that it gives the same network back.
[[nodiscard]] std::string export_slurm(const Network& network);

}  // namespace bcastgen
