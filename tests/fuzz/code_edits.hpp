// Edits of an emitted library's files.
#pragma once

#include <string>

#include "tests/fuzz/target.hpp"

namespace bcastgen::fuzz {

/// Any bytes for a few others.
void edit_bytes(std::string& text, Choices& choices);

/// A piece of C++ becomes another one, or another of the same meaning; lines move, double or go.
void edit_code(std::string& text, Choices& choices);

}  // namespace bcastgen::fuzz
