// The emitted library's fixed code, without a site: that is facts.cpp, which can be another one.
#include "bcast/library/entry_points.hpp"

namespace fixture {

extern const int patience_s;  // in facts.cpp

namespace {

/// Says sooner that ranks wait for others, where that is wanted.
[[maybe_unused]] const bool impatient = [] {
    if (patience_s > 0) bcast::process().patience_s = patience_s;
    return patience_s > 0;
}();

}  // namespace

}  // namespace fixture
