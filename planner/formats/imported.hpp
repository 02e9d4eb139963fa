// What an import gives: the network that a file of another program describes, and what had to be said about it.
#pragma once

#include <string>
#include <vector>

#include "planner/network/network.hpp"

namespace bcastgen {

/// A file to import. `name` is how errors name it.
struct ImportFile {
    std::string name;
    std::string text;
};

struct Imported {
    Network network;                 ///< in_tree is not chosen yet: reading the written topology file does that
    std::vector<std::string> notes;  ///< what was assumed or left out, a sentence each, for the file's head
};

}  // namespace bcastgen
