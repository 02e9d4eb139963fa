// A small site's emitted library, to be changed and audited.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "codegen/audit/audit.hpp"
#include "tests/run_program.hpp"

namespace bcastgen::testing {

/// Of "a:b".
std::vector<std::string> directories_of(const std::string& list);

/// The directories of the MPI's headers that the audit reads with.
std::vector<std::string> mpi_headers();

/// A library and what it was made from.
struct Sample {
    explicit Sample(Network network);

    std::string& text(const std::string& path);

    /// Replaces the first `from`, which must be there.
    void edit(const std::string& path, const std::string& from, const std::string& to);

    /// What the audit says of it, "N trees" if nothing is wrong.
    [[nodiscard]] std::string audited() const;

    Network network;
    SitePlan plan;
    DecisionTable table;
    std::vector<EmittedFile> files;
};

/// Six machines under two switches, one partition.
Sample small_sample();

/// The same library on disk.
class SampleDirectory {
  public:
    explicit SampleDirectory(const Sample& sample);

    [[nodiscard]] std::filesystem::path path(const std::string& file = "") const;
    [[nodiscard]] std::string text(const std::string& file) const;

    /// Writes a file, and the folders to it.
    void write(const std::string& file, const std::string& text) const;
    void edit(const std::string& file, const std::string& from, const std::string& to) const;
    void link(const std::string& file, const std::filesystem::path& to) const;

    /// As `bcastgen audit` says it, "N trees" if nothing is wrong. Places start with "lib".
    [[nodiscard]] std::string audited() const;

  private:
    const Sample& sample_;
    ScratchDirectory scratch_;
    std::filesystem::path directory_;
};

/// `text` with the first `from`, which must be there, replaced.
std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace bcastgen::testing
