#include "planner/plan/plan_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/hostlist.hpp"
#include "base/names.hpp"
#include "planner/trees/paper_tree.hpp"

namespace bcastgen {

namespace {

/// What `--radix` goes with.
std::string trees_of_any_radix() {
    std::vector<std::string> names;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (bcast::has(row.algorithm, bcast::trait::any_radix)) names.emplace_back(row.tree);
    }
    return fmt::format("{}", fmt::join(names, " or "));
}

class RequestReader {
  public:
    RequestReader(const Network& network, const PlanOptions& options) : network_(network), options_(options) {
        for (const Machine& machine : network.machines) {
            index_.emplace(machine.name, static_cast<int>(names_.size()));
            names_.push_back(machine.name);
        }
    }

    PlanRequest read() {
        PlanRequest request;
        request.tree = options_.tree;
        request.builder = options_.builder;
        request.machines = machines();
        request.root = root(request.machines);
        request.radix = radix();
        const auto taking_part = request.machines.empty() ? names_.size() : request.machines.size();
        if (request.builder == Builder::paper && is_kary(request.tree)) {
            try {
                check_paper_tree_size(static_cast<int>(taking_part), request.radix);
            } catch (const TooLarge& error) {
                errors_.add("--algorithm", error.what());
            }
        }
        errors_.check();
        return request;
    }

  private:
    [[nodiscard]] std::string unknown(const std::string& name, bool or_partition = false) const {
        std::vector<std::string> known = names_;
        if (or_partition) {
            for (const Partition& partition : network_.partitions) known.push_back(partition.name);
        }
        return fmt::format("no machine {} in {}{}", in_quotes(name), network_.name, did_you_mean(name, known));
    }

    std::vector<int> machines() {
        if (options_.machines.empty()) return {};
        std::vector<std::string> listed;
        errors_.parse("--machines", options_.machines, [&] { listed = expand_hostlist(options_.machines); });
        std::vector<int> result;
        std::vector<char> taken(names_.size(), 0);
        for (const std::string& name : listed) {
            for (const int machine : machines_called(name)) {
                if (char& is_taken = taken[static_cast<std::size_t>(machine)]; is_taken != 0) {
                    errors_.add("--machines", fmt::format("machine {} is listed twice", machine_name(machine)));
                } else {
                    is_taken = 1;
                    result.push_back(machine);
                }
            }
        }
        return result;
    }

    [[nodiscard]] const std::string& machine_name(int machine) const {
        return names_[static_cast<std::size_t>(machine)];
    }

    /// The machine, or those of the partition, of that name.
    std::vector<int> machines_called(const std::string& name) {
        if (const auto found = index_.find(name); found != index_.end()) return {found->second};
        const auto is_it = [&](const Partition& partition) { return partition.name == name; };
        const auto partition = std::find_if(network_.partitions.begin(), network_.partitions.end(), is_it);
        if (partition != network_.partitions.end()) return partition->machines;
        errors_.add("--machines", unknown(name, true));
        return {};
    }

    int root(const std::vector<int>& machines) {
        if (options_.root.empty()) return machines.empty() ? in_natural_order(network_, {}).front() : machines.front();
        const auto found = index_.find(options_.root);
        if (found == index_.end()) {
            errors_.add("--root", unknown(options_.root));
            return 0;
        }
        if (!machines.empty() && std::find(machines.begin(), machines.end(), found->second) == machines.end()) {
            errors_.add("--root",
                        fmt::format("{} is not among the machines that take part, {}; add it to --machines or "
                                    "choose another root",
                                    options_.root, options_.machines));
        }
        return found->second;
    }

    int radix() {
        const int own = std::max(bcast::row_of(options_.tree).children, 1);
        if (!bcast::has(options_.tree, bcast::trait::any_radix)) {
            if (options_.radix) {
                errors_.add("--radix", fmt::format("goes with --tree {} only, not with {}", trees_of_any_radix(),
                                                   bcast::tree_name_of(options_.tree)));
            }
            return own;
        }
        const int radix = options_.radix.value_or(own);
        if (radix < 1) errors_.add("--radix", fmt::format("a machine sends to at least 1 other, not to {}", radix));
        return radix;
    }

    const Network& network_;
    const PlanOptions& options_;
    std::vector<std::string> names_;
    std::unordered_map<std::string, int> index_;
    OptionErrors errors_;
};

}  // namespace

PlanRequest plan_request(const Network& network, const PlanOptions& options) {
    return RequestReader(network, options).read();
}

}  // namespace bcastgen
