#include "planner/exports/mpich_selection.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/parse_error.hpp"

namespace bcastgen {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view key_of_collectives = "{\"collective=";
constexpr std::string_view tree_of_bcast = "MPIR_Bcast_intra_pipelined_tree";

Json algorithm(const std::string& name, Json parameters = Json::object()) {
    return {{"algorithm=" + name, std::move(parameters)}};
}

Json tree_parameters(const MpiBroadcast& own, std::size_t segment_bytes, bool blocking) {
    Json parameters;
    parameters["tree_type=kary"] = Json::object();
    // Some versions take what follows this for k as well, so that it stands before.
    if (blocking) parameters["is_non_blocking=1"] = Json::object();
    parameters[fmt::format("k={}", own.fan_out)] = Json::object();
    parameters[fmt::format("chunk_size={}", segment_bytes)] = Json::object();
    if (blocking) parameters["recv_pre_posted=0"] = Json::object();
    return parameters;
}

bool is_tree(const MpiBroadcast& own) {
    return own.choice == std::string_view(mpich_tree);
}

/// What broadcasts do by a message rule. `usual`: what they do by themselves.
Json bcast_by(const MessageRule& message, bool has_pipelined_tree, const Json& usual) {
    const MpiBroadcast* own = own_of(message, MpiFamily::mpich);
    if (own == nullptr) return usual;
    if (!is_tree(*own)) return algorithm(std::string("MPIR_Bcast_intra_") + own->choice);
    if (!has_pipelined_tree) return algorithm("MPIR_Bcast_allcomm_nb");
    return algorithm(std::string(tree_of_bcast), tree_parameters(*own, message.segment_bytes, true));
}

/// The same for non-blocking ones, which serve broadcasts where those have no tree in segments.
Json ibcast_by(const MessageRule& message, const Json& usual) {
    const MpiBroadcast* own = own_of(message, MpiFamily::mpich);
    if (own == nullptr || !is_tree(*own)) return usual;
    return algorithm("MPIR_Ibcast_intra_tsp_tree", tree_parameters(*own, message.segment_bytes, false));
}

/// Conditions on ranks, then on bytes; `by` says what a message rule comes to.
template <class By>
Json by_size(const std::vector<RankRule>& rules, const Json& usual, By by) {
    Json by_ranks;
    for (const RankRule& rule : rules) {
        Json by_bytes;
        bool all_usual = true;
        for (const MessageRule& message : rule.messages) {
            const std::string condition =
                message.up_to == bcast::no_limit ? "avg_msg_size=any" : fmt::format("avg_msg_size<={}", message.up_to);
            by_bytes[condition] = by(message);
            all_usual = all_usual && by_bytes[condition] == usual;
        }
        const std::string condition = rule.ranks_to == bcast::any_number
                                          ? "comm_size=any"
                                          : fmt::format("comm_size<{}", std::int64_t{rule.ranks_to} + 1);
        by_ranks[condition] = std::move(by_bytes);
        if (all_usual) by_ranks[condition] = usual;
    }
    return by_ranks;
}

/// What the selection has for communicators within one group.
Json& within_group(Json& selection, const char* collective) {
    constexpr const char* intra = "comm_type=intra";
    if (!selection.is_object() || !selection.contains(collective) || !selection[collective].contains(intra)) {
        throw ParseError(fmt::format("MPICH's selection has no {}, {}", collective, intra));
    }
    return selection[collective][intra];
}

}  // namespace

std::optional<MpichSelection> selection_in(std::string_view library) {
    for (std::size_t at = library.find(key_of_collectives); at != std::string_view::npos;
         at = library.find(key_of_collectives, at + 1)) {
        const std::string_view text = library.substr(at, library.find('\0', at) - at);
        // The device's, which stand beside it, choose compositions.
        if (text.find("algorithm=MPIR_Bcast_intra_") == std::string_view::npos) continue;
        return MpichSelection{std::string(text), library.find(tree_of_bcast) != std::string_view::npos};
    }
    return std::nullopt;
}

ExportedRules mpich_selection(const std::vector<RankRule>& rules, const MpichSelection& version) {
    Json selection = Json::parse(version.text, nullptr, false);
    Json& bcasts = within_group(selection, "collective=bcast");
    const Json usual = bcasts;
    bcasts = by_size(rules, usual,
                     [&](const MessageRule& message) { return bcast_by(message, version.has_pipelined_tree, usual); });
    ExportedRules exported;
    exported.remarks = left_out(rules, mpi_words(MpiFamily::mpich), [](const MessageRule& message) {
        return own_of(message, MpiFamily::mpich) != nullptr;
    });
    if (!version.has_pipelined_tree) {
        Json& ibcasts = within_group(selection, "collective=ibcast");
        const Json usual_ibcasts = ibcasts;
        ibcasts = by_size(rules, usual_ibcasts,
                          [&](const MessageRule& message) { return ibcast_by(message, usual_ibcasts); });
        if (ibcasts != by_size(rules, usual_ibcasts, [&](const MessageRule&) { return usual_ibcasts; })) {
            exported.remarks.emplace_back(
                "this MPICH has trees in segments as non-blocking broadcasts alone: MPI_Ibcast takes them, too");
        }
    }
    exported.text = selection.dump(1) + '\n';
    return exported;
}

}  // namespace bcastgen
