// What an audit says of an emitted library without understanding C++: which files there are, and what is written in
// them.
#pragma once

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "codegen/audit/expectation.hpp"
#include "codegen/audit/found_library.hpp"
#include "codegen/emit/emitter.hpp"

namespace bcastgen {

/// The file with this path; nullptr if there is none.
[[nodiscard]] const EmittedFile* find_file(const std::vector<EmittedFile>& files, const std::string& path);

/// Compares a library with emissions, and collects what is wrong.
class EmissionComparison {
  public:
    /// `directory` is how findings name the library's place. Both must outlive this object.
    EmissionComparison(const FoundLibrary& library, const std::string& directory)
        : library_(library), directory_(directory) {}

    [[nodiscard]] const std::vector<Diagnostic>& findings() const { return findings_; }

    /// All but the values in tables, which may be anything: no stranger, every file there, what is only copied byte by
    /// byte, of the rest words, tokens of mpi_bcast.cpp, and in the tables' files what else a compiler reads.
    void compare_files(const std::vector<EmittedFile>& expected);

    /// Every token of the generated C++, and what its comments state of trees. All files must be there.
    void compare_code(const std::vector<EmittedFile>& expected);

    void report(const CodePlace& place, std::string message);
    [[nodiscard]] ReportFact reporter();

  private:
    void compare_file(const EmittedFile& should, const EmittedFile& is);
    [[nodiscard]] std::string line_of(const CodePlace& place) const;

    const FoundLibrary& library_;
    const std::string& directory_;
    std::vector<Diagnostic> findings_;
};

}  // namespace bcastgen
