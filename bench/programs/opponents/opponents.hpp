// The opponents, each behind the same call (names.hpp has their rows).
#pragma once

#include <mpi.h>

#include <functional>

#include "bench/programs/opponents/circulant.hpp"
#include "bench/programs/opponents/names.hpp"
#include "bench/programs/opponents/pieces.hpp"
#include "bench/programs/opponents/pipelined_tree.hpp"
#include "bench/programs/opponents/rank_tree.hpp"
#include "bench/programs/opponents/two_level.hpp"
#include "bench/programs/opponents/wiring.hpp"

namespace bcastgen {

/// A broadcast from one root over one communicator.
using OpponentBroadcast = std::function<void(const Pieces& segments)>;

/// Everything that does not depend on the message is worked out here. `wiring` is of the communicator's ranks.
inline OpponentBroadcast make_opponent(const OpponentRow& row, const Wiring& wiring, int root, MPI_Comm comm) {
    switch (row.opponent) {
        case Opponent::circulant:
            return Circulant(root, comm, row.ahead);
        case Opponent::two_level:
            return TwoLevel(two_levels(wiring, root), comm);
        case Opponent::topology_kary:
            return PipelinedTree(topology_kary_tree(wiring, root, row.most_children), comm, row.ahead);
        case Opponent::topology_wave:
            return PipelinedTree(topology_wave_tree(wiring, root), comm, row.ahead);
    }
    return {};
}

}  // namespace bcastgen
