// The parts of reading a Slurm topology; slurm.hpp is the way in.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hostlist.hpp"
#include "base/source_text.hpp"
#include "base/yaml/yaml_source.hpp"
#include "planner/formats/wiring.hpp"

namespace bcastgen {

/// What is assumed where Slurm says nothing.
inline constexpr LinkSpeed slurm_link{1e9 / 8, 20e-6};

/// A name and its place.
struct SlurmName {
    std::string name;
    Place place;
};

/// A switch or a block.
struct SlurmSwitch {
    SlurmName name;
    std::vector<SlurmName> nodes;
    std::vector<SlurmName> children;
};

/// "Key=value" of a line; keys in lower case, values without quotes.
struct SlurmSetting {
    std::string key;
    std::string value;
    Place key_place;
    Place value_place;
};

/// A comment "# bcastgen Key=value …" (slurm_hints.cpp).
using SlurmHint = std::vector<SlurmSetting>;

/// The settings of a piece of a line that starts at `place`. The first that is not a setting is reported and ends it.
std::vector<SlurmSetting> slurm_settings(std::string_view line, Place place, const Report& report);

/// The names of a hostlist that stands in the file as `written`; items that cannot be expanded are reported and left
/// out.
std::vector<SlurmName> slurm_names(std::string_view hostlist, const WrittenText& written, HostlistExpander& expander,
                                   const Report& report);

/// Counts `copies` more of the switch's nodes and children, which a list of switches has in common. False, and
/// reported, if they are too many.
bool may_repeat(const SlurmSwitch& sw, std::size_t copies, HostlistExpander& expander, Place place,
                const Report& report);

/// Sizes of blocks are the first one times powers of two.
void check_slurm_block_sizes(const std::vector<SlurmName>& sizes, const Report& report);

/// The default topology of a topology.yaml. Throws InputErrors when it names no switches.
std::vector<SlurmSwitch> read_slurm_yaml(YamlSource& source, Wiring& wiring);

/// How messages name a line other than their own.
using NameLine = std::function<std::string(int line)>;
[[nodiscard]] std::string line_of_file(int line);  ///< "line 7"

/// Puts switches, machines and links into `wiring` and returns the switches that are below no other. Reports what is
/// impossible.
std::vector<int> wire_slurm(const std::vector<SlurmSwitch>& switches, Wiring& wiring, const Report& report,
                            const NameLine& name_line = line_of_file);

/// Adds what a comment at `place` says, if it is one of export_slurm's; `comment` is what stands after the #.
void take_slurm_hint(std::string_view comment, Place place, std::vector<SlurmHint>& hints, const Report& report);

/// Changes the network as the comments of export_slurm say.
void apply_slurm_hints(const std::vector<SlurmHint>& hints, Imported& imported, HostlistExpander& expander,
                       const Report& report);

}  // namespace bcastgen
