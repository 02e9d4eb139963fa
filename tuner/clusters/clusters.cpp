#include "tuner/clusters/clusters.hpp"

#include <utility>

#include "tuner/clusters/emulated.hpp"
#include "tuner/clusters/mpiexec.hpp"
#include "tuner/clusters/simulated.hpp"
#include "tuner/clusters/slurm.hpp"

namespace bcastgen {

const std::vector<std::string>& cluster_names() {
    static const std::vector<std::string> names = {"simulated", "emulated", "mpiexec", "slurm"};
    return names;
}

std::unique_ptr<Cluster> make_cluster(const ClusterOptions& options, ClusterRequest request) {
    if (options.on == "mpiexec" || options.on == "slurm") {
        std::map<int, std::string> hosts = machines_of_hosts(request.network, options.hosts);
        return options.on == "slurm" ? make_slurm_cluster(std::move(request), std::move(hosts))
                                     : make_mpiexec_cluster(std::move(request), std::move(hosts));
    }
    if (options.on == "emulated") return make_emulated_cluster(std::move(request), options.lab);
    return make_simulated_cluster(std::move(request), options.network);
}

}  // namespace bcastgen
