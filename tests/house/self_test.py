"""Shows that the checks of this folder can fail. Usage: self_test.py CLANG_FORMAT CLANG_TIDY OWN_DECLARATIONS"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from format import format_errors
from includes import include_errors
from links import link_errors
from tables import setting_errors, table_errors

CONFIGURATION = Path(__file__).parents[2] / ".clang-tidy"
CLEAN = {
    "templates/bcast/trees/order.hpp": "#include <vector>\n",
    "templates/bcast/library/engine.hpp": '#include <mpi.h>\n\n#include "bcast/trees/order.hpp"\n',
    "templates/mpi_bcast.cpp.mustache": '#include "bcast/library/engine.hpp"\n#include "site_plan.hpp"\n',
    "planner/network/network.hpp": '#include "bcast/trees/order.hpp"\n',
    "codegen/emit/emit.cpp": '#include "planner/network/network.hpp"\n#include "codegen/emit/emit.hpp"\n',
    "codegen/emit/emit.hpp": "",
    "tuner/clusters/lab/lab.cpp": '#include "tuner/clusters/cluster.hpp"\n',
    "tuner/clusters/cluster.hpp": "",
    "cli/main.cpp": '#include <CLI/CLI.hpp>\n#include <iostream>\n\n#include "planner/network/network.hpp"\n',
    "tests/mpi/check.cpp": '#include <mpi.h>\n\n#include "bcast/library/engine.hpp"\n',
    "tests/planner/network/network_test.cpp": '#include "planner/network/network.hpp"\n\n#include <fstream>\n\n#include "rows.hpp"\n',
    "tests/planner/network/rows.hpp": "#include <string>\n",
    "tuner/program/main.cpp": '#include "bcast/library/engine.hpp"\n',
}
# (file, its text, the error it must bring)
BREACHES = [
    ("planner/plan/a.cpp", '#include "codegen/emit/emit.hpp"\n', "planner/plan/a.cpp:1: codegen/emit/emit.hpp: planner/plan/ must not"),
    ("codegen/emit/a.cpp", '\n#include "tuner/clusters/cluster.hpp"\n', "codegen/emit/a.cpp:2: tuner/clusters/cluster.hpp: codegen/emit/ must"),
    ("tuner/bench/a.cpp", "#include <codegen/emit/emit.hpp>\n", "tuner/bench/a.cpp:1: codegen/emit/emit.hpp: tuner/bench/ must not depend"),
    ("planner/trees/a.cpp", "#include <iostream>\n", "planner/trees/a.cpp:1: iostream: the planner neither prints nor"),
    ("planner/trees/a.cpp", "#  include <mpi.h>\n", "planner/trees/a.cpp:1: mpi.h: MPI is for templates/"),
    ("templates/bcast/trees/order.hpp", '#include "bcast/library/engine.hpp"\n', "templates/bcast/trees/order.hpp:1: bcast/library/engine.hpp: templates/bcast/trees/ must not"),
    ("templates/bcast/facts/a.cpp", "#include <fmt/core.h>\n", "templates/bcast/facts/a.cpp:1: fmt/core.h: templates/ stands on MPI"),
    ("templates/bcast/facts/a.cpp", '#include "planner/network/network.hpp"\n', "templates/bcast/facts/a.cpp:1: planner/network/network.hpp: templates/bcast/facts/"),
    ("cli/a.cpp", '#include "fmt/core.h"\n', "cli/a.cpp:1: fmt/core.h: is not a file of the project"),
    ("cli/a.cpp", '#include "network.hpp"\n', "cli/a.cpp:1: network.hpp: is not a file of the project"),
    ("cli/a.cpp", '#include "tests/planner/network/rows.hpp"\n', "cli/a.cpp:1: tests/planner/network/rows.hpp: cli/ must not depend on tests/"),
    ("tuner/cellar/a.cpp", "", "tuner/cellar/a.cpp: tuner/cellar/ is not a room"),
    ("base/lonely.hpp", "", "base/lonely.hpp: nothing includes it"),
    ("tests/base/a.cpp", '#include "codegen/emit/emit.hpp"\n#include "nowhere.hpp"\n', "tests/base/a.cpp:2: nowhere.hpp: is not a file"),
]


class HouseTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = Path(self.folder.name)

    def write(self, name, text):
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def write_clean_tree(self):
        for name, text in CLEAN.items():
            self.write(name, text)

    def test_clean_tree_has_no_include_errors(self):
        self.write_clean_tree()
        self.assertEqual(include_errors(self.root), [])

    def test_every_breach_is_found_and_located(self):
        self.write_clean_tree()
        for name, text, expected in BREACHES:
            with self.subTest(expected):
                self.write(name, text)
                errors = include_errors(self.root)
                self.assertTrue(any(error.startswith(expected) for error in errors), errors)
                (self.root / name).unlink()
                if name in CLEAN:
                    self.write(name, CLEAN[name])

    def test_circles_and_headers_for_tests_alone_are_found(self):
        self.write_clean_tree()
        self.write("base/a.hpp", '#include "base/b.hpp"\n')
        self.write("base/b.hpp", '#include "base/a.hpp"\n')
        self.write("tests/base/a_test.cpp", '#include "base/a.hpp"\n')
        self.assertEqual(
            include_errors(self.root),
            [
                "includes go in a circle: base/a.hpp -> base/b.hpp -> base/a.hpp",
                "base/a.hpp: only tests include it",
                "base/b.hpp: only tests include it",
            ],
        )

    def test_a_hall_of_files_is_no_room(self):
        self.write_clean_tree()
        for number in range(40):
            self.write(f"base/file_{number}.cpp", "")
        self.assertEqual(include_errors(self.root), ["base/: 40 files side by side; more than 30 are two rooms"])

    def test_algorithms_and_clusters_are_named_in_their_tables_alone(self):
        self.write("templates/bcast/facts/algorithm.hpp", '{Algorithm::two_tree, "two-tree", ""},\n{Algorithm::arrival_b, "arrival-b", ""},\n')
        self.write("tuner/clusters/kinds.cpp", '{.name = "slurm", .queues = true}\n')
        self.write("tuner/clusters/slurm.cpp", 'const char* folder = "slurm";\n')
        self.write("tests/tuner/a_test.cpp", 'f(bcast::Algorithm::two_tree, "slurm");\n')
        self.write("cli/a.cpp", '// "two-tree" on "slurm", Algorithm::two_tree\nf("a two-tree", "// slurm");\n')
        self.assertEqual(table_errors(self.root), [])
        for line in ('if (name == "two-tree") {}', "case bcast::Algorithm::two_tree:", 'name.starts_with("arrival-")', 'on == "slurm"'):
            with self.subTest(line):
                self.write("cli/a.cpp", f"\n{line}\n")
                errors = table_errors(self.root)
                self.assertEqual([error.split(" ")[0] for error in errors], ["cli/a.cpp:2:"], errors)

    def test_settings_are_documented_and_what_is_documented_is_one(self):
        rows = "templates/bcast/facts/setting_names.hpp"
        self.write(rows, '{"BCASTGEN_A", "1", ""},\nforeign_setting_rows\n{"BCASTGEN_MPI", "x", ""},\n')
        self.write("docs/guide.md", "| `BCASTGEN_A=1` | a |\n| `BCASTGEN_MPI=x` | b |\n")
        self.write("docs/multicast.md", "")
        self.write("README.md", "")
        self.assertEqual(setting_errors(self.root), [])
        self.write("docs/guide.md", "| `BCASTGEN_B=1` | b |\n")
        self.assertEqual([error.split(": ")[:2] for error in setting_errors(self.root)],
                         [["docs/guide.md", "BCASTGEN_B"], [rows, "BCASTGEN_A"]])

    def test_no_sources_is_an_error(self):
        self.assertEqual(len(include_errors(self.root)), 1)
        self.assertNotEqual(format_errors(self.root, CLANG_FORMAT), "")
        self.write("templates/bcast/facts/algorithm.hpp", "")
        self.write("tuner/clusters/kinds.cpp", "")
        self.assertEqual(len(table_errors(self.root)), 1)

    def test_format(self):
        self.write("cli/main.cpp", "int main() {}\n")
        self.assertEqual(format_errors(self.root, CLANG_FORMAT), "")
        self.write("cli/other.cpp", "int  f(){return 1;}\n")
        self.assertIn("other.cpp:1", format_errors(self.root, CLANG_FORMAT))

    def test_clang_tidy_looks_at_own_headers_and_at_no_others(self):
        misnamed = "inline int MISNAMED = 0;\n"
        self.write("base/own.hpp", "#pragma once\n" + misnamed.replace("MISNAMED", "OWN"))
        self.write("foreign/foreign.hpp", "#pragma once\n" + misnamed.replace("MISNAMED", "FOREIGN"))
        self.write("base/a.cpp", '#include <foreign.hpp>\n#include "own.hpp"\n' + misnamed + "int main() { return OWN; }\n")
        words = [CLANG_TIDY, f"--config-file={CONFIGURATION}", f"--load={OWN_DECLARATIONS}", "--checks=bcastgen-own-declarations"]
        words += [str(self.root / "base/a.cpp"), "--", "-std=c++20", f"-isystem{self.root / 'foreign'}"]
        found = subprocess.run(words, capture_output=True, text=True)
        self.assertNotEqual(found.returncode, 0)
        self.assertIn("own.hpp:2:12: error: invalid case style for variable 'OWN'", found.stdout)
        self.assertIn("a.cpp:3:12: error: invalid case style for variable 'MISNAMED'", found.stdout)
        self.assertIn("2 warnings generated.", found.stderr)  # of these two: the foreign header was not looked at

    def test_links(self):
        self.write("docs/a.md", "see [b](adr/b.md#why), [c](https://example.org/c) and [d](../README.md)\n")
        self.write("docs/adr/b.md", "[back](../a.md)\n")
        self.assertEqual(link_errors(self.root), ["docs/a.md:1: ../README.md does not exist"])
        self.write("README.md", "")
        self.assertEqual(link_errors(self.root), [])


if __name__ == "__main__":
    CLANG_FORMAT, CLANG_TIDY, OWN_DECLARATIONS = sys.argv[1:]
    del sys.argv[1:]
    unittest.main()
