// How each algorithm's trees are built: the second half of the table in algorithm.hpp, for those who build. The planner
// proves what these functions return, and the emitted library sends along it.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "bcast/facts/algorithm.hpp"
#include "bcast/trees/circulant.hpp"
#include "bcast/trees/double_binary.hpp"
#include "bcast/trees/kary_tree.hpp"
#include "bcast/trees/latency_tree.hpp"
#include "bcast/trees/order.hpp"
#include "bcast/trees/scatter_cost.hpp"
#include "bcast/trees/scatter_tree.hpp"
#include "bcast/trees/tree.hpp"
#include "bcast/trees/two_tree.hpp"

namespace bcast {

/// What trees are built from.
struct TreeSource {
    const Layout& layout;
    const Order& order;         ///< of the machines, made from `layout`: depth first, or by rank for blind algorithms
    int radix;                  ///< most children, of trees of any radix
    std::size_t message_bytes;  ///< of trees that depend on the size
};

namespace detail {

inline std::vector<Tree> both(std::array<Tree, 2> trees) {
    return {std::move(trees[0]), std::move(trees[1])};
}

inline std::vector<Tree> build_flat(const TreeSource& from) {
    return {flat_tree(from.order.size())};
}
inline std::vector<Tree> build_binomial(const TreeSource& from) {
    return {binomial_tree(from.order.size())};
}
inline std::vector<Tree> build_linear(const TreeSource& from) {
    return {linear_tree(from.order.size())};
}
inline std::vector<Tree> build_kary(const TreeSource& from) {
    return {kary_tree(from.layout, from.order, from.radix)};
}
inline std::vector<Tree> build_two_tree(const TreeSource& from) {
    return both(two_tree(from.layout, from.order));
}
inline std::vector<Tree> build_latency(const TreeSource& from) {
    return {latency_tree(from.layout, from.order, from.message_bytes)};
}
inline std::vector<Tree> build_scatter(const TreeSource& from) {
    return {binomial_scatter(from.order.size())};
}
inline std::vector<Tree> build_tuned_scatter(const TreeSource& from) {
    return {tuned_scatter(from.layout, from.order)};
}
inline std::vector<Tree> build_double_binary(const TreeSource& from) {
    return both(double_binary(from.order.size()));
}
inline std::vector<Tree> build_circulant(const TreeSource& from) {
    return circulant_trees(from.order.size());
}

}  // namespace detail

/// As many trees as the algorithm's row says, over the positions of the order.
using TreeBuilder = std::vector<Tree> (*)(const TreeSource& from);

struct TreeBuilderRow {
    Algorithm algorithm;
    TreeBuilder build;
};

inline constexpr TreeBuilderRow tree_builder_rows[] = {
    {Algorithm::flat, detail::build_flat},
    {Algorithm::binomial, detail::build_binomial},
    {Algorithm::linear, detail::build_linear},
    {Algorithm::binary, detail::build_kary},
    {Algorithm::kary3, detail::build_kary},
    {Algorithm::two_tree, detail::build_two_tree},
    {Algorithm::latency, detail::build_latency},
    {Algorithm::scatter_ring, detail::build_scatter},
    {Algorithm::scatter_ring_tuned, detail::build_tuned_scatter},
    {Algorithm::double_binary, detail::build_double_binary},
    {Algorithm::circulant, detail::build_circulant},
    {Algorithm::kary4, detail::build_kary},
    {Algorithm::kary5, detail::build_kary},
};

/// The trees of an algorithm that has a plan: over the machines, or of a ring the scatter's, with one rank on each
/// machine. None for other algorithms.
inline std::vector<Tree> build_trees(Algorithm algorithm, const TreeSource& from) {
    for (const TreeBuilderRow& row : tree_builder_rows) {
        if (row.algorithm == algorithm) return row.build(from);
    }
    return {};
}

}  // namespace bcast
