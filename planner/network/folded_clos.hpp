// Folded Clos networks (fat trees): switches in levels. A message goes up to a level below which both machines hang,
// and down again, by one of many ways.
//
//     core0 core1 core2 core3        the cores, below which all pods hang: one virtual switch, core*
//       |  \ /  …                    the upper switches of a pod, below which the same leaves hang: one virtual switch
//     mid0 mid1 | mid2 mid3          leaves: the switches with machines
//     leaf0 leaf1 | leaf2 leaf3
//
// The virtual switches form a tree, and trees are planned over it as over any other. Theorem (docs/algorithms.md): the
// links between a leaf or pod and what is above it carry only streams that leave or enter that leaf or pod, whatever
// shortest up/down route each stream takes. So none carries more than the virtual trunk in its place.
#pragma once

#include "planner/network/network.hpp"

namespace bcastgen {

/// Whether the switches, whose trunks form cycles, form a folded Clos. Switches with machines are at level 0, the
/// others as many levels up as they are trunks away from those; every trunk joins neighbouring levels; and at the top
/// of every pod (and of the whole) is a switch from which all of the pod's leaves hang, level by level. One switch at
/// the top of the whole may have machines too, if it is joined with leaves. If it is a folded Clos, sets in_tree to a
/// tree of one switch for each virtual one (the others hang on it idly), Trunk::bounded_by, and Switch::level.
[[nodiscard]] bool collapse_folded_clos(Network& network);

}  // namespace bcastgen
