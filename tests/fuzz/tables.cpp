// Decision tables and traces.
#include <fmt/format.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "base/printable.hpp"
#include "codegen/emit/emitter.hpp"
#include "codegen/emit/site_summary.hpp"
#include "planner/decision/tuning_writer.hpp"
#include "planner/decision/tuning_yaml.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/plan/site_proof.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/fuzz/target.hpp"
#include "tuner/measure/trace.hpp"

namespace bcastgen::fuzz {

namespace {

struct Site {
    Network network = read_topology(R"(name: t
switches:
  s0: {machines: "n[0-3]"}
  s1: {machines: "n[4-7]"}
links:
  - {between: [s0, s1]}
)",
                                    "t.yaml");
    SitePlan plan = make_site_plan(network);
};

const Site& site() {
    static const Site one;
    return one;
}

/// A file of the process, for a reader that takes only files.
class ScratchFile {
  public:
    ScratchFile() : path_("/tmp/bcastgen-fuzz-XXXXXX") {
        const int number = mkstemp(path_.data());
        FUZZ_PROMISE(number >= 0);
        close(number);
    }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    ~ScratchFile() { unlink(path_.c_str()); }

    const std::string& with(std::string_view bytes) {
        std::FILE* file = std::fopen(path_.c_str(), "wb");
        FUZZ_PROMISE(file != nullptr);
        std::fwrite(bytes.data(), 1, bytes.size(), file);
        std::fclose(file);
        return path_;
    }

  private:
    std::string path_;
};

}  // namespace

void fuzz_tuning(std::string_view bytes) {
    DecisionTable table;
    const std::string plan = fmt::format("{:016x}", site().plan.hash);
    std::string text(bytes);  // PLAN stands for the hash, which changes with the planner
    if (const std::size_t at = text.find("PLAN"); at != std::string::npos) text.replace(at, 4, plan);
    if (!accepts("f.yaml", text, [&] { table = read_tuning(text, "f.yaml", site().network, site().plan); })) return;
    FUZZ_PROMISE(!table.rules.empty());
    const SiteProof proof = prove_site(site().network, site().plan);
    FUZZ_PROMISE(first_unprintable(site_summary(site().network, site().plan, proof, table)) == std::nullopt);
    for (const EmittedFile& file : emit_library(site().network, site().plan, table, "bcastgen t.yaml")) {
        FUZZ_PROMISE(first_unprintable(file.text) == std::nullopt);
    }
}

void fuzz_trace(std::string_view bytes) {
    static ScratchFile scratch;
    const std::string& file = scratch.with(bytes);
    Trace trace;
    if (!accepts(file, bytes, [&] { trace = read_trace(file); })) return;
    for (const TracedCalls& calls : trace.calls) {
        FUZZ_PROMISE(calls.calls > 0 && calls.machines >= 0 && calls.ranks >= 0);
        for (const double factor : calls.imbalance_factors) FUZZ_PROMISE(std::isfinite(factor) && factor >= 0);
    }
}

}  // namespace bcastgen::fuzz
