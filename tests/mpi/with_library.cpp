// The test programs that are compiled together with the emitted library's code, in one, since compiling that takes
// long:
//
//     with_library PROGRAM [ARGUMENT…]
#include <cstring>

#include "tests/faults/faults.hpp"
#include "tests/mpi/with_library/answers.hpp"
#include "tests/mpi/with_library/arrivals.hpp"
#include "tests/mpi/with_library/engine.hpp"
#include "tests/mpi/with_library/late_child.hpp"
#include "tests/mpi/with_library/ring_count.hpp"
#include "tests/soak/soak.hpp"

int main(int argc, char** argv) {
    constexpr struct {
        const char* name;
        int (*run)(int argc, char** argv);  // as main()
    } programs[] = {{"answers", answers::run}, {"arrivals", arrivals::run},     {"engine", engine::run},
                    {"faults", faults::run},   {"late_child", late_child::run}, {"ring_count", ring_count::run},
                    {"soak", soak::run}};
    for (const auto& program : programs) {
        if (argc > 1 && std::strcmp(argv[1], program.name) == 0) return program.run(argc - 1, argv + 1);
    }
    std::fputs("usage: with_library answers|arrivals|engine|faults|late_child|ring_count|soak [ARGUMENT...]\n", stderr);
    return 2;
}
