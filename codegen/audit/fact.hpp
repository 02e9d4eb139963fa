// What the emitted C++ says, read back from its syntax tree.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bcastgen {

/// The place of a fact in the emitted code. line 0: none in particular.
struct CodePlace {
    std::string file;  ///< below the library's directory
    int line = 0;
    int column = 0;
};

/// A constant: a number, a text, or a list (a table, a struct's fields in
/// order, what a Span refers to).
struct Fact {
    enum class Kind { nothing, number, text, list };
    Kind kind = Kind::nothing;
    std::int64_t number = 0;  ///< unsigned ones by their bits
    std::string text;
    std::vector<Fact> items;
    CodePlace place;
};

}  // namespace bcastgen
