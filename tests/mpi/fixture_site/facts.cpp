// The site written by hand, for a library of its own: what the MPI tests preload.
#include "facts.hpp"

#ifndef FIXTURE_PATIENCE_S
#define FIXTURE_PATIENCE_S 0
#endif

namespace fixture {

extern const int patience_s;
const int patience_s = FIXTURE_PATIENCE_S;  // 0: as every library has it

}  // namespace fixture
