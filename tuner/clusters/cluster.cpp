#include "tuner/clusters/cluster.hpp"

namespace bcastgen {

const std::map<std::string, Distribution>& distributions() {
    static const std::map<std::string, Distribution> by_name = {{"block", Distribution::block},
                                                                {"cyclic", Distribution::cyclic}};
    return by_name;
}

std::string name_of(Distribution distribution) {
    return distribution == Distribution::block ? "block" : "cyclic";
}

std::vector<int> machine_by_rank(const Job& job) {
    const auto each = static_cast<std::size_t>(job.ranks_per_machine);
    std::vector<int> machines;
    machines.reserve(job.machines.size() * each);
    if (job.distribution == Distribution::cyclic) {
        for (std::size_t round = 0; round < each; ++round) {
            machines.insert(machines.end(), job.machines.begin(), job.machines.end());
        }
    } else {
        for (const int machine : job.machines) machines.insert(machines.end(), each, machine);
    }
    return machines;
}

}  // namespace bcastgen
