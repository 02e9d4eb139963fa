// A whole run of the tool.
#pragma once

namespace bcastgen {

/// Parses the command line and runs the command that it asks for. What goes wrong is said on stderr; returns an
/// ExitCode.
int run_command_line(int argc, char** argv);

}  // namespace bcastgen
