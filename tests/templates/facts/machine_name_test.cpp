#include "bcast/facts/machine_name.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bcast {
namespace {

// Sorted byte by byte, as emission sorts them.
constexpr NamedMachine named_machines[] = {
    {"login", 0},          {"node1.site.org", 1}, {"node10.site.org", 2}, {"node2", 3},
    {"node3.east.org", 4}, {"node3.west.org", 5}, {"node4", 6},           {"node4.site.org", 7},
};

int among(const std::vector<std::string>& hosts) {
    Site site{};
    site.machine_names = named_machines;
    return find_machine_among(site, hosts);
}

TEST(MachineName, FullAndShortNamesMeet) {
    const std::pair<std::vector<std::string>, int> rows[] = {
        {{"login"}, 0},
        {{"node1.site.org"}, 1},
        {{"node1"}, 1},  // the file has full named_machines, the host a short one
        {{"node10"}, 2},
        {{"node2.site.org"}, 3},  // the other way round
        {{"login.elsewhere.org"}, 0},
        {{"node1.other.org"}, unknown_machine},  // a full name is no other full name
        {{"node3"}, unknown_machine},            // there are two
        {{"node3.west.org"}, 5},
        {{"node4"}, 6},
        {{"node4.site.org"}, 7},
        {{"node"}, unknown_machine},
        {{"node1."}, unknown_machine},
        {{""}, unknown_machine},
        {{}, unknown_machine},
        {{"elsewhere", "node1"}, 1},        // what the MPI says, then what Slurm says
        {{"node10", "node1.site.org"}, 1},  // whole named_machines go first
        {{"node3", "node3.east.org"}, 4},
    };
    for (const auto& [hosts, machine] : rows) EXPECT_EQ(among(hosts), machine) << (hosts.empty() ? "" : hosts[0]);
}

TEST(MachineName, EveryMachineIsFoundByItsNames) {
    for (const NamedMachine& entry : named_machines) {
        EXPECT_EQ(among({entry.name}), entry.machine);
        const std::string name = entry.name;
        const int by_short_name = among({name.substr(0, name.find('.'))});
        if (name.compare(0, 5, "node3") == 0) {
            EXPECT_EQ(by_short_name, unknown_machine);
        } else if (entry.machine != 7) {
            EXPECT_EQ(by_short_name, entry.machine) << name;
        }
    }
}

}  // namespace
}  // namespace bcast
