// The emitted library's fixed code over a site written by hand: what the MPI tests preload.
#include "bcast/library/entry_points.hpp"
#include "facts.hpp"
