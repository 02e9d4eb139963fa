// The commands of the tool, a file for each. A command adds its options to the application and says what to do; the
// application runs it when the command line has been read.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <functional>
#include <string>

#include "codegen/build/library_build.hpp"

namespace bcastgen {

/// Exit codes of the tool.
enum ExitCode : int {
    exit_done = 0,
    exit_failed = 1,       ///< something outside failed: a compiler, a full disk
    exit_bad_input = 2,    ///< a file or the command line is wrong
    exit_found_wrong = 3,  ///< a check found the plan wrong
};

/// What the command line asks for: `run` returns an ExitCode and may throw InputErrors (exit_bad_input), Interrupted
/// (128 + signal) or any other std::exception (exit_failed).
struct Invocation {
    std::function<int()> run;
};

/// A command with what all commands have: --help that ends with `examples`, and --quiet.
CLI::App* add_command(CLI::App& application, const std::string& name, const std::string& description,
                      const std::string& examples);

/// --mpi mpich,openmpi of the commands that compile.
void add_mpi_option(CLI::App& command, std::vector<std::string>& mpis);

/// compile_library() and compile_stage(); if there is something to compile they say on stderr that it goes on.
std::filesystem::path compile_and_tell(const std::filesystem::path& directory, const MpiCompiler& compiler);
void compile_stage_and_tell(const std::filesystem::path& place, const MpiCompiler& compiler);

void register_emit(CLI::App& application, Invocation& invocation);  ///< the default: a topology file and no command
void register_build(CLI::App& application, Invocation& invocation);
void register_check(CLI::App& application, Invocation& invocation);
void register_plan(CLI::App& application, Invocation& invocation);
void register_place(CLI::App& application, Invocation& invocation);
void register_bench(CLI::App& application, Invocation& invocation);
void register_tune(CLI::App& application, Invocation& invocation);
void register_install(CLI::App& application, Invocation& invocation);
void register_import(CLI::App& application, Invocation& invocation);
void register_export(CLI::App& application, Invocation& invocation);
void register_explain(CLI::App& application, Invocation& invocation);
void register_audit(CLI::App& application, Invocation& invocation);
void register_discover(CLI::App& application, Invocation& invocation);
void register_verify(CLI::App& application, Invocation& invocation);
void register_report(CLI::App& application, Invocation& invocation);
void register_doctor(CLI::App& application, Invocation& invocation);
void register_run(CLI::App& application, Invocation& invocation);
void register_lab(CLI::App& application, Invocation& invocation);

}  // namespace bcastgen
