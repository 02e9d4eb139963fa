// The libraries of LD_PRELOAD: are they of this file, and what bcastgen makes of it today?
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/doctor/symptom.hpp"
#include "planner/network/network.hpp"

namespace bcastgen {

/// What an emitted library says that it is.
struct LibraryIdentity {
    std::string version;
    std::string site;
    std::string plan_hash;
};

/// The identity in the bytes of a shared object (templates/mpi_bcast.cpp.mustache writes it); none if there is none.
[[nodiscard]] std::optional<LibraryIdentity> identity_in(std::string_view shared_object);

/// The emitted libraries that LD_PRELOAD names, against the network's plan and this tool's version. One that lies in
/// the directory that it was built in is audited, too.
[[nodiscard]] std::vector<Symptom> look_at_preloaded(const Network& network);

}  // namespace bcastgen
