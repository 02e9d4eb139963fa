// One algorithm of the library's, for test programs that are compiled together with it.
#pragma once

#include "bcast/library/communicator.hpp"

namespace checking {

/// Broadcasts by this algorithm, on all ranks alike. MPI error code.
inline int run(bcast::Communicator& communicator, const bcast::Choice& choice, bcast::Message& message, int root) {
    if (!communicator.connect_for(choice.algorithm)) return MPI_ERR_OTHER;
    bcast::Failure failure;
    communicator.run(choice, message, root, failure);
    return failure.error;
}

}  // namespace checking
