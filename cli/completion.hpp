// What may stand where the cursor is: for the completion of shells (packaging/completion).
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace bcastgen {

/// A candidate with its description, if it has one.
struct Candidate {
    std::string text;
    std::string about;
};

struct Completion {
    std::vector<Candidate> candidates;  ///< all begin with the word at the cursor
    bool files = false;                 ///< any file may stand there, too
    bool directories = false;           ///< any directory may
    bool list = false;                  ///< more may follow in the same word, after a comma
};

/// How `words`, what stands behind the tool's name up to the cursor, may go on; the last of them is the one at the
/// cursor, perhaps empty. Machines and algorithms are those of the topology file among the words. Reads that file and
/// throws nothing.
[[nodiscard]] Completion complete(const CLI::App& application, const std::vector<std::string>& words);

/// For the shells' scripts: a line for each candidate, its description after a tab; the last line is a colon and those
/// of "files", "directories" and "list" that hold.
[[nodiscard]] std::string text_of(const Completion& completion);

}  // namespace bcastgen
