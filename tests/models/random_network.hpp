// Networks for tests: random ones, and every shape that a random one seldom has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen::testing {

/// A network of equal links (100 Mbit/s, 20 us): trunks between the given switches, machines m0, m1, … on the given
/// switches.
inline Network make_network(int switches, const std::vector<std::pair<int, int>>& trunks,
                            const std::vector<int>& machine_switch) {
    const LinkSpeed speed{12.5e6, 20e-6};
    Network network;
    network.name = "test";
    for (int s = 0; s < switches; ++s) network.switches.push_back({"s" + std::to_string(s)});
    for (std::size_t m = 0; m < machine_switch.size(); ++m) {
        network.machines.push_back({"m" + std::to_string(m), machine_switch[m], speed, 1});
    }
    for (const auto& [a, b] : trunks) network.trunks.push_back({a, b, speed, 1, true});
    return network;
}

enum class Shape { random_links, chain, star, deep, count };  // deep: each switch hangs on one of the last three

/// The trunks of a switch tree. random_links is the paper's generator: random links, those that would close a cycle
/// left out, until all switches are connected.
inline std::vector<std::pair<int, int>> random_switch_tree(int switches, Shape shape, std::mt19937& random) {
    const auto below = [&random](int end) { return std::uniform_int_distribution<int>(0, end - 1)(random); };
    std::vector<std::pair<int, int>> trunks;
    if (shape != Shape::random_links) {
        for (int s = 1; s < switches; ++s) {
            const int above = shape == Shape::chain ? s - 1 : shape == Shape::star ? 0 : std::max(0, s - 1 - below(3));
            trunks.emplace_back(above, s);
        }
        return trunks;
    }
    std::vector<int> piece(static_cast<std::size_t>(switches));
    std::iota(piece.begin(), piece.end(), 0);
    while (static_cast<int>(trunks.size()) + 1 < switches) {
        const int a = below(switches);
        const int b = below(switches);
        const int piece_a = piece[static_cast<std::size_t>(a)];
        const int piece_b = piece[static_cast<std::size_t>(b)];
        if (piece_a == piece_b) continue;
        for (int& p : piece) p = p == piece_b ? piece_a : p;
        trunks.emplace_back(a, b);
    }
    return trunks;
}

/// Machines spread over the switches uniformly (some switches stay empty), or round robin if `even`.
inline Network random_network(int machines, int switches, Shape shape, bool even, std::mt19937& random) {
    std::vector<int> machine_switch;
    for (int m = 0; m < machines; ++m) {
        machine_switch.push_back(even ? m % switches : std::uniform_int_distribution<int>(0, switches - 1)(random));
    }
    return make_network(switches, random_switch_tree(switches, shape, random), machine_switch);
}

}  // namespace bcastgen::testing
