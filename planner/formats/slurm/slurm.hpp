// Slurm's descriptions of a network: topology.conf, topology.yaml, the output of `scontrol show topology`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "planner/formats/imported.hpp"

namespace bcastgen {

/// The text of a file that a line "Include FILE" names. Throws InputErrors where it cannot be read.
using ReadIncluded = std::function<std::string(const std::string& path)>;

/// The network of any of the three, which are told apart by the text; several files of lines are read as one. Trees
/// keep their switches; each block becomes a switch below an assumed one. Throws InputErrors with every error found.
[[nodiscard]] Imported import_slurm(const std::vector<ImportFile>& files, const std::string& name,
                                    const ReadIncluded& read);

/// Of one file. One that it includes is an error.
[[nodiscard]] Imported import_slurm(const ImportFile& file, const std::string& name);

/// A topology.conf for Slurm (topology/tree): the spanning tree, rooted in its middle. What Slurm cannot express
/// (speeds, several cables, idle links, machines on a switch that has switches below it, …) is in comments that
/// import_slurm understands, so that it gives the same network back.
[[nodiscard]] std::string export_slurm(const Network& network);

/// The same tree and comments as a topology.yaml, of one topology that is the cluster's default.
[[nodiscard]] std::string export_slurm_yaml(const Network& network);

}  // namespace bcastgen
