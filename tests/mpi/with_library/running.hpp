// One algorithm of the library's, for test programs that are compiled together with it.
#pragma once

#include "bcast/library/communicator.hpp"

namespace checking {

/// MPI_Init, and the broadcast that starts the library; later ones may go past its entry points.
inline void start_library(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int nothing = 0;
    MPI_Bcast(&nothing, 1, MPI_INT, 0, MPI_COMM_WORLD);
}

/// Broadcasts by this algorithm, on all ranks alike. MPI error code.
inline int run(bcast::Communicator& communicator, const bcast::Choice& choice, bcast::Message& message, int root) {
    if (!communicator.connect_for(choice.algorithm)) return MPI_ERR_OTHER;
    bcast::Failure failure;
    communicator.run(choice, message, root, failure);
    return failure.error;
}

}  // namespace checking
