// What stands in CMakeLists.txt and means something else to CMake than it seems.
#include "tests/codegen/audit/attack.hpp"

namespace bcastgen::testing {

namespace {

using Library = SampleDirectory;

const std::string build_file = "CMakeLists.txt";
const std::string say_it = "message(\"foreign code runs\")";
const std::string last_line = "install(TARGETS bcast LIBRARY DESTINATION lib)\n";

/// `text` after the last command, in lines of its own.
std::function<void(const Library&)> at_the_end(const std::string& text) {
    return [text](const Library& library) { library.edit(build_file, last_line, last_line + text + "\n"); };
}

std::function<void(const Library&)> edit(const std::string& from, const std::string& to) {
    return [=](const Library& library) { library.edit(build_file, from, to); };
}

}  // namespace

std::vector<Attack> attacks_by_build_file() {
    const std::string at_end =
        "lib/CMakeLists.txt:30:1: error: not what bcastgen emits: expected the end of the file, found ";
    const std::string differs = "error: not what bcastgen emits: expected ";
    const std::string alike = "error: expected characters that everybody reads alike, found ";
    return {
        {"commands", "a command", at_the_end(say_it), cmake_runs_foreign_code(), at_end + "\"message\""},
        {"commands", "behind a bracket comment",
         edit("LIBRARY DESTINATION lib", "LIBRARY DESTINATION lib #[[ ]] \"foreign code runs\""),
         cmake_runs_foreign_code(), "lib/CMakeLists.txt:29:47: " + differs + "\")\", found \"#[["},
        {"commands", "behind a bracket comment with equals signs",
         edit("LIBRARY DESTINATION lib", "LIBRARY DESTINATION lib #[==[ ]] ]==] \"foreign code runs\""),
         cmake_runs_foreign_code(), "lib/CMakeLists.txt:29:47: " + differs + "\")\", found \"#[=="},
        {"commands", "behind a bracket comment in arguments",
         edit("LIBRARY DESTINATION lib)", "LIBRARY #[[\n#]] DESTINATION lib) " + say_it + "\n#[[ ]] DESTINATION lib)"),
         not_shown("CMake wants a line's end between commands"), "lib/CMakeLists.txt:"},
        {"commands", "left out by a bracket comment",
         edit("install(TARGETS bcast LIBRARY DESTINATION lib)", "#[[\n" + last_line + "#]]\n" + say_it),
         cmake_runs_foreign_code(), "lib/CMakeLists.txt:29:1: " + differs + "\"install\", found \"#[[\""},
        {"commands", "options left out by a bracket comment", edit("-Wall", "#[[\n-Wall\n#]]\n"),
         not_shown("warnings are lost"), "lib/CMakeLists.txt:"},
        {"commands", "an argument left out", edit("OMPI_SKIP_MPICXX", "# OMPI_SKIP_MPICXX"),
         not_shown("compiles otherwise"), "lib/CMakeLists.txt:"},
        {"quotes", "round a comment's sign", edit("DESTINATION lib)", "DESTINATION lib \"# \")\n" + say_it + "\n#\")"),
         cmake_runs_foreign_code(), "lib/CMakeLists.txt:"},
        {"quotes", "in the middle of an argument",
         edit("DESTINATION lib)", "DESTINATION lib a=\"# \")\n" + say_it + "\n#\")"), cmake_runs_foreign_code(),
         "lib/CMakeLists.txt:"},
        {"quotes", "round several lines", edit("DESTINATION lib)", "DESTINATION lib \"\n# \")\n" + say_it + "\n#\")"),
         cmake_runs_foreign_code(), "lib/CMakeLists.txt:"},
        {"quotes", "of brackets", edit("DESTINATION lib)", "DESTINATION lib [[ # ]])\n" + say_it + "\n#]])"),
         cmake_runs_foreign_code(), "lib/CMakeLists.txt:"},
        {"quotes", "a comment's sign escaped", edit("DESTINATION lib)", "DESTINATION lib \\# )\n" + say_it + "\n#)"),
         cmake_runs_foreign_code(), "lib/CMakeLists.txt:"},
        {"lines", "a comment that goes on", at_the_end("# \\\n" + say_it), cmake_runs_foreign_code(),
         "lib/CMakeLists.txt:30:3: "},
        {"lines", "a carriage return alone", at_the_end("#\r" + say_it), not_shown("CMake 3.25 reads on"),
         "lib/CMakeLists.txt:30:2: " + alike + "byte 0x0d"},
        {"lines", "two commands in one",
         edit(last_line,
              "install(TARGETS bcast LIBRARY DESTINATION lib) # \n"
              "install(TARGETS bcast LIBRARY DESTINATION lib)\n"),
         not_shown("harmless, but not what was emitted"), at_end},
        {"lines", "an argument that begins one", edit("if(NOT", "if\n(NOT"), not_shown("does not parse"),
         "lib/CMakeLists.txt:"},
        {"expansion", "a generator expression", edit("-Wall", "$<1:-Wall> $<TARGET_FILE:evil>"),
         not_shown("runs at generation"), "lib/CMakeLists.txt:"},
        {"expansion", "a variable of the environment", edit("-Wall", "-Wall $ENV{MORE}"), not_shown("as CXXFLAGS"),
         "lib/CMakeLists.txt:"},
        {"expansion", "a list", edit("-Wall", "-Wall;-include;evil"), not_shown("an option of the compiler"),
         "lib/CMakeLists.txt:"},
        {"expansion", "a response file", edit("-Wall", "-Wall @flags"), not_shown("an option of the compiler"),
         "lib/CMakeLists.txt:"},
        {"expansion", "a property that runs programs",
         edit("CXX_STANDARD 17", "CXX_COMPILER_LAUNCHER evil CXX_STANDARD 17"), not_shown("runs at each compilation"),
         "lib/CMakeLists.txt:"},
        {"expansion", "code at the end of project()", edit("LANGUAGES CXX)", "LANGUAGES CXX)\ninclude(evil.txt)"),
         [](const Library& library) {
             library.write("evil.txt", say_it + "\n");
             return cmake_runs_foreign_code()(library);
         },
         "lib/CMakeLists.txt:"},
        {"encodings", "a byte order mark", edit("# Generated", "\xef\xbb\xbf# Generated"), not_shown("CMake skips it"),
         "lib/CMakeLists.txt:1:1: " + alike + "U+FEFF"},
        {"encodings", "a null byte", at_the_end(std::string("#\0", 2) + say_it), not_shown("CMake 3.25 stops"),
         "lib/CMakeLists.txt:30:2: " + alike + "byte 0x00"},
        {"encodings", "a blank of Unicode's", edit("LIBRARY DESTINATION", "LIBRARY\u00a0DESTINATION"),
         not_shown("one argument"), "lib/CMakeLists.txt:29:30: " + alike + "U+00A0"},
        {"encodings", "a command's name that looks like ours", at_the_end("m\u0435ssage(x)"),
         not_shown("no such command"), "lib/CMakeLists.txt:30:2: " + alike + "U+0435"},
        {"encodings", "UTF-16",
         [](const Library& library) {
             std::string wide = "\xff\xfe";
             for (const char c : library.text(build_file)) wide += {c, '\0'};
             library.write(build_file, wide);
         },
         not_shown("CMake refuses it"), "lib/CMakeLists.txt:1:1: " + alike + "byte 0xff"},
    };
}

}  // namespace bcastgen::testing
