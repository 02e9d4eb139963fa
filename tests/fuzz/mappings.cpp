// Files that map ranks to machines. What is accepted maps every rank, and survives being written and read again.
#include <algorithm>
#include <string>
#include <string_view>

#include "planner/grid/mapping_file.hpp"
#include "planner/grid/mapping_writer.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/fuzz/target.hpp"

namespace bcastgen::fuzz {

void fuzz_mapping(std::string_view bytes) {
    static const Network network = read_topology(R"(name: t
switches:
  s0: {machines: "n[0-2]"}
  s1: {machines: "n[10-12],m.x"}
links:
  - {between: [s0, s1]}
)",
                                                 "t.yaml");
    constexpr Grid grid{2, 3};
    constexpr int ranks_per_machine = 2;
    if (stands_for_much(bytes)) return;
    const std::string text(bytes);
    Mapping mapping;
    if (!accepts("hosts", bytes, [&] { mapping = read_mapping(text, "hosts", network, grid, ranks_per_machine); })) {
        return;
    }
    FUZZ_PROMISE(static_cast<int>(mapping.size()) == grid.ranks());
    for (const int machine : mapping) {
        FUZZ_PROMISE(machine >= 0 && machine < static_cast<int>(network.machines.size()));
        FUZZ_PROMISE(std::count(mapping.begin(), mapping.end(), machine) <= ranks_per_machine);
    }
    for (const auto& write : {rankfile_text, hostfile_text, slurm_hostfile_text}) {
        FUZZ_PROMISE(read_mapping(write(network, mapping), "written", network, grid, ranks_per_machine) == mapping);
    }
}

}  // namespace bcastgen::fuzz
