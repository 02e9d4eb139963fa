#include "planner/grid/mapping_file.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/diagnostic.hpp"
#include "planner/grid/mapping_writer.hpp"
#include "tests/models/random_network.hpp"

namespace bcastgen {
namespace {

/// Two switches with machines m0 m2 and m1 m3.
Network four_machines() {
    return testing::make_network(2, {{0, 1}}, {0, 1, 0, 1});
}

struct ReadMapping {
    const char* what;
    const char* text;
    int ranks_per_machine;
    Mapping mapping;
};

TEST(MappingFile, ReadsWhatLaunchersRead) {
    const ReadMapping rows[] = {
        {"a host on each line", "m3\nm2\nm1\nm0\n", 1, {3, 2, 1, 0}},
        {"and hosts that are left over", "m1\nm0\nm2\nm3\n\n", 4, {1, 0, 2, 3}},
        {"MPICH's counts", "# ours\nm0:2\n m3:7 # more than there are ranks\n", 7, {0, 0, 3, 3}},
        {"its settings", "m0:2 binding=user:0,1\nm1 ifname=eth0\nm2", 2, {0, 0, 1, 2}},
        {"Open MPI's slots", "m0 slots=2 max_slots=4\nm1\tslots=2\r\n", 2, {0, 0, 1, 1}},
        {"hostlists", "m[2-3],m0\nm1", 1, {2, 3, 0, 1}},
        {"names with a domain", "m0.site.org\nm1.site.org\nm2\nm3", 1, {0, 1, 2, 3}},
        {"Open MPI's rankfile",
         "rank 1=m0 slot=0\nrank  0 = m1 slot=1:0-2\nrank 3=m2\nrank 2=m3 slot=p1\n",
         1,
         {1, 0, 3, 2}},
    };
    for (const ReadMapping& row : rows) {
        SCOPED_TRACE(row.what);
        EXPECT_EQ(read_mapping(row.text, "hosts", four_machines(), {2, 2}, row.ranks_per_machine), row.mapping);
    }
}

struct Refused {
    const char* text;
    const char* errors;
};

TEST(MappingFile, SaysWhatIsWrongAndWhere) {
    const Refused rows[] = {
        {"m0\nm1\nm2\n",
         "hosts: error: has machines for 3 of the 4 ranks of a 2 x 2 grid; the first without is rank 3"},
        {"m0\nm1\nm22\nm3\n",
         "hosts:3:1: error: no machine \"m22\" in test\n"
         "    m22\n"
         "    ^"},
        {"m0\nm1\n  m0\nm2\nm3",
         "hosts:3:3: error: machine m0 has more than 1 rank; --ranks-per-machine says how many it may have\n"
         "      m0\n"
         "      ^"},
        {"m0:x\nm1:0\nm2 slots=\nm3 m1\n",
         "hosts:1:4: error: expected a number of ranks from 1 to 1000000\n"
         "    m0:x\n"
         "       ^\n"
         "hosts:2:4: error: expected a number of ranks from 1 to 1000000\n"
         "    m1:0\n"
         "       ^\n"
         "hosts:3:10: error: expected a number of ranks from 1 to 1000000\n"
         "    m2 slots=\n"
         "             ^\n"
         "hosts:4:4: error: expected one host on each line, with settings such as slots=2 after it\n"
         "    m3 m1\n"
         "       ^"},
        {"rank 0=m0\nrank 0=m1\nrank 4=m2\nrank x=m2\nrank 2=+n1 slot=0\nrank 3=\n",
         "hosts:2:6: error: rank 0 is mapped twice\n"
         "    rank 0=m1\n"
         "         ^\n"
         "hosts:3:6: error: expected a rank from 0 to 3, as a 2 x 2 grid has them\n"
         "    rank 4=m2\n"
         "         ^\n"
         "hosts:4:6: error: expected a rank from 0 to 3, as a 2 x 2 grid has them\n"
         "    rank x=m2\n"
         "         ^\n"
         "hosts:5:8: error: hosts by number (+n0) are not read; write the machine's name\n"
         "    rank 2=+n1 slot=0\n"
         "           ^\n"
         "hosts:6:8: error: no machine \"\" in test\n"
         "    rank 3=\n"
         "           ^"},
        {"m[0-2\n",
         "hosts:1:2: error: this [ is never closed\n"
         "    m[0-2\n"
         "     ^"},
        {"", "hosts: error: has machines for 0 of the 4 ranks of a 2 x 2 grid; the first without is rank 0"},
    };
    for (const Refused& row : rows) {
        SCOPED_TRACE(row.text);
        try {
            (void)read_mapping(row.text, "hosts", four_machines(), {2, 2}, 1);
            ADD_FAILURE() << "was accepted";
        } catch (const InputErrors& errors) {
            EXPECT_EQ(std::string(errors.what()), std::string(row.errors) + "\n");
        }
    }
}

TEST(MappingFile, IsWrittenAsLaunchersReadIt) {
    const Network network = four_machines();
    const Mapping mapping{2, 2, 0, 2};
    EXPECT_EQ(rankfile_text(network, mapping),
              "rank 0=m2 slot=0\nrank 1=m2 slot=1\nrank 2=m0 slot=0\nrank 3=m2 slot=2\n");
    EXPECT_EQ(hostfile_text(network, mapping), "m2:2\nm0:1\nm2:1\n");
    EXPECT_EQ(slurm_hostfile_text(network, mapping), "m2\nm2\nm0\nm2\n");
    for (const auto& write : {rankfile_text, hostfile_text, slurm_hostfile_text}) {
        EXPECT_EQ(read_mapping(write(network, mapping), "written", network, {1, 4}, 3), mapping);
    }
}

}  // namespace
}  // namespace bcastgen
