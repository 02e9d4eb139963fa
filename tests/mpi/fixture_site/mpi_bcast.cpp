// The emitted library's fixed code over a site written by hand: what the MPI tests preload.
#include "bcast/library/entry_points.hpp"
#include "facts.hpp"

#ifdef FIXTURE_PATIENCE_S
namespace {

/// Says sooner that ranks wait for others.
[[maybe_unused]] const int patience_s = bcast::process().patience_s = FIXTURE_PATIENCE_S;

}  // namespace
#endif
