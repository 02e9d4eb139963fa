// Ways to make a library do something else than the audit says, and how it is shown that they work.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/codegen/audit/sample.hpp"

namespace bcastgen::testing {

/// Code that is none of ours: it says so when the library is loaded. Guarded, for headers that are read many times.
inline constexpr const char* foreign_code =
    "#ifndef FOREIGN\n#define FOREIGN\nextern \"C\" int puts(const char*);\n"
    "__attribute__((constructor)) static void foreign_code() {\n    puts(\"foreign code runs\");\n}\n#endif\n";

/// Looks at a library as the program does that the attack deceives. Returns what is wrong with the attack: empty if it
/// works.
using Proof = std::function<std::string(const SampleDirectory&)>;

/// The compiler meets foreign code.
[[nodiscard]] Proof compiles_foreign_code(std::vector<std::string> options = {});
/// What the compiler makes of mpi_bcast.cpp has `text`.
[[nodiscard]] Proof compiler_takes(std::string text, std::vector<std::string> options = {});
/// The compiler does not see `code`, which is there without the attack.
[[nodiscard]] Proof loses_code(std::string code, std::vector<std::string> options = {});
/// CMake runs a command that says "foreign code runs". `arguments`: otherwise than -S . -B build elsewhere.
[[nodiscard]] Proof cmake_runs_foreign_code(std::vector<std::string> arguments = {});
/// make does, called in the directory.
[[nodiscard]] Proof make_runs_foreign_code();
/// Environment Modules do, loading the modulefile, or what they tell the shell no longer has `line`.
[[nodiscard]] Proof module_runs_foreign_code();
[[nodiscard]] Proof module_loses(std::string line);
/// A Tcl that knows the commands of module systems does, or not any more, when it is given the file as a whole.
[[nodiscard]] Proof tcl_runs_foreign_code();
[[nodiscard]] Proof tcl_loses(std::string line);
/// For what only somebody who names it, or another program of the site, would read; `why` is for the reader.
[[nodiscard]] Proof not_shown(const char* why);

/// The compiler's options that lead it to Open MPI's headers first.
[[nodiscard]] std::vector<std::string> openmpi();

struct Attack {
    std::string kind;
    std::string name;
    std::function<void(const SampleDirectory&)> make;
    Proof proof;
    std::string finding;  ///< a part of what the audit says; places start with "lib"
};

[[nodiscard]] std::vector<Attack> attacks_by_files();
[[nodiscard]] std::vector<Attack> attacks_by_code();
[[nodiscard]] std::vector<Attack> attacks_by_build_file();
[[nodiscard]] std::vector<Attack> attacks_by_modulefile();
[[nodiscard]] std::vector<Attack> attacks_on_the_audit();

}  // namespace bcastgen::testing
