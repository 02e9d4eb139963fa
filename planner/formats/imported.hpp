// The result of an import: the network that another program's file describes, and remarks on it.
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
    Network network;                 ///< in_tree is not chosen yet; that happens when the written topology file is read
    std::vector<std::string> notes;  ///< what was assumed or left out, a sentence each, for the file's head
};

}  // namespace bcastgen
