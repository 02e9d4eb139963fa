// What stands in the modulefile and means something else to Tcl than it seems; and what is to bring the audit down.
#include "tests/codegen/audit/attack.hpp"

namespace bcastgen::testing {

namespace {

using Library = SampleDirectory;

const std::string modulefile = "modulefile";
const std::string say_by_tcl = "puts stderr {foreign code runs}";

std::function<void(const Library&)> edit_modulefile(const std::string& from, const std::string& to) {
    return [=](const Library& library) { library.edit(modulefile, from, to); };
}

}  // namespace

std::vector<Attack> attacks_by_modulefile() {
    const std::string differs = "error: not what bcastgen emits: expected ";
    const std::string alike = "error: expected characters that everybody reads alike, found ";
    const std::string goes_on =
        "error: expected a line that ends here, found one that some readers go on with in the next";
    const std::string preload = "LD_PRELOAD=";
    const std::string at_last = "foreach one $chosen {\n    prepend-path LD_PRELOAD $libraries/$one/$library\n}\n";
    return {
        {"commands", "another place for the libraries", edit_modulefile("]/build", "]/bui1d"), module_loses(preload),
         "lib/modulefile:8:45: " + differs},
        {"commands", "no library for anybody", edit_modulefile("set mpi any", "set mpi none"), module_loses(preload),
         "lib/modulefile:9:9: " + differs},
        {"commands", "a command", edit_modulefile("conflict bcast", "conflict bcast\n" + say_by_tcl),
         module_runs_foreign_code(), "lib/modulefile:21:1: " + differs},
        {"comments", "# in a command", edit_modulefile("conflict bcast", "conflict bcast #[" + say_by_tcl + "]"),
         module_runs_foreign_code(), "lib/modulefile:20:16: " + differs},
        {"comments", "# behind a semicolon", edit_modulefile("conflict bcast", "conflict bcast ;" + say_by_tcl + " ;#"),
         module_runs_foreign_code(), "lib/modulefile:20:16: " + differs},
        {"comments", "# in a word", edit_modulefile("set mpi any", "set mpi [" + say_by_tcl + "]#"),
         module_runs_foreign_code(), "lib/modulefile:9:9: " + differs},
        {"comments", "one that goes on", edit_modulefile("    prepend-path", "# more \\\nprepend-path"),
         module_loses(preload), "lib/modulefile:69:8: " + goes_on},
        {"comments", "one that goes on after a carriage return",
         edit_modulefile("    prepend-path", "# more \\\r\nprepend-path"), tcl_loses("prepend-path LD_PRELOAD"),
         "lib/modulefile:69:8: " + goes_on},
        {"comments", "with a brace that Tcl counts",
         edit_modulefile("    set chosen $env", "    # }\n    set chosen $env"), module_loses(preload),
         "lib/modulefile:47:5: " + differs},
        {"comments", "with braces that hide a command",
         edit_modulefile("mpich openmpi}\n}\n" + at_last, "mpich openmpi}\n# {\n}\n" + at_last + "# }\n"),
         module_loses(preload), "lib/modulefile:67:1: " + differs},
        {"lines", "a carriage return alone", edit_modulefile("conflict bcast", "conflict bcast\n#\r" + say_by_tcl),
         tcl_runs_foreign_code(), "lib/modulefile:21:2: " + alike + "byte 0x0d"},
        {"lines", "joined", edit_modulefile("set loaded none\n", "set loaded none "), module_loses(preload),
         "lib/modulefile:26:17: " + differs},
        {"lines", "the first is another's", edit_modulefile("#%Module1.0\n", "# \n#%Module1.0\n"),
         module_loses(preload), "lib/modulefile:1:1: " + differs + "\"#%Module1.0\", found \"#\""},
        {"lines", "the first is indented", edit_modulefile("#%Module1.0\n", " #%Module1.0\n"), module_loses(preload),
         "lib/modulefile:"},
        {"encodings", "the end of a file for Tcl", edit_modulefile("conflict bcast", "#\x1a\nconflict bcast"),
         tcl_loses("prepend-path LD_PRELOAD"), "lib/modulefile:20:2: " + alike + "byte 0x1a"},
        {"encodings", "a byte order mark", edit_modulefile("#%Module1.0", "\xef\xbb\xbf#%Module1.0"),
         module_loses(preload), "lib/modulefile:1:1: " + alike + "U+FEFF"},
        {"encodings", "a form feed", edit_modulefile("conflict bcast", "conflict bcast\f"),
         not_shown("Tcl takes it for a blank"), "lib/modulefile:20:15: " + alike + "byte 0x0c"},
        {"encodings", "a null byte", edit_modulefile("conflict bcast", "conflict bcast\n#" + std::string(1, '\0')),
         not_shown("programs in C end there"), "lib/modulefile:21:2: " + alike + "byte 0x00"},
        {"expansion", "a variable that is read for its trace", edit_modulefile("$libraries/$one", "$libraries/$lib"),
         module_loses(preload), "lib/modulefile:"},
        {"expansion", "a command in quotes", edit_modulefile("MPI_Bcast for", "[" + say_by_tcl + "] for"),
         module_runs_foreign_code(), "lib/modulefile:12:15: " + differs},
        {"expansion", "a blank in quotes", edit_modulefile("MPI_Bcast for", "MPI_Bcast  for"),
         not_shown("another text"), "lib/modulefile:12:15: " + differs},
    };
}

std::vector<Attack> attacks_on_the_audit() {
    const auto in_tables = [](const std::string& text) {
        return [text](const Library& library) {
            library.edit("site_tuning.hpp", "namespace site {", text + "\nnamespace site {");
        };
    };
    const auto repeated = [](const char* part, int times) {
        std::string text;
        for (int time = 0; time < times; ++time) text += part;
        return text;
    };
    const std::string at = "lib/site_tuning.hpp:15:";
    const std::string no_table = "error: not what bcastgen emits: expected tables and their values, found ";
    const Proof tried = not_shown("the audit is what would fall");
    return {
        {"parsers", "signs in a row", in_tables("constexpr int x = " + repeated("- ", 200000) + "1;"), tried, at},
        {"parsers", "pointers to pointers", in_tables("int " + repeated("* ", 200000) + "x;"), tried, at},
        {"parsers", "templates in templates", in_tables("A<" + repeated("A<", 100000)), tried, at},
        {"parsers", "questions in questions", in_tables("constexpr int x = " + repeated("1 ? 1 : ", 100000) + "1;"),
         tried, at},
        {"parsers", "braces in braces", in_tables(repeated("namespace a {", 100000)), tried, at},
        {"parsers", "endless recursion", in_tables("template <int n>\nstruct X : X<n + 1> {};\nX<0> x;"), tried, at},
        {"parsers", "constants that take long",
         in_tables("constexpr int f(int n) {\nif (n == 0) return 0;\nreturn f(n - 1) + f(n - 1);\n}\nconstexpr int x = "
                   "f(40);"),
         tried, "lib/site_tuning.hpp:"},
        {"parsers", "a huge table with one value",
         [](const Library& library) {
             library.edit("site_plan.hpp", "machine_switch[] = {", "machine_switch[2000000000] = {");
         },
         tried, "lib/site_plan.hpp:31:36: " + no_table + "\"[\""},
        {"parsers", "a huge table of tables",
         [](const Library& library) {
             library.edit("site_plan.hpp", "baked_sets[] = {", "baked_sets[bcast::any_number] = {");
         },
         tried, no_table + "\"[\""},
        {"parsers", "a table as large as an index says",
         [](const Library& library) {
             library.edit("site_plan.hpp", "machine_switch[] = {\n", "machine_switch[] = {\n[2000000000] = ");
         },
         tried, "lib/site_plan.hpp:32:1: " + no_table + "\"[\""},
        {"parsers", "types that double",
         in_tables("struct A {\nint a, b;\n};\nstruct B {\nA a, b;\n};\nconstexpr B x{};"), tried,
         at + "1: " + no_table + "\"struct\""},
        {"parsers", "a list as long as a number says", in_tables("std::make_index_sequence<1000000000> x;"), tried,
         at + "1: " + no_table + "\"std\""},
        {"parsers", "the same by the compiler's own name",
         in_tables("constexpr __make_integer_seq<A, int, 1000000000> x;"), tried,
         at + "11: " + no_table + "\"__make_integer_seq\""},
        {"parsers", "a table that leads back to itself",
         [](const Library& library) {
             library.edit("site_tuning.hpp", "inline constexpr bcast::Rule rules[] = {",
                          "struct Span;\nstruct Loop;\nstruct Span {\nconst Loop* p;\nlong n;\n};\n"
                          "struct Loop : bcast::Rule {\nSpan s;\n};\nextern const Loop rules[1];\n"
                          "constexpr Loop rules[1] = {{{}, {rules, 1}}};\ninline constexpr bcast::Rule others[] = {");
         },
         tried, "lib/"},
        {"tables", "an arrival that there is not",
         [](const Library& library) {
             library.edit("site_tuning.hpp", "bcast::Arrival::balanced, messages_1",
                          "static_cast<bcast::Arrival>(77), messages_1");
             library.edit("site_tuning.hpp", "tuning_hash = 0x", "tuning_hash = 1 + 0x");
         },
         tried, "rules[1].arrival: expected an arrival, found 77"},
        {"tables", "an algorithm that there is not",
         [](const Library& library) {
             library.edit("site_tuning.hpp", "bcast::Algorithm::linear", "static_cast<bcast::Algorithm>(77)");
             library.edit("site_tuning.hpp", "tuning_hash = 0x", "tuning_hash = 1 + 0x");
         },
         tried, "algorithm: expected an algorithm, found 77"},
    };
}

}  // namespace bcastgen::testing
