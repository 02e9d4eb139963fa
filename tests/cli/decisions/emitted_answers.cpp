// Answers questions by emitted decision tables: those of the file TABLES, which decisions_test.cpp writes and compiles
// this with. A question is a line of the file given: table, machines, ranks per machine, arrival, bytes.
#include <cstdint>
#include <cstdio>
#include <fstream>

#include "bcast/facts/decision.hpp"

namespace {

struct Table {
    bcast::Span<bcast::Rule> rules;
    const char* multicast_groups;
};

#include TABLES

bcast::Site site_with(const Table& table) {
    bcast::Site site{};
    site.rules = table.rules;
    site.multicast_groups = table.multicast_groups;
    return site;
}

}  // namespace

int main(int count, char** words) {
    if (count != 2) return 1;
    std::ifstream questions(words[1]);
    std::size_t number = 0;
    int arrival = 0;
    bcast::Question asked;
    while (questions >> number >> asked.machines >> asked.ranks_per_machine >> arrival >> asked.bytes) {
        asked.arrival = static_cast<bcast::Arrival>(arrival);
        const bcast::Site site = site_with(tables[number]);
        const bcast::Environment environment;
        asked.multicast = site.multicast_groups[0] != '\0';
        const bcast::Choice by_table = bcast::look_up(site.rules, asked).choice;
        const bcast::Choice by_library = bcast::Decision(site, environment, asked.machines, asked.ranks_per_machine)
                                             .choose(asked.bytes, asked.arrival);
        std::printf("%zu %d %d %d %zu: table %s %zu, library %s %zu\n", number, asked.machines, asked.ranks_per_machine,
                    arrival, asked.bytes, name_of(by_table.algorithm), by_table.segment_bytes,
                    name_of(by_library.algorithm), by_library.segment_bytes);
    }
    return 0;
}
