#include "cli/options/bench_run.hpp"

#include <filesystem>
#include <memory>

#include "base/temporary_directory.hpp"
#include "cli/progress.hpp"
#include "codegen/emit/emitter.hpp"
#include "codegen/emit/library_directory.hpp"

namespace bcastgen {

BenchResult run_bench(const Network& network, const SitePlan& site, const DecisionTable& table,
                      const ClusterChoice& choice, const std::vector<std::string>& hosts, const BenchRequest& request) {
    const TemporaryDirectory work(place_for_files(choice, hosts));
    write_library(work.path() / "library", with_facts_alone(emit_library(network, site, table, "bcastgen bench")));
    const std::unique_ptr<Cluster> cluster = ready_cluster(choice, hosts, network, work.path());
    std::filesystem::path program;
    {
        const Waiting waiting("compiling the measuring program");
        program = build_measuring_program(*cluster, work.path() / "library", work.path());
    }
    ProgressBar bar("measuring");
    BenchResult result = bench(*cluster, network, program, work.path(), request,
                               [&](std::size_t done, std::size_t all) { bar.show(done, all); });
    cluster->clean_up();
    return result;
}

}  // namespace bcastgen
