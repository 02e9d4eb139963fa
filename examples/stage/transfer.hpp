#pragma once

#include "arguments.hpp"
#include "destination.hpp"
#include "machines.hpp"

/// The stream's way from rank 0 to every machine.
namespace stage {

/// From chunk `first` on; collective over the writers. Throws on all of them if anything fails anywhere.
void transfer(const Machines& machines, const Arguments& arguments, const Manifest& manifest, const JournalHead& head,
              Destination& destination, std::uint64_t first);

}  // namespace stage
