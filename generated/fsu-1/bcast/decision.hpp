// The decision table: which algorithm and segment size for which message.
#pragma once

#include <cstddef>
#include <string>

#include "environment.hpp"
#include "site.hpp"

namespace bcast {

struct Choice {
    Algorithm algorithm = Algorithm::native;
    std::size_t segment_bytes = 0;  ///< 0: in one piece
};

/// How a communicator of a certain shape broadcasts: the decision table's rule for it, as the environment overrides it.
class Decision {
  public:
    Decision(const Site& site, const Environment& environment, int machines, int ranks_per_machine)
        : environment_(&environment), rule_(find(site, environment, machines, ranks_per_machine)) {}

    [[nodiscard]] Choice choose(std::size_t bytes) const {
        Choice choice;
        if (bytes == 0) return choice;
        if (environment_->algorithm) {
            choice = {*environment_->algorithm, usual_segment_bytes(*environment_->algorithm)};
        } else if (const MessageRule* message = message_rule(bytes)) {
            choice = {message->algorithm, message->segment_bytes};
        }
        if (environment_->segment_bytes) choice.segment_bytes = *environment_->segment_bytes;
        return choice;
    }

    /// Messages of up to so many bytes stay native.
    [[nodiscard]] std::size_t native_up_to() const {
        if (environment_->algorithm) return *environment_->algorithm == Algorithm::native ? no_limit : 0;
        std::size_t bytes = 0;
        if (rule_ == nullptr) return no_limit;
        for (const MessageRule& message : rule_->messages) {
            if (message.algorithm != Algorithm::native) return bytes;
            bytes = message.up_to;
        }
        return no_limit;
    }

    /// The rule in the decision table's own words, for traces.
    [[nodiscard]] std::string describe(std::size_t bytes) const {
        if (environment_->algorithm) return "BCASTGEN_ALGORITHM";
        const MessageRule* message = message_rule(bytes);
        if (message == nullptr) return "none";
        const auto range = [](int from, int to) {
            return std::to_string(from) + (to == from ? "" : "-" + (to == any_number ? "" : std::to_string(to)));
        };
        return "machines:" + range(rule_->machines_from, rule_->machines_to) +
               ",ranks_per_machine:" + range(rule_->ranks_per_machine_from, rule_->ranks_per_machine_to) +
               ",up_to:" + (message->up_to == no_limit ? "max" : std::to_string(message->up_to));
    }

  private:
    /// For an algorithm that is asked for by name: trees that forward whole messages by nature, and the others.
    static std::size_t usual_segment_bytes(Algorithm algorithm) {
        return algorithm == Algorithm::flat || algorithm == Algorithm::binomial ? 0 : 8192;
    }

    static const Rule* find(const Site& site, const Environment& environment, int machines, int ranks_per_machine) {
        const Arrival wanted =
            environment.arrival == ArrivalSetting::imbalanced ? Arrival::imbalanced : Arrival::balanced;
        const Rule* balanced = nullptr;
        for (const Rule& rule : site.rules) {
            if (machines < rule.machines_from || machines > rule.machines_to) continue;
            if (ranks_per_machine < rule.ranks_per_machine_from || ranks_per_machine > rule.ranks_per_machine_to)
                continue;
            if (rule.arrival == wanted) return &rule;
            if (rule.arrival == Arrival::balanced && balanced == nullptr) balanced = &rule;
        }
        return balanced;
    }

    [[nodiscard]] const MessageRule* message_rule(std::size_t bytes) const {
        if (rule_ == nullptr) return nullptr;
        for (const MessageRule& message : rule_->messages) {
            if (bytes <= message.up_to) return &message;
        }
        return nullptr;
    }

    const Environment* environment_;
    const Rule* rule_;
};

}  // namespace bcast
