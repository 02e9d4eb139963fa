// The proof of a site's trees: every one that is baked, recomputed from the tables as they are emitted.
#pragma once

#include <vector>

#include "bcast/facts/site.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/site_plan.hpp"

namespace bcastgen {

/// What the trees of one algorithm over all machines have in common, whichever switch the root is on.
struct ProvedTrees {
    bcast::Algorithm algorithm = bcast::usual::chain;
    int least_height = 0;
    int most_height = 0;
    double least_stage = 0;
    double most_stage = 0;
};

struct SiteProof {
    int trees = 0;                          ///< how many were proved, partitions' too
    bool every_switch = false;              ///< roots on every switch with machines; false: the first machine only
    std::vector<ProvedTrees> by_algorithm;  ///< linear, then the baked ones
};

/// Proves that the trees of `site` reach every machine of their set and are contention-free in `network`: linear and
/// baked trees for roots on every switch, or, for a site whose trees are not baked, the trees of the first machine.
/// Throws std::logic_error, saying which, if one is not.
[[nodiscard]] SiteProof prove_site(const Network& network, const SitePlan& site);

}  // namespace bcastgen
