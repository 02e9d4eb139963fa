// The files of a Slurm topology, with those that they include, as one text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "planner/formats/slurm/slurm.hpp"

namespace bcastgen {

/// Lines of several files in the order in which Slurm reads them.
struct SlurmText {
    struct Origin {
        std::size_t file;
        int line;
    };
    std::string text;
    std::vector<std::string> files;  ///< their names
    std::vector<Origin> origins;     ///< by line of the text

    /// "line 7", with its file where there are several.
    [[nodiscard]] std::string name_line(int line) const;
    /// The same errors where they stand in their files.
    [[nodiscard]] InputErrors in_their_files(const InputErrors& errors) const;
};

[[nodiscard]] bool is_slurm_include(std::string_view line);

/// Follows "Include FILE", a path from the folder of the file that it stands in, as Slurm does. A file that was read
/// already is passed over. Throws InputErrors for files that cannot be read or include each other.
[[nodiscard]] SlurmText with_includes(const std::vector<ImportFile>& files, const SlurmIncludes& includes);

}  // namespace bcastgen
