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

/// BCASTGEN_MULTICAST=try: messages of up to so many bytes, on so many machines or more.
inline constexpr std::size_t try_multicast_bytes = 65536;
inline constexpr int try_multicast_machines = 16;

/// Larger messages never go by multicast: their fragments would be too many to keep account of.
inline constexpr std::size_t most_multicast_bytes = std::size_t{1} << 30;

/// How a communicator of a certain shape broadcasts: the decision table's rule for it, as the environment overrides it.
class Decision {
  public:
    Decision(const Site& site, const Environment& environment, int machines, int ranks_per_machine)
        : environment_(&environment), rule_(find(site, environment, machines, ranks_per_machine)) {
        const bool groups = site.multicast_groups[0] != '\0' || !environment.multicast_groups.empty();
        multicast_ = machines > 1 && (environment.multicast == MulticastSetting::attempt ||
                                      (environment.multicast == MulticastSetting::automatic && groups));
        tries_multicast_ = multicast_ && !environment.algorithm && environment.multicast == MulticastSetting::attempt &&
                           machines >= try_multicast_machines;
    }

    [[nodiscard]] Choice choose(std::size_t bytes) const {
        Choice choice = chosen(bytes);
        if (choice.algorithm == Algorithm::multicast && (!multicast_ || bytes > most_multicast_bytes)) {
            choice = without_multicast(bytes);
        }
        if (bytes != 0 && environment_->segment_bytes) choice.segment_bytes = *environment_->segment_bytes;
        return choice;
    }

    /// From now on messages that multicast is meant for go by trees.
    void give_up_multicast() { multicast_ = tries_multicast_ = false; }

    /// What takes multicast's place where it cannot be.
    static Choice without_multicast(std::size_t bytes) {
        constexpr std::size_t small_bytes = 16384;
        return bytes <= small_bytes ? Choice{Algorithm::latency, 0} : Choice{Algorithm::two_tree, 8192};
    }

    [[nodiscard]] Choice chosen(std::size_t bytes) const {
        Choice choice;
        if (bytes == 0) return choice;
        if (environment_->algorithm) {
            choice = {*environment_->algorithm, usual_segment_bytes(*environment_->algorithm)};
        } else if (tries_multicast_ && bytes <= try_multicast_bytes) {
            choice = {Algorithm::multicast, 0};
        } else if (const MessageRule* message = message_rule(bytes)) {
            choice = {message->algorithm, message->segment_bytes};
        }
        return choice;
    }

    /// Messages of up to so many bytes stay native.
    [[nodiscard]] std::size_t native_up_to() const {
        if (environment_->algorithm) return *environment_->algorithm == Algorithm::native ? no_limit : 0;
        std::size_t bytes = 0;
        if (tries_multicast_) return 0;
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
        if (tries_multicast_ && bytes <= try_multicast_bytes) return "BCASTGEN_MULTICAST";
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
    /// For an algorithm that is asked for by name.
    static std::size_t usual_segment_bytes(Algorithm algorithm) { return forwards_whole(algorithm) ? 0 : 8192; }

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
    bool multicast_ = false;        // may be used
    bool tries_multicast_ = false;  // BCASTGEN_MULTICAST=try has a say
};

}  // namespace bcast
