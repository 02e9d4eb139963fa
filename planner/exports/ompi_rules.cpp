#include "planner/exports/ompi_rules.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace bcastgen {

namespace {

constexpr int bcast_number = 7;  // of MPI_Bcast among the collectives

std::vector<std::string> remarks_on(const std::vector<RankRule>& rules) {
    return left_out(rules, mpi_words(MpiFamily::open_mpi),
                    [](const MessageRule& message) { return own_of(message, MpiFamily::open_mpi) != nullptr; });
}

/// "0 3 0 8192  # from 0 bytes on: pipeline"
std::string message_line(std::size_t from_bytes, const MessageRule& message) {
    const MpiBroadcast* own = own_of(message, MpiFamily::open_mpi);
    return fmt::format("{} {} {} {}  # {}\n", from_bytes, own == nullptr ? 0 : own->number,
                       own == nullptr ? 0 : own->fan_out, own == nullptr ? 0 : message.segment_bytes,
                       own == nullptr ? "Open MPI's own choice" : own->choice);
}

}  // namespace

ExportedRules ompi_classic_rules(const std::vector<RankRule>& rules, const RulesOrigin& origin) {
    ExportedRules exported;
    exported.text = fmt::format(
        "# MPI_Bcast on {}, by bcastgen export ompi-rules: {}.\n"
        "# For coll/tuned of Open MPI. All jobs take this file, FILE, by two lines of etc/openmpi-mca-params.conf:\n"
        "#   coll_tuned_use_dynamic_rules = 1\n"
        "#   coll_tuned_dynamic_rules_filename = FILE\n"
        "# or one by\n"
        "#   mpirun --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_dynamic_rules_filename FILE\n"
        "1  # collective\n{}  # is MPI_Bcast\n{}  # ranges of communicator sizes\n",
        origin.topology, origin.measured, bcast_number, rules.size());
    for (const RankRule& rule : rules) {
        // Sizes below the first one would follow it, too.
        exported.text +=
            fmt::format("{}  # ranks and more\n{}  # ranges of message sizes: bytes algorithm chains segment\n",
                        rule.ranks_from == 1 ? 0 : rule.ranks_from, rule.messages.size());
        std::size_t from_bytes = 0;
        for (const MessageRule& message : rule.messages) {
            exported.text += message_line(from_bytes, message);
            from_bytes = message.up_to + 1;
        }
    }
    exported.remarks = remarks_on(rules);
    return exported;
}

ExportedRules ompi_json_rules(const std::vector<RankRule>& rules) {
    nlohmann::ordered_json sizes = nlohmann::ordered_json::array();
    for (const RankRule& rule : rules) {
        nlohmann::ordered_json messages = nlohmann::ordered_json::array();
        std::size_t from_bytes = 0;
        for (const MessageRule& message : rule.messages) {
            const MpiBroadcast* own = own_of(message, MpiFamily::open_mpi);
            if (own != nullptr) {  // where no rule fits, Open MPI chooses
                nlohmann::ordered_json one{{"msg_size_min", from_bytes}};
                if (message.up_to != bcast::no_limit) one["msg_size_max"] = message.up_to;
                one["alg"] = own->choice;
                if (own->fan_out > 0) one["faninout"] = own->fan_out;
                if (message.segment_bytes > 0) one["seg_size"] = message.segment_bytes;
                messages.push_back(std::move(one));
            }
            from_bytes = message.up_to + 1;
        }
        if (messages.empty()) continue;
        nlohmann::ordered_json one{{"comm_size_min", rule.ranks_from}};
        if (rule.ranks_to != bcast::any_number) one["comm_size_max"] = rule.ranks_to;
        one["rules"] = std::move(messages);
        sizes.push_back(std::move(one));
    }
    const nlohmann::ordered_json file{
        {"rule_file_version", 3}, {"module", "tuned"}, {"collectives", {{"bcast", std::move(sizes)}}}};
    return {file.dump(2) + '\n', remarks_on(rules)};
}

}  // namespace bcastgen
