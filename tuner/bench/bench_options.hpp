// What to compare, in the words of the command line.
#pragma once

#include <string>
#include <vector>

#include "tuner/bench/bench.hpp"
#include "tuner/clusters/kinds.hpp"

namespace bcastgen {

struct BenchOptions {
    std::string on;
    std::string mpi = "mpich";  ///< as --mpi has it
    std::vector<std::string> hosts;
    std::string machines;  ///< hostlist, in the sequence of the ranks; empty: all, n2 before n10
    std::string root;      ///< empty: the first of those that take part
    int ranks_per_machine = 1;
    std::string distribution = "block";  ///< one of distributions()
    std::string sizes = "1K,8K,64K,256K,1M";
    std::string algorithms = "all";
    std::string segments = "auto";
    int repetitions = 0;  ///< 0: 1 where every repetition is the same, else 10
    std::string arrival = "balanced";
    double loss = 0;
    std::uint64_t seed = 1;
};

/// Every algorithm that can be measured on a cluster: pingpong, native, the emitted library's own, tuned,
/// opponent:NAME, what MPIs have of their own (ompi:NAME and mpich:NAME), and in simulation smpi:NAME instead of that.
/// Multicast only where datagrams are real and the network has groups for it.
[[nodiscard]] std::vector<std::string> known_algorithms(const std::string& on, const Network& network);

/// Throws InputErrors with everything that is wrong, each under its option.
[[nodiscard]] BenchRequest bench_request(const Network& network, const BenchOptions& options);

}  // namespace bcastgen
