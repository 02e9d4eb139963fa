// Which algorithm and segment size a communicator's messages take: the decision table's, unless a setting says other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>

#include "bcast/facts/decision_table.hpp"
#include "bcast/facts/settings.hpp"
#include "bcast/facts/site.hpp"

namespace bcast {

/// BCASTGEN_MULTICAST=try: messages of up to so many bytes, on so many machines or more.
inline constexpr std::size_t try_multicast_bytes = 65536;
inline constexpr int try_multicast_machines = 16;

/// How a communicator of a certain shape broadcasts: the decision table's rule for it, as the environment overrides it.
class Decision {
  public:
    Decision(const Site& site, const Environment& environment, int machines, int ranks_per_machine)
        : site_(&site),
          environment_(&environment),
          machines_(machines),
          ranks_per_machine_(ranks_per_machine),
          rows_{row_for(site.rules, machines, ranks_per_machine, Arrival::balanced),
                row_for(site.rules, machines, ranks_per_machine, Arrival::imbalanced)} {
        const bool groups = site.multicast_groups[0] != '\0' || !environment.multicast_groups.empty();
        multicast_ = machines > 1 && (environment.multicast == MulticastSetting::attempt ||
                                      (environment.multicast == MulticastSetting::automatic && groups));
        tries_multicast_ = multicast_ && !environment.algorithm && environment.multicast == MulticastSetting::attempt &&
                           machines >= try_multicast_machines;
    }

    /// Must be given the same `arrival` on all ranks.
    [[nodiscard]] Choice choose(std::size_t bytes, Arrival arrival) const {
        Choice choice;
        if (bytes == 0) return choice;
        if (environment_->algorithm) {
            choice = {*environment_->algorithm, usual_segment_bytes(*environment_->algorithm)};
        } else if (tries_multicast_ && bytes <= try_multicast_bytes) {
            choice = {usual::datagrams, 0};
        } else {
            choice = answer(bytes, arrival).choice;
        }
        if (is_multicast(choice.algorithm) && (!multicast_ || bytes > most_multicast_bytes)) {
            choice = bcast::without_multicast(bytes);
        }
        if (environment_->segment_bytes) choice.segment_bytes = *environment_->segment_bytes;
        if (environment_->hand_on) choice.hand_on = *environment_->hand_on;
        if (ranks_per_machine_ == 1 || !uses_trees(choice.algorithm)) choice.hand_on = HandOn::messages;
        return choice;
    }

    /// Why no message goes by multicast; empty if some may.
    [[nodiscard]] std::string no_multicast() const {
        if (multicast_) return "";
        if (machines_ < 2) return "there is one machine";
        return environment_->multicast == MulticastSetting::off
                   ? "BCASTGEN_MULTICAST=off"
                   : std::string(site_->name) + " has no multicast groups; BCASTGEN_MULTICAST=try draws them from " +
                         usual_groups;
    }

    /// From now on messages that multicast is meant for go by trees.
    void give_up_multicast() { multicast_ = tries_multicast_ = false; }

    /// What takes multicast's place where it cannot be, in these segments if any are given.
    static Choice without_multicast(std::size_t bytes, const std::optional<std::size_t>& segment_bytes) {
        Choice choice = bcast::without_multicast(bytes);
        if (segment_bytes) choice.segment_bytes = *segment_bytes;
        return choice;
    }

    /// The tree for a group of so many machines, out of those of the communicator, that are all there: what the table
    /// says of so many, if that is a tree for segments.
    [[nodiscard]] Algorithm group_tree(int machines, int ranks_per_machine, std::size_t bytes) const {
        if (const Rule* row = row_for(site_->rules, machines, ranks_per_machine, Arrival::balanced)) {
            const MessageRule* message = message_for(*row, bytes).rule;
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
        const Answer<Rule> found = answer(bytes, arrival);
        if (found.reason == Reason::untuned_arrivals) return "imbalanced,untuned";
        if (found.message == nullptr) return "none";
        const auto range = [](int from, int to) {
            return std::to_string(from) + (to == from ? "" : "-" + (to == any_number ? "" : std::to_string(to)));
        };
        return "machines:" + range(found.row->machines_from, found.row->machines_to) +
               ",ranks_per_machine:" + range(found.row->ranks_per_machine_from, found.row->ranks_per_machine_to) +
               (found.row->arrival == Arrival::imbalanced ? ",arrival:imbalanced" : "") +
               ",up_to:" + (found.message->up_to == no_limit ? "max" : std::to_string(found.message->up_to));
    }

  private:
    [[nodiscard]] const Rule* row(Arrival arrival) const { return rows_[static_cast<std::size_t>(arrival)]; }

    /// The table's.
    [[nodiscard]] Answer<Rule> answer(std::size_t bytes, Arrival arrival) const {
        return answer_in(row(arrival), {machines_, ranks_per_machine_, arrival, bytes, multicast_});
    }

    [[nodiscard]] std::size_t native_up_to(Arrival arrival) const {
        return bcast::native_up_to(row(arrival), machines_, arrival);
    }

    const Site* site_;
    const Environment* environment_;
    int machines_;
    int ranks_per_machine_;         // the most on any machine
    const Rule* rows_[2];           // by regime
    bool multicast_ = false;        // may be used
    bool tries_multicast_ = false;  // BCASTGEN_MULTICAST=try has a say
};

}  // namespace bcast
