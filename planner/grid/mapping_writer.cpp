#include "planner/grid/mapping_writer.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <vector>

#include "base/index.hpp"

namespace bcastgen {

std::string rankfile_text(const Network& network, const Mapping& mapping) {
    std::vector<int> slots(network.machines.size(), 0);
    std::string text;
    for (std::size_t rank = 0; rank < mapping.size(); ++rank) {
        text += fmt::format("rank {}={} slot={}\n", rank, network.machines[at(mapping[rank])].name,
                            slots[at(mapping[rank])]++);
    }
    return text;
}

std::string hostfile_text(const Network& network, const Mapping& mapping) {
    std::string text;
    for (std::size_t rank = 0, next = 0; rank < mapping.size(); rank = next) {
        while (next < mapping.size() && mapping[next] == mapping[rank]) ++next;
        text += fmt::format("{}:{}\n", network.machines[at(mapping[rank])].name, next - rank);
    }
    return text;
}

std::string slurm_hostfile_text(const Network& network, const Mapping& mapping) {
    std::string text;
    for (const int machine : mapping) text += network.machines[at(machine)].name + "\n";
    return text;
}

}  // namespace bcastgen
