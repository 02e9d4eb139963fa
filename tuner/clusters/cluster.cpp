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
    std::vector<int> machines;
    machines.reserve(job.machines.size() * static_cast<std::size_t>(job.ranks_per_machine));
    if (job.distribution == Distribution::cyclic) {
        for (int round = 0; round < job.ranks_per_machine; ++round) {
            machines.insert(machines.end(), job.machines.begin(), job.machines.end());
        }
    } else {
        for (const int machine : job.machines) machines.insert(machines.end(), job.ranks_per_machine, machine);
    }
    return machines;
}

}  // namespace bcastgen
