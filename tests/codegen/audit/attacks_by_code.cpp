// What stands in the C++ and means something else to a compiler than it seems.
#include "tests/codegen/audit/attack.hpp"

namespace bcastgen::testing {

namespace {

using Library = SampleDirectory;

constexpr const char* start_of_namespace = "namespace bcast {\n\nconst Site& site()";
constexpr const char* not_emitted = "error: not what bcastgen emits: expected ";
constexpr const char* alike = "error: expected characters that everybody reads alike, found ";
constexpr const char* goes_on =
    "error: expected a line that ends here, found one that some readers go on with in the next";

/// A header that includes may be led to: `name` beside the library.
std::string foreign_header(const Library& library, const std::string& name = "foreign.hpp") {
    library.write("../" + name, foreign_code);
    return library.path("../" + name).string();
}

/// `text` put in before the code of mpi_bcast.cpp; {} in it stands for a foreign header's path.
std::function<void(const Library&)> in_front(std::string text) {
    return [text = std::move(text)](const Library& library) {
        std::string filled = text;
        const std::size_t at = filled.find("{}");
        if (at != std::string::npos) filled.replace(at, 2, foreign_header(library));
        library.edit("mpi_bcast.cpp", start_of_namespace, filled + "\n" + start_of_namespace);
    };
}

std::function<void(const Library&)> edit(const std::string& file, const std::string& from, const std::string& to) {
    return [=](const Library& library) { library.edit(file, from, to); };
}

std::string in_mpi_bcast(const std::string& expected) {
    return "lib/mpi_bcast.cpp:" + expected;
}

std::vector<Attack> directives() {
    const std::string kind = "directives";
    const std::string at = in_mpi_bcast("12:1: ") + not_emitted;
    return {
        {kind, "#include", in_front("#include \"{}\""), compiles_foreign_code(), at},
        {kind, "by a digraph", in_front("%:include \"{}\""), compiles_foreign_code(), at},
        {kind, "after a comment", in_front("/* */ #include \"{}\""), compiles_foreign_code(), in_mpi_bcast("12:7: ")},
        {kind, "after a comment of several lines", in_front("/*\n*/ #include \"{}\""), compiles_foreign_code(),
         in_mpi_bcast("13:4: ")},
        {kind, "with a comment inside", in_front("#/* */include \"{}\""), compiles_foreign_code(), at},
        {kind, "#include_next",  // in a header: GCC warns of it elsewhere, and warnings end the build
         [](const Library& library) {
             library.edit("site_plan.hpp", "#pragma once\n",
                          "#pragma once\n#include_next \"" + foreign_header(library) + "\"\n");
         },
         compiles_foreign_code(), "lib/site_plan.hpp:"},
        {kind, "#include of a macro", in_front("#define FILE \"{}\"\n#include FILE"), compiles_foreign_code(), at},
        {kind, "__has_include", in_front("#if __has_include(\"{}\")\nint foreign_code();\n#endif"),
         compiler_takes("int foreign_code();"), at},
        // Blanks are part of a header's name.
        {kind, "a header's name with a blank",
         [](const Library& library) {
             library.write("cstdint ", std::string(foreign_code) + "#include <cstdint>\n");
             library.edit("site_plan.hpp", "#include <cstdint>", "#include <cstdint >");
         },
         compiles_foreign_code(), "lib/site_plan.hpp:9:1: "},
        {kind, "a header's name with a comment",
         [](const Library& library) {
             library.write("cstdint/**/", "");
             library.edit("site_plan.hpp", "#include <cstdint>", "#include <cst/**/dint>");
         },
         not_shown("there is no such header"), "lib/site_plan.hpp:9:1: "},
        {kind, "a keyword redefined", in_front("#define constexpr foreign_code() {} constexpr"),
         not_shown("does not compile alone"), at},
        {kind, "a name of ours redefined",
         in_front("#define rules foreign_rules\nnamespace site { extern const bcast::Rule foreign_rules[1]; }"),
         compiler_takes("::site::foreign_rules,"), at},
        {kind, "code left out",
         edit("mpi_bcast.cpp", "#include \"site_plan.hpp\"", "#if 1\n#include \"site_plan.hpp\"\n#endif"),
         not_shown("nothing is lost yet"), "lib/mpi_bcast.cpp:9:1: "},
        {kind, "in a header of ours",
         edit("bcast/trees/tree.hpp", "#pragma once", "#pragma once // \n#include <cmath>"), not_shown("any header"),
         "lib/bcast/trees/tree.hpp:"},
        {kind, "the places of findings moved",
         edit("site_plan.hpp", "#pragma once", "#pragma once\n#line 1 \"/etc/passwd\""), not_shown("misleads readers"),
         "lib/site_plan.hpp:8:1: "},
    };
}

std::vector<Attack> pragmas() {
    const std::string kind = "pragmas";
    const std::string at = in_mpi_bcast("12:1: ") + not_emitted;
    return {
        {kind, "another function under our name", in_front("#pragma redefine_extname MPI_Bcast foreign_bcast"),
         compiler_takes("redefine_extname MPI_Bcast foreign_bcast"), at},
        {kind, "a weak symbol", in_front("#pragma weak MPI_Bcast = foreign_bcast"),
         compiler_takes("weak MPI_Bcast = foreign_bcast"), at},
        {kind, "as an operator", in_front("_Pragma(\"redefine_extname MPI_Bcast foreign_bcast\")"),
         compiler_takes("redefine_extname MPI_Bcast foreign_bcast"), at},
        {kind, "a table read once", edit("bcast/facts/site.hpp", "#pragma once", "#pragma once once"),
         not_shown("GCC warns"), "lib/bcast/facts/site.hpp:"},
    };
}

std::vector<Attack> tokens() {
    const std::string kind = "tokens";
    const std::string at = in_mpi_bcast("12:1: ") + not_emitted;
    return {
        {kind, "code", in_front(foreign_code), compiles_foreign_code(), at},
        {kind, "assembler", in_front("__asm__(\".incbin \\\"{}\\\"\");"), compiler_takes("__asm__(\".incbin"), at},
        {kind, "an attribute", edit("mpi_bcast.cpp", "const Site& site()", "[[gnu::weak]] const Site& site()"),
         compiler_takes("[[gnu::weak]]"), in_mpi_bcast("")},
        {kind, "a raw string", edit("mpi_bcast.cpp", "\"small\"", "R\"(small)\""), compiler_takes("R\"(small)\""),
         in_mpi_bcast("")},
        {kind, "a raw string that looks like a comment",
         edit("mpi_bcast.cpp", "\"small\",", "R\"(\", /* )\" /* \"small\" */ \"\","), compiler_takes("R\"(\", /* )\""),
         in_mpi_bcast("")},
        {kind, "a raw string of several lines", edit("mpi_bcast.cpp", "\"small\",", "R\"x(\n        \"small\",\n)x\","),
         compiler_takes("R\"x("), in_mpi_bcast("")},
        {kind, "texts put together", edit("mpi_bcast.cpp", "\"small\"", "\"sm\" \"all\""),
         compiler_takes("\"sm\" \"all\""), in_mpi_bcast("")},
        {kind, "digraphs", edit("site_plan.hpp", "machine_switch[] = {", "machine_switch<::> = <%"),
         compiler_takes("machine_switch<::>"), "lib/site_plan.hpp:"},
        {kind, "a name by universal characters", edit("mpi_bcast.cpp", "::site::rules", "::site::rule\\u0073"),
         not_shown("GCC refuses it; others take it for rules"), in_mpi_bcast("")},
        {kind, "a separator that opens a character", edit("site_tuning.hpp", "{5000,", "{5'000, /*'*/"),
         compiler_takes("{5'000,"), "lib/site_tuning.hpp:"},
        {kind, "a comment that does not end", edit("site_plan.hpp", "}  // namespace site", "}  /* namespace site"),
         not_shown("does not compile"), "lib/site_plan.hpp:"},
        {kind, "a function that hides ours",
         edit("site_tuning.hpp", "namespace site {\n", "namespace site {\n\nstruct uint64_t;\n"),
         compiler_takes("struct uint64_t;"), "lib/site_tuning.hpp:"},
    };
}

std::vector<Attack> lines() {
    const std::string kind = "lines";
    return {
        {kind, "joined by a backslash",
         edit("mpi_bcast.cpp", "#include \"site_plan.hpp\"", "// \\\n#include \"site_plan.hpp\""),
         loses_code("machine_switch[]"), in_mpi_bcast("9:4: ") + goes_on},
        {kind, "joined by a backslash and blanks",
         edit("mpi_bcast.cpp", "#include \"site_plan.hpp\"", "// \\ \t\n#include \"site_plan.hpp\""),
         loses_code("machine_switch[]"), in_mpi_bcast("9:4: ") + goes_on},
        {kind, "joined by a backslash and a carriage return",
         edit("mpi_bcast.cpp", "#include \"site_plan.hpp\"", "// \\\r\n#include \"site_plan.hpp\""),
         loses_code("machine_switch[]"), in_mpi_bcast("9:4: ") + goes_on},
        {kind, "joined by a trigraph",
         edit("mpi_bcast.cpp", "#include \"site_plan.hpp\"", "// ?\?/\n#include \"site_plan.hpp\""),
         loses_code("machine_switch[]", {"-trigraphs"}), in_mpi_bcast("9:6: ") + goes_on},
        {kind, "a directive in pieces", in_front("#incl\\\nude \"{}\""), compiles_foreign_code(),
         in_mpi_bcast("12:6: ") + goes_on},
        {kind, "Fortran's entry points on a line of the preprocessor",
         edit("bcast/library/entry_points.hpp",
              "\nBCAST_FORTRAN_NAME(mpi_bcast)\nBCAST_FORTRAN_NAME(mpi_bcast_)\nBCAST_FORTRAN_NAME(mpi_bcast__)\n"
              "BCAST_FORTRAN_NAME(MPI_BCAST)\n#undef BCAST_FORTRAN_NAME\n",
              "\n#undef BCAST_FORTRAN_NAME BCAST_FORTRAN_NAME(mpi_bcast) BCAST_FORTRAN_NAME(mpi_bcast_) "
              "BCAST_FORTRAN_NAME(mpi_bcast__) BCAST_FORTRAN_NAME(MPI_BCAST)\n"),
         loses_code("void mpi_bcast_(", openmpi()), "lib/bcast/library/entry_points.hpp:178:1: "},
        {kind, "a table's row on a line of the preprocessor",
         edit("site_tuning.hpp", "#include \"bcast/facts/site.hpp\"\n\nnamespace site {\n",
              "#include \"bcast/facts/site.hpp\" namespace site {\n"),
         not_shown("does not compile: the brace is left"), "lib/site_tuning.hpp:"},
        {kind, "a directive that is none any more", edit("site_tuning.hpp", "#pragma once\n", "#pragma\nonce\n"),
         not_shown("does not compile"), "lib/site_tuning.hpp:"},
        {kind, "a comment that goes on after a directive",
         edit("site_tuning.hpp", "#pragma once\n", "#pragma once /*\n*/ #include <cmath>\n"), not_shown("GCC warns"),
         "lib/site_tuning.hpp:"},
    };
}

std::vector<Attack> encodings() {
    const std::string kind = "encodings";
    const auto utf16 = [](const Library& library) {
        std::string wide = "\xff\xfe";
        for (const char c : library.text("site_plan.hpp")) wide += {c, '\0'};
        library.write("site_plan.hpp", wide);
    };
    const auto comment = [](const std::string& text) {
        return edit("mpi_bcast.cpp", "    return facts;", "    // " + text + "\n    return facts;");
    };
    const auto found = [](const char* character) { return in_mpi_bcast("35:8: ") + alike + character; };
    return {
        {kind, "UTF-16", utf16, not_shown("does not compile"),
         std::string("lib/site_plan.hpp:1:1: ") + alike + "byte 0xff"},
        {kind, "a byte order mark", edit("mpi_bcast.cpp", "// Gen", "\xef\xbb\xbf// Gen"),
         not_shown("compilers skip it, Tcl does not"), in_mpi_bcast("1:1: ") + alike + "U+FEFF"},
        {kind, "a carriage return alone",
         in_front(
             "// \r__attribute__((constructor)) static void foreign_code() { __builtin_puts(\"foreign code runs\"); }"),
         compiles_foreign_code(), in_mpi_bcast("12:4: ") + alike + "byte 0x0d"},
        {kind, "a null byte", comment(std::string(1, '\0')), not_shown("C programs end there"), found("byte 0x00")},
        {kind, "a vertical tab", comment("\v"), not_shown("ends lines for people"), found("byte 0x0b")},
        {kind, "a form feed", comment("\f"), not_shown("ends lines for people"), found("byte 0x0c")},
        {kind, "an escape sequence", comment("\x1b[2K"), not_shown("hides lines on terminals"), found("byte 0x1b")},
        {kind, "no UTF-8", comment("\xe4"), not_shown("depends on -finput-charset"), found("byte 0xe4")},
        {kind, "an overlong form", comment("\xc0\xaf"), not_shown("/ for some decoders"), found("byte 0xc0")},
        {kind, "the other direction", comment("\u202e ;stcaf nruter"), not_shown("people read it backwards"),
         found("U+202E")},
        {kind, "directions isolated", comment("\u2067 */ \u2066"), not_shown("people see other comments"),
         found("U+2067")},
        {kind, "no width", comment("\u200b"), not_shown("nobody sees it"), found("U+200B")},
        {kind, "a line end of Unicode's", comment("\u2028"), not_shown("ends lines for editors"), found("U+2028")},
        {kind, "a blank of Unicode's", comment("\u00a0"), not_shown("no blank for compilers"), found("U+00A0")},
        {kind, "letters that look like ours", comment("h\u0435ight"), not_shown("people take it for height"),
         in_mpi_bcast("35:9: ") + alike + "U+0435"},
        {kind, "a name that looks like ours", edit("mpi_bcast.cpp", "::site::rules", "::s\u0456te::rules"),
         compiler_takes("::s\\U00000456te::rules"), in_mpi_bcast("")},
        {kind, "a name in letters of ours that are not ASCII",
         edit("mpi_bcast.cpp", "::site::rules", "::s\u00efte::rules"), compiler_takes("::s\\U000000efte::rules"),
         in_mpi_bcast("")},
        {kind, "wide letters", comment("\uff48eight"), not_shown("people take it for height"), found("U+FF48")},
    };
}

}  // namespace

std::vector<Attack> attacks_by_code() {
    std::vector<Attack> all;
    for (const auto& some : {directives(), pragmas(), tokens(), lines(), encodings()}) {
        all.insert(all.end(), some.begin(), some.end());
    }
    return all;
}

}  // namespace bcastgen::testing
