// Slurm's descriptions of a network: topology.conf, topology.yaml, the output of `scontrol show topology`.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "planner/formats/imported.hpp"

namespace bcastgen {

/// How the files are found that lines "Include FILE" name.
struct SlurmIncludes {
    /// The one name of a file that stands as `path` in the file `includer`, or on the command line if that is empty.
    std::function<std::string(const std::string& includer, const std::string& path)> locate;
    /// Its text. Throws InputErrors where it cannot be read.
    std::function<std::string(const std::string& file)> read;
};

/// The network of any of the three, which are told apart by the text; several files of lines are read as one. Trees
/// keep their switches; each block becomes a switch below an assumed one. Throws InputErrors with every error found.
[[nodiscard]] Imported import_slurm(const std::vector<ImportFile>& files, const std::string& name,
                                    const SlurmIncludes& includes);

/// Of one file. One that it includes is an error.
[[nodiscard]] Imported import_slurm(const ImportFile& file, const std::string& name);

/// A topology.conf for Slurm (topology/tree): the spanning tree, rooted in its middle. What Slurm cannot express
/// (speeds, several cables, idle links, machines on a switch that has switches below it, …) is in comments that
/// import_slurm understands, so that it gives the same network back.
[[nodiscard]] std::string export_slurm(const Network& network);

/// The same tree and comments as a topology.yaml, of one topology that is the cluster's default.
[[nodiscard]] std::string export_slurm_yaml(const Network& network);

}  // namespace bcastgen
