#include "cli/options/table_help.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/wording.hpp"
#include "bench/programs/opponents/names.hpp"
#include "planner/mpis/broadcasts.hpp"
#include "tuner/clusters/kinds.hpp"

namespace bcastgen {

namespace {

/// In two columns, without a line end after the last.
std::string columns(const std::vector<std::pair<std::string, std::string>>& rows) {
    std::size_t width = 0;
    for (const auto& [name, about] : rows) width = std::max(width, name.size());
    std::string text;
    for (const auto& [name, about] : rows) {
        text += fmt::format("{}  {:<{}}  {}", text.empty() ? "" : "\n", name, width, about);
    }
    return text;
}

}  // namespace

std::map<std::string, bcast::Algorithm> trees_by_name() {
    std::map<std::string, bcast::Algorithm> trees;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (bcast::has_plan(row.algorithm)) trees.emplace(row.tree, row.algorithm);
    }
    return trees;
}

std::string tree_list() {
    std::vector<std::string> names;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (bcast::has_plan(row.algorithm)) names.emplace_back(row.tree);
    }
    return listed(names);
}

std::string tree_lines() {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) {
        if (bcast::has_plan(row.algorithm)) rows.emplace_back(row.tree, row.purpose);
    }
    return columns(rows);
}

std::string algorithm_lines() {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const bcast::AlgorithmRow& row : bcast::algorithm_rows) rows.emplace_back(row.name, row.purpose);
    return columns(rows);
}

std::string opponent_lines() {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const OpponentRow& row : opponent_rows) rows.emplace_back(row.name, row.about);
    return columns(rows);
}

std::string own_lines() {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const MpiBroadcast& row : mpi_broadcasts) rows.emplace_back(row.name, row.about);
    return columns(rows);
}

std::string cluster_list() {
    std::vector<std::string> names;
    for (const ClusterKind& kind : cluster_kinds()) {
        names.push_back(kind.name + (kind.needs_root ? " (root only)" : ""));
    }
    return listed(names);
}

std::string cluster_lines() {
    std::vector<std::pair<std::string, std::string>> rows;
    for (const ClusterKind& kind : cluster_kinds()) rows.emplace_back(kind.name, kind.about);
    return columns(rows);
}

}  // namespace bcastgen
