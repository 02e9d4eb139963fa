// Topology files: any bytes, and networks that are right but for a slip.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bcast/facts/algorithm.hpp"
#include "planner/plan/load_proof.hpp"
#include "planner/plan/plan.hpp"
#include "planner/plan/site_plan.hpp"
#include "planner/plan/site_proof.hpp"
#include "planner/print/check_formats.hpp"
#include "planner/topology/topology_writer.hpp"
#include "planner/topology/topology_yaml.hpp"
#include "tests/fuzz/networks.hpp"
#include "tests/fuzz/target.hpp"

namespace bcastgen::fuzz {

namespace {

constexpr std::size_t most_planned = 48;  // machines and switches: what takes no time

/// A topology file of a few switches, right unless a slip is chosen. Every choice of bytes gives one.
class TopologyText {
  public:
    explicit TopologyText(Choices& choices) : choices_(choices) {}

    std::string write() {
        // Mostly few: what goes wrong among nine goes wrong among four, in a fraction of the time.
        const std::size_t switches = 1 + choices_.below(choices_.one_in(4) ? 9 : 4);
        std::string text = "name: t\ndefaults:\n  link: {" + speed() + "}\nswitches:\n";
        for (std::size_t sw = 0; sw < switches; ++sw) text += switch_text(sw, sw == 0 && !choices_.one_in(9));
        text += "links:\n";
        for (std::size_t sw = 1; sw < switches; ++sw) text += link_text(choices_.below(sw), sw);
        for (std::size_t more = choices_.below(6); more > 0; --more) {
            text += link_text(choices_.below(switches), choices_.below(switches));
        }
        if (choices_.one_in(3)) text += fmt::format("machines:\n  {}: {{link: {{{}}}}}\n", machines(), speed());
        if (choices_.one_in(3)) text += fmt::format("partitions:\n  p: {}\n", machines());
        constexpr const char* rules[] = {"auto", "stp", "auto", "none"};
        return text + fmt::format("spanning_tree: {}\n", rules[choices_.below(4)]);
    }

  private:
    std::string speed() {
        constexpr const char* bandwidths[] = {"1Gbit/s", "100Mbit/s", "10Gbit/s", "1.25GB/s", "9e9Tbit/s"};
        constexpr const char* latencies[] = {"20us", "5us", "1ms", "0.3us", "-1us"};
        const std::size_t slip = choices_.one_in(40) ? 5 : 4;
        return fmt::format("bandwidth: {}, latency: {}", bandwidths[choices_.below(slip)],
                           latencies[choices_.below(slip)]);
    }

    /// Of machines that are mostly there.
    std::string machines() {
        const std::size_t first = choices_.below(next_machine_ + 1);
        return fmt::format("\"n[{}-{}]\"", first, first + choices_.below(4));
    }

    std::string switch_text(std::size_t sw, bool must_have) {
        const std::size_t count = choices_.below(6) + (must_have ? 1 : 0);
        const std::string name = choices_.one_in(60) ? "s0" : fmt::format("s{}", sw);
        if (count == 0) return fmt::format("  {}:\n", name);
        const std::size_t first = choices_.one_in(60) ? 0 : next_machine_;
        next_machine_ = std::max(next_machine_, first + count);
        return fmt::format("  {}: {{machines: \"n[{}-{}]\", priority: {}}}\n", name, first, first + count - 1,
                           choices_.below(8));
    }

    std::string link_text(std::size_t a, std::size_t b) {
        std::string text = fmt::format("  - {{between: [s{}, s{}]", a, b);
        if (choices_.one_in(3)) text += ", " + speed();
        if (choices_.one_in(4)) text += fmt::format(", cables: {}", choices_.below(5));
        return text + "}\n";
    }

    Choices& choices_;
    std::size_t next_machine_ = 0;
};

void check_round_trip(const Network& network) {
    const std::string text = write_topology(network, {});
    const Network again = read_topology(text, "written.yaml");
    FUZZ_PROMISE(again.machines.size() == network.machines.size());
    FUZZ_PROMISE(again.trunks.size() == network.trunks.size());
    FUZZ_PROMISE(write_topology(again, {}) == text);
}

/// Every tree with a plan, from some root: made, and what it promises proved. The load proof throws where not.
void check_plans(const Network& network, std::size_t root) {
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (!bcast::has_plan(row.algorithm)) continue;
        PlanRequest request = request_of(row.algorithm);
        request.root = static_cast<int>(root % network.machines.size());
        const Plan plan = make_plan(network, request);
        FUZZ_PROMISE(static_cast<std::size_t>(plan.order.size()) == network.machines.size());
    }
    (void)prove_site(network, make_site_plan(network));
}

}  // namespace

void fuzz_topology(std::string_view bytes) {
    if (stands_for_much(bytes)) return;
    Network network;
    if (!accepts("t.yaml", bytes, [&] { network = read_topology(bytes, "t.yaml"); })) return;
    check_network(network);
    check_round_trip(network);
    FUZZ_PROMISE(!check_text(network, nullptr).empty());
    FUZZ_PROMISE(!check_json(network, nullptr).empty());
    if (network.machines.size() <= most_planned && network.switches.size() <= most_planned) check_plans(network, 0);
}

void fuzz_plans(std::string_view bytes) {
    Choices choices(bytes);
    const std::size_t root = choices.below(50);
    const bool written_too = choices.one_in(4);  // the target topology does it with every input
    const std::string text = TopologyText(choices).write();
    Network network;
    if (!accepts("t.yaml", text, [&] { network = read_topology(text, "t.yaml"); })) return;
    check_network(network);
    if (written_too) check_round_trip(network);
    check_plans(network, root);
}

}  // namespace bcastgen::fuzz
