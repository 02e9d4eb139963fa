// A hand-written site of twelve machines:
//
//              s0: n0 n1 n2
//             /            \.
//     s1: n3 n4 n5          s2 (no machines)
//                          /              \.
//            s3: n6 n7 n8 n9               s4: n10 n11
//
// The decision table takes every algorithm in turn as messages grow, so that any program that broadcasts many sizes
// passes through all of them. Five machines of one rank each have a row of their own. The whole site has baked binary
// trees; other machine sets build theirs at set-up.
#pragma once

#include "bcast/facts/site.hpp"

#ifndef FIXTURE_PLAN_HASH
#define FIXTURE_PLAN_HASH 0x5117e
#endif

namespace fixture {

using bcast::Algorithm;

inline constexpr bcast::NamedMachine machine_names[] = {
    {"n0", 0}, {"n1", 1}, {"n10", 10}, {"n11", 11}, {"n2", 2}, {"n3", 3},
    {"n4", 4}, {"n5", 5}, {"n6", 6},   {"n7", 7},   {"n8", 8}, {"n9", 9},
};
inline constexpr int machine_switch[] = {0, 0, 0, 1, 1, 1, 3, 3, 3, 3, 4, 4};
inline constexpr bcast::SwitchPair switch_links[] = {{0, 1}, {0, 2}, {2, 3}, {2, 4}};

// s0 walks on to s1, then s2; the second subtree starts at a switch's first machine, as contention-free trees do.
inline constexpr int order_s0[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
inline constexpr int binary_s0[] = {-1, 0, 1, 1, 3, 3, 0, 6, 7, 7, 6, 10};
inline constexpr int turns_s0[] = {0, 0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0};
inline constexpr int order_s1[] = {3, 4, 5, 0, 1, 2, 6, 7, 8, 9, 10, 11};
inline constexpr int binary_s1[] = {-1, 0, 1, 0, 3, 4, 3, 6, 7, 7, 6, 10};
inline constexpr int turns_s1[] = {0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0};
inline constexpr bcast::BakedTree trees_s0[] = {{Algorithm::binary, binary_s0, turns_s0}};
inline constexpr bcast::BakedTree trees_s1[] = {{Algorithm::binary, binary_s1, turns_s1}};
inline constexpr bcast::BakedRoot roots[] = {{0, order_s0, trees_s0}, {1, order_s1, trees_s1}};
inline constexpr bcast::BakedSet baked_sets[] = {{"fixture", roots}};

inline constexpr bcast::MessageRule balanced[] = {
    {64, Algorithm::native, 0},
    {512, Algorithm::flat, 0},
    {4096, Algorithm::binomial, 0},
    {16384, Algorithm::binary, 1024},
    {65536, Algorithm::kary3, 4096},
    {131072, Algorithm::linear, 8192},
    {200000, Algorithm::scatter_ring_tuned, 4096},
    {262144, Algorithm::scatter_ring, 0},
    {bcast::no_limit, Algorithm::two_tree, 8192},
};
inline constexpr bcast::MessageRule imbalanced[] = {
    {64, Algorithm::native, 0},
    {1024, Algorithm::binary, 2048},
    {4096, Algorithm::arrival_b, 0},
    {65536, Algorithm::arrival_nb, 1024},
    {bcast::no_limit, Algorithm::arrival_live, 4096},
};
inline constexpr bcast::MessageRule five[] = {
    {4096, Algorithm::binomial, 0},
    {bcast::no_limit, Algorithm::linear, 8192},
};
inline constexpr bcast::Rule rules[] = {
    {5, 5, 1, 1, bcast::Arrival::balanced, five},
    {2, bcast::any_number, 1, bcast::any_number, bcast::Arrival::balanced, balanced},
    {2, bcast::any_number, 1, bcast::any_number, bcast::Arrival::imbalanced, imbalanced},
};
inline constexpr bcast::Site site{
    "fixture", FIXTURE_PLAN_HASH, 2, machine_names, machine_switch, 5, switch_links, baked_sets, rules,
};

}  // namespace fixture

namespace bcast {

const Site& site() {
    return fixture::site;
}

}  // namespace bcast
