// The decision table: which algorithm and segment size for which message.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "bcast/facts/settings.hpp"
#include "bcast/facts/site.hpp"

namespace bcast {

struct Choice {
    Algorithm algorithm = usual::no_rule;
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
        : site_(&site),
          environment_(&environment),
          machines_(machines),
          rules_{find(site, Arrival::balanced, machines, ranks_per_machine),
                 find(site, Arrival::imbalanced, machines, ranks_per_machine)} {
        const bool groups = site.multicast_groups[0] != '\0' || !environment.multicast_groups.empty();
        multicast_ = machines > 1 && (environment.multicast == MulticastSetting::attempt ||
                                      (environment.multicast == MulticastSetting::automatic && groups));
        tries_multicast_ = multicast_ && !environment.algorithm && environment.multicast == MulticastSetting::attempt &&
                           machines >= try_multicast_machines;
    }

    /// Must be given the same `arrival` on all ranks.
    [[nodiscard]] Choice choose(std::size_t bytes, Arrival arrival) const {
        Choice choice = chosen(bytes, arrival);
        if (is_multicast(choice.algorithm) && (!multicast_ || bytes > most_multicast_bytes)) {
            return without_multicast(bytes, environment_->segment_bytes);
        }
        if (bytes != 0 && environment_->segment_bytes) choice.segment_bytes = *environment_->segment_bytes;
        return choice;
    }

    /// From now on messages that multicast is meant for go by trees.
    void give_up_multicast() { multicast_ = tries_multicast_ = false; }

    /// What takes multicast's place where it cannot be, in these segments if any are given.
    static Choice without_multicast(std::size_t bytes, const std::optional<std::size_t>& segment_bytes = {}) {
        constexpr std::size_t small_bytes = 16384;
        Choice choice = bytes <= small_bytes ? Choice{usual::small_messages, 0} : Choice{usual::large_messages, 8192};
        if (segment_bytes) choice.segment_bytes = *segment_bytes;
        return choice;
    }

    [[nodiscard]] Choice chosen(std::size_t bytes, Arrival arrival) const {
        Choice choice;
        if (bytes == 0) return choice;
        if (environment_->algorithm) {
            choice = {*environment_->algorithm, usual_segment_bytes(*environment_->algorithm)};
        } else if (tries_multicast_ && bytes <= try_multicast_bytes) {
            choice = {usual::datagrams, 0};
        } else if (goes_live(bytes, arrival)) {
            choice = {usual::late_ranks, usual_segment_bytes(usual::late_ranks)};
        } else if (const MessageRule* message = message_rule(bytes, arrival)) {
            choice = {message->algorithm, message->segment_bytes};
        }
        return choice;
    }

    /// The tree for a group of so many machines, out of those of the communicator, that are all there: what the table
    /// says of so many, if that is a tree for segments.
    [[nodiscard]] Algorithm group_tree(int machines, int ranks_per_machine, std::size_t bytes) const {
        if (const Rule* rule = find(*site_, Arrival::balanced, machines, ranks_per_machine)) {
            const MessageRule* message = message_rule(*rule, bytes);
            const Algorithm algorithm = message != nullptr ? message->algorithm : usual::no_rule;
            if (streams(algorithm)) return algorithm;
        }
        // A chain takes a segment's time for each machine; a two-tree two for each level.
        int levels = 2;
        for (int below = machines - 1; below > 1; below /= 2) ++levels;
        return machines > 2 * levels ? usual::large_messages : usual::chain;
    }

    /// Messages of up to so many bytes stay native, whatever the regime that the environment lets arise.
    [[nodiscard]] std::size_t native_up_to() const {
        if (environment_->algorithm) return is_native(*environment_->algorithm) ? no_limit : 0;
        if (tries_multicast_) return 0;
        switch (environment_->arrival) {
            case ArrivalSetting::balanced:
                return native_up_to(Arrival::balanced);
            case ArrivalSetting::imbalanced:
                return native_up_to(Arrival::imbalanced);
            case ArrivalSetting::automatic:
                break;
        }
        return std::min(native_up_to(Arrival::balanced), native_up_to(Arrival::imbalanced));
    }

    /// The rule in the decision table's own words, for traces.
    [[nodiscard]] std::string describe(std::size_t bytes, Arrival arrival) const {
        if (environment_->algorithm) return "BCASTGEN_ALGORITHM";
        if (tries_multicast_ && bytes <= try_multicast_bytes) return "BCASTGEN_MULTICAST";
        if (goes_live(bytes, arrival)) return "imbalanced,untuned";
        const MessageRule* message = message_rule(bytes, arrival);
        if (message == nullptr) return "none";
        const Rule* const rule = rules_[static_cast<std::size_t>(arrival)];
        const auto range = [](int from, int to) {
            return std::to_string(from) + (to == from ? "" : "-" + (to == any_number ? "" : std::to_string(to)));
        };
        return "machines:" + range(rule->machines_from, rule->machines_to) +
               ",ranks_per_machine:" + range(rule->ranks_per_machine_from, rule->ranks_per_machine_to) +
               (rule->arrival == Arrival::imbalanced ? ",arrival:imbalanced" : "") +
               ",up_to:" + (message->up_to == no_limit ? "max" : std::to_string(message->up_to));
    }

  private:
    static const Rule* find(const Site& site, Arrival wanted, int machines, int ranks_per_machine) {
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

    // With imbalanced arrivals, where a table says nothing of them: what takes longer than to tell the root.
    static constexpr std::size_t least_live_bytes = 65536;

    /// True if the table has no row for imbalanced arrivals here and the message is one that gains by arrival-live.
    [[nodiscard]] bool goes_live(std::size_t bytes, Arrival arrival) const {
        const Rule* rule = rules_[static_cast<std::size_t>(arrival)];
        return arrival == Arrival::imbalanced && machines_ > 2 && bytes >= least_live_bytes && rule != nullptr &&
               rule->arrival == Arrival::balanced;
    }

    [[nodiscard]] std::size_t native_up_to(Arrival arrival) const {
        const Rule* rule = rules_[static_cast<std::size_t>(arrival)];
        if (rule == nullptr) return no_limit;
        std::size_t bytes = 0;
        for (const MessageRule& message : rule->messages) {
            if (!is_native(message.algorithm)) break;
            bytes = message.up_to;
        }
        return goes_live(bytes, arrival) ? least_live_bytes - 1 : bytes;
    }

    [[nodiscard]] const MessageRule* message_rule(std::size_t bytes, Arrival arrival) const {
        const Rule* rule = rules_[static_cast<std::size_t>(arrival)];
        return rule == nullptr ? nullptr : message_rule(*rule, bytes);
    }
    static const MessageRule* message_rule(const Rule& rule, std::size_t bytes) {
        for (const MessageRule& message : rule.messages) {
            if (bytes <= message.up_to) return &message;
        }
        return nullptr;
    }

    const Site* site_;
    const Environment* environment_;
    int machines_;
    const Rule* rules_[2];          ///< by regime
    bool multicast_ = false;        // may be used
    bool tries_multicast_ = false;  // BCASTGEN_MULTICAST=try has a say
};

}  // namespace bcast
